//! The proxy over HTTP: sessions, streams, and who may ask.

use std::thread::sleep;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::client::{LRO, records};
use crate::listening::{answer, headers, hello, listen, listen_before, request, until};
use crate::trials;

trials![
    messages_arrive_with_their_bytes,
    sessions_are_apart_and_end,
    answers_are_json_or_events,
    a_stream_that_breaks_is_resumed,
    what_the_server_says_waits_for_whoever_comes_back,
    what_the_server_says_waits_for_a_stream,
    sessions_are_bounded,
    silent_sessions_end,
    a_server_that_ends_is_an_error,
    the_protocol_without_sessions_shares_a_server,
    files_of_the_protocol_without_sessions_outlive_a_server,
    large_results_are_offloaded,
    strangers_are_refused,
    what_others_reach_needs_a_token,
];

fn messages_arrive_with_their_bytes() {
    let listening = listen(&[]);
    let session = listening.begin();
    let body = "{\"id\": 1e2,\n\t\"method\" :\"x\\u0041\", \"params\":{\"say\":[\"{\\\"id\\\":1e2, \\\"result\\\":{\\\"a\\\": 1.0}}\\n\"]}}\r\n";
    let reply = listening.ask("POST", &headers(&session), body);
    assert_eq!((reply.status, reply.body.as_str()), (200, "{\"id\":1e2, \"result\":{\"a\": 1.0}}"));
    let log = std::fs::read_to_string(listening.folder.path().join("log")).unwrap();
    assert_eq!(log.lines().last().unwrap(), body.trim_end().replace('\n', " "));
}

fn sessions_are_apart_and_end() {
    let listening = listen(&[]);
    let (first, second) = (listening.begin(), listening.begin());
    assert_ne!(first, second);
    // The same id in two sessions.
    for session in [&first, &second] {
        assert_eq!(listening.post(session, &request(1, "a", &[&answer(1)])).json()["result"]["of"], 1);
    }
    let end = format!("Mcp-Session-Id: {first}\r\n");
    assert_eq!(listening.ask("DELETE", &end, "").status, 204);
    assert_eq!(listening.post(&first, &request(2, "a", &[&answer(2)])).status, 404);
    assert_eq!(listening.ask("DELETE", &end, "").status, 404);
    assert_eq!(listening.post(&"0".repeat(32), &request(2, "a", &[&answer(2)])).status, 404);
    assert_eq!(listening.post("", &request(2, "a", &[&answer(2)])).status, 400);
    assert_eq!(listening.post(&second, &request(2, "a", &[&answer(2)])).status, 200);
    let version = format!("{}Mcp-Protocol-Version: 1999-01-01\r\n", headers(&second));
    assert_eq!(listening.ask("POST", &version, &request(3, "a", &[&answer(3)]).to_string()).status, 400);
    // A server that refuses the handshake has no session.
    let error = json!({"jsonrpc": "2.0", "id": 0, "error": {"code": 1, "message": "no"}});
    let refused = listening.post("", &request(0, "initialize", &[&error]));
    assert_eq!((refused.json()["error"]["message"].as_str(), refused.header("mcp-session-id")), (Some("no"), None));
}

fn answers_are_json_or_events() {
    let listening = listen(&[]);
    let session = listening.begin();
    let progress = json!({"jsonrpc": "2.0", "method": "notifications/message", "params": {"data": "\r"}});
    let reply = listening.post(&session, &request(1, "a", &[&progress, &answer(1)]));
    assert_eq!(reply.header("content-type"), Some("text/event-stream"));
    let events: Vec<Value> =
        reply.body.lines().filter_map(|line| serde_json::from_str(line.strip_prefix("data: ")?).ok()).collect();
    assert_eq!(events, [progress.clone(), answer(1)]);
    let only = |accept: &str, body: &Value| {
        let headers = format!("Content-Type: application/json\r\nMcp-Session-Id: {session}\r\nAccept: {accept}\r\n");
        listening.ask("POST", &headers, &body.to_string())
    };
    let plain = only("application/json", &request(2, "a", &[&progress, &answer(2)]));
    assert_eq!(plain.json(), answer(2));
    let events = only("text/event-stream", &request(3, "a", &[&answer(3)]));
    assert!(events.body.contains(&format!("data: {}", answer(3))), "{events:?}");
    assert_eq!(only("text/html", &request(4, "a", &[&answer(4)])).status, 406);
    let batch = json!([request(5, "a", &[&answer(5)]), {"method": "n"}, request(6, "a", &[&answer(6)])]);
    assert_eq!(only("application/json", &batch).json(), json!([answer(5), answer(6)]));
    // The second use of an id that has no answer yet.
    let mut waiting = listening.stream(&listening.bytes("POST", &headers(&session), &request(7, "a", &[]).to_string()));
    until(&mut waiting, "data: ");
    let twice = listening.post(&session, &request(7, "a", &[&answer(7)]));
    assert_eq!((twice.status, twice.json()["id"].clone()), (400, json!(7)));
}

