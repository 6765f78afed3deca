//! `lro proxy --listen` as a process, and requests to it as bytes.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use tempfile::TempDir;

use super::super::Bench;
use super::super::http::process::{children, command, descriptors, ended, peak, signal};
use super::super::http::speaker::WORD;

/// How long a reply may take, where nothing is slow on purpose.
const PATIENCE: Duration = Duration::from_secs(120);

/// The proxy that listens.
pub(super) struct Door {
    child: Child,
    pub(super) address: SocketAddr,
    remarks: PathBuf,
    _folder: TempDir,
}

/// What came back: the status, the lines of the head, and the body without its chunks.
#[derive(Debug)]
pub(super) struct Reply {
    pub(super) status: u16,
    head: String,
    pub(super) body: String,
}

impl Reply {
    /// A header.
    pub(super) fn header(&self, name: &str) -> Option<&str> {
        let of = |line: &'_ str| line.split_once(':').filter(|(found, _)| found.eq_ignore_ascii_case(name)).is_some();
        self.head.lines().find(|line| of(line))?.split_once(':').map(|(_, value)| value.trim())
    }
}

impl Door {
    /// Opens it before the server of these suites.
    pub(super) fn open(bench: &Bench, wrapper: &[&str], flags: &[&str]) -> Result<Self, String> {
        let folder = bench.folder()?;
        let this = std::env::current_exe().map_err(|error| error.to_string())?.display().to_string();
        let remarks = folder.path().join("remarks");
        let errors = std::fs::File::create(&remarks).map_err(|error| error.to_string())?;
        let mut lro = command(bench.lro(), folder.path(), wrapper);
        lro.args(["proxy", "--listen", "127.0.0.1:0"]).args(flags).args(["--", &this, WORD]);
        lro.env("LRO_TEST_TOKEN", "a-token-for-tests").stdin(Stdio::null()).stdout(Stdio::piped()).stderr(errors);
        let mut child = lro.spawn().map_err(|error| format!("cannot start the proxy: {error}"))?;
        let mut line = String::new();
        if let Some(output) = child.stdout.take() {
            BufReader::new(output).read_line(&mut line).map_err(|error| error.to_string())?;
        }
        let address = line.trim().strip_prefix("http://").and_then(|rest| rest.strip_suffix("/mcp")).map(str::parse);
        let Some(Ok(address)) = address else {
            ended(&mut child, Duration::from_secs(10))?;
            let said = std::fs::read_to_string(&remarks).unwrap_or_default();
            return Err(format!("it does not listen: {said}"));
        };
        Ok(Self { child, address, remarks, _folder: folder })
    }

    pub(super) fn process(&self) -> u32 {
        self.child.id()
    }

    pub(super) fn connect(&self) -> Result<TcpStream, String> {
        let stream = TcpStream::connect(self.address).map_err(|error| format!("cannot connect: {error}"))?;
        stream.set_read_timeout(Some(PATIENCE)).map_err(|error| error.to_string())?;
        Ok(stream)
    }

    /// The bytes of a POST.
    pub(super) fn post(&self, session: &str, body: &str) -> String {
        let session = if session.is_empty() { String::new() } else { format!("Mcp-Session-Id: {session}\r\n") };
        format!(
            "POST /mcp HTTP/1.1\r\nHost: {}\r\nConnection: close\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\n{session}Content-Length: {}\r\n\r\n{body}",
            self.address,
            body.len()
        )
    }

    /// The bytes of a request without a body.
    pub(super) fn other(&self, verb: &str, session: &str, more: &str) -> String {
        format!(
            "{verb} /mcp HTTP/1.1\r\nHost: {}\r\nConnection: close\r\nAccept: text/event-stream\r\nMcp-Session-Id: {session}\r\n{more}\r\n",
            self.address
        )
    }

    /// Sends bytes and reads until the connection ends.
    pub(super) fn exchange(&self, request: &str) -> Result<Reply, String> {
        let mut stream = self.connect()?;
        stream.write_all(request.as_bytes()).map_err(|error| format!("cannot write: {error}"))?;
        let mut bytes = Vec::new();
        stream.read_to_end(&mut bytes).map_err(|error| format!("cannot read: {error}"))?;
        parsed(&bytes).ok_or_else(|| format!("not a reply: {:.200}", String::from_utf8_lossy(&bytes)))
    }

