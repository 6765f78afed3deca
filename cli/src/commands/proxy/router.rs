//! Decides what to do with a line from either side. Nothing is carried out here: the conversation goes on while results
//! are offloaded elsewhere.

use std::collections::HashMap;

use lro::Options;
use serde_json::{Map, Value};

use super::envelope::{self, Envelope, announced};
use super::ours::may_be_ours;
use super::pending::{Expected, Pending, ToolCall};

/// The most requests in flight that are remembered; answers to others are passed on unseen.
const MOST_PENDING: usize = 10_000;

/// The answer to a request with a longer id is passed on unseen. Ids in use are numbers and UUIDs.
const MOST_ID_BYTES: usize = 1024;

/// The specification's default (LRO-05).
const DEFAULT_THRESHOLD_TOKENS: u32 = 1600;

/// What to do with a line of the client.
#[derive(Debug, PartialEq)]
pub(super) enum FromClient {
    /// Send it to the server unchanged.
    Forward,
    /// Send this line to the server instead.
    Replace(Vec<u8>),
    /// Answer this call of one of our tools. The id is as it is written.
    Answer { id: String, call: ToolCall },
    /// Ask again later: this may be a call of one of our tools, whose names are not known yet.
    Undecided,
}

/// What to do with a line of the server.
#[derive(Debug, PartialEq)]
pub(super) enum FromServer {
    /// Send it to the client unchanged.
    Forward,
    /// Its result may have to be changed.
    Look(Expected),
}

/// The default of `max_inline_tokens` (READ-20).
const DEFAULT_MAX_INLINE_TOKENS: u64 = 100_000;

/// What is known of the conversation.
pub(super) struct Router {
    pending: Pending,
    /// `None` while the component is not open.
    our_tools: Option<Vec<String>>,
    announces: bool,
    shortest: Shortest,
}

impl Router {
    /// A router that knows nothing but these options yet. With `announces`, it tells the server that there is a proxy.
    pub(super) fn new(announces: bool, options: &Options) -> Self {
        let shortest = Shortest::before_settings(options);
        Self { pending: Pending::of(MOST_PENDING), our_tools: None, announces, shortest }
    }

    /// Learns the names of our tools and the settings.
    pub(super) fn learn(&mut self, our_tools: Vec<String>, settings: &Map<String, Value>) {
        self.our_tools = Some(our_tools);
        self.shortest = Shortest::of(settings);
    }

    /// Learns new names of our tools.
    pub(super) fn rename(&mut self, our_tools: Vec<String>) {
        self.our_tools = Some(our_tools);
    }

    pub(super) fn client_says(&mut self, line: &[u8]) -> FromClient {
        let Some(envelope) = Envelope::of(line) else { return FromClient::Forward };
        if let Some(answer) = self.expect(&envelope) {
            return answer;
        }
        match announced(line, &envelope).filter(|_| self.announces) {
            Some(line) => FromClient::Replace(line),
            None => FromClient::Forward,
        }
    }

    /// Remembers a request, or answers it.
    fn expect(&mut self, envelope: &Envelope<'_>) -> Option<FromClient> {
        let (method, id) = (envelope.method.as_deref()?, envelope.id()?);
        let is_remembered = id.len() <= MOST_ID_BYTES;
        match method {
            "tools/list" if is_remembered => self.pending.expect(id, Expected::Tools),
            "tools/call" => {
                let Some(Value::String(tool)) = envelope.param("name") else { return None };
                let arguments = envelope.param_text("arguments").unwrap_or_default();
                if self.our_tools.is_none() && may_be_ours(&tool) {
                    return Some(FromClient::Undecided);
                }
                if self.our_tools.as_ref().is_some_and(|ours| ours.contains(&tool)) {
                    let (id, call) = (envelope.id_text()?, ToolCall { tool, arguments: arguments.to_owned() });
                    return Some(FromClient::Answer { id: id.to_owned(), call });
                }
                if is_remembered {
                    self.pending.expect_result(id, tool, arguments);
                }
            }
            "tasks/result" | "tasks/get" if is_remembered => {
                let Some(Value::String(task)) = envelope.param("taskId") else { return None };
                let call = self.pending.task(&task)?.clone();
                self.pending.expect(id, Expected::ToolResult(call));
            }
            _ => {}
        }
        None
    }

