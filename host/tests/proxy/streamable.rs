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
    each_reply_gives_one_answer,
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
];

const JSON: &str = "Content-Type: application/json\r\n";
const EVENTS: &str = "Content-Type: text/event-stream\r\n";

/// A conversation after the handshake.
fn conversation(url: &str, flags: &[&str]) -> Client {
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

fn ask(client: &mut Client, id: u32, method: &str) -> Value {
    client.send(&json!({"jsonrpc": "2.0", "id": id, "method": method}));
    let answer = client.receive();
    assert_eq!(answer["id"], id, "{answer}");
    answer
}

fn error(answer: &Value) -> &str {
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

/// What a reply must become.
enum Becomes {
    /// The result in it.
    Result,
    /// An error of ours that says this.
    Error(&'static str),
    /// The error in it.
    Own(&'static str),
}
use Becomes::{Error, Own, Result};

/// What a server sends, and what becomes of it. `RESULT` and `ID` stand for a whole answer and the request's id; a
/// connection is closed after the last byte.
fn replies() -> Vec<(&'static str, Vec<u8>, Becomes)> {
    let mut rows = Vec::new();
    let mut row = |name, bytes: Vec<u8>, becomes| rows.push((name, bytes, becomes));
    let events = |text: &str| format!("HTTP/1.1 200 OK\r\n{EVENTS}Connection: close\r\n\r\n{text}").into_bytes();
    let chunks = |pieces: &[&str]| {
        let head = format!("HTTP/1.1 200 OK\r\n{EVENTS}Transfer-Encoding: chunked\r\n\r\n");
        let chunk = |piece: &&str| format!("LEN:{piece}\r\n");
        [head, pieces.iter().map(chunk).collect()].concat().into_bytes()
    };
    row("JSON", reply(200, JSON, "RESULT"), Result);
    row("JSON over several lines", reply(200, JSON, "{\"jsonrpc\":\"2.0\",\r\n\"id\":ID,\n\"result\":{}}"), Result);
    row(
        "a media type with parameters",
        reply(200, "Content-Type: application/json; charset=utf-8\r\n", "RESULT"),
        Result,
    );
    row("a media type in capitals", reply(200, "Content-Type: Application/JSON\r\n", "RESULT"), Result);
    row("a byte order mark", reply(200, JSON, "\u{feff}RESULT"), Result);
    row("events in capitals", reply(200, "Content-Type: Text/Event-Stream\r\n", "data: RESULT\n\n"), Result);
    row("events", events("data: RESULT\n\n"), Result);
    row("events with CRLF", events("event: message\r\nid: 1\r\ndata: RESULT\r\n\r\n"), Result);
    row("events with CR", events("event: message\rid: 1\rdata: RESULT\r\r"), Result);
    row("events with a byte order mark", events("\u{feff}data: RESULT\n\n"), Result);
    row("events of several lines", events("data: {\"id\":ID,\ndata: \"result\":{}}\n\n"), Result);
    row("comments, retry, empty data", events(": ping\n\nretry: 1\nid: 7\ndata:\n\ndata\n\ndata:RESULT\n\n"), Result);
    row("another type of event", events("event: ping\ndata: RESULT\n\ndata: RESULT\n\n"), Result);
    row("chunks", chunks(&["data: RES", "ULT\n\n", ""]), Result);
    row("the answer, and no last chunk", chunks(&["data: RESULT\n\n"]), Result);
    row("the answer twice", events("data: RESULT\n\ndata: RESULT\n\n"), Result);
    row(
        "the answer and one of another request",
        events("data: {\"id\":\"x\",\"result\":{}}\n\ndata: RESULT\n\n"),
        Result,
    );
    row("junk before the answer", events("data: junk\n\ndata: RESULT\n\n"), Result);
    for status in [301, 302, 307, 308] {
        row("a redirect", reply(status, "Location: http://127.0.0.1:1/steal\r\n", ""), Error("status 30"));
    }
    for status in [400, 401, 403, 404, 405, 429] {
        row("a refusal", reply(status, "Content-Type: text/html\r\n", "<p>no</p>"), Error("status 4"));
    }
    for status in [500, 501, 502, 503, 504] {
        row("a failure", reply(status, "Retry-After: 1\r\n", ""), Error("status 50"));
    }
    row("a failure with events", reply(500, EVENTS, "data: RESULT\n\n"), Error("status 500"));
    let own = r#"{"jsonrpc":"2.0","id":ID,"error":{"code":-1,"message":"mine"}}"#;
    row("a failure with an error", reply(500, JSON, own), Own("mine"));
    row("a refusal with an error", reply(400, JSON, own), Own("mine"));
    let nobodys = r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"Missing session ID"}}"#;
    row("an error without id", reply(400, JSON, nobodys), Error("status 400, with the error \"Missing session ID\""));
    row("a success with an error without id", reply(200, JSON, nobodys), Error("Missing session ID"));
    let others = r#"{"jsonrpc":"2.0","id":"server-error","error":{"code":-32600,"message":"Bad"}}"#;
    row("an error of another id", reply(400, JSON, others), Error("the error \"Bad\""));
    row("a result of another id", reply(200, JSON, r#"{"id":"x","result":{}}"#), Error("another request"));
    row("accepted", reply(202, "", ""), Error("status 202 and nothing else"));
    row("no content", b"HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n".to_vec(), Error("status 204"));
    row("a page", reply(200, "Content-Type: text/html\r\n", "<p>log in</p>"), Error("`text/html`"));
    row("no media type", reply(200, "", "RESULT"), Error("nothing else"));
    row("empty JSON", reply(200, JSON, ""), Error("not a message"));
    row("half of the JSON", reply(200, JSON, "{\"jsonrpc\":\"2.0\",\"id\":ID,\"res"), Error("not a message"));
    row("JSON that is no message", reply(200, JSON, "{}"), Error("not a message"));
    row("an empty list", reply(200, JSON, "[]"), Error("not a message"));
    row("a number", reply(200, JSON, "7"), Error("not a message"));
    let short = format!("HTTP/1.1 200 OK\r\n{JSON}Content-Length: 500\r\n\r\nRESULT");
    row("JSON that breaks off", short.into_bytes(), Error("breaks off"));
    row("no events", events(""), Error("without a result"));
    row("a comment alone", events(": hi\n\n"), Error("without a result"));
    row("half an event", events("data: RESULT"), Error("without a result"));
    row("half an event in a chunk", chunks(&["data: RESULT\n"]), Error("breaks off"));
    row("a notification alone", events("event: ping\ndata: {}\n\n"), Error("without a result"));
    row("junk in an event", events("data: junk\n\n"), Error("not a message"));
    row("nothing", Vec::new(), Error("no answer from `http://127.0.0.1:"));
    row("no HTTP", b"garbage\r\n\r\n".to_vec(), Error("no answer from `http://127.0.0.1:"));
    row("half a header", b"HTTP/1.1 200 OK\r\nContent-Ty".to_vec(), Error("no answer from `http://127.0.0.1:"));
    rows
}

fn each_reply_gives_one_answer() {
    let (url, _requests) = serve(|request, stream| {
        let bytes = match request.body["params"]["row"].as_u64() {
            Some(row) => filled_in(replies().swap_remove(usize::try_from(row).unwrap()).1, &request.body["id"]),
            None if request.method() == "ping" => json_reply(&json!({"id": request.body["id"], "result": {}})),
            None => usual(request).unwrap_or_default(),
        };
        write(stream, &bytes);
    });
    let mut client = conversation(&url, &[]);
    for (row, (name, _, becomes)) in replies().into_iter().enumerate() {
        let id = format!("{row}-{name}");
        client.send(&json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": {"name": "t", "row": row}}));
        let answer = client.receive();
        assert_eq!(answer["id"], id, "{answer}");
        match becomes {
            Result => assert!(answer["result"].is_object(), "{name}: {answer}"),
            Own(text) => assert_eq!((error(&answer), &answer["error"]["code"]), (text, &json!(-1)), "{name}"),
            Error(text) => {
                assert!(error(&answer).contains(text), "{name}: {answer}");
                assert_eq!(answer["error"]["code"], -32000, "{name}: {answer}");
            }
        }
        // Another answer to that request would come before this one.
        assert_eq!(ask(&mut client, 1, "ping")["result"], json!({}), "{name}");
    }
    let (output, rest, _folder) = client.end();
    assert!(output.status.success() && rest.is_empty(), "{output:?} {}", String::from_utf8_lossy(&rest));
}

/// A row for the request with this id: the result in place, and lengths made right.
fn filled_in(bytes: Vec<u8>, id: &Value) -> Vec<u8> {
    let text = String::from_utf8(bytes).unwrap();
    let fill = |text: &str| {
        let result = json!({"jsonrpc": "2.0", "id": id, "result": {"content": [{"type": "text", "text": "fine é"}]}});
        text.replace("RESULT", &result.to_string()).replace("ID", &id.to_string())
    };
    let Some((head, body)) = text.split_once("\r\n\r\n") else { return text.into_bytes() };
    if head.contains("chunked") {
        // A word may be split between chunks, so the whole is filled in first and split again in the middle.
        let (pieces, rest) = body.rsplit_once("\r\n").unwrap();
        let ends = pieces.ends_with("LEN:");
        let joined: String = pieces.split("\r\n").filter_map(|piece| piece.strip_prefix("LEN:")).collect();
        let joined = fill(&joined);
        let middle = joined.char_indices().nth(joined.chars().count() / 2).unwrap().0;
        let chunk = |piece: &str| format!("{:x}\r\n{piece}\r\n", piece.len());
        let last = if ends { "0\r\n\r\n" } else { "" };
        return format!("{head}\r\n\r\n{}{}{last}{rest}", chunk(&joined[..middle]), chunk(&joined[middle..]))
            .into_bytes();
    }
    let filled = fill(body);
    let told = format!("Content-Length: {}\r\n", body.len());
    let head = format!("{head}\r\n").replace(&told, &format!("Content-Length: {}\r\n", filled.len()));
    format!("{head}\r\n{filled}").into_bytes()
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
    let mut client = conversation(&url, &[]);
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
        let body = "id: e-7\ndata: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/x\"}\n\n";
        let bytes = if request.is("GET") { reply(200, EVENTS, body) } else { usual(request).unwrap_or_default() };
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
