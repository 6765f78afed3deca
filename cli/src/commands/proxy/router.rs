//! Decides what to do with a line from either side. Nothing is carried out here: the conversation goes on while results
//! are offloaded elsewhere.

use std::ops::Range;

use lro::Options;
use serde_json::{Map, Value};

use super::envelope::{self, Envelope, announced};
use super::known::Known;
use super::ours::may_be_ours;
use super::pending::{Expected, MOST_ID_BYTES, Pending, ToolCall};
use super::resolving::may_refer;
use super::shown;
use crate::shortest::Shortest;

/// The most requests in flight that are remembered; answers to others are passed on unseen.
const MOST_PENDING: usize = 10_000;

/// What to do with a line of the client.
#[derive(Debug, PartialEq)]
pub(super) enum FromClient {
    /// Send it to the server unchanged.
    Forward,
    /// Send this line to the server instead.
    Replace(Vec<u8>),
    /// Answer this call of one of our tools, if it is ours. The id is as it is written.
    Answer { id: String, call: ToolCall, line: Vec<u8> },
    /// Send this call to the server after its arguments' references have been resolved. The id is as it is written.
    Resolve { id: String, call: ToolCall, line: Vec<u8> },
    /// Answer this request with this result. The id is as it is written.
    Say { id: String, result: String },
    /// Ask again later: this may be a call of one of our tools, whose names are not known yet, or have references.
    Undecided,
}

/// What to do with a line of the server.
#[derive(Debug, PartialEq)]
pub(super) enum FromServer {
    /// Send it to the client unchanged.
    Forward,
    /// It is not a valid message, but lenient clients may read one in it.
    Unreadable,
    /// Its result may have to be changed; it is at this place in the line.
    Look { expected: Expected, result: Range<usize> },
}

/// What is known of the conversation.
pub(super) struct Router {
    pending: Pending,
    /// `None` while the component is not open.
    our_tools: Option<Vec<String>>,
    announces: bool,
    shortest: Shortest,
    /// Whether references in arguments are resolved; `None` while only the component knows.
    resolves: Option<bool>,
    /// True where the resources are ours alone: the server has none.
    pub(super) only_ours: bool,
    /// What the component may have to know for a call.
    pub(super) known: Known,
}

impl Router {
    /// A router of the conversation in this session that knows nothing but these options yet. With `announces`, it tells
    /// the server that there is a proxy.
    pub(super) fn new(announces: bool, options: &Options, session: &str) -> Self {
        let shortest = Shortest::before_settings(options);
        let (pending, known, resolves) = (Pending::of(MOST_PENDING), Known::of(session), resolves(options));
        Self { pending, our_tools: None, announces, shortest, resolves, only_ours: false, known }
    }

    /// Learns the names of our tools and the settings.
    pub(super) fn learn(&mut self, our_tools: Vec<String>, settings: &Map<String, Value>) {
        self.our_tools = Some(our_tools);
        self.shortest = Shortest::of(settings);
        self.resolves = Some(settings.get("resolve_arguments").is_some_and(|resolves| resolves == true));
        self.known.input_tokens.learn(context_tokens(settings));
    }

    /// Learns new names of our tools.
    pub(super) fn rename(&mut self, our_tools: Vec<String>) {
        self.our_tools = Some(our_tools);
    }

    pub(super) fn client_says(&mut self, line: &[u8]) -> FromClient {
        let Some(envelope) = Envelope::of(line) else { return FromClient::Forward };
        self.known.client_says(&envelope);
        let decided = self.expect(&envelope);
        let announced = if self.announces { announced(line, &envelope) } else { None };
        let sent = |announced: Option<Vec<u8>>| announced.unwrap_or_else(|| line.to_owned());
        match (decided, announced) {
            (Some(FromClient::Resolve { id, call, .. }), line) => FromClient::Resolve { id, call, line: sent(line) },
            (Some(FromClient::Answer { id, call, .. }), line) => FromClient::Answer { id, call, line: sent(line) },
            (Some(decided), _) => decided,
            (None, Some(line)) => FromClient::Replace(line),
            (None, None) => FromClient::Forward,
        }
    }

