//! Messages that are too long, and too many of them.

use serde_json::{Value, json};

use crate::client::{proxy, records};
use crate::trials;

trials![
    a_long_answer_becomes_an_error,
    a_line_without_end_is_answered,
    a_long_message_of_the_client_is_answered,
    a_long_request_of_the_server_is_answered,
    nobody_needs_to_read_standard_error,
    many_large_results_are_answered_one_after_the_other,
    answers_that_lenient_clients_read_are_looked_at,
    limits_of_our_tools_are_failures_of_the_tool,
];

const LIMIT: &[&str] = &["--max-message", "10000"];

fn a_long_answer_becomes_an_error() {
    let mut client = proxy(LIMIT);
    let long = "x".repeat(100_000);
    for answer in [
        format!(r#"{{"jsonrpc":"2.0","id":"i","result":{{"id":2,"content":"{long}"}}}}"#),
        format!(r#"{{"result":{{"id":2,"content":"{long}"}},"jsonrpc":"2.0","id":"i"}}"#),
    ] {
        let after = "{\"method\":\"after\"}\n";
        let say = [format!("{answer}\n"), after.to_owned()];
        // The request stays below the limit: the server makes the long part itself.
        client.send(&json!({"id": "i", "method": "tools/call", "params": {"name": "a", "repeat": repeat(&say)}}));
        let error = client.receive();
        assert_eq!((&error["id"], &error["error"]["code"]), (&json!("i"), &json!(-32000)), "{error}");
        assert!(error["error"]["message"].as_str().unwrap().contains("longer than 10000 bytes"), "{error}");
        assert_eq!(client.line(), after.as_bytes());
    }
    let (output, rest, _folder) = client.end();
    assert_eq!(String::from_utf8_lossy(&rest), "");
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(said.lines().count(), 2, "{said}");
}

/// Texts with runs of `x` shortened to their lengths.
fn repeat(texts: &[String]) -> Value {
    let run = "x".repeat(100_000);
    texts.iter().map(|text| text.split(&run).collect::<Vec<_>>()).map(|parts| json!([parts, 100_000])).collect()
}

fn a_line_without_end_is_answered() {
    let mut client = proxy(LIMIT);
    let say = ["{\"id\":1,\"result\":\"".to_owned() + &"x".repeat(100_000)];
    client.send(&json!({"id": 1, "method": "tools/call", "params": {"name": "a", "repeat": repeat(&say)}}));
    assert_eq!(client.receive()["error"]["code"], -32000);
    client.end();
}

fn a_long_message_of_the_client_is_answered() {
    let mut client = proxy(LIMIT);
    let long = "x".repeat(100_000);
    for (line, id) in [
        (format!(r#"{{"id":7,"method":"tools/call","params":"{long}"}}"#), json!(7)),
        (format!(r#"{{"method":"tools/call","params":"{long}","id":8}}"#), json!(8)),
        (long, Value::Null),
    ] {
        client.write(format!("{line}\n").as_bytes());
        let error = client.receive();
        assert_eq!((&error["id"], &error["error"]["code"]), (&id, &json!(-32600)), "{error}");
    }
    client.send(&json!({"id": 1, "method": "ping", "params": {"say": ["after\n"]}}));
    assert_eq!(client.line(), b"after\n");
    assert_eq!(String::from_utf8(client.log()).unwrap().lines().count(), 1, "the server has got nothing else");
    client.end();
}

fn a_long_request_of_the_server_is_answered() {
    let mut client = proxy(LIMIT);
    let long = "x".repeat(100_000);
    let say =
        [format!("{{\"id\":1,\"method\":\"sampling/createMessage\",\"params\":\"{long}\"}}\n"), "after\n".to_owned()];
    client.send(&json!({"method": "notifications/x", "params": {"repeat": repeat(&say)}}));
    assert_eq!(client.line(), b"after\n");
    // A long answer of the client is told to the one who waits for it, too.
    client.write(format!("{{\"id\":2,\"result\":\"{long}\"}}\n").as_bytes());
    client.send(&json!({"id": 3, "method": "ping", "params": {"say": ["after\n"]}}));
    assert_eq!(client.line(), b"after\n");
    let log = String::from_utf8(client.log()).unwrap();
    let errors: Vec<Value> = log.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!((&errors[1]["id"], &errors[1]["error"]["code"]), (&json!(1), &json!(-32600)), "{log}");
    assert_eq!((&errors[2]["id"], &errors[2]["error"]["code"]), (&json!(2), &json!(-32000)), "{log}");
    client.end();
}

/// Every result makes an event, and so many are more than a pipe holds: the rest is dropped.
fn nobody_needs_to_read_standard_error() {
    let mut client = proxy(&["--threshold", "1", "--min-saving", "0"]);
    client.send(&json!({"id": 0, "method": "ping", "params": {"say": ["up\n"]}}));
    assert_eq!(client.line(), b"up\n");
    // From now on each result has an event: it cannot be stored.
    client.block_results();
    let calls = client.call_meanwhile((0..1000).map(|id| (id, "a", records(2))).collect());
    for _ in 0..1000 {
        assert_eq!(client.receive()["result"]["structuredContent"]["offloaded"], false);
    }
    client.go_on(calls);
    let (output, _, _folder) = client.end();
    assert!(output.stderr.len() > 60_000, "the pipe was full: {} bytes of events", output.stderr.len());
}

/// Together they are more than may be held at once.
fn many_large_results_are_answered_one_after_the_other() {
    let mut client = proxy(&["--max-message", "200000"]);
    let calls = client.call_meanwhile((0..30).map(|id| (id, "a", records(2500))).collect());
    for _ in 0..30 {
        assert_eq!(client.receive()["result"]["structuredContent"]["offloaded"], true);
    }
    client.go_on(calls);
    client.end_well();
}

/// SDKs take a number that comes back as a text, and in Python NaN, for what was meant.
fn answers_that_lenient_clients_read_are_looked_at() {
    let mut client = proxy(&[]);
    let result = records(1000).to_string();
    let with_nan = result.replacen("\"content\":", "\"x\":NaN,\"content\":", 1);
    assert_ne!(with_nan, result);
    for (id, written, result) in [(1, "\"1\"", &result), (2, "2", &with_nan)] {
        let answer = format!("{{\"jsonrpc\":\"2.0\",\"id\":{written},\"result\":{result}}}\n");
        client.send(&json!({"id": id, "method": "tools/call", "params": {"name": "a", "say": [answer]}}));
        let answer = client.receive();
        assert_eq!(answer["id"].to_string(), written);
        assert_eq!(answer["result"]["structuredContent"]["offloaded"], true, "{answer}");
    }
    let foreign = "{\"id\":9,\"result\":NaN}\n";
    client.send(&json!({"id": 3, "method": "ping", "params": {"say": [foreign]}}));
    assert_eq!(client.line(), foreign.as_bytes());
    client.end_well();
}

fn limits_of_our_tools_are_failures_of_the_tool() {
    let mut client = proxy(&[]);
    client.call(1, "a", &records(1000));
    let file = client.receive()["result"]["structuredContent"]["file_path"].clone();
    let arguments = json!({"file_path": file, "query": "[range(1e9)] | length", "slurp": true});
    let failed = client.result(2, "lro_extract", &arguments);
    assert_eq!(failed["isError"], true, "{failed}");
    assert!(failed["content"][0]["text"].as_str().unwrap().contains("stopped"), "{failed}");
    client.end_well();
}