    /// Begins a session.
    pub(super) fn begin(&self) -> Result<String, String> {
        let reply = self.exchange(&self.post("", HELLO))?;
        reply.header("mcp-session-id").map(str::to_owned).ok_or_else(|| format!("no session: {reply:?}"))
    }

    pub(super) fn end(&self, session: &str) -> Result<Reply, String> {
        self.exchange(&self.other("DELETE", session, ""))
    }

    /// The next call works, in a new session.
    pub(super) fn works(&self) -> Result<(), String> {
        let session = self.begin()?;
        let reply = self.exchange(&self.post(&session, &call("1", "")))?;
        self.end(&session)?;
        match reply.status == 200 && reply.body.contains("fine") {
            true => Ok(()),
            false => Err(format!("the next call fails: {reply:?}")),
        }
    }

    /// Waits until no session's process runs. Returns how many files are open then.
    pub(super) fn quiet(&self) -> Result<usize, String> {
        let deadline = Instant::now() + Duration::from_secs(15);
        while !children(self.process()).is_empty() {
            if Instant::now() > deadline {
                return Err(format!("{} processes still run", children(self.process()).len()));
            }
            thread::sleep(Duration::from_millis(20));
        }
        Ok(descriptors(self.process()))
    }

    pub(super) fn peak(&self) -> u64 {
        peak(self.process())
    }

    /// Ends it by a signal, and checks that nothing is left.
    pub(super) fn close(mut self) -> Result<Duration, String> {
        let below: Vec<u32> =
            children(self.process()).into_iter().flat_map(|child| [vec![child], children(child)].concat()).collect();
        signal(self.process(), "TERM");
        let took = ended(&mut self.child, Duration::from_secs(10))?;
        thread::sleep(Duration::from_millis(100));
        let left: Vec<&u32> = below.iter().filter(|process| is_running(**process)).collect();
        let said = std::fs::read_to_string(&self.remarks).unwrap_or_default();
        if !left.is_empty() {
            return Err(format!("processes are left: {left:?}"));
        }
        if said.contains("panicked") {
            return Err(format!("a panic: {said:.500}"));
        }
        Ok(took)
    }
}

impl Drop for Door {
    fn drop(&mut self) {
        let _ = self.child.kill().and_then(|()| self.child.wait());
    }
}

fn is_running(process: u32) -> bool {
    let status = std::fs::read_to_string(Path::new("/proc").join(process.to_string()).join("status"));
    status.is_ok_and(|status| !status.contains("State:\tZ"))
}

/// The request that begins a session.
pub(super) const HELLO: &str = r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}"#;

/// A call with more parameters, as `"name":value,…`.
pub(super) fn call(id: &str, more: &str) -> String {
    let more = if more.is_empty() { String::new() } else { format!(",{more}") };
    format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":\"tools/call\",\"params\":{{\"name\":\"t\"{more}}}}}")
}

/// A reply, if there is a whole head.
pub(super) fn parsed(bytes: &[u8]) -> Option<Reply> {
    let end = bytes.windows(4).position(|window| window == b"\r\n\r\n")?;
    let head = String::from_utf8_lossy(&bytes[..end]).into_owned();
    let status = head.split(' ').nth(1)?.parse().ok()?;
    let rest = &bytes[end + 4..];
    let is_chunked = head.to_lowercase().contains("transfer-encoding: chunked");
    let body = if is_chunked { unchunked(rest) } else { rest.to_vec() };
    Some(Reply { status, head, body: String::from_utf8_lossy(&body).into_owned() })
}

/// The data of the chunks that are there, also of half a one.
fn unchunked(mut bytes: &[u8]) -> Vec<u8> {
    let mut data = Vec::new();
    while let Some(end) = bytes.windows(2).position(|window| window == b"\r\n") {
        let size = std::str::from_utf8(&bytes[..end]).ok().and_then(|text| usize::from_str_radix(text, 16).ok());
        let Some(size @ 1..) = size else { break };
        let rest = &bytes[end + 2..];
        data.extend_from_slice(&rest[..size.min(rest.len())]);
        bytes = rest.get(size + 2..).unwrap_or_default();
    }
    data
}
