//! The proxy over HTTP, and clients that mean it ill: others are served meanwhile, and nothing is left behind.

use std::io::{Read, Write};
use std::time::{Duration, Instant};

use serde_json::json;

use crate::listening::{answer, headers, hello, listen, listen_before, request};
use crate::trials;

trials![
    bodies_that_are_none_are_refused,
    requests_that_are_none_are_refused,
    slow_clients_hold_nobody_up,
    a_thousand_sessions_are_not_started,
    a_result_of_60_mb_arrives,
    a_client_that_reads_nothing_holds_nobody_up,
    the_end_leaves_nothing_behind,
    with_too_few_descriptors_nobody_is_kept_waiting,
];

fn bodies_that_are_none_are_refused() {
    let listening = listen(&["--max-message", "2048"]);
    let session = listening.begin();
    let nested = "[".repeat(2000);
    for (body, status) in [
        ("", 400),
        ("garbage", 400),
        ("7", 400),
        ("[]", 400),
        ("{}", 202),
        ("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"a\"", 400),
        (nested.as_str(), 400),
        ("x".repeat(2049).as_str(), 413),
    ] {
        let reply = listening.ask("POST", &headers(&session), body);
        assert_eq!(reply.status, status, "{body}: {reply:?}");
    }
    let text = format!("Content-Type: text/plain\r\nMcp-Session-Id: {session}\r\n");
    assert_eq!(listening.ask("POST", &text, "{}").status, 415);
    let chunked =
        format!("POST /mcp HTTP/1.1\r\nHost: localhost\r\n{}Transfer-Encoding: chunked\r\n\r\n", headers(&session));
    let endless = format!("{chunked}800\r\n{0}\r\n800\r\n{0}\r\n", "x".repeat(0x800));
    assert_eq!(listening.raw(endless.as_bytes()).status, 413);
    assert_eq!(listening.raw(format!("{chunked}zz\r\n").as_bytes()).status, 400);
    assert_eq!(listening.post(&session, &request(1, "a", &[&answer(1)])).status, 200);
}

fn requests_that_are_none_are_refused() {
    let listening = listen(&[]);
    let host = "Host: localhost\r\n";
    let huge = format!("POST /mcp HTTP/1.1\r\n{host}X: {}\r\n\r\n", "x".repeat(200_000));
    let many = format!("POST /mcp HTTP/1.1\r\n{host}{}\r\n", "X: y\r\n".repeat(200));
    for (bytes, statuses) in [
        ("garbage\r\n\r\n".to_owned(), [400, 400]),
        ("\u{16}\u{3}\u{1}\u{2}\u{0}\u{1}\u{0}".repeat(100), [400, 400]),
        (huge, [431, 431]),
        (many, [431, 431]),
        ("POST /mcp HTTP/1.1\r\n\r\n".to_owned(), [400, 400]),
        (format!("POST /mcp HTTP/1.1\r\n{host}Content-Length: -1\r\n\r\n"), [400, 400]),
        (format!("POST /mcp HTTP/1.1\r\n{host}Content-Length: 1\r\nContent-Length: 2\r\n\r\nx"), [400, 400]),
        (format!("POST /mcp HTTP/1.1\r\n{host}Content-Length: 99999999999999999999\r\n\r\n"), [400, 413]),
        (format!("GET /mcp HTTP/1.1\r\n{host}Connection: close\r\nMcp-Session-Id: \u{e9}\r\n\r\n"), [400, 400]),
        // It ends without a word: this is no request of HTTP/1.
        ("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".to_owned(), [0, 0]),
    ] {
        let reply = listening.raw(bytes.as_bytes());
        assert!(statuses.contains(&reply.status), "{} {reply:?}", &bytes[..bytes.len().min(80)]);
    }
    // A body that is shorter than announced, from a client that goes away.
    let mut stream = listening.connect();
    write!(stream, "POST /mcp HTTP/1.1\r\n{host}{}Content-Length: 1000\r\n\r\n{{", headers("")).unwrap();
    stream.shutdown(std::net::Shutdown::Write).unwrap();
    let mut rest = Vec::new();
    let _ = stream.read_to_end(&mut rest);
    assert!(!String::from_utf8_lossy(&rest).contains(" 200 "));
    listening.begin();
}