    /// Stops waiting for the answer to this request. The id is as it is written.
    pub(super) fn forget(&mut self, id: &str) {
        if let Some(id) = envelope::key(id) {
            self.pending.take(&id);
        }
    }

    pub(super) fn server_says(&mut self, line: &[u8]) -> FromServer {
        let Some(envelope) = Envelope::of(line).filter(|envelope| envelope.method.is_none()) else {
            return FromServer::Forward;
        };
        let Some(expected) = envelope.id().and_then(|id| self.pending.take(&id)) else { return FromServer::Forward };
        let Some(result) = envelope.result else { return FromServer::Forward };
        match expected {
            Expected::ToolResult(call) if line.len() <= self.shortest.for_tool(&call.tool) => {
                if let Some(task) = task_in(result.get()).filter(|task| task.len() <= MOST_ID_BYTES) {
                    self.pending.began(task, call);
                }
                FromServer::Forward
            }
            expected => FromServer::Look(expected),
        }
    }
}

/// Returns the id of the task in a result, in either era of the protocol.
fn task_in(result: &str) -> Option<String> {
    if !result.contains("\"taskId\"") {
        return None;
    }
    let result: Value = serde_json::from_str(result).ok()?;
    let task = if result["task"].is_object() { &result["task"] } else { &result };
    task["taskId"].as_str().map(str::to_owned)
}

/// The length up to which a line cannot contain a result that is offloaded. This shortcut is the one rule about thresholds
/// outside the component, which decides about all longer lines (decision 113).
struct Shortest {
    general: usize,
    tools: HashMap<String, usize>,
}

impl Shortest {
    /// For the time before the component has resolved the settings. If a file or a variable may have set something, no
    /// result counts as short.
    fn before_settings(options: &Options) -> Self {
        if options.settings_file.is_some() || !options.environment.is_empty() {
            return Self { general: 0, tools: HashMap::new() };
        }
        let mut settings = options.settings.to_json();
        settings.entry("threshold_tokens").or_insert(DEFAULT_THRESHOLD_TOKENS.into());
        Self::of(&settings)
    }

    fn of(settings: &Map<String, Value>) -> Self {
        // A character has one byte at least, and `chars` makes a token of four; no tokenizer makes two of a byte.
        let bytes_of_a_token = if settings.get("tokenizer").is_some_and(|name| name == "chars") { 4 } else { 1 };
        let bytes = |tokens: u64| usize::try_from(tokens).unwrap_or(usize::MAX).saturating_mul(bytes_of_a_token);
        let number = |key: &str| settings.get(key).and_then(Value::as_u64);
        let characters = number("threshold_characters").and_then(|threshold| usize::try_from(threshold).ok());
        let general = characters.unwrap_or_else(|| bytes(number("threshold_tokens").unwrap_or(0)));
        let of_four = |tokens: u64| usize::try_from(tokens).unwrap_or(usize::MAX).saturating_mul(4);
        let window = number("context_tokens");
        // READ-20: more is never passed on, nor more than a window holds.
        let most = number("max_inline_tokens").unwrap_or(DEFAULT_MAX_INLINE_TOKENS);
        let most = of_four(most.min(window.unwrap_or(u64::MAX)));
        // GATE-05: with a window, the gates look at whatever is not smaller than the floor.
        let floor = window.map(|_| number("min_threshold_bytes").unwrap_or(0));
        let floor = floor.and_then(|floor| usize::try_from(floor).ok());
        let gated = |bytes: usize| bytes.min(floor.unwrap_or(usize::MAX)).min(most);
        let general = if floor.is_some() { gated(usize::MAX) } else { gated(general) };
        let own = |tool: &Value| match tool["offload"].as_str() {
            Some("always") => 0,
            Some("never") => most,
            _ => tool["threshold_tokens"].as_u64().map_or(general, |own| gated(bytes(own))),
        };
        let tools = settings.get("tools").and_then(Value::as_object).into_iter().flatten();
        Self { general, tools: tools.map(|(name, tool)| (name.clone(), own(tool))).collect() }
    }

