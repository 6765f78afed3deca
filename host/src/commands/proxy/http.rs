//! A server behind a URL (streamable HTTP): every line of the client is a POST of its own, and what comes back, as JSON or
//! as a stream of events, are the lines of the server (PROXY-02).

mod events;
mod headers;

use std::io::{self, Read};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, OnceLock};
use std::thread;
use std::time::Duration;

use ureq::http::Response;
use ureq::{Agent, Body};

use self::headers::Headers;
use super::envelope::{self, Envelope};
use super::server::Server;
use crate::commands::{Failure, output};

/// Lines that wait for the conversation. Each may hold a result of megabytes.
const MOST_WAITING: usize = 16;

/// How long a connection may take. An answer may take any time.
const CONNECT: Duration = Duration::from_secs(30);

/// How long requests in flight are waited for after the client has ended.
const GRACE: Duration = Duration::from_secs(5);

/// JSON-RPC leaves these numbers to implementations.
const CANNOT_REACH: i32 = -32000;

/// What the server says, and at last that it says nothing any more.
pub(super) enum Said {
    Line(Vec<u8>),
    End,
}

/// The server, as far as it is known here. Clones are the same server.
#[derive(Clone)]
pub(super) struct Http(Arc<Connection>);

struct Connection {
    agent: Agent,
    url: String,
    headers: Headers,
    session: OnceLock<String>,
    version: OnceLock<String>,
    said: SyncSender<Said>,
    in_flight: AtomicUsize,
    is_closed: AtomicBool,
}

/// A server at `url`; nothing is sent yet. `given` are headers as `Name: value`.
pub(super) fn connect(url: &str, given: &[String], bearer: Option<&str>) -> Result<(Http, Receiver<Said>), Failure> {
    if !url.starts_with("http://") && !url.starts_with("https://") {
        return Err(Failure::Usage(format!("`{url}` is no URL of a server; it begins with http:// or https://")));
    }
    let agent = Agent::config_builder()
        .http_status_as_error(false)
        .timeout_connect(Some(CONNECT))
        // A redirect would carry the token of this server to another one.
        .max_redirects(0)
        .max_redirects_will_error(false)
        .build()
        .into();
    let (said, lines) = sync_channel(MOST_WAITING);
    let connection = Connection {
        agent,
        url: url.to_owned(),
        headers: Headers::of(given, bearer)?,
        session: OnceLock::new(),
        version: OnceLock::new(),
        said,
        in_flight: AtomicUsize::new(0),
        is_closed: AtomicBool::new(false),
    };
    Ok((Http(Arc::new(connection)), lines))
}

impl Server for Http {
    fn send(&self, line: &[u8]) -> bool {
        let method = Envelope::of(line).and_then(|envelope| envelope.method.map(|method| method.into_owned()));
        self.0.in_flight.fetch_add(1, Ordering::SeqCst);
        // What the server must have before anything else is sent is waited for: the handshake, and notifications.
        let is_request = Envelope::of(line).is_some_and(|envelope| envelope.id().is_some());
        let (connection, line) = (Arc::clone(&self.0), line.to_owned());
        if is_request && method.as_deref() != Some("initialize") {
            thread::spawn(move || connection.exchange(&line));
        } else {
            connection.exchange(&line);
        }
        if method.as_deref() == Some("notifications/initialized") {
            let connection = Arc::clone(&self.0);
            thread::spawn(move || connection.listen());
        }
        true
    }

    fn close(&self) {
        if self.0.is_closed.swap(true, Ordering::SeqCst) {
            return;
        }
        let connection = Arc::clone(&self.0);
        thread::spawn(move || connection.end());
    }
}

impl Connection {
    /// Sends a line and hands on what is answered.
    fn exchange(&self, line: &[u8]) {
        if let Err(reason) = self.post(line) {
            let reason = format!("cannot reach `{}`: {reason}", self.url);
            match Envelope::of(line).filter(|envelope| envelope.method.is_some()).and_then(|envelope| envelope.id()) {
                Some(id) => self.say(envelope::error(&id, CANNOT_REACH, &reason)),
                None => output::remark(&reason),
            }
        }
        self.in_flight.fetch_sub(1, Ordering::SeqCst);
    }

