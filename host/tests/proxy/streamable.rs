//! The proxy in front of a URL.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::mpsc::{Receiver, channel};
use std::thread;

use serde_json::{Value, json};

use crate::client::{records, start};
use crate::trials;

trials![json_and_events_are_lines, what_cannot_be_reached_is_an_error];

/// A request that the server has got: its first line, its headers in lower case, its body.
struct Request {
    line: String,
    headers: Vec<String>,
    body: Value,
}

/// Serves each request by `answer`, which gives the status, further headers and the body.
fn serve(answer: fn(&Request) -> (u16, &'static str, String)) -> (String, Receiver<Request>) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port is free");
    let url = format!("http://{}/mcp", listener.local_addr().expect("it has an address"));
    let (got, requests) = channel();
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let request = read(&stream);
            let (status, headers, body) = answer(&request);
            // Whoever does not listen any more is the test's business.
            let _ = write!(
                &stream,
                "HTTP/1.1 {status} X\r\nConnection: close\r\n{headers}Content-Length: {}\r\n\r\n{body}",
                body.len()
            );
            let _ = got.send(request);
        }
    });
    (url, requests)
}

fn read(stream: &TcpStream) -> Request {
    let mut reader = BufReader::new(stream);
    let mut lines = Vec::new();
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).expect("a request can be read");
        match line.trim_end() {
            "" => break,
            text => lines.push(text.to_owned()),
        }
    }
    let line = lines.remove(0);
    let headers: Vec<String> = lines.iter().map(|header| header.to_lowercase()).collect();
    let length = headers.iter().find_map(|header| header.strip_prefix("content-length: ")?.parse().ok());
    let mut body = vec![0; length.unwrap_or(0)];
    reader.read_exact(&mut body).expect("a request can be read");
    Request { line, headers, body: serde_json::from_slice(&body).unwrap_or_default() }
}

const JSON: &str = "Content-Type: application/json\r\n";

fn json_and_events_are_lines() {
    let (url, requests) = serve(|request| match request.body["method"].as_str() {
        Some("initialize") => {
            let result = json!({"jsonrpc": "2.0", "id": 0, "result": {"protocolVersion": "2025-11-25"}});
            (200, "Content-Type: application/json\r\nMcp-Session-Id: s-1\r\n", format!("{result:#}"))
        }
        Some("tools/call") => {
            let progress = json!({"method": "notifications/progress", "params": {}});
            let result = json!({"id": request.body["id"], "result": records(1000)});
            let events = format!(": hello\n\ndata: {progress}\n\nid: 1\ndata: {result}\n\n");
            (200, "Content-Type: text/event-stream\r\n", events)
        }
        Some(_) => (202, "", String::new()),
        // The stream of its own accord, and the end of the session.
        None => (405, "", String::new()),
    });
    let mut client = start(&["proxy", "--url", &url, "--header", "X-Team: blue", "--bearer-env", "TOKEN_OF_TEST"]);
    client.send(&json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {}}));
    assert_eq!(client.receive()["result"]["protocolVersion"], "2025-11-25");
    client.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
    client.send(&json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "list_issues"}}));
    assert_eq!(client.receive()["method"], "notifications/progress");
    let response = client.receive()["result"]["structuredContent"].clone();
    assert_eq!(response["summary"]["count"], 1000, "{response}");
    let arguments = json!({"file_path": response["file_path"], "query": ".id", "limit": 2});
    assert_eq!(client.result(2, "lro_extract", &arguments)["structuredContent"]["results"], json!([0, 1]));
    client.end_well();
    let requests: Vec<Request> = requests.try_iter().collect();
    assert!(requests.iter().all(|request| request.headers.contains(&"x-team: blue".to_owned())));
    assert!(requests.iter().all(|request| request.headers.contains(&"authorization: bearer secret".to_owned())));
    for request in &requests[1..] {
        assert!(request.headers.contains(&"mcp-session-id: s-1".to_owned()), "{:?}", request.headers);
        assert!(request.headers.contains(&"mcp-protocol-version: 2025-11-25".to_owned()), "{:?}", request.headers);
    }
    assert_eq!(requests.last().map(|request| request.line.as_str()), Some("DELETE /mcp HTTP/1.1"));
}

fn what_cannot_be_reached_is_an_error() {
    let (url, _requests) = serve(|request| match request.body["id"].as_u64() {
        Some(1) => (401, "Content-Type: text/plain\r\n", "who are you?".to_owned()),
        _ => (
            404,
            JSON,
            json!({"jsonrpc": "2.0", "id": 2, "error": {"code": -32600, "message": "no session"}}).to_string(),
        ),
    });
    let mut client = start(&["proxy", "--url", &url]);
    client.send(&json!({"jsonrpc": "2.0", "id": 1, "method": "ping"}));
    let refused = client.receive();
    assert_eq!(refused["error"]["code"], -32000, "{refused}");
    assert!(refused["error"]["message"].as_str().unwrap().contains("status 401"), "{refused}");
    client.send(&json!({"jsonrpc": "2.0", "id": 2, "method": "ping"}));
    assert_eq!(client.receive()["error"]["message"], "no session");
    client.end_well();
}
