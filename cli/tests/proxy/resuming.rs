//! Streams of answers that end before the answer, and servers that resume them well, badly or not at all.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::{Value, json};

use crate::client::records;
use crate::remote::{Request, reply, serve, usual, write};
use crate::streamable::{EVENTS, ask, conversation, error};
use crate::trials;

trials![
    a_broken_answer_is_resumed_without_loss_or_repetition,
    a_server_that_polls_is_asked_again_at_its_pace,
    an_answer_that_cannot_be_resumed_is_an_error,
    a_large_answer_that_breaks_is_received_again,
    a_call_that_is_cancelled_is_not_resumed_for_ever,
];

/// A stream in a chunk that is not the last, so that it breaks.
fn breaks(body: &str) -> Vec<u8> {
    let head = format!("HTTP/1.1 200 OK\r\n{EVENTS}Transfer-Encoding: chunked\r\n\r\n");
    format!("{head}{:x}\r\n{body}\r\n", body.len()).into_bytes()
}

fn event(id: &str, message: &Value) -> String {
    format!("id: {id}\ndata: {message}\n\n")
}

fn note(n: u32) -> Value {
    json!({"jsonrpc": "2.0", "method": "notifications/message", "params": {"data": n}})
}

/// The id that requests of these tests have.
const ID: u32 = 7;

fn result() -> Value {
    json!({"jsonrpc": "2.0", "id": ID, "result": {"is": "fine"}})
}

/// A server that answers a request with the first body, and each try to resume it with the next one. The last one stays.
fn resuming(bodies: Vec<Vec<u8>>) -> (String, std::sync::mpsc::Receiver<Request>) {
    let (bodies, next) = (Arc::new(bodies), Arc::new(AtomicUsize::new(0)));
    serve(move |request, stream| {
        let is_resumed = request.is("GET") && request.header("last-event-id").is_some();
        if is_resumed || request.method() == "slow" {
            let turn = next.fetch_add(1, Ordering::SeqCst).min(bodies.len() - 1);
            return write(stream, &bodies[turn]);
        }
        write(stream, &usual(request).unwrap_or_default());
    })
}

/// The `Last-Event-ID`s that were sent.
fn places(requests: &std::sync::mpsc::Receiver<Request>) -> Vec<String> {
    requests.try_iter().filter_map(|request| request.header("last-event-id").map(str::to_owned)).collect()
}

fn a_broken_answer_is_resumed_without_loss_or_repetition() {
    let half = format!("{}id: c\ndata: {{\"half\":", event("b", &note(2)));
    let (url, requests) = resuming(vec![
        // An event that is not whole has not been sent, and neither has its id.
        breaks(&format!("retry: 1\n\n{}{half}", event("a", &note(1)))),
        // A server that goes back too far, and breaks again.
        breaks(&format!("{}{}", event("b", &note(2)), event("c", &note(3)))),
        // Failures that pass.
        reply(503, "", ""),
        Vec::new(),
        breaks(": nothing new\n\n"),
        reply(200, EVENTS, &format!("{}{}", event("d", &note(4)), event("e", &result()))),
    ]);
    let mut client = conversation(&url, &[]);
    client.send(&json!({"jsonrpc": "2.0", "id": ID, "method": "slow"}));
    for n in 1..=4 {
        assert_eq!(client.receive(), note(n));
    }
    assert_eq!(client.receive(), result());
    client.end_well();
    assert_eq!(places(&requests), ["b", "c", "c", "c", "c"]);
}

fn a_server_that_polls_is_asked_again_at_its_pace() {
    let prime = |id: &str| reply(200, EVENTS, &format!("id: {id}\nretry: 60\ndata:\n\n"));
    let empty = reply(200, EVENTS, ": not yet\n\n");
    let bodies = [vec![prime("a")], vec![empty; 12], vec![prime("b"), reply(200, EVENTS, &event("c", &result()))]];
    let (url, requests) = resuming(bodies.concat());
    let mut client = conversation(&url, &[]);
    let start = std::time::Instant::now();
    client.send(&json!({"jsonrpc": "2.0", "id": ID, "method": "slow"}));
    assert_eq!(client.receive(), result());
    assert!(start.elapsed() >= std::time::Duration::from_millis(13 * 60), "{:?}", start.elapsed());
    client.end_well();
    assert_eq!(places(&requests).len(), 14);
}

fn an_answer_that_cannot_be_resumed_is_an_error() {
    let first = || breaks(&format!("retry: 1\n\n{}", event("a", &note(1))));
    let rows = [
        ("no ids", breaks(&format!("data: {}\n\n", note(1))), Vec::new(), "breaks off", 0),
        (
            "an id that is taken back",
            breaks(&format!("{}id\ndata: {}\n\n", event("a", &note(1)), note(1))),
            Vec::new(),
            "breaks off",
            0,
        ),
        ("not found", first(), reply(404, "", ""), "cannot be resumed: it answered with status 404", 1),
        ("no streams", first(), reply(405, "", ""), "cannot be resumed: it answered with status 405", 1),
        ("unauthorised", first(), reply(401, "", ""), "cannot be resumed: it answered with status 401", 1),
        ("JSON", first(), reply(200, "Content-Type: application/json\r\n", "{}"), "not a stream of events", 1),
        ("no end", first(), breaks(&format!("data: {}", "x".repeat(1 << 21))), "longer than 1000000 bytes", 1),
    ];
    for (name, first, then, expected, tries) in rows {
        let (url, requests) = resuming(vec![first, then]);
        let mut client = conversation(&url, &["--max-message", "1000000"]);
        client.send(&json!({"jsonrpc": "2.0", "id": ID, "method": "slow"}));
        let mut answer = client.receive();
        while answer["method"] == "notifications/message" {
            answer = client.receive();
        }
        assert_eq!(answer["id"], ID, "{name}: {answer}");
        assert!(error(&answer).contains(expected), "{name}: {answer}");
        // There is one answer, and the conversation goes on.
        assert!(error(&ask(&mut client, 8, "unknown")).contains("no answer"), "{name}");
        client.end_well();
        assert_eq!(places(&requests).len(), tries, "{name}");
    }
}

fn a_large_answer_that_breaks_is_received_again() {
    let answer = json!({"jsonrpc": "2.0", "id": ID, "result": records(100_000)});
    let whole = event("b", &answer);
    let prime = "id: a\nretry: 1\ndata:\n\n".to_owned();
    let (url, requests) = resuming(vec![
        breaks(&format!("{prime}{}", &whole[..whole.len() / 2])),
        breaks(&whole[..whole.len() - 3]),
        reply(200, EVENTS, &whole),
    ]);
    let mut client = conversation(&url, &[]);
    client.send(&json!({"jsonrpc": "2.0", "id": ID, "method": "slow"}));
    assert_eq!(
        client.receive()["result"]["content"][0]["text"].as_str().map(str::len),
        answer["result"]["content"][0]["text"].as_str().map(str::len)
    );
    client.end_well();
    assert_eq!(places(&requests), ["a", "a"]);
}

fn a_call_that_is_cancelled_is_not_resumed_for_ever() {
    let (url, requests) = resuming(vec![reply(200, EVENTS, "id: a\nretry: 20\ndata:\n\n")]);
    let mut client = conversation(&url, &[]);
    client.send(&json!({"jsonrpc": "2.0", "id": ID, "method": "slow"}));
    while requests.recv().unwrap().header("last-event-id").is_none() {}
    client.send(&json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": ID}}));
    let answer = client.receive();
    assert!(answer["id"] == ID && error(&answer).contains("without a result"), "{answer}");
    client.end_well();
}
