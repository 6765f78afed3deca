//! The proxy in front of a URL.

use std::collections::BTreeSet;
use std::net::TcpStream;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::sleep;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::client::{Client, records, start};
use crate::remote::{Request, handshake, json_reply, reply, serve, usual, write};
use crate::trials;

trials![
    json_and_events_are_lines,
    a_large_answer_and_a_broken_stream_are_one_answer,
    a_batch_is_answered_as_a_whole,
    what_cannot_be_reached_is_an_error,
    a_lost_session_is_started_anew,
    a_session_that_cannot_be_started_anew_is_an_error,
    bodies_without_end_are_errors,
    requests_wait_for_a_silent_server,
    a_slow_notification_holds_up_little,
    the_stream_of_the_server_is_opened_again,
    secrets_are_sent_and_not_shown,
    a_token_on_an_open_line_is_warned_of,
    a_server_is_told_of_the_proxy,
    a_signal_ends_the_session,
];

pub(crate) const JSON: &str = "Content-Type: application/json\r\n";
pub(crate) const EVENTS: &str = "Content-Type: text/event-stream\r\n";

/// A conversation after the handshake.
pub(crate) fn conversation(url: &str, flags: &[&str]) -> Client {
    let mut client = start(&[&["proxy", "--url", url], flags].concat());
    initialize(&mut client, 0);
    client
}

fn initialize(client: &mut Client, id: u32) {
    client.send(&json!({"jsonrpc": "2.0", "id": id, "method": "initialize", "params": {
        "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"},
    }}));
    let answer = client.receive();
    assert_eq!(answer["result"]["protocolVersion"], "2025-11-25", "{answer}");
    client.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
}

pub(crate) fn ask(client: &mut Client, id: u32, method: &str) -> Value {
    client.send(&json!({"jsonrpc": "2.0", "id": id, "method": method}));
    let answer = client.receive();
    assert_eq!(answer["id"], id, "{answer}");
    answer
}

pub(crate) fn error(answer: &Value) -> &str {
    answer["error"]["message"].as_str().unwrap_or_else(|| panic!("no error: {answer}"))
}

fn json_and_events_are_lines() {
    let (url, requests) = serve(|request, stream| {
        let bytes = match request.method() {
            "tools/call" => {
                let progress = json!({"method": "notifications/progress", "params": {}});
                let result = json!({"id": request.body["id"], "result": records(1000)});
                reply(200, EVENTS, &format!(": hello\n\ndata: {progress}\n\nid: 1\ndata: {result}\n\n"))
            }
            _ => usual(request).unwrap_or_default(),
        };
        write(stream, &bytes);
    });
    let mut client = conversation(&url, &["--header", "X-Team: blue", "--bearer-env", "TOKEN_OF_TEST"]);
    client.send(&json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "list_issues"}}));
    assert_eq!(client.receive()["method"], "notifications/progress");
    let response = client.receive()["result"]["structuredContent"].clone();
    assert_eq!(response["summary"]["count"], 1000, "{response}");
    let arguments = json!({"file_path": response["file_path"], "query": ".id", "limit": 2});
    assert_eq!(client.result(2, "lro_extract", &arguments)["structuredContent"]["results"], json!([0, 1]));
    client.end_well();
    let requests: Vec<Request> = requests.try_iter().collect();
    assert!(requests.iter().all(|request| request.header("x-team") == Some("blue")));
    assert!(requests.iter().all(|request| request.header("authorization") == Some("bearer secret")));
    for request in &requests[1..] {
        assert_eq!(request.header("mcp-session-id"), Some("s-1"), "{request:?}");
        assert_eq!(request.header("mcp-protocol-version"), Some("2025-11-25"), "{request:?}");
    }
    assert_eq!(requests.last().map(|request| request.line.as_str()), Some("DELETE /mcp HTTP/1.1"));
}

fn a_large_answer_and_a_broken_stream_are_one_answer() {
    let (url, _requests) = serve(|request, stream| {
        if let Some(bytes) = usual(request) {
            return write(stream, &bytes);
        }
        let event = format!("data: {}\n\n", json!({"id": request.body["id"], "result": records(5000)}));
        let head = format!("HTTP/1.1 200 OK\r\n{EVENTS}Transfer-Encoding: chunked\r\n\r\n");
        write(stream, format!("{head}{:x}\r\n{event}\r\n", event.len()).as_bytes());
    });
    let mut client = conversation(&url, &[]);
    for id in 1..=5 {
        let result = client.result(id, "list_issues", &json!({}));
        assert_eq!(result["structuredContent"]["summary"]["count"], 5000, "{result}");
    }
    client.end_well();
}