fn a_stream_that_breaks_is_resumed() {
    let listening = listen(&[]);
    let session = listening.begin();
    let progress = |step: u32| json!({"jsonrpc": "2.0", "method": "notifications/progress", "params": {"progressToken": 9, "progress": step}});
    let mut call = request(1, "a", &[&progress(1)]);
    call["params"]["_meta"] = json!({"progressToken": 9});
    let mut stream = listening.stream(&listening.bytes("POST", &headers(&session), &call.to_string()));
    let first = until(&mut stream, "id: ");
    assert!(until(&mut stream, "data: ").is_empty());
    let second = until(&mut stream, "id: ");
    drop(stream);
    // The server goes on meanwhile.
    assert_eq!(listening.post(&session, &request(2, "b", &[&progress(2), &answer(1), &answer(2)])).json(), answer(2));
    for (last, expected) in [(&first, 3), (&second, 2), (&first, 3)] {
        let headers = format!("Accept: text/event-stream\r\nMcp-Session-Id: {session}\r\nLast-Event-ID: {last}\r\n");
        let reply = listening.ask("GET", &headers, "");
        let events = reply.body.lines().filter(|line| line.starts_with("data: {")).count();
        assert_eq!((reply.status, events), (200, expected), "{reply:?}");
        assert!(reply.body.contains(&format!("data: {}", answer(1))), "{reply:?}");
    }
    let other = listening.begin();
    for (session, last) in
        [(&other, first.as_str()), (&session, "77-1"), (&session, "1"), (&session, "1-999"), (&session, "")]
    {
        let headers = format!("Accept: text/event-stream\r\nMcp-Session-Id: {session}\r\nLast-Event-ID: {last}\r\n");
        assert_eq!(listening.ask("GET", &headers, "").status, 400, "{last}");
    }
}

fn what_the_server_says_waits_for_whoever_comes_back() {
    let listening = listen(&[]);
    let session = listening.begin();
    let message = json!({"jsonrpc": "2.0", "method": "notifications/message", "params": {"data": 1}});
    let say = |lines: &[&Value]| {
        let lines: Vec<String> = lines.iter().map(|line| format!("{line}\n")).collect();
        assert_eq!(listening.post(&session, &json!({"method": "n", "params": {"say": lines}})).status, 202);
    };
    let call = request(1, "a", &[]).to_string();
    let mut stream = listening.stream(&listening.bytes("POST", &headers(&session), &call));
    let first = until(&mut stream, "id: ");
    drop(stream);
    // The proxy sees that the client has gone.
    sleep(Duration::from_millis(300));
    say(&[&message]);
    say(&[&answer(1)]);
    let headers = format!("Accept: text/event-stream\r\nMcp-Session-Id: {session}\r\nLast-Event-ID: {first}\r\n");
    let reply = listening.ask("GET", &headers, "");
    let events: Vec<Value> =
        reply.body.lines().filter_map(|line| serde_json::from_str(line.strip_prefix("data: ")?).ok()).collect();
    assert_eq!(events, [message, answer(1)], "{reply:?}");
}

fn what_the_server_says_waits_for_a_stream() {
    let listening = listen(&[]);
    let session = listening.begin();
    let asked = json!({"jsonrpc": "2.0", "id": "s-1", "method": "roots/list"});
    let notification = json!({"method": "n", "params": {"say": [format!("{asked}\n")]}});
    assert_eq!(listening.post(&session, &notification).status, 202);
    let get = format!("Accept: text/event-stream\r\nMcp-Session-Id: {session}\r\n");
    let mut stream = listening.stream(&listening.bytes("GET", &get, ""));
    assert_eq!(until(&mut stream, "data: {"), asked.to_string()[1..]);
    let roots = json!({"jsonrpc": "2.0", "id": "s-1", "result": {"roots": []}});
    assert_eq!(listening.post(&session, &roots).status, 202);
    assert_eq!(listening.post(&session, &request(1, "a", &[&answer(1)])).status, 200);
    let log = std::fs::read_to_string(listening.folder.path().join("log")).unwrap();
    assert!(log.contains(&roots.to_string()), "{log}");
    assert_eq!(
        listening.ask("GET", &format!("Accept: application/json\r\nMcp-Session-Id: {session}\r\n"), "").status,
        406
    );
    assert_eq!(listening.ask("PUT", &get, "").status, 405);
}

