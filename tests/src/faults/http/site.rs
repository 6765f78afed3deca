//! A server of bytes: it reads requests of HTTP, and a suite says what comes back, to the byte.

use std::collections::HashMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};

/// A request: its first line, its headers with names in lower case, its body.
#[derive(Clone, Debug)]
pub(in crate::faults) struct Request {
    pub(in crate::faults) line: String,
    pub(in crate::faults) headers: HashMap<String, String>,
    pub(in crate::faults) body: Vec<u8>,
    /// The body as JSON, or null.
    pub(in crate::faults) message: Value,
}

impl Request {
    pub(in crate::faults) fn method(&self) -> &str {
        self.message["method"].as_str().unwrap_or_default()
    }

    /// A parameter of the message that is a number.
    pub(in crate::faults) fn number(&self, name: &str) -> Option<usize> {
        usize::try_from(self.message["params"][name].as_u64()?).ok()
    }

    /// The id as the client wrote it.
    pub(in crate::faults) fn id(&self) -> String {
        #[derive(serde::Deserialize)]
        struct Named<'a> {
            #[serde(borrow)]
            id: &'a serde_json::value::RawValue,
        }
        serde_json::from_slice::<Named<'_>>(&self.body).map(|named| named.id.get().to_owned()).unwrap_or_default()
    }
}

/// A server that runs until it is dropped: then no connection to it is open.
#[derive(Debug)]
pub(in crate::faults) struct Site {
    pub(in crate::faults) address: SocketAddr,
    /// How many requests have come.
    pub(in crate::faults) requests: Arc<AtomicUsize>,
    open: Arc<Open>,
}

#[derive(Debug, Default)]
struct Open {
    is_over: AtomicBool,
    streams: Mutex<Vec<TcpStream>>,
}

/// What answers a request. True if the connection stays open for another.
pub(in crate::faults) trait Answer: Fn(&Request, &TcpStream) -> bool + Send + Sync + 'static {}
impl<F: Fn(&Request, &TcpStream) -> bool + Send + Sync + 'static> Answer for F {}

impl Site {
    /// Serves at any port.
    pub(in crate::faults) fn serve(answer: impl Answer) -> Result<Self, String> {
        Self::serve_at(0, answer)
    }

    /// Serves at this port.
    pub(in crate::faults) fn serve_at(port: u16, answer: impl Answer) -> Result<Self, String> {
        let failure = |error| format!("cannot serve at port {port}: {error}");
        let listener = TcpListener::bind(("127.0.0.1", port)).map_err(failure)?;
        let address = listener.local_addr().map_err(failure)?;
        let (open, requests, answer) = (Arc::<Open>::default(), Arc::<AtomicUsize>::default(), Arc::new(answer));
        let (accepting, counter) = (Arc::clone(&open), Arc::clone(&requests));
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                if accepting.is_over.load(Ordering::SeqCst) {
                    return;
                }
                if let Ok(clone) = stream.try_clone() {
                    let mut streams = accepting.streams.lock().unwrap_or_else(PoisonError::into_inner);
                    // Whoever is not connected any more has gone.
                    streams.retain(|stream| stream.peer_addr().is_ok());
                    streams.push(clone);
                }
                let (answer, counter) = (Arc::clone(&answer), Arc::clone(&counter));
                thread::spawn(move || converse(&stream, &*answer, &counter));
            }
        });
        Ok(Self { address, requests, open })
    }

    /// The address of the server of MCP.
    pub(in crate::faults) fn url(&self) -> String {
        format!("http://{}/mcp", self.address)
    }

    pub(in crate::faults) fn count(&self) -> usize {
        self.requests.load(Ordering::SeqCst)
    }
}

impl Drop for Site {
    fn drop(&mut self) {
        self.open.is_over.store(true, Ordering::SeqCst);
        // It wakes the thread that accepts.
        let _ = TcpStream::connect(self.address);
        for stream in self.open.streams.lock().unwrap_or_else(PoisonError::into_inner).drain(..) {
            let _ = stream.shutdown(Shutdown::Both);
        }
    }
}

fn converse(stream: &TcpStream, answer: &dyn Answer, counter: &AtomicUsize) {
    let _ = stream.set_nodelay(true);
    let mut reader = BufReader::new(stream);
    while let Some(request) = read(&mut reader) {
        counter.fetch_add(1, Ordering::SeqCst);
        if !answer(&request, stream) {
            break;
        }
    }
    // Others have the same stream: it is closed for all.
    let _ = stream.shutdown(Shutdown::Both);
}

/// `None` for a connection that nothing more comes on.
fn read(reader: &mut BufReader<&TcpStream>) -> Option<Request> {
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
    let headers: HashMap<String, String> = lines[1..]
        .iter()
        .filter_map(|line| line.split_once(':'))
        .map(|(name, value)| (name.to_lowercase(), value.trim().to_owned()))
        .collect();
    let length = headers.get("content-length").and_then(|length| length.parse().ok()).unwrap_or(0);
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    let message = serde_json::from_slice(&body).unwrap_or_default();
    Some(Request { line: lines.swap_remove(0), headers, body, message })
}

/// Writes bytes. False if the client has gone.
pub(in crate::faults) fn write(mut stream: &TcpStream, bytes: &[u8]) -> bool {
    stream.write_all(bytes).and_then(|()| stream.flush()).is_ok()
}

/// Writes bytes in pieces of this size, with a pause between. False if the client has gone.
pub(in crate::faults) fn trickle(stream: &TcpStream, bytes: &[u8], size: usize, pause: Duration) -> bool {
    bytes.chunks(size.max(1)).all(|piece| {
        thread::sleep(pause);
        write(stream, piece)
    })
}

/// The headers of JSON and of a stream of events.
pub(in crate::faults) const JSON: &str = "Content-Type: application/json\r\n";
pub(in crate::faults) const EVENTS: &str = "Content-Type: text/event-stream\r\n";

/// A whole reply.
pub(in crate::faults) fn reply(status: u16, headers: &str, body: &str) -> Vec<u8> {
    let length = body.len();
    format!("HTTP/1.1 {status} X\r\nConnection: close\r\n{headers}Content-Length: {length}\r\n\r\n{body}").into_bytes()
}

/// The reply to what is not a call: the handshake, notifications, the server's own stream, the end of the session.
pub(in crate::faults) fn usual(request: &Request, session: &str) -> Option<Vec<u8>> {
    match request.method() {
        "initialize" => {
            let server = json!({"name": "s", "version": "1"});
            let result = json!({"protocolVersion": "2025-11-25", "capabilities": {}, "serverInfo": server});
            let body = format!("{{\"jsonrpc\":\"2.0\",\"id\":{},\"result\":{result}}}", request.id());
            let session = if session.is_empty() { String::new() } else { format!("Mcp-Session-Id: {session}\r\n") };
            Some(reply(200, &format!("{JSON}{session}"), &body))
        }
        "ping" => Some(reply(200, JSON, &format!("{{\"jsonrpc\":\"2.0\",\"id\":{},\"result\":{{}}}}", request.id()))),
        "" if request.line.starts_with("DELETE") => Some(reply(204, "", "")),
        "" => Some(reply(405, "", "")),
        method if method.starts_with("notifications/") => Some(reply(202, "", "")),
        _ => None,
    }
}

/// An answer with this text.
pub(in crate::faults) fn answer(id: &str, text: &str) -> String {
    let result = json!({"content": [{"type": "text", "text": text}]});
    format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"result\":{result}}}")
}