fn a_batch_is_answered_as_a_whole() {
    let (url, _requests) = serve(|request, stream| {
        let bytes = match &request.body {
            Value::Array(_) => json_reply(&json!([{"jsonrpc": "2.0", "id": 1, "result": {}}])),
            _ => usual(request).unwrap_or_default(),
        };
        write(stream, &bytes);
    });
    let mut client = conversation(&url, &[]);
    client
        .write(b"[{\"id\":1,\"method\":\"ping\"},{\"method\":\"notifications/x\"},{\"id\":1e2,\"method\":\"ping\"}]\n");
    assert_eq!(client.receive(), json!([{"jsonrpc": "2.0", "id": 1, "result": {}}]));
    let line = String::from_utf8(client.line()).unwrap();
    assert!(line.starts_with(r#"{"jsonrpc":"2.0","id":1e2,"error":"#), "{line}");
    client.end_well();
}

fn what_cannot_be_reached_is_an_error() {
    let mut client = start(&["proxy", "--url", "http://127.0.0.1:1/mcp"]);
    let answer = ask(&mut client, 1, "initialize");
    assert!(error(&answer).starts_with("no answer from `http://127.0.0.1:1/mcp`"), "{answer}");
    let line = br#"{"jsonrpc":"2.0","id":18446744073709551617,"method":"ping"}"#;
    client.write(&[line, &b"\n"[..]].concat());
    let line = String::from_utf8(client.line()).unwrap();
    assert!(line.starts_with(r#"{"jsonrpc":"2.0","id":18446744073709551617,"error":"#), "{line}");
    client.end_well();
}

/// A server whose sessions can be lost.
#[derive(Clone, Default)]
struct Forgetful {
    sessions: Arc<AtomicUsize>,
    is_down: Arc<AtomicBool>,
    session: Arc<Mutex<String>>,
}

impl Forgetful {
    fn forget(&self) {
        *self.session.lock().unwrap() = "none".to_owned();
    }

    fn answer(&self, request: &Request, stream: &TcpStream) {
        let mut session = self.session.lock().unwrap();
        let bytes = match request.method() {
            "initialize" if self.is_down.load(Ordering::SeqCst) => reply(503, "", ""),
            "initialize" => {
                *session = format!("s-{}", self.sessions.fetch_add(1, Ordering::SeqCst) + 1);
                handshake(request, &session)
            }
            _ if request.header("mcp-session-id") != Some(&session) => {
                let body =
                    json!({"jsonrpc": "2.0", "id": null, "error": {"code": -32001, "message": "Session not found"}});
                reply(404, JSON, &body.to_string())
            }
            "ping" => json_reply(&json!({"jsonrpc": "2.0", "id": request.body["id"], "result": {}})),
            _ => usual(request).unwrap_or_default(),
        };
        write(stream, &bytes);
    }
}

fn a_lost_session_is_started_anew() {
    let server = Forgetful::default();
    let (url, requests) = serve({
        let server = server.clone();
        move |request, stream| server.answer(request, stream)
    });
    let mut client = conversation(&url, &[]);
    assert_eq!(ask(&mut client, 1, "ping")["result"], json!({}));
    server.forget();
    assert_eq!(ask(&mut client, 2, "ping")["result"], json!({}));
    assert_eq!(ask(&mut client, 3, "ping")["result"], json!({}));
    // A client that starts anew itself gets a session of its own.
    initialize(&mut client, 4);
    assert_eq!(ask(&mut client, 5, "ping")["result"], json!({}));
    let (output, rest, _folder) = client.end();
    assert!(output.status.success() && rest.is_empty(), "{output:?} {}", String::from_utf8_lossy(&rest));
    assert!(String::from_utf8_lossy(&output.stderr).contains("has lost its session"), "{output:?}");
    let posts: Vec<(String, String)> = requests
        .try_iter()
        .filter(|request| request.is("POST"))
        .map(|request| (request.method().to_owned(), request.header("mcp-session-id").unwrap_or("-").to_owned()))
        .collect();
    let expected = [
        ("initialize", "-"),
        ("notifications/initialized", "s-1"),
        ("ping", "s-1"),
        ("ping", "s-1"),
        ("initialize", "-"),
        ("notifications/initialized", "s-2"),
        ("ping", "s-2"),
        ("ping", "s-2"),
        ("initialize", "-"),
        ("notifications/initialized", "s-3"),
        ("ping", "s-3"),
    ];
    assert_eq!(posts, expected.map(|(method, session)| (method.to_owned(), session.to_owned())));
}

fn a_session_that_cannot_be_started_anew_is_an_error() {
    let server = Forgetful::default();
    let (url, _requests) = serve({
        let server = server.clone();
        move |request, stream| server.answer(request, stream)
    });
    let mut client = conversation(&url, &[]);
    server.forget();
    server.is_down.store(true, Ordering::SeqCst);
    let answer = ask(&mut client, 1, "ping");
    assert!(error(&answer).contains("session is gone") && error(&answer).contains("status 503"), "{answer}");
    server.is_down.store(false, Ordering::SeqCst);
    assert_eq!(ask(&mut client, 2, "ping")["result"], json!({}));
    let (output, rest, _folder) = client.end();
    assert!(output.status.success() && rest.is_empty(), "{output:?}");
}

fn bodies_without_end_are_errors() {
    let (url, _requests) = serve(|request, stream| {
        if let Some(bytes) = usual(request) {
            return write(stream, &bytes);
        }
        let (kind, start) = if request.method() == "json" { (JSON, "[") } else { (EVENTS, "data: ") };
        write(stream, format!("HTTP/1.1 200 OK\r\n{kind}Connection: close\r\n\r\n{start}").as_bytes());
        let piece = vec![b' '; 1 << 20];
        for _ in 0..100 {
            write(stream, &piece);
        }
    });
    let mut client = conversation(&url, &["--max-message", "1000000"]);
    for (id, method) in [(1, "json"), (2, "events")] {
        let answer = ask(&mut client, id, method);
        assert!(error(&answer).contains("longer than"), "{answer}");
    }
    client.end_well();
}

fn requests_wait_for_a_silent_server() {
    const REQUESTS: usize = 500;
    let is_silent = Arc::new(AtomicBool::new(true));
    let (url, requests) = serve({
        let is_silent = Arc::clone(&is_silent);
        move |request, stream| {
            while request.method() == "slow" && is_silent.load(Ordering::SeqCst) {
                sleep(Duration::from_millis(10));
            }
            let answer = json!({"jsonrpc": "2.0", "id": request.body["id"], "result": {}});
            write(stream, &usual(request).unwrap_or_else(|| json_reply(&answer)));
        }
    });
    let mut client = conversation(&url, &[]);
    for id in 0..REQUESTS {
        client.send(&json!({"jsonrpc": "2.0", "id": id, "method": "slow"}));
    }
    // As many requests as there are threads have arrived.
    while requests.recv_timeout(Duration::from_millis(500)).is_ok() {}
    #[cfg(target_os = "linux")]
    {
        let status = std::fs::read_to_string(format!("/proc/{}/status", client.id())).unwrap();
        let threads: usize =
            status.lines().find_map(|line| line.strip_prefix("Threads:")).unwrap().trim().parse().unwrap();
        assert!(threads < 100, "{threads}");
    }
    is_silent.store(false, Ordering::SeqCst);
    let answered: BTreeSet<u64> = (0..REQUESTS).map(|_| client.receive()["id"].as_u64().unwrap()).collect();
    assert_eq!(answered.len(), REQUESTS);
    client.end_well();
}

fn a_slow_notification_holds_up_little() {
    const SLOW: Duration = Duration::from_secs(20);
    let (url, _requests) = serve(|request, stream| {
        // Neither a notification nor the end of the session is answered in time.
        if request.method() == "notifications/cancelled" || request.is("DELETE") {
            sleep(SLOW);
        }
        let answer = json!({"jsonrpc": "2.0", "id": request.body["id"], "result": {}});
        write(stream, &usual(request).unwrap_or_else(|| json_reply(&answer)));
    });
    let mut client = conversation(&url, &[]);
    let start = Instant::now();
    for id in 1..=5 {
        client.send(&json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 7}}));
        assert_eq!(ask(&mut client, id, "ping")["result"], json!({}));
    }
    client.end_well();
    assert!(start.elapsed() < SLOW, "{:?}", start.elapsed());
}

fn the_stream_of_the_server_is_opened_again() {
    let (url, requests) = serve(|request, stream| {
        let id = if request.header("last-event-id").is_some() { "e-8" } else { "e-7" };
        let body = format!("id: {id}\ndata: {{\"jsonrpc\":\"2.0\",\"method\":\"notifications/x\"}}\n\n");
        let bytes = if request.is("GET") { reply(200, EVENTS, &body) } else { usual(request).unwrap_or_default() };
        write(stream, &bytes);
    });
    let mut client = conversation(&url, &[]);
    for _ in 0..2 {
        assert_eq!(client.receive()["method"], "notifications/x");
    }
    let (output, ..) = client.end();
    assert!(output.status.success(), "{output:?}");
    let streams: Vec<Request> = requests.try_iter().filter(|request| request.is("GET")).collect();
    assert_eq!(streams[0].header("last-event-id"), None);
    assert_eq!(streams[1].header("last-event-id"), Some("e-7"));
}

fn secrets_are_sent_and_not_shown() {
    let (url, requests) = serve(|request, stream| {
        let body = json!({"jsonrpc": "2.0", "id": null, "error": {"code": 1, "message": "unknown token-in-variable"}});
        write(stream, &usual(request).unwrap_or_else(|| reply(500, JSON, &body.to_string())));
    });
    let url = format!("{}?api_key=key-in-query", url.replace("http://", "http://user:password-in-url@"));
    let mut client = conversation(&url, &["--header-env", "X-Api-Key=LONG_TOKEN_OF_TEST"]);
    let answer = ask(&mut client, 1, "ping");
    assert!(error(&answer).contains("status 500") && error(&answer).contains("/mcp`"), "{answer}");
    let (output, ..) = client.end();
    let said = format!("{answer}{}", String::from_utf8_lossy(&output.stderr));
    for secret in ["key-in-query", "password-in-url", "token-in-variable"] {
        assert!(!said.contains(secret), "{secret}: {said}");
    }
    let first = requests.recv().unwrap();
    assert_eq!(first.line, "POST /mcp?api_key=key-in-query HTTP/1.1");
    assert_eq!(first.header("x-api-key"), Some("token-in-variable"));
    assert!(first.header("authorization").is_some_and(|value| value.starts_with("basic ")), "{first:?}");
    let refused = start(&["proxy", "--url-env", "LONG_TOKEN_OF_TEST"]).end().0;
    let said = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(refused.status.code() == Some(2) && !said.contains("token-in-variable"), "{said}");
}

fn a_token_on_an_open_line_is_warned_of() {
    for (url, warns) in
        [("http://192.0.2.1/mcp", true), ("http://127.0.0.1:1/mcp", false), ("https://192.0.2.1/", false)]
    {
        let (output, ..) = start(&["proxy", "--url", url, "--bearer-env", "TOKEN_OF_TEST"]).end();
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(said.contains("is not encrypted"), warns, "{url}: {said}");
    }
}

fn a_server_is_told_of_the_proxy() {
    let (url, requests) = serve(|request, stream| write(stream, &usual(request).unwrap_or_default()));
    conversation(&url, &[]).end_well();
    assert_eq!(requests.recv().unwrap().body["params"]["clientInfo"]["proxy"], true);
}

fn a_signal_ends_the_session() {
    if !cfg!(unix) {
        return;
    }
    let (url, requests) = serve(|request, stream| {
        // A request that is never answered holds nothing up.
        if request.method() == "slow" {
            sleep(Duration::from_secs(60));
        }
        write(stream, &usual(request).unwrap_or_default());
    });
    let mut client = conversation(&url, &[]);
    client.send(&json!({"jsonrpc": "2.0", "id": 1, "method": "slow"}));
    while requests.recv().unwrap().method() != "slow" {}
    let start = Instant::now();
    let killed = std::process::Command::new("kill").args(["-TERM", &client.id().to_string()]).status();
    assert!(killed.unwrap().success());
    let answer = client.receive();
    assert!(error(&answer).contains("the conversation has ended"), "{answer}");
    let (output, ..) = client.end();
    assert!(start.elapsed() < Duration::from_secs(20), "{:?} {output:?}", start.elapsed());
    assert!(requests.try_iter().any(|request| request.is("DELETE")), "{output:?}");
}
