//! `lro demo --web`: what its server hands out, and to whom.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};

use super::LRO;

/// A server until it is dropped, with its port.
struct Server(Child, u16);

impl Server {
    fn start() -> Self {
        let mut child = Command::new(LRO).args(["demo", "--web"]).stdout(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
        let port = line.trim().trim_end_matches('/').rsplit(':').next().unwrap().parse().unwrap();
        assert_eq!(line, format!("The page is at http://127.0.0.1:{port}/\n"));
        Self(child, port)
    }

    /// The head and the body of the answer.
    fn ask(&self, method: &str, target: &str, host: &str) -> (String, Vec<u8>) {
        let mut stream = TcpStream::connect(("127.0.0.1", self.1)).unwrap();
        write!(stream, "{method} {target} HTTP/1.1\r\nHost: {host}\r\n\r\n").unwrap();
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).unwrap();
        let end = answer.windows(4).position(|part| part == b"\r\n\r\n").unwrap();
        (String::from_utf8(answer[..end].to_vec()).unwrap(), answer[end + 4..].to_vec())
    }

    fn own(&self) -> String {
        format!("127.0.0.1:{}", self.1)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.0.kill().unwrap();
        self.0.wait().unwrap();
    }
}

#[test]
fn the_page_and_its_files_are_served_with_a_policy() {
    let server = Server::start();
    let rows = [
        ("/", "text/html", "<!doctype html>"),
        ("/?a=b", "text/html", "<!doctype html>"),
        ("/page.js", "text/javascript", ""),
        ("/worker.js", "text/javascript", ""),
        ("/offline.js", "text/javascript", "// "),
        ("/styles.css", "text/css", "/* "),
        ("/icon.svg", "image/svg+xml", "<svg"),
        ("/lro.wasm", "application/wasm", "\0asm"),
        ("/sample.json", "application/json", "["),
    ];
    for (target, kind, begin) in rows {
        let (head, body) = server.ask("GET", target, &server.own());
        assert!(head.starts_with("HTTP/1.1 200 OK\r\n"), "{target}: {head}");
        assert!(head.contains(&format!("\r\nContent-Type: {kind}")), "{target}: {head}");
        assert!(head.contains(&format!("\r\nContent-Length: {}\r\n", body.len())), "{target}: {head}");
        assert!(head.contains("\r\nContent-Security-Policy: default-src 'none'; script-src 'self'"), "{target}: {head}");
        assert!(head.contains("\r\nX-Content-Type-Options: nosniff\r\n"), "{target}: {head}");
        assert!(body.starts_with(begin.as_bytes()), "{target}");
        let (only_head, nothing) = server.ask("HEAD", target, &server.own());
        assert_eq!((only_head, nothing), (head, Vec::new()), "{target}");
    }
}

#[test]
fn whatever_else_is_asked_is_refused() {
    let server = Server::start();
    let own = server.own();
    let rows = [
        ("GET", "/../Cargo.toml", own.as_str(), "404"),
        ("GET", "/%2e%2e/etc/passwd", &own, "404"),
        ("GET", "//etc/passwd", &own, "404"),
        ("GET", "/index.html\0", &own, "404"),
        ("POST", "/", &own, "405"),
        ("DELETE", "/lro.wasm", &own, "405"),
        ("GET", "/", "evil.example", "421"),
        ("GET", "/", "127.0.0.1", "421"),
        ("GET", "http://evil.example/", &own, "400"),
    ];
    for (method, target, host, status) in rows {
        let (head, body) = server.ask(method, target, host);
        assert!(head.starts_with(&format!("HTTP/1.1 {status} ")), "{method} {target} {host}: {head}");
        assert!(body.starts_with(b"cannot "), "{method} {target} {host}");
    }
}

#[test]
fn connections_that_say_nothing_keep_nobody_waiting() {
    let server = Server::start();
    let silent: Vec<TcpStream> = (0..10).map(|_| TcpStream::connect(("127.0.0.1", server.1)).unwrap()).collect();
    let (head, _) = server.ask("GET", "/", &server.own());
    assert!(head.starts_with("HTTP/1.1 200 OK"), "{head}");
    drop(silent);
}

#[test]
fn a_port_that_is_taken_is_told() {
    let server = Server::start();
    let output = Command::new(LRO).args(["demo", "--web", "--port", &server.1.to_string()]).output().unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{errors}");
    assert!(errors.starts_with(&format!("lro: cannot listen on 127.0.0.1:{}: ", server.1)), "{errors}");
}
