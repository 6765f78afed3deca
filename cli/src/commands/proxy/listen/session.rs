//! A session: a process, and which stream gets what it says.
//!
//! Over pipes everything comes one after the other; over HTTP an answer belongs to the POST that asked, and what the server
//! says of its own accord to the stream that a GET opened.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use hyper::body::Bytes;
use tokio::sync::watch;

use super::super::envelope::{self, Envelope, key};
use super::inner::Inner;
use super::log::Log;
use super::message::{self, Message, Request};
use super::reader::Reader;

/// The stream of what the server says of its own accord.
pub(super) const OWN: u64 = 0;

/// The most requests of a session that have no answer.
const MOST_ASKED: usize = 1000;

/// JSON-RPC leaves these numbers to implementations.
const GONE: i32 = -32000;

/// A session.
pub(super) struct Session {
    pub(super) id: String,
    pub(super) inner: Inner,
    /// True if clients of the stateless protocol share it: each then sees its own requests only.
    pub(super) is_shared: bool,
    state: Mutex<State>,
    /// Rings when there is something new for a stream.
    pub(super) changed: watch::Sender<()>,
}

/// Why a request is not sent.
#[derive(Debug, PartialEq)]
pub(super) enum NotSent {
    /// A request with this id has no answer yet.
    Twice(String),
    TooMany,
    Gone,
}

pub(super) struct State {
    pub(super) log: Log,
    pub(super) streams: HashMap<u64, Stream>,
    /// Requests without an answer, by the keys of their ids as the server knows them.
    asked: HashMap<String, Asked>,
    last_stream: u64,
    last_request: u64,
    /// When something happened last.
    used: Instant,
    has_ended: bool,
    /// What the handshake agreed on.
    version: Option<String>,
}

/// A stream.
#[derive(Default)]
pub(super) struct Stream {
    /// How many requests of it have no answer.
    open: usize,
    /// Which reader reads it, counted from 1.
    pub(super) turn: u64,
    pub(super) is_read: bool,
    /// The number of the last event that a reader got.
    pub(super) last: u64,
    /// The number of the last event that was dropped.
    pub(super) dropped: u64,
    /// The client takes one answer and no events.
    is_plain: bool,
}

struct Asked {
    stream: u64,
    request: Request,
}

impl Session {
    pub(super) fn new(id: String, inner: Inner, is_shared: bool) -> Self {
        let mut streams = HashMap::new();
        streams.insert(OWN, Stream { open: 1, ..Stream::default() });
        let state = State {
            log: Log::default(),
            streams,
            asked: HashMap::new(),
            last_stream: OWN,
            last_request: 0,
            used: Instant::now(),
            has_ended: false,
            version: None,
        };
        Self { id, inner, is_shared, state: Mutex::new(state), changed: watch::Sender::new(()) }
    }

    pub(super) fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sends what is not answered. False if the process has gone.
    pub(super) fn tell(&self, line: Vec<u8>) -> bool {
        self.state().used = Instant::now();
        self.inner.send(line)
    }

    /// Sends messages with requests. Returns who reads what comes back.
    pub(super) fn ask(self: &Arc<Self>, messages: Vec<Message>, is_plain: bool) -> Result<Reader, NotSent> {
        let mut state = self.state();
        if state.has_ended {
            return Err(NotSent::Gone);
        }
        state.used = Instant::now();
        let requests = messages.iter().filter_map(|message| message.request.as_ref());
        if !self.is_shared
            && let Some(twice) = requests.clone().find(|request| state.asked.contains_key(&request.key))
        {
            return Err(NotSent::Twice(twice.id.clone()));
        }
        let open = requests.count();
        if state.asked.len() + open > MOST_ASKED {
            return Err(NotSent::TooMany);
        }
        state.last_stream += 1;
        let stream = state.last_stream;
        let last = state.log.last();
        state.streams.insert(stream, Stream { open, is_plain, last, ..Stream::default() });
        let mut lines = Vec::new();
        for Message { line, request, .. } in messages {
            let (line, key) = match &request {
                Some(_) if self.is_shared => {
                    state.last_request += 1;
                    (message::renumbered(&line, state.last_request), state.last_request.to_string())
                }
                Some(request) => (line, request.key.clone()),
                None => (line, String::new()),
            };
            if let Some(request) = request {
                state.asked.insert(key, Asked { stream, request });
            }
            lines.push(line);
        }
        drop(state);
        // What is not sent has no answer, and its stream is forgotten with its reader.
        let reader = Reader::of(self, stream, None).ok_or(NotSent::Gone)?;
        if lines.into_iter().all(|line| self.inner.send(line)) {
            return Ok(reader);
        }
        self.state().forget(stream);
        Err(NotSent::Gone)
    }

    /// Takes a line of the server.
    pub(super) fn server_says(&self, line: &[u8]) {
        let mut state = self.state();
        state.used = Instant::now();
        match Envelope::of(line) {
            Some(envelope) if envelope.method.is_none() => {
                let Some(key) = envelope.id() else { return };
                state.answered(&key, line, self.is_shared);
            }
            envelope => self.unasked(&mut state, envelope.as_ref(), line),
        }
        drop(state);
        self.changed.send_replace(());
    }

