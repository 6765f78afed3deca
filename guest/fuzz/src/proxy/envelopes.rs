//! Any lines as the two sides of a conversation: what passes is not changed, what is changed is one message on one line with
//! the same members, and an answer is looked at only if somebody has asked for it, however often it comes.
//!
//! A line that begins with `<` is the server's, any other one is the client's, with or without `>`.

use std::collections::HashSet;

use lro::Options;
use serde_json::{Map, Value, json};

use super::envelope::{self, Envelope};
use super::pending::Expected;
use super::router::{FromClient, FromServer, Router};

/// Runs the target. The first byte chooses the options.
pub fn run(data: &[u8]) {
    let Some((choice, lines)) = data.split_first() else { return };
    let announces = choice & 1 != 0;
    let mut router = Router::new(announces, &Options::default(), "s");
    if choice & 2 != 0 {
        router.learn(vec!["lro_extract".to_owned()], &settings(*choice));
    }
    let mut asked = HashSet::new();
    for line in lines.split_inclusive(|byte| *byte == b'\n') {
        match line.split_first() {
            Some((b'<', line)) => server_says(&mut router, line, &asked),
            Some((b'>', line)) => client_says(&mut router, line, &mut asked, announces),
            _ => client_says(&mut router, line, &mut asked, announces),
        }
    }
}

fn settings(choice: u8) -> Map<String, Value> {
    let settings = json!({
        "threshold_tokens": 1,
        "tokenizer": "chars",
        "resolve_arguments": choice & 4 != 0,
        "context_tokens": if choice & 8 != 0 { json!(100) } else { Value::Null },
        "min_threshold_bytes": 10,
    });
    settings.as_object().expect("it is an object").clone()
}

fn client_says(router: &mut Router, line: &[u8], asked: &mut HashSet<String>, announces: bool) {
    let decided = router.client_says(line);
    let Some(read) = Envelope::of(line) else {
        assert_eq!(decided, FromClient::Forward, "what is not a message passes");
        return;
    };
    match &decided {
        FromClient::Forward | FromClient::Undecided => {}
        FromClient::Replace(sent) => announced(line, sent, announces),
        FromClient::Answer { id, line: sent, call } | FromClient::Resolve { id, line: sent, call } => {
            assert_eq!(Some(id.as_str()), read.id_text(), "the id is as it is written");
            assert!(!call.tool.is_empty() || line.len() > 2);
            if sent != line {
                announced(line, sent, announces);
            }
            answered(id);
        }
        FromClient::Say { id, result } => {
            assert_eq!(Some(id.as_str()), read.id_text(), "the id is as it is written");
            assert!(serde_json::from_str::<Value>(result).is_ok(), "our answer is JSON");
            answered(id);
        }
    }
    let is_ours = matches!(decided, FromClient::Answer { .. } | FromClient::Say { .. } | FromClient::Undecided);
    if let (Some(id), Some(_), false) = (read.id(), &read.method, is_ours) {
        asked.insert(id);
    }
}

/// PROXY-03: nothing but `proxy: true` in the clientInfo is added, on the same line.
fn announced(line: &[u8], sent: &[u8], announces: bool) {
    assert!(announces, "a line is replaced only to announce the proxy");
    let read = |line: &[u8]| serde_json::from_slice::<Value>(line);
    let newlines = |line: &[u8]| line.iter().filter(|byte| **byte == b'\n').count();
    assert_eq!(newlines(line), newlines(sent), "a message is a line");
    // Numbers beyond what a Value holds are checked as text alone.
    let (Ok(mut earlier), Ok(mut later)) = (read(line), read(sent)) else { return };
    let members = ["/params/clientInfo/proxy", "/params/_meta/io.modelcontextprotocol~1clientInfo/proxy"];
    let marked = members.iter().filter(|place| later.pointer(place) == Some(&Value::Bool(true))).count();
    assert!(marked >= 1, "{later}");
    for message in [&mut earlier, &mut later] {
        for place in members {
            let (object, key) = place.rsplit_once('/').expect("a pointer has a slash");
            if let Some(Value::Object(object)) = message.pointer_mut(object) {
                object.remove(key);
            }
        }
    }
    assert_eq!(earlier, later);
}

/// Answers of ours are one line of JSON, with the id as it came.
fn answered(id: &str) {
    for answer in [envelope::response(id, "{}"), envelope::error(id, -32000, "a \"message\"\n")] {
        assert!(answer.ends_with(b"\n") && answer.iter().filter(|byte| **byte == b'\n').count() == 1 + newlines(id));
        let envelope = Envelope::of(&answer).expect("an answer is a message");
        assert_eq!(envelope.id_text(), Some(id));
    }
}

fn newlines(text: &str) -> usize {
    text.bytes().filter(|byte| *byte == b'\n').count()
}

fn server_says(router: &mut Router, line: &[u8], asked: &HashSet<String>) {
    let decided = router.server_says(line);
    let FromServer::Look { expected, result: place } = decided else { return };
    let read = Envelope::of(line).expect("only a message is looked at");
    let id = read.id().expect("an answer has an id");
    // Some servers answer a number with its text.
    let number = serde_json::from_str::<String>(&id).unwrap_or_default();
    assert!(asked.contains(&id) || asked.contains(&number), "nobody asked for {id}");
    let result = read.result.expect("an answer has a result").get();
    assert_eq!(&line[place], result.as_bytes());
    let message = envelope::with(line, result, "{\"replaced\":[]}");
    let changed = Envelope::of(&message).expect("a changed message is one");
    assert_eq!((changed.id(), changed.result.map(|result| result.get())), (Some(id), Some("{\"replaced\":[]}")));
    let failed: Value = serde_json::from_str(&envelope::failed_result(result, "why")).expect("a failed result is JSON");
    assert_eq!(failed["isError"], true);
    if let Expected::ToolResult(call) = &expected {
        _ = router.known.call_settings(call);
    }
    if read.method.is_none() {
        router.known.listed(result);
    }
}
