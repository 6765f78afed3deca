//! The proxy that listens, and a client that writes requests as bytes.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::client::{command, server};

/// A proxy that listens on a port of its own.
pub(crate) struct Listening {
    child: Child,
    pub(crate) address: SocketAddr,
    pub(crate) folder: TempDir,
}

/// What came back.
#[derive(Debug)]
pub(crate) struct Reply {
    pub(crate) status: u16,
    pub(crate) headers: Vec<String>,
    pub(crate) body: String,
}

/// The proxy before the server of these tests.
pub(crate) fn listen(flags: &[&str]) -> Listening {
    let [this, flag] = server();
    listen_before(&[flags, &["--", &this, &flag]].concat())
}

/// The proxy with these words after `--listen`.
pub(crate) fn listen_before(words: &[&str]) -> Listening {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let mut command: Command = command(&folder, &[]);
    command.args(["proxy", "--listen", "127.0.0.1:0"]).args(words);
    let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn().expect("the command can be started");
    let mut output = BufReader::new(child.stdout.take().expect("its output is a pipe"));
    let mut line = String::new();
    output.read_line(&mut line).expect("the command says where it listens");
    let address = line.trim().strip_prefix("http://").and_then(|rest| rest.strip_suffix("/mcp")).map(str::parse);
    let Some(Ok(address)) = address else {
        let mut said = String::new();
        let _ = child.stderr.take().map(|mut stderr| stderr.read_to_string(&mut said));
        panic!("no address: {line} {said}");
    };
    Listening { child, address, folder }
}

/// The request that begins a session, with what the server answers.
pub(crate) fn hello() -> Value {
    let result =
        json!({"protocolVersion": "2025-11-25", "capabilities": {}, "serverInfo": {"name": "s", "version": "1"}});
    request(0, "initialize", &[&json!({"jsonrpc": "2.0", "id": 0, "result": result})])
}

/// A request that the server answers with these messages.
pub(crate) fn request(id: u32, method: &str, answers: &[&Value]) -> Value {
    let say: Vec<String> = answers.iter().map(|answer| format!("{answer}\n")).collect();
    json!({"jsonrpc": "2.0", "id": id, "method": method, "params": {"say": say, "protocolVersion": "2025-11-25"}})
}

pub(crate) fn answer(id: u32) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "result": {"of": id}})
}

impl Listening {
    pub(crate) fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(self.address).expect("it listens");
        stream.set_read_timeout(Some(Duration::from_secs(30))).expect("a connection has a timeout");
        stream
    }

    /// Writes bytes and reads until the connection ends.
    pub(crate) fn raw(&self, bytes: &[u8]) -> Reply {
        let mut stream = self.connect();
        // What is refused early is not read to its end.
        let _ = stream.write_all(bytes);
        let mut read = Vec::new();
        let _ = stream.read_to_end(&mut read);
        Reply::of(&read)
    }

    /// A request with these headers, each with its end.
    pub(crate) fn ask(&self, method: &str, headers: &str, body: &str) -> Reply {
        self.raw(&self.bytes(method, headers, body))
    }

    /// The bytes of such a request.
    pub(crate) fn bytes(&self, method: &str, headers: &str, body: &str) -> Vec<u8> {
        let (host, length) = (self.address, body.len());
        let common = format!("Host: {host}\r\nConnection: close\r\nContent-Length: {length}\r\n");
        format!("{method} /mcp HTTP/1.1\r\n{common}{headers}\r\n{body}").into_bytes()
    }

    /// Sends messages of a session; an empty one is none.
    pub(crate) fn post(&self, session: &str, body: &Value) -> Reply {
        self.ask("POST", &headers(session), &body.to_string())
    }

    /// Begins a session and returns its id.
    pub(crate) fn begin(&self) -> String {
        let reply = self.post("", &hello());
        assert_eq!(reply.status, 200, "{reply:?}");
        let session = reply.header("mcp-session-id").expect("a session has an id").to_owned();
        let initialized = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
        assert_eq!(self.post(&session, &initialized).status, 202);
        session
    }

    /// Opens a stream of events.
    pub(crate) fn stream(&self, bytes: &[u8]) -> BufReader<TcpStream> {
        let mut stream = self.connect();
        stream.write_all(bytes).expect("it reads");
        BufReader::new(stream)
    }

    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    /// Sends a signal, and waits for the end.
    #[cfg(unix)]
    pub(crate) fn signal(&mut self, signal: &str) -> ExitStatus {
        let sent = Command::new("kill").args([&format!("-{signal}"), &self.id().to_string()]).status();
        assert!(sent.is_ok_and(|status| status.success()));
        let start = Instant::now();
        loop {
            if let Some(status) = self.child.try_wait().expect("the command can be waited for") {
                return status;
            }
            assert!(start.elapsed() < Duration::from_secs(10), "the command has not ended");
            std::thread::sleep(Duration::from_millis(10));
        }
    }
}

impl Drop for Listening {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The headers of a POST.
pub(crate) fn headers(session: &str) -> String {
    let common = "Content-Type: application/json\r\nAccept: application/json, text/event-stream\r\n";
    match session {
        "" => common.to_owned(),
        session => format!("{common}Mcp-Session-Id: {session}\r\n"),
    }
}

/// Reads lines of a stream until one begins like this, and returns the rest of it.
pub(crate) fn until(stream: &mut BufReader<TcpStream>, beginning: &str) -> String {
    loop {
        let mut line = String::new();
        let read = stream.read_line(&mut line).expect("the stream goes on");
        assert!(read > 0, "the stream has ended before `{beginning}`");
        if let Some(rest) = line.trim_end_matches(['\r', '\n']).strip_prefix(beginning) {
            return rest.to_owned();
        }
    }
}

impl Reply {
    fn of(bytes: &[u8]) -> Self {
        let text = String::from_utf8_lossy(bytes);
        let (head, body) = text.split_once("\r\n\r\n").unwrap_or((&text, ""));
        let mut lines = head.lines();
        let status = lines.next().and_then(|line| line.split(' ').nth(1)?.parse().ok()).unwrap_or(0);
        Self { status, headers: lines.map(str::to_owned).collect(), body: body.to_owned() }
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find_map(|header| header.strip_prefix(name)?.strip_prefix(": "))
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }
}
