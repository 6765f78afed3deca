//! Remote servers that do not take what they are sent, or say something without end: the client is heard, and ends.

use std::thread::sleep;
use std::time::Duration;

use serde_json::json;

use crate::remote::{json_reply, serve, usual, write};
use crate::streamable::{EVENTS, conversation, error};
use crate::trials;

trials![notifications_that_nobody_takes_hold_up_nothing, errors_at_the_end_do_not_wait_behind_a_flood];

fn notifications_that_nobody_takes_hold_up_nothing() {
    let (url, _requests) = serve(|request, stream| {
        if request.method() == "notifications/x" {
            sleep(Duration::from_secs(60));
        }
        let answer = json!({"jsonrpc": "2.0", "id": request.body["id"], "result": {}});
        write(stream, &usual(request).unwrap_or_else(|| json_reply(&answer)));
    });
    let mut client = conversation(&url, &[]);
    // More than wait: without a bound on the wait, nobody would read what comes after them.
    let line = b"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/x\"}\n";
    for _ in 0..130 {
        client.write(&line.repeat(100));
    }
    client.send(&json!({"jsonrpc": "2.0", "id": 1, "method": "ping"}));
    assert_eq!(client.receive()["id"], 1);
    client.close_input();
    assert!(client.wait().success());
    let (output, _, _folder) = client.end();
    assert!(String::from_utf8_lossy(&output.stderr).contains("messages are left out"), "{output:?}");
}

fn errors_at_the_end_do_not_wait_behind_a_flood() {
    let (url, _requests) = serve(|request, stream| {
        if let Some(bytes) = usual(request) {
            return write(stream, &bytes);
        }
        write(stream, format!("HTTP/1.1 200 OK\r\n{EVENTS}Connection: close\r\n\r\n").as_bytes());
        let event = json!({"jsonrpc": "2.0", "method": "notifications/x", "params": {"text": "x".repeat(1000)}});
        let events = format!("data: {event}\n\n").repeat(100);
        for _ in 0..500 {
            write(stream, events.as_bytes());
        }
        sleep(Duration::from_secs(30));
    });
    let mut client = conversation(&url, &["--max-message", "100000"]);
    for id in 1..=16 {
        client.send(&json!({"jsonrpc": "2.0", "id": id, "method": "ping"}));
    }
    sleep(Duration::from_millis(500));
    client.close_input();
    let mut answers = 0;
    while answers < 16 {
        let line = client.line();
        assert!(!line.is_empty(), "{answers} answers");
        let message: serde_json::Value = serde_json::from_slice(&line).unwrap();
        if message["id"].is_number() {
            assert!(error(&message).contains("has ended before"), "{message}");
            answers += 1;
        }
    }
    assert!(client.wait().success());
}