    /// Remembers a request, and decides about a call of a tool. What is to be sent is filled in later.
    fn expect(&mut self, envelope: &Envelope<'_>) -> Option<FromClient> {
        let (method, id) = (envelope.method.as_deref()?, envelope.id()?);
        self.pending.asks(&id);
        let is_remembered = id.len() <= MOST_ID_BYTES;
        match method {
            "tools/list" if is_remembered => {
                self.pending.expect_tools(id, envelope.param_text("_meta").unwrap_or_default());
            }
            "tools/call" => {
                let Some(Value::String(tool)) = envelope.param("name") else { return None };
                let text = |name| envelope.param_text(name).unwrap_or_default();
                let (arguments, meta) = (text("arguments"), text("_meta"));
                self.known.input_tokens.said(meta);
                if self.our_tools.is_none() && may_be_ours(&tool) {
                    return Some(FromClient::Undecided);
                }
                if self.our_tools.as_ref().is_some_and(|ours| ours.contains(&tool)) {
                    let call = ToolCall { tool, arguments: arguments.to_owned(), meta: meta.to_owned() };
                    return Some(FromClient::Answer { id: envelope.id_text()?.to_owned(), call, line: Vec::new() });
                }
                let may_refer = self.resolves != Some(false) && may_refer(arguments);
                if may_refer && self.resolves.is_none() {
                    return Some(FromClient::Undecided);
                }
                let call = || ToolCall { tool: tool.clone(), meta: meta.to_owned(), ..ToolCall::default() };
                let call = may_refer.then(call);
                if is_remembered {
                    self.pending.expect_result(id, tool, arguments, meta);
                }
                let id = envelope.id_text()?.to_owned();
                return call.map(|call| FromClient::Resolve { id, call, line: Vec::new() });
            }
            "initialize" | "server/discover" if is_remembered && self.shows_table(envelope) => {
                self.pending.expect(id, Expected::Welcome);
            }
            "resources/read" | "resources/list" | "resources/templates/list" if self.shows_table(envelope) => {
                let result = shown::answer(method, envelope.param("uri").as_ref(), self.only_ours)?;
                return Some(FromClient::Say { id: envelope.id_text()?.to_owned(), result });
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

    fn shows_table(&self, envelope: &Envelope<'_>) -> bool {
        self.known.shows_table(envelope.param_text("_meta").unwrap_or_default())
    }

    /// Stops waiting for the answer to this request. The id is as it is written.
    pub(super) fn forget(&mut self, id: &str) {
        if let Some(id) = envelope::key(id) {
            self.pending.take(&id);
        }
    }

    /// True for an answer that is expected, for the first time or once more.
    pub(super) fn awaits(&self, line: &[u8]) -> bool {
        Envelope::of(line).and_then(|envelope| envelope.id()).is_some_and(|id| self.pending.expects(&id))
    }

    pub(super) fn server_says(&mut self, line: &[u8]) -> FromServer {
        let Some(envelope) = Envelope::of(line) else { return FromServer::Unreadable };
        let Some(id) = envelope.id().filter(|_| envelope.method.is_none()) else { return FromServer::Forward };
        let Some(expected) = self.pending.answer(&id) else { return FromServer::Forward };
        let Some(result) = envelope.result else { return FromServer::Forward };
        match expected {
            Expected::ToolResult(call) if line.len() <= self.shortest.for_tool(&call.tool) => {
                if let Some(task) = task_in(result.get()).filter(|task| task.len() <= MOST_ID_BYTES) {
                    self.pending.began(task, call);
                }
                self.known.input_tokens.add(result.get());
                FromServer::Forward
            }
            expected => FromServer::Look { expected, result: envelope::place(line, result.get()) },
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

/// Whether references are resolved, as far as these options say so.
fn resolves(options: &Options) -> Option<bool> {
    let given = options.settings.to_json().get("resolve_arguments").map(|resolves| *resolves == true);
    let has_others = options.settings_file.is_some() || !options.environment.is_empty();
    given.or((!has_others).then_some(false))
}

/// The context window in settings.
fn context_tokens(settings: &Map<String, Value>) -> Option<u32> {
    settings.get("context_tokens")?.as_u64().map(|tokens| u32::try_from(tokens).unwrap_or(u32::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn router(settings: Value) -> Router {
        let Value::Object(settings) = settings else { panic!("settings are an object") };
        let mut router = Router::new(false, &Options::default(), "s");
        router.learn(vec!["lro_extract".to_owned()], &settings);
        router
    }

    fn call(tool: &str, arguments: &str) -> ToolCall {
        ToolCall { tool: tool.to_owned(), arguments: arguments.to_owned(), ..ToolCall::default() }
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
        let look = |expected, result| FromServer::Look { expected, result };
        let rows = [
            (format!(r#"{{"id":2,"result":{{"a":"{long}"}}}}"#), FromServer::Forward),
            (format!(r#"{{"id":"1","method":"sampling/createMessage","params":"{long}"}}"#), FromServer::Forward),
            (r#"{"id":1,"result":{}}"#.to_owned(), look(Expected::Tools(String::new()), 17..19)),
            (r#"{"id":1,"result":{}}"#.to_owned(), look(Expected::Tools(String::new()), 17..19)),
            (
                format!(r#"{{"id":9,"id":"1","result":{{}},"result":"{long}"}}"#),
                look(Expected::ToolResult(call("a", r#"{"q": 1}"#)), 38..70),
            ),
            (format!("garbage {long}"), FromServer::Unreadable),
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
    fn what_a_window_or_the_last_bound_concerns_is_looked_at() {
        let shortest = |settings: Value| {
            let Value::Object(settings) = settings else { panic!("settings are an object") };
            let shortest = Shortest::of(&settings);
            (shortest.for_tool("any"), shortest.for_tool("never"), shortest.for_tool("low"))
        };
        let tools = json!({"never": {"offload": "never"}, "low": {"threshold_tokens": 10}});
        let rows = [
            (json!({"threshold_tokens": 1600}), (6400, 400_000, 40)),
            (json!({"threshold_tokens": 4_294_967_295_u32, "max_inline_tokens": 100}), (400, 400, 40)),
            (
                json!({"threshold_tokens": 1600, "context_tokens": 8192, "min_threshold_bytes": 4096}),
                (4096, 32_768, 40),
            ),
            (json!({"threshold_tokens": 500, "context_tokens": 8192, "min_threshold_bytes": 4096}), (4096, 32_768, 40)),
        ];
        for (mut settings, expected) in rows {
            settings["tokenizer"] = "chars".into();
            settings["tools"] = tools.clone();
            assert_eq!(shortest(settings.clone()), expected, "{settings}");
        }
    }

    #[test]
    fn our_tools_are_answered_by_the_name_that_they_have() {
        let mut router = router(json!({}));
        let line = br#"{"id":7,"method":"tools/call","params":{"name":"lro_extract","arguments":{"file_path":"f"}}}"#;
        let call = call("lro_extract", r#"{"file_path":"f"}"#);
        let answer = FromClient::Answer { id: "7".to_owned(), call, line: line.to_vec() };
        assert_eq!(router.client_says(line), answer);
        router.rename(vec!["local_extract".to_owned()]);
        assert_eq!(router.client_says(line), FromClient::Forward);
    }

    #[test]
    fn what_may_have_references_is_resolved_where_that_is_on() {
        let line = |content: &str| {
            let params = json!({"name": "save", "arguments": {"content": content}});
            json!({"id": 3, "method": "tools/call", "params": params}).to_string()
        };
        let (plain, referring) = (line("a text"), line("lro://x.jsonl"));
        let mut file = Options::default();
        file.settings_file = Some("lro.toml".into());
        let mut unknown = Router::new(false, &file, "s");
        assert_eq!(unknown.client_says(referring.as_bytes()), FromClient::Undecided);
        assert_eq!(unknown.client_says(plain.as_bytes()), FromClient::Forward);
        for (settings, resolves) in [(json!({}), false), (json!({"resolve_arguments": true}), true)] {
            let mut router = router(settings);
            assert_eq!(router.client_says(plain.as_bytes()), FromClient::Forward);
            let decided = router.client_says(referring.as_bytes());
            let expected = FromClient::Resolve {
                id: "3".to_owned(),
                call: call("save", ""),
                line: referring.clone().into_bytes(),
            };
            assert_eq!(decided, if resolves { expected } else { FromClient::Forward });
            assert!(router.pending.take("3").is_some());
        }
        assert_eq!(Router::new(false, &Options::default(), "s").client_says(referring.as_bytes()), FromClient::Forward);
    }

    #[test]
    fn before_the_component_is_there_only_what_needs_it_waits() {
        let call = |id: u32, tool: &str| format!(r#"{{"id":{id},"method":"tools/call","params":{{"name":"{tool}"}}}}"#);
        let answer = |id: u32, length: usize| format!(r#"{{"id":{id},"result":{{"a":"{}"}}}}"#, "x".repeat(length));
        let variables = Options::default().environment(vec![("A".to_owned(), "1".to_owned())]);
        for (options, passes) in [(Options::default(), true), (variables, false)] {
            let mut router = Router::new(false, &options, "s");
            for line in
                [r#"{"id":1,"method":"initialize"}"#, r#"{"id":2,"method":"ping"}"#, &call(3, "read"), &call(4, "read")]
            {
                assert_eq!(router.client_says(line.as_bytes()), FromClient::Forward, "{line}");
            }
            assert_eq!(router.client_says(call(5, "my_extract").as_bytes()), FromClient::Undecided);
            assert_eq!(router.server_says(answer(1, 5000).as_bytes()), FromServer::Forward);
            assert_eq!(router.server_says(answer(3, 6000).as_bytes()) == FromServer::Forward, passes);
            assert_ne!(router.server_says(answer(4, 7000).as_bytes()), FromServer::Forward);
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
            let (id, sent) = (id.to_owned(), line.clone().into_bytes());
            let answer = FromClient::Answer { id, call: call("lro_extract", ""), line: sent };
            assert_eq!(router.client_says(line.as_bytes()), answer);
        }
    }

    #[test]
    fn what_has_a_long_id_is_passed_on() {
        let mut router = router(json!({}));
        let tools = FromServer::Look { expected: Expected::Tools(String::new()), result: 1018..1020 };
        for (length, expected) in [(1000, tools), (2000, FromServer::Forward)] {
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
            let expected = FromServer::Look { expected: Expected::ToolResult(call("index", "")), result: 17..519 };
            assert_eq!(router.server_says(format!(r#"{{"id":2,"result":"{long}"}}"#).as_bytes()), expected);
        }
    }
}
