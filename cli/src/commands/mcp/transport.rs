//! Messages as lines on standard input and output. A request that cannot be read gets an answer, under its id wherever
//! that can be found.

use std::io;
use std::sync::Arc;

use rmcp::model::{ClientRequest, JsonRpcMessage};
use rmcp::service::{RoleServer, RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use serde::de::IgnoredAny;
use serde_json::{Value, json};
use tokio::sync::{mpsc, oneshot};

use super::calls::Calls;
use super::streams::{self, Input, Written};
use super::threads::{self, Outcome};
use super::unanswered::{Unanswered, answered};
use crate::outline::Outline;
use crate::output;

/// What JSON-RPC calls a line that is not JSON.
const PARSE_ERROR: i32 = -32700;

/// What JSON-RPC calls JSON that is not a request.
const INVALID_REQUEST: i32 = -32600;

/// What JSON-RPC calls parameters of a wrong form.
const INVALID_PARAMS: i32 = -32602;

/// The methods that the server has.
const METHODS: [&str; 4] = ["initialize", "ping", "tools/call", "tools/list"];

/// U+FEFF in UTF-8.
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// The lines of a client.
pub(super) struct Lines {
    input: Input,
    line: Vec<u8>,
    /// How long the line is, also when it is too long to be held.
    length: usize,
    outline: Outline,
    longest: usize,
    output: mpsc::Sender<Written>,
    /// An answer of ours that has not been written yet.
    answer: Option<Vec<u8>>,
    unanswered: Unanswered,
    calls: Arc<Calls>,
    /// What calls may wait for before they begin.
    opening: Option<Outcome<()>>,
}

impl Lines {
    /// No line may have more than `longest` bytes. No line is read while calls hold too much. The end of the input is not
    /// told before `open` returns and every request is answered: then the SDK waits for some seconds only.
    ///
    /// # Errors
    /// A thread cannot be started.
    pub(super) fn new(longest: usize, calls: Arc<Calls>, open: impl FnOnce() + Send + 'static) -> io::Result<Self> {
        Ok(Self {
            input: Input::begin()?,
            line: Vec::new(),
            length: 0,
            outline: Outline::default(),
            longest,
            output: streams::output()?,
            answer: None,
            unanswered: Unanswered::default(),
            calls,
            // Without a thread for it nothing is waited for, and calls say that they have none either.
            opening: threads::begin(open).ok(),
        })
    }

    /// Reads a line without its end; the last one needs none. False at the end of the input. What has been read so far is
    /// kept when this is not waited for to the end.
    async fn read_line(&mut self) -> io::Result<bool> {
        loop {
            let bytes = self.input.fill().await?;
            if bytes.is_empty() {
                return Ok(self.length > 0);
            }
            let end = bytes.iter().position(|byte| *byte == b'\n');
            let piece = &bytes[..end.unwrap_or(bytes.len())];
            self.length += piece.len();
            self.outline.add(piece);
            if self.length <= self.longest {
                self.line.extend_from_slice(piece);
            } else {
                self.line = Vec::new();
            }
            let length = piece.len() + usize::from(end.is_some());
            self.input.consume(length);
            if end.is_some() {
                return Ok(true);
            }
        }
    }

    /// The message in the line that has been read, or nothing; `answer` is then what is to be said.
    fn take_line(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        let (line, outline) = (std::mem::take(&mut self.line), std::mem::take(&mut self.outline));
        let length = std::mem::take(&mut self.length);
        let line = line.strip_prefix(BYTE_ORDER_MARK).unwrap_or(&line).trim_ascii();
        if length <= self.longest && line.is_empty() {
            return None;
        }
        let problem = if length > self.longest {
            Problem::too_long(length, self.longest)
        } else if outline.id().is_some_and(would_be_rewritten) {
            Problem::wrong_id()
        } else {
            match serde_json::from_slice(line) {
                Ok(message) => match Problem::in_message(&message) {
                    None => return Some(message),
                    Some(problem) => problem,
                },
                Err(error) => Problem::of(line, &error, outline.has_id() && outline.id().is_none()),
            }
        };
        // A client that repeats what it gets would cause an endless exchange, and nobody waits for an answer to a
        // notification.
        if outline.is_answer() || (outline.is_request() && !outline.has_id()) {
            output::remark(&format!("a line of the client is left out: {}", problem.message));
        } else {
            self.answer = Some(problem.answer(outline.id().unwrap_or("null")));
        }
        None
    }
}

impl Transport<RoleServer> for Lines {
    type Error = io::Error;

    fn send(
        &mut self,
        message: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        let (output, unanswered) = (self.output.clone(), self.unanswered.clone());
        async move {
            let mut line = serde_json::to_vec(&message)?;
            line.push(b'\n');
            output.send(Written::Line(line)).await.map_err(|_| gone())?;
            unanswered.forget(answered(&message).as_ref());
            Ok(())
        }
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        loop {
            if self.answer.is_some() {
                let place = self.output.reserve().await.ok()?;
                place.send(Written::Line(self.answer.take()?));
            }
            // Calls that were handed out are on the account as soon as they run.
            tokio::task::yield_now().await;
            self.calls.have_room().await;
            let output = self.output.clone();
            let read = tokio::select! {
                read = self.read_line() => read,
                // No answer can be written any more: a remark has said why.
                () = output.closed() => return None,
            };
            match read {
                Ok(true) => {
                    if let Some(message) = self.take_line() {
                        match self.unanswered.read(&message) {
                            Ok(()) => return Some(message),
                            Err(id) => self.answer = Some(Problem::id_in_use().answer(&json!(id).to_string())),
                        }
                    }
                }
                Ok(false) => {
                    if let Some(opening) = &mut self.opening {
                        // Without its thread there is nothing to wait for.
                        let _ = opening.await;
                        self.opening = None;
                    }
                    tokio::select! {
                        () = self.unanswered.none() => {}
                        () = output.closed() => {}
                    }
                    return None;
                }
                Err(error) => {
                    output::remark(&format!("cannot read from standard input: {error}"));
                    return None;
                }
            }
        }
    }

    async fn close(&mut self) -> Result<(), Self::Error> {
        let (sender, all) = oneshot::channel();
        self.output.send(Written::All(sender)).await.map_err(|_| gone())?;
        all.await.map_err(|_| gone())
    }
}

fn gone() -> io::Error {
    io::ErrorKind::BrokenPipe.into()
}

/// True for a number that the SDK would write differently, so that the client would not recognise its id: `1e2`.
fn would_be_rewritten(id: &str) -> bool {
    !id.starts_with('"') && id.parse::<i64>().map_or(true, |number| number.to_string() != id)
}

/// Why a line is not a message.
#[derive(Debug, PartialEq)]
struct Problem {
    code: i32,
    message: String,
}

impl Problem {
    fn too_long(length: usize, longest: usize) -> Self {
        let message = format!(
            "the request has {length} bytes, and {longest} are allowed: give a file instead of a text, or raise --max-message"
        );
        Self { code: INVALID_REQUEST, message }
    }

    fn wrong_id() -> Self {
        let message = "the request has an id that is not supported: use a string or an integer of 64 bits".to_owned();
        Self { code: INVALID_REQUEST, message }
    }

    fn id_in_use() -> Self {
        let message = "another request with this id has no answer yet: give each request an id of its own".to_owned();
        Self { code: INVALID_REQUEST, message }
    }

    /// What is wrong with a message that the SDK takes for one of an unknown method: its parameters have a wrong form.
    fn in_message(message: &RxJsonRpcMessage<RoleServer>) -> Option<Self> {
        let JsonRpcMessage::Request(request) = message else { return None };
        let ClientRequest::CustomRequest(other) = &request.request else { return None };
        METHODS.contains(&other.method.as_str()).then(|| {
            let message = format!("the parameters of `{}` do not have the form that it asks for", other.method);
            Self { code: INVALID_PARAMS, message }
        })
    }

    /// What is wrong with a line that the SDK cannot read.
    fn of(line: &[u8], error: &serde_json::Error, has_odd_id: bool) -> Self {
        let invalid = |message: &str| Self { code: INVALID_REQUEST, message: message.to_owned() };
        if line.starts_with(b"[") {
            return invalid("batches are not supported: send each request by itself");
        }
        if let Err(error) = std::str::from_utf8(line) {
            return Self { code: PARSE_ERROR, message: format!("the line is not UTF-8: {error}") };
        }
        if serde_json::from_slice::<IgnoredAny>(line).is_err() {
            return Self { code: PARSE_ERROR, message: format!("the line is not JSON: {error}") };
        }
        let message: Value = match serde_json::from_slice(line) {
            Ok(message) => message,
            // The only word on it that serde_json has is its text.
            Err(error) if error.to_string().starts_with("recursion limit") => {
                return invalid("the request nests too deep: 128 levels are allowed");
            }
            // Half of a surrogate pair, or a number that no double holds.
            Err(error) => return invalid(&format!("the request has a value that cannot be read: {error}")),
        };
        match message["params"] {
            Value::Object(_) | Value::Null if has_odd_id => Self::wrong_id(),
            Value::Object(_) | Value::Null => {
                invalid("the request is not one of JSON-RPC 2.0: it needs `jsonrpc`, `id` and `method`")
            }
            _ => invalid("the request is not valid: its `params` must be an object"),
        }
    }

    /// The line that says so. The id stays as the client wrote it.
    fn answer(&self, id: &str) -> Vec<u8> {
        let error = json!({"code": self.code, "message": self.message});
        format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"error\":{error}}}\n").into_bytes()
    }
}