    /// Takes a notification or a request of the server.
    fn unasked(&self, state: &mut State, envelope: Option<&Envelope<'_>>, line: &[u8]) {
        let named = envelope.and_then(message::belongs_to);
        if self.is_shared {
            // What belongs to nobody is for nobody: it may tell one client of another.
            let asked = named.and_then(key).and_then(|key| state.asked.get(&key));
            let Some(Asked { stream, request }) = asked else { return };
            let (stream, named) = (*stream, named.unwrap_or_default());
            let before = if envelope.is_some_and(|envelope| envelope.method.as_deref() == Some(PROGRESS)) {
                request.token.clone().unwrap_or_else(|| request.id.clone())
            } else {
                request.id.clone()
            };
            return state.add(stream, &envelope::with(line, named, &before));
        }
        let by_token = named.and_then(|named| {
            let of_token = |asked: &&Asked| asked.request.token.as_deref().and_then(key) == key(named);
            state.asked.values().find(of_token).map(|asked| asked.stream)
        });
        let stream = by_token.filter(|stream| !state.streams.get(stream).is_some_and(|stream| stream.is_plain));
        let stream = stream.unwrap_or_else(|| state.stream_for_anything());
        state.add(stream, line);
    }

    /// The process has gone: requests without an answer get an error.
    pub(super) fn ended(&self) {
        let mut state = self.state();
        state.has_ended = true;
        let open: Vec<String> = state.asked.keys().cloned().collect();
        for key in open {
            let line = envelope::error(&key, GONE, "the session's server has ended; start a new session");
            state.answered(&key, &line, true);
        }
        state.streams.values_mut().for_each(|stream| stream.open = 0);
        drop(state);
        self.changed.send_replace(());
    }

    pub(super) fn has_ended(&self) -> bool {
        self.state().has_ended
    }

    pub(super) fn version(&self) -> Option<String> {
        self.state().version.clone()
    }

    /// How long nothing has happened, while nobody reads a stream.
    pub(super) fn idle(&self, now: Instant) -> Duration {
        let state = self.state();
        match state.streams.values().any(|stream| stream.is_read) {
            true => Duration::ZERO,
            false => now.saturating_duration_since(state.used),
        }
    }

    /// The reader of a stream has gone. In the stateless protocol that cancels its requests.
    pub(super) fn left(&self, stream: u64, turn: u64) {
        let mut state = self.state();
        let Some(left) = state.streams.get_mut(&stream).filter(|stream| stream.turn == turn) else { return };
        left.is_read = false;
        state.used = Instant::now();
        if !self.is_shared {
            return;
        }
        let open: Vec<String> = state.of_stream(stream).cloned().collect();
        state.forget(stream);
        drop(state);
        for id in open {
            let params = format!("{{\"requestId\":{id}}}");
            let line = format!("{{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{params}}}\n");
            self.inner.send(line.into_bytes());
        }
    }
}

const PROGRESS: &str = "notifications/progress";

impl State {
    /// An answer of the server. Nobody waits for one that has none.
    fn answered(&mut self, id: &str, line: &[u8], gets_id: bool) {
        let Some(Asked { stream, request }) = self.asked.remove(id) else { return };
        if request.is_initialize {
            self.version = Envelope::of(line).and_then(|envelope| version(&envelope));
        }
        match gets_id {
            true => self.add(stream, &message::with_id(line, &request.id)),
            false => self.add(stream, line),
        }
        if let Some(stream) = self.streams.get_mut(&stream) {
            stream.open = stream.open.saturating_sub(1);
        }
    }

    /// The stream for what belongs to no request: the server's own if it is read, otherwise that of the latest request that
    /// waits. Where nobody reads, it is the one that the client comes back to: its own if it has ever opened that.
    fn stream_for_anything(&self) -> u64 {
        let own = self.streams.get(&OWN);
        if own.is_some_and(|own| own.is_read) {
            return OWN;
        }
        let was_opened = own.is_some_and(|own| own.turn > 0);
        let waits =
            |(_, stream): &(&u64, &Stream)| stream.open > 0 && !stream.is_plain && (stream.is_read || !was_opened);
        let latest = self.streams.iter().filter(waits).max_by_key(|(number, stream)| (stream.is_read, **number));
        latest.map_or(OWN, |(number, _)| *number)
    }

    fn add(&mut self, stream: u64, line: &[u8]) {
        if !self.streams.contains_key(&stream) {
            return;
        }
        // A carriage return would end a line of an event.
        let line: Vec<u8> = line.trim_ascii().iter().map(|byte| if *byte == b'\r' { b' ' } else { *byte }).collect();
        for (stream, number) in self.log.add(stream, Bytes::from(line)) {
            let Some(dropped) = self.streams.get_mut(&stream) else { continue };
            dropped.dropped = number;
            // Nobody can come back to it.
            if dropped.open == 0 && !dropped.is_read && !self.log.has(stream) {
                self.streams.remove(&stream);
            }
        }
    }

    /// True when nothing more comes on a stream.
    pub(super) fn is_over(&self, stream: u64) -> bool {
        self.streams.get(&stream).is_none_or(|stream| stream.open == 0)
    }

    fn of_stream(&self, stream: u64) -> impl Iterator<Item = &String> {
        self.asked.iter().filter(move |(_, asked)| asked.stream == stream).map(|(id, _)| id)
    }

    /// Forgets a stream and its requests.
    pub(super) fn forget(&mut self, stream: u64) {
        self.asked.retain(|_, asked| asked.stream != stream);
        self.log.forget(stream);
        self.streams.remove(&stream);
    }
}

fn version(envelope: &Envelope<'_>) -> Option<String> {
    let result: serde_json::Value = serde_json::from_str(envelope.result?.get()).ok()?;
    result["protocolVersion"].as_str().map(str::to_owned)
}