fn slow_clients_hold_nobody_up() {
    let listening = listen(&[]);
    let mut slow: Vec<_> = (0..200).map(|_| listening.connect()).collect();
    for stream in &mut slow {
        stream.write_all(b"POST /mcp HTTP/1.1\r\nHost: local").unwrap();
    }
    let start = Instant::now();
    let session = listening.begin();
    assert!(start.elapsed() < Duration::from_secs(10), "{:?}", start.elapsed());
    // More connections than there may be: those that are too many are told so, and the others end by themselves.
    slow.extend((0..100).map(|_| listening.connect()));
    let refused = listening.raw(b"GET /mcp HTTP/1.1\r\nHost: localhost\r\n\r\n");
    assert_eq!(refused.status, 503, "{refused:?}");
    let mut last = Vec::new();
    let _ = slow[0].read_to_end(&mut last);
    assert!(start.elapsed() < Duration::from_secs(30), "{:?}", start.elapsed());
    while listening.post(&session, &request(1, "a", &[&answer(1)])).status != 200 {
        assert!(start.elapsed() < Duration::from_secs(40), "connections that say nothing end");
    }
}

fn a_thousand_sessions_are_not_started() {
    let listening = listen(&["--listen-sessions", "3"]);
    let session = listening.begin();
    let statuses: Vec<u16> = (0..1000).map(|_| listening.post("", &hello()).status).collect();
    assert_eq!(statuses.iter().filter(|status| **status == 200).count(), 2);
    assert!(statuses.iter().all(|status| [200, 503].contains(status)));
    assert_eq!(listening.post(&session, &request(1, "a", &[&answer(1)])).status, 200);
}

fn a_result_of_60_mb_arrives() {
    let listening = listen(&["--threshold-tokens", "4294967295", "--no-tools"]);
    let session = listening.begin();
    let pieces = json!([["{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":\"", "\"}\n"], 60_000_000]);
    let call = json!({"jsonrpc": "2.0", "id": 1, "method": "a", "params": {"repeat": [pieces]}});
    let reply = listening.post(&session, &call);
    assert_eq!(reply.status, 200);
    assert!(reply.body.len() > 60_000_000, "{}", reply.body.len());
}

fn a_client_that_reads_nothing_holds_nobody_up() {
    let listening = listen(&["--threshold-tokens", "4294967295", "--no-tools"]);
    let session = listening.begin();
    let pieces = json!([["{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":\"", "\"}\n"], 30_000_000]);
    let call = json!({"jsonrpc": "2.0", "id": 1, "method": "a", "params": {"repeat": [pieces]}});
    let _stream = listening.stream(&listening.bytes("POST", &headers(&session), &call.to_string()));
    for id in 2..20 {
        assert_eq!(listening.post(&session, &request(id, "a", &[&answer(id)])).status, 200);
    }
    listening.begin();
}

#[cfg(unix)]
fn the_end_leaves_nothing_behind() {
    for (signal, code) in [("TERM", Some(143)), ("INT", Some(130)), ("KILL", None)] {
        let script = "echo $$ > \"$LRO_TEST_LOG\"; while read -r line; do echo '{\"id\":0,\"result\":{\"protocolVersion\":\"2025-11-25\"}}'; done; sleep 100";
        let mut listening = listen_before(&["--", "sh", "-c", script]);
        let reply = listening.post("", &hello());
        assert_eq!(reply.status, 200, "{reply:?}");
        let server: u32 = std::fs::read_to_string(listening.folder.path().join("log")).unwrap().trim().parse().unwrap();
        let start = Instant::now();
        assert_eq!(listening.signal(signal).code(), code);
        let runs =
            || std::process::Command::new("kill").args(["-0", &server.to_string()]).output().unwrap().status.success();
        while runs() {
            assert!(start.elapsed() < Duration::from_secs(10), "the server still runs after {signal}");
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}

#[cfg(not(unix))]
fn the_end_leaves_nothing_behind() {
    drop(listen_before(&["--", "cmd"]));
}

fn with_too_few_descriptors_nobody_is_kept_waiting() {
    #[cfg(unix)]
    for most in 8..14 {
        let folder = tempfile::tempdir().unwrap();
        let script = format!("ulimit -n {most}; exec \"$@\"");
        let mut command = crate::client::command(&folder, &["sh", "-c", &script, "sh"]);
        let output = command.args(["proxy", "--listen", "127.0.0.1:0", "--", "true"]).output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(!output.status.success() && said.contains("lro: "), "{most}: {output:?}");
    }
}