fn sessions_are_bounded() {
    let listening = listen(&["--listen-sessions", "2"]);
    let (first, _second) = (listening.begin(), listening.begin());
    let full = listening.post("", &hello());
    assert_eq!((full.status, full.header("retry-after")), (503, Some("5")));
    assert_eq!(listening.ask("DELETE", &format!("Mcp-Session-Id: {first}\r\n"), "").status, 204);
    let start = Instant::now();
    while listening.post("", &hello()).status != 200 {
        assert!(start.elapsed() < Duration::from_secs(10), "a session that has ended makes room");
        sleep(Duration::from_millis(50));
    }
}

fn silent_sessions_end() {
    let listening = listen(&["--listen-idle", "1"]);
    let (silent, read) = (listening.begin(), listening.begin());
    let get = format!("Accept: text/event-stream\r\nMcp-Session-Id: {read}\r\n");
    let mut stream = listening.stream(&listening.bytes("GET", &get, ""));
    until(&mut stream, "HTTP/1.1 200");
    sleep(Duration::from_millis(2500));
    assert_eq!(listening.post(&silent, &request(1, "a", &[&answer(1)])).status, 404);
    assert_eq!(listening.post(&read, &request(1, "a", &[&answer(1)])).status, 200);
}

fn a_server_that_ends_is_an_error() {
    let listening = listen(&[]);
    let session = listening.begin();
    let last = json!({"jsonrpc": "2.0", "id": 1, "method": "a", "params": {"exit": 3}});
    let reply = listening.post(&session, &last);
    assert!(reply.body.contains("the session's server has ended"), "{reply:?}");
    assert_eq!(listening.post(&session, &request(2, "a", &[&answer(2)])).status, 404);
    let missing = listen_before(&["--", "/no/such/command"]);
    let refused = missing.post("", &hello());
    assert!(refused.body.contains("the session's server has ended"), "{refused:?}");
}

fn the_protocol_without_sessions_shares_a_server() {
    let listening = listen(&[]);
    let stateless = |id: &str, method: &str, say: &str| {
        let meta = json!({"io.modelcontextprotocol/protocolVersion": "2026-07-28"});
        let body = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": {"say": [say], "_meta": meta}});
        let headers = format!("{}Mcp-Protocol-Version: 2026-07-28\r\nMcp-Method: {method}\r\n", headers(""));
        (headers, body.to_string())
    };
    // The numbers that the server sees count from 1.
    for (number, id) in [(1, "a"), (2, "b"), (3, "a")] {
        let (headers, body) = stateless(id, "x", &format!("{{\"id\":{number},\"result\":{{}}}}\n"));
        let reply = listening.ask("POST", &headers, &body);
        assert_eq!((reply.status, reply.body.as_str()), (200, format!("{{\"id\":\"{id}\",\"result\":{{}}}}").as_str()));
        assert_eq!(reply.header("mcp-session-id"), None);
    }
    let (headers, body) =
        stateless("d", "server/discover", "{\"id\":4,\"error\":{\"code\":-32601,\"message\":\"m\"}}\n");
    assert_eq!(listening.ask("POST", &headers, &body).status, 404);
    let (_, body) = stateless("e", "other", "");
    let mismatch = listening.ask("POST", &headers, &body);
    assert_eq!((mismatch.status, mismatch.json()["error"]["code"].clone()), (400, json!(-32020)));
    assert_eq!(listening.ask("GET", "Mcp-Protocol-Version: 2026-07-28\r\n", "").status, 405);
    // A client that closes the stream cancels.
    let (headers, body) =
        stateless("f", "slow", "{\"method\":\"notifications/progress\",\"params\":{\"progressToken\":5}}\n");
    let body = body.replace("\"_meta\":{", "\"_meta\":{\"progressToken\":\"t\",");
    let mut stream = listening.stream(&listening.bytes("POST", &headers, &body));
    assert_eq!(
        until(&mut stream, "data: "),
        "{\"method\":\"notifications/progress\",\"params\":{\"progressToken\":\"t\"}}"
    );
    drop(stream);
    let start = Instant::now();
    let log = || std::fs::read_to_string(listening.folder.path().join("log")).unwrap();
    while !log().contains("\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":5}") {
        assert!(start.elapsed() < Duration::from_secs(40), "{}", log());
        sleep(Duration::from_millis(50));
    }
}

