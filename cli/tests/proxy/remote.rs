//! A remote server of these tests: it reads requests and says on the connection whatever a test wants it to.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::mpsc::{Receiver, channel};
use std::thread;

use serde_json::{Value, json};

/// A request that the server has got: its first line, its headers in lower case, its body.
#[derive(Clone, Debug)]
pub(crate) struct Request {
    pub(crate) line: String,
    pub(crate) headers: Vec<String>,
    pub(crate) body: Value,
}

impl Request {
    pub(crate) fn method(&self) -> &str {
        self.body["method"].as_str().unwrap_or_default()
    }

    pub(crate) fn is(&self, verb: &str) -> bool {
        self.line.starts_with(verb)
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find_map(|header| header.strip_prefix(name)?.strip_prefix(": "))
    }
}

/// Serves each request by `answer`, in a thread of its own, on a connection that is closed afterwards. The requests come
/// out in the order in which they came in.
pub(crate) fn serve(answer: impl Fn(&Request, &TcpStream) + Clone + Send + 'static) -> (String, Receiver<Request>) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port is free");
    let url = format!("http://{}/mcp", listener.local_addr().expect("it has an address"));
    let (got, requests) = channel();
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let (answer, got) = (answer.clone(), got.clone());
            thread::spawn(move || {
                let Some(request) = read(&stream) else { return };
                let _ = got.send(request.clone());
                answer(&request, &stream);
            });
        }
    });
    (url, requests)
}

/// `None` for a connection that nothing comes on.
fn read(stream: &TcpStream) -> Option<Request> {
    let mut reader = BufReader::new(stream);
    let mut lines = Vec::new();
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line).ok()? == 0 {
            return None;
        }
        match line.trim_end() {
            "" => break,
            text => lines.push(text.to_owned()),
        }
    }
    let line = lines.remove(0);
    let headers: Vec<String> = lines.iter().map(|header| header.to_lowercase()).collect();
    let length = headers.iter().find_map(|header| header.strip_prefix("content-length: ")?.parse().ok());
    let mut body = vec![0; length.unwrap_or(0)];
    reader.read_exact(&mut body).ok()?;
    Some(Request { line, headers, body: serde_json::from_slice(&body).unwrap_or_default() })
}

/// Writes bytes as they are. A proxy that has gone does not listen.
pub(crate) fn write(mut stream: &TcpStream, bytes: &[u8]) {
    let _ = stream.write_all(bytes).and_then(|()| stream.flush());
}

/// A whole reply.
pub(crate) fn reply(status: u16, headers: &str, body: &str) -> Vec<u8> {
    let length = body.len();
    format!("HTTP/1.1 {status} X\r\nConnection: close\r\n{headers}Content-Length: {length}\r\n\r\n{body}").into_bytes()
}

/// A whole reply in JSON.
pub(crate) fn json_reply(body: &Value) -> Vec<u8> {
    reply(200, "Content-Type: application/json\r\n", &body.to_string())
}

/// The reply to `initialize`, which starts this session.
pub(crate) fn handshake(request: &Request, session: &str) -> Vec<u8> {
    let result =
        json!({"protocolVersion": "2025-11-25", "capabilities": {}, "serverInfo": {"name": "s", "version": "1"}});
    let body = json!({"jsonrpc": "2.0", "id": request.body["id"], "result": result});
    let headers = format!("Content-Type: application/json\r\nMcp-Session-Id: {session}\r\n");
    reply(200, &headers, &body.to_string())
}

/// The reply to what is no request of a test: the handshake, notifications, the server's own stream, the session's end.
pub(crate) fn usual(request: &Request) -> Option<Vec<u8>> {
    match request.method() {
        "initialize" => Some(handshake(request, "s-1")),
        "" => Some(reply(405, "", "")),
        method if method.starts_with("notifications/") => Some(reply(202, "", "")),
        _ => None,
    }
}