    fn for_tool(&self, tool: &str) -> usize {
        self.tools.get(tool).copied().unwrap_or(self.general)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn router(settings: Value) -> Router {
        let Value::Object(settings) = settings else { panic!("settings are an object") };
        let mut router = Router::new(false, &Options::default());
        router.learn(vec!["lro_extract".to_owned()], &settings);
        router
    }

    fn call(tool: &str, arguments: &str) -> ToolCall {
        ToolCall { tool: tool.to_owned(), arguments: arguments.to_owned() }
    }

    #[test]
    fn only_answers_that_may_be_changed_are_looked_at() {
        let mut router = router(json!({"threshold_tokens": 5, "tokenizer": "chars"}));
        let requests = [
            r#"{"id":1,"method":"tools/list"}"#,
            r#"{"id":"1","method":"tools/call","params":{"name":"a","arguments":{"q": 1}}}"#,
            r#"{"id":2,"method":"resources/list"}"#,
            r#"{"method":"notifications/initialized"}"#,
            "garbage",
        ];
        for line in requests {
            assert_eq!(router.client_says(line.as_bytes()), FromClient::Forward, "{line}");
        }
        let long = "x".repeat(30);
        let rows = [
            (format!(r#"{{"id":2,"result":{{"a":"{long}"}}}}"#), FromServer::Forward),
            (format!(r#"{{"id":"1","method":"sampling/createMessage","params":"{long}"}}"#), FromServer::Forward),
            (r#"{"id":1,"result":{}}"#.to_owned(), FromServer::Look(Expected::Tools)),
            (r#"{"id":1,"result":{}}"#.to_owned(), FromServer::Forward),
            (
                format!(r#"{{"id":"1","result":"{long}"}}"#),
                FromServer::Look(Expected::ToolResult(call("a", r#"{"q": 1}"#))),
            ),
            (format!("garbage {long}"), FromServer::Forward),
        ];
        for (line, expected) in rows {
            assert_eq!(router.server_says(line.as_bytes()), expected, "{line}");
        }
    }

    #[test]
    fn errors_and_short_results_are_passed_on() {
        let mut router = router(json!({
            "threshold_tokens": 100, "tokenizer": "chars",
            "tools": {"always": {"offload": "always"}, "low": {"threshold_tokens": 1}},
        }));
        for (id, tool, result, looks) in [
            (1, "a", r#""error":{"code":1,"message":"no"}"#, false),
            (2, "a", r#""result":{"content":[]}"#, false),
            (3, "always", r#""result":{"content":[]}"#, true),
            (4, "low", r#""result":{"content":[]}"#, true),
        ] {
            let request = format!(r#"{{"id":{id},"method":"tools/call","params":{{"name":"{tool}"}}}}"#);
            router.client_says(request.as_bytes());
            let action = router.server_says(format!(r#"{{"id":{id},{result}}}"#).as_bytes());
            assert_eq!(action != FromServer::Forward, looks, "{tool} {result}");
        }
    }

    #[test]
    fn our_tools_are_answered_by_the_name_that_they_have() {
        let mut router = router(json!({}));
        let line = br#"{"id":7,"method":"tools/call","params":{"name":"lro_extract","arguments":{"file_path":"f"}}}"#;
        let answer = FromClient::Answer { id: "7".to_owned(), call: call("lro_extract", r#"{"file_path":"f"}"#) };
        assert_eq!(router.client_says(line), answer);
        router.rename(vec!["local_extract".to_owned()]);
        assert_eq!(router.client_says(line), FromClient::Forward);
    }

    #[test]
    fn before_the_component_is_there_only_what_needs_it_waits() {
        let call = |id: u32, tool: &str| format!(r#"{{"id":{id},"method":"tools/call","params":{{"name":"{tool}"}}}}"#);
        let answer = |id: u32, length: usize| format!(r#"{{"id":{id},"result":{{"a":"{}"}}}}"#, "x".repeat(length));
        let variables = Options::default().environment(vec![("A".to_owned(), "1".to_owned())]);
        for (options, passes) in [(Options::default(), true), (variables, false)] {
            let mut router = Router::new(false, &options);
            for line in
                [r#"{"id":1,"method":"initialize"}"#, r#"{"id":2,"method":"ping"}"#, &call(3, "read"), &call(4, "read")]
            {
                assert_eq!(router.client_says(line.as_bytes()), FromClient::Forward, "{line}");
            }
            assert_eq!(router.client_says(call(5, "my_extract").as_bytes()), FromClient::Undecided);
            assert_eq!(router.server_says(answer(1, 5000).as_bytes()), FromServer::Forward);
            assert_eq!(router.server_says(answer(3, 1000).as_bytes()) == FromServer::Forward, passes);
            assert_ne!(router.server_says(answer(4, 2000).as_bytes()), FromServer::Forward);
            let Value::Object(settings) = json!({"threshold_tokens": 5}) else { panic!("settings are an object") };
            router.learn(vec!["my_extract".to_owned()], &settings);
            assert!(matches!(router.client_says(call(5, "my_extract").as_bytes()), FromClient::Answer { .. }));
        }
    }

    #[test]
    fn our_answers_have_the_id_as_it_came() {
        let mut router = router(json!({}));
        for id in ["1e2", "-0", "1.50", "18446744073709551617", r#""\u0041\n""#] {
            let line = format!(r#"{{"id": {id},"method":"tools/call","params":{{"name":"lro_extract"}}}}"#);
            let answer = FromClient::Answer { id: id.to_owned(), call: call("lro_extract", "") };
            assert_eq!(router.client_says(line.as_bytes()), answer);
        }
    }

    #[test]
    fn what_has_a_long_id_is_passed_on() {
        let mut router = router(json!({}));
        for (length, expected) in [(1000, FromServer::Look(Expected::Tools)), (2000, FromServer::Forward)] {
            let id = "i".repeat(length);
            router.client_says(format!(r#"{{"id":"{id}","method":"tools/list"}}"#).as_bytes());
            assert_eq!(router.server_says(format!(r#"{{"id":"{id}","result":{{}}}}"#).as_bytes()), expected);
        }
    }

    #[test]
    fn the_result_of_a_task_is_the_tools() {
        let long = "x".repeat(500);
        for (handle, request) in [
            (r#"{"task":{"taskId":"t"}}"#, "tasks/result"),
            (r#"{"resultType":"task","taskId":"t","status":"working"}"#, "tasks/get"),
        ] {
            let mut router = router(json!({"threshold_tokens": 100, "tokenizer": "chars"}));
            router.client_says(br#"{"id":1,"method":"tools/call","params":{"name":"index"}}"#);
            assert_eq!(router.server_says(format!(r#"{{"id":1,"result":{handle}}}"#).as_bytes()), FromServer::Forward);
            router.client_says(format!(r#"{{"id":2,"method":"{request}","params":{{"taskId":"t"}}}}"#).as_bytes());
            let expected = FromServer::Look(Expected::ToolResult(call("index", "")));
            assert_eq!(router.server_says(format!(r#"{{"id":2,"result":"{long}"}}"#).as_bytes()), expected);
        }
    }
}