fn files_of_the_protocol_without_sessions_outlive_a_server() {
    let listening = listen(&[]);
    let ask = |mut body: Value| {
        let name = body["params"]["name"].as_str().unwrap_or_default().to_owned();
        body["params"]["_meta"] = json!({"io.modelcontextprotocol/protocolVersion": "2026-07-28"});
        let headers = format!(
            "{}Mcp-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/call\r\nMcp-Name: {name}\r\n",
            headers("")
        );
        listening.ask("POST", &headers, &body.to_string()).json()
    };
    let result = json!({"jsonrpc": "2.0", "id": 1, "result": records(2000)});
    let mut call = request(9, "tools/call", &[&result]);
    call["params"]["name"] = "list".into();
    let response = ask(call)["result"]["structuredContent"].clone();
    assert_eq!(response["summary"]["count"], 2000, "{response}");
    let last = json!({"jsonrpc": "2.0", "id": 9, "method": "tools/call", "params": {"name": "list", "exit": 3}});
    assert!(ask(last)["error"].is_object());
    let arguments = json!({"file_path": response["file_path"], "query": "length", "slurp": true});
    let params = json!({"name": "lro_extract", "arguments": arguments});
    let extracted = ask(json!({"jsonrpc": "2.0", "id": 9, "method": "tools/call", "params": params}));
    assert_eq!(extracted["result"]["structuredContent"]["results"], json!([2000]), "{extracted}");
}

fn large_results_are_offloaded() {
    let listening = listen(&[]);
    let session = listening.begin();
    let result = json!({"jsonrpc": "2.0", "id": 1, "result": records(2000)});
    let mut call = request(1, "tools/call", &[&result]);
    call["params"]["name"] = "list".into();
    let response = listening.post(&session, &call).json()["result"]["structuredContent"].clone();
    assert_eq!(response["summary"]["count"], 2000, "{response}");
    let arguments = json!({"file_path": response["file_path"], "query": "length", "slurp": true});
    let params = json!({"name": "lro_extract", "arguments": arguments});
    let ask = json!({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": params});
    assert_eq!(listening.post(&session, &ask).json()["result"]["structuredContent"]["results"], json!([2000]));
    let other = listening.begin();
    assert_eq!(listening.post(&other, &ask).json()["result"]["isError"], true);
}

fn strangers_are_refused() {
    let listening = listen(&["--listen-bearer-env", "LONG_TOKEN_OF_TEST", "--allow-origin", "https://app.example"]);
    let token = "Authorization: Bearer token-in-variable\r\n";
    let with = |more: &str| listening.ask("POST", &format!("{}{more}", headers("")), &hello().to_string());
    let refused = with("");
    assert_eq!((refused.status, refused.header("www-authenticate")), (401, Some("Bearer")));
    let wrong = with("Authorization: Bearer token-in-variablf\r\n");
    assert_eq!((wrong.status, wrong.header("www-authenticate")), (401, Some("Bearer error=\"invalid_token\"")));
    assert!(!format!("{refused:?}{wrong:?}").contains("token-in-variable"));
    assert_eq!(with(&format!("{token}Origin: http://evil.example\r\n")).status, 403);
    assert_eq!(with(&format!("{token}Origin: null\r\n")).status, 403);
    assert_eq!(with(&format!("{token}Host: evil.example\r\n")).status, 400);
    let local = with(&format!("{token}Origin: http://localhost:3000\r\n"));
    assert_eq!((local.status, local.header("access-control-allow-origin")), (200, None));
    let app = with(&format!("{token}Origin: https://app.example\r\n"));
    assert_eq!((app.status, app.header("access-control-allow-origin")), (200, Some("https://app.example")));
    let preflight = listening.ask("OPTIONS", "Origin: https://app.example\r\n", "");
    assert_eq!(preflight.status, 204);
    assert_eq!(listening.ask("OPTIONS", "Origin: https://evil.example\r\n", "").status, 403);
    let rebound =
        format!("POST /mcp HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n{token}Content-Length: 0\r\n\r\n");
    assert_eq!(listening.raw(rebound.as_bytes()).status, 403);
    let elsewhere =
        format!("POST / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n{token}Content-Length: 0\r\n\r\n");
    assert_eq!(listening.raw(elsewhere.as_bytes()).status, 404);
}

fn what_others_reach_needs_a_token() {
    for (words, reason) in [
        (["--listen", "0.0.0.0:0", "--no-tools"], "other machines reach it"),
        (["--listen", "nonsense", "--no-tools"], "write an address and a port"),
        (["--listen", "127.0.0.1:0", "--listen-bearer-env=NO_SUCH_VARIABLE"], "`NO_SUCH_VARIABLE`"),
    ] {
        let output = std::process::Command::new(LRO).arg("proxy").args(words).args(["--", "cat"]).output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.code() == Some(2) && said.contains(reason), "{said}");
    }
}