    fn post(&self, line: &[u8]) -> Result<(), String> {
        let envelope = Envelope::of(line);
        let mut request = self.agent.post(&self.url).header("Content-Type", "application/json");
        for (name, value) in self.headers.for_message(envelope.as_ref(), self.session.get(), self.version.get()) {
            request = request.header(name, value);
        }
        let response = request.send(line.trim_ascii()).map_err(|error| error.to_string())?;
        if let Some(session) = response.headers().get("mcp-session-id").and_then(|value| value.to_str().ok()) {
            // The first one holds until the end.
            let _ = self.session.set(session.to_owned());
        }
        let starts = envelope.and_then(|envelope| envelope.method).is_some_and(|method| method == "initialize");
        self.receive(response, starts)
    }

    /// Hands on what a response holds.
    fn receive(&self, response: Response<Body>, starts: bool) -> Result<(), String> {
        let status = response.status();
        let kind = response.headers().get("content-type").and_then(|value| value.to_str().ok()).unwrap_or_default();
        if kind.starts_with("text/event-stream") && status.is_success() {
            let body = response.into_body().into_reader();
            return events::each(body, |message| self.said_by_server(message, starts))
                .map_err(|error| error.to_string());
        }
        let is_json = kind.starts_with("application/json");
        let mut body = Vec::new();
        response.into_body().into_reader().read_to_end(&mut body).map_err(|error| error.to_string())?;
        let is_message = is_json && Envelope::of(&body).is_some_and(|envelope| envelope.is_response());
        if is_message || (status.is_success() && is_json) {
            self.said_by_server(&body, starts);
            return Ok(());
        }
        if status.is_success() { Ok(()) } else { Err(format!("it answered with status {status}")) }
    }

    fn said_by_server(&self, message: &[u8], starts: bool) {
        if starts
            && let Some(version) = Envelope::of(message).and_then(|envelope| envelope.result_text("protocolVersion"))
        {
            let _ = self.version.set(version);
        }
        // Newlines stand between tokens only, and would end the line.
        let mut line: Vec<u8> =
            message.trim_ascii().iter().map(|byte| if matches!(byte, b'\n' | b'\r') { b' ' } else { *byte }).collect();
        if !line.is_empty() {
            line.push(b'\n');
            self.say(line);
        }
    }

    /// The stream of what the server says of its own accord, where it has one: up to version 2025-11-25.
    fn listen(&self) {
        let mut request = self.agent.get(&self.url).header("Accept", "text/event-stream");
        for (name, value) in self.headers.for_session(self.session.get(), self.version.get()) {
            request = request.header(name, value);
        }
        // A server that has no such stream says so by an error.
        let Ok(response) = request.call() else { return };
        if response.status().is_success() {
            let _ = events::each(response.into_body().into_reader(), |message| self.said_by_server(message, false));
        }
    }

    /// Waits for what is in flight, and ends the session.
    fn end(&self) {
        let mut waited = Duration::ZERO;
        let look = Duration::from_millis(10);
        while self.in_flight.load(Ordering::SeqCst) > 0 && waited < GRACE {
            thread::sleep(look);
            waited += look;
        }
        if let Some(session) = self.session.get() {
            let mut request = self.agent.delete(&self.url);
            for (name, value) in self.headers.for_session(Some(session), self.version.get()) {
                request = request.header(name, value);
            }
            // A server need not let its clients end a session.
            let _ = request.call();
        }
        // Nobody listens when the client has gone.
        let _ = self.said.send(Said::End);
    }

    fn say(&self, line: Vec<u8>) {
        // Nobody listens when the client has gone.
        let _ = self.said.send(Said::Line(line));
    }
}

/// Hands out the lines of the server until it says nothing more or `take` answers false.
pub(super) fn each(lines: &Receiver<Said>, mut take: impl FnMut(&[u8]) -> bool) -> io::Result<()> {
    while let Ok(Said::Line(line)) = lines.recv() {
        if !take(&line) {
            break;
        }
    }
    Ok(())
}
