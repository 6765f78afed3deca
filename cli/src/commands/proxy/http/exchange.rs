//! The exchange of one line of the client: it is sent, what comes back is handed on, and each of its requests that the
//! server has not answered is answered with an error. So a request gets exactly one answer, whatever the server does.

use std::cell::Cell;
use std::sync::{Arc, PoisonError};

use super::super::envelope::{self, Envelope};
use super::Connection;
use super::reply::NoAnswer;
use super::session::Known;
use super::unanswered::{Id, each_message};
use super::waiting::Held;
use super::wire::Patience;
use crate::output;

/// JSON-RPC leaves these numbers to implementations.
const CANNOT_REACH: i32 = -32000;

/// An error of a server is quoted up to this.
const LONGEST_COMPLAINT: usize = 300;

/// A line of the client.
pub(super) struct Outgoing {
    pub(super) line: Vec<u8>,
    pub(super) kind: Kind,
    /// Of its requests.
    pub(super) ids: Vec<Id>,
    /// Its place among all that wait or are being sent.
    pub(super) _held: Held,
}

/// What a line is to the transport.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Kind {
    /// The request that starts a session.
    Initialize,
    /// The notification after that.
    Initialized,
    /// Requests, which may take any time.
    Request,
    /// Notifications, and answers of the client.
    Other,
}

impl Kind {
    pub(super) fn of(line: &[u8], ids: &[Id]) -> Self {
        match Envelope::of(line).and_then(|envelope| envelope.method).as_deref() {
            Some("initialize") => Self::Initialize,
            Some("notifications/initialized") => Self::Initialized,
            _ if ids.is_empty() => Self::Other,
            _ => Self::Request,
        }
    }

    fn patience(self) -> Patience {
        match self {
            Self::Initialize => Patience::Handshake,
            Self::Request => Patience::Answer,
            Self::Initialized | Self::Other => Patience::Accepting,
        }
    }
}

impl Connection {
    /// Sends a line, hands on what is answered, and answers what is not.
    pub(super) fn exchange(self: &Arc<Self>, outgoing: &Outgoing) {
        let mut open = outgoing.ids.clone();
        let mut complaint = None;
        let ended = self.sent(outgoing, |message| {
            complaint = self.hand_on(message, &mut open).or(complaint.take());
        });
        let complaint = complaint.map(|complaint| self.wire.redacted(&complaint));
        match &ended {
            Err(NoAnswer::Failed(reason)) if outgoing.ids.is_empty() => {
                let shown = self.wire.address.shown();
                output::remark(&format!("a message has not reached `{shown}`: {}", with(reason, complaint.as_deref())));
            }
            _ => {
                let reason =
                    ended.map_or_else(NoAnswer::reason, |()| "it ended its answer without a result".to_owned());
                self.refuse(&open, &with(&reason, complaint.as_deref()));
            }
        }
    }

    /// Sends an error to each of these requests that has no answer.
    pub(super) fn refuse(&self, ids: &[Id], reason: &str) {
        for id in ids.iter().filter(|id| self.unanswered.take(&id.key)) {
            self.inbox.add(envelope::error(&id.text, CANNOT_REACH, &self.sentence(reason)), true);
        }
    }

    /// Sends an error to every request that has no answer, and takes no more of the server.
    pub(super) fn refuse_all(&self, reason: &str) {
        let sentence = self.sentence(reason);
        let refusal = |text: String| envelope::error(&text, CANNOT_REACH, &sentence);
        self.inbox.close_with(self.unanswered.take_all().into_iter().map(refusal).collect());
    }

    fn sentence(&self, reason: &str) -> String {
        format!("no answer from `{}`: {reason}", self.wire.address.shown())
    }

    /// Sends a line and passes the messages of the reply to `take`. If the server has lost the session, a new one is started
    /// and the line is sent again.
    fn sent(self: &Arc<Self>, outgoing: &Outgoing, mut take: impl FnMut(Vec<u8>)) -> Result<(), NoAnswer> {
        let Outgoing { line, kind, .. } = outgoing;
        if *kind == Kind::Initialize {
            return self.initialize(outgoing, take);
        }
        let is_open = || self.unanswered.has_any(&outgoing.ids);
        let known = self.session.known();
        let response = self.wire.post(line, &known, kind.patience()).map_err(NoAnswer::Failed)?;
        let Some(lost) = known.id.clone().filter(|_| response.status().as_u16() == 404) else {
            return self.received(response, &known, &is_open, take);
        };
        drop(response);
        let known = self
            .session
            .renew(&lost, |initialize| self.renewed(initialize, &mut take))
            .map_err(|reason| format!("its session is gone, and a new one cannot be started: {reason}"))
            .map_err(NoAnswer::Failed)?;
        let response = self.wire.post(line, &known, kind.patience()).map_err(NoAnswer::Failed)?;
        self.received(response, &known, &is_open, take)
    }

    /// The client starts a session.
    fn initialize(&self, outgoing: &Outgoing, mut take: impl FnMut(Vec<u8>)) -> Result<(), NoAnswer> {
        self.session.start(&outgoing.line);
        let begun = self.wire.post(&outgoing.line, &Known::default(), Patience::Handshake);
        let response = begun.map_err(NoAnswer::Failed)?;
        let known = Known { id: session_id(&response).filter(|_| response.status().is_success()), version: None };
        self.session.set_id(known.id.clone());
        let is_open = || self.unanswered.has_any(&outgoing.ids);
        self.received(response, &known, &is_open, |message| {
            if let Some(version) = version(&message) {
                self.session.set_version(version);
            }
            take(message);
        })
    }

    /// Starts a session with the line that the client started the lost one with. Its answer is not for the client, who
    /// knows nothing of this.
    fn renewed(self: &Arc<Self>, initialize: &[u8], take: &mut impl FnMut(Vec<u8>)) -> Result<Known, String> {
        let response = self.wire.post(initialize, &Known::default(), Patience::Handshake)?;
        let begun = Known { id: session_id(&response), version: None };
        let (mut answer, is_answered) = (None, Cell::new(false));
        let ended = self.received(response, &begun, &|| !is_answered.get(), |message| {
            match Envelope::of(&message).filter(Envelope::is_response).is_some() {
                true => {
                    is_answered.set(true);
                    answer = Some(message);
                }
                false => take(message),
            }
        });
        let version = match answer.as_deref().map(|answer| (version(answer), complaint(answer))) {
            Some((Some(version), _)) => version,
            Some((None, Some(complaint))) => return Err(format!("it answered with {complaint}")),
            _ => return Err(ended.map_or_else(NoAnswer::reason, |()| "it answered without a version".to_owned())),
        };
        let known = Known { version: Some(version), ..begun };
        let response = self.wire.post(INITIALIZED, &known, Patience::Accepting)?;
        if !response.status().is_success() {
            return Err(format!("it answered with status {}", response.status().as_u16()));
        }
        output::remark(&format!("`{}` has lost its session; a new one is started", self.wire.address.shown()));
        self.listen(known.clone());
        Ok(known)
    }

    /// Hands on a message of the server if it is for the client. Otherwise it returns what the message is, for an error:
    /// the server's own words where there are some.
    ///
    /// `open` are the requests of this exchange that have no answer.
    pub(super) fn hand_on(&self, message: Vec<u8>, open: &mut Vec<Id>) -> Option<String> {
        // Messages are read one at a time: reading takes as much memory as they have.
        let reading = self.reading.lock().unwrap_or_else(PoisonError::into_inner);
        let (mut all, mut are_messages) = (0, true);
        each_message(&message, |part| {
            all += 1;
            are_messages &= is_message(part);
        });
        if all == 0 || !are_messages {
            return Some("something that is not a message of JSON-RPC".to_owned());
        }
        // Of a batch, what nobody waits for is left out.
        let (mut is_answer, mut wanted, mut rest) = (false, 0, Vec::new());
        let is_batch = all > 1;
        each_message(&message, |part| {
            if let Some(response) = Envelope::of(part).filter(Envelope::is_response) {
                if !self.is_awaited(&response, open) {
                    return;
                }
                is_answer = true;
            }
            wanted += 1;
            if is_batch {
                rest.push(if rest.is_empty() { b'[' } else { b',' });
                rest.extend_from_slice(part);
            }
        });
        if wanted > 0 {
            if wanted < all {
                rest.push(b']');
            }
            let wanted = as_line(if wanted < all { rest } else { message });
            drop(reading);
            self.inbox.add(wanted, is_answer);
            return None;
        }
        Some(complaint(&message).unwrap_or_else(|| "an answer to another request".to_owned()))
    }

    /// True for the answer to a request that has none. It has one then.
    fn is_awaited(&self, response: &Envelope<'_>, open: &mut Vec<Id>) -> bool {
        let Some(key) = response.id() else { return false };
        let is_awaited = self.unanswered.take(&key);
        if is_awaited && let Some(place) = open.iter().position(|id| id.key == key) {
            open.remove(place);
        }
        is_awaited
    }
}

/// A reason, with what the server says itself.
fn with(reason: &str, complaint: Option<&str>) -> String {
    complaint.map_or_else(|| reason.to_owned(), |complaint| format!("{reason}, with {complaint}"))
}

/// What follows a handshake.
const INITIALIZED: &[u8] = br#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;

fn session_id(response: &ureq::http::Response<ureq::Body>) -> Option<String> {
    let id = response.headers().get("mcp-session-id")?.to_str().ok()?;
    Some(id.to_owned()).filter(|id| !id.is_empty())
}

/// Versions are dates.
const LONGEST_VERSION: usize = 100;

/// The version that a handshake agrees on, if it can be sent in a header.
fn version(answer: &[u8]) -> Option<String> {
    let version = Envelope::of(answer)?.result_text("protocolVersion")?;
    let is_header = version.len() <= LONGEST_VERSION && version.bytes().all(|byte| byte.is_ascii_graphic());
    is_header.then_some(version)
}

fn is_message(part: &[u8]) -> bool {
    Envelope::of(part).is_some_and(|envelope| envelope.method.is_some() || envelope.is_response())
}

/// What an error of the server says, quoted.
fn complaint(message: &[u8]) -> Option<String> {
    let text = Envelope::of(message)?.error_text()?;
    Some(format!("the error \"{}\"", text.chars().take(LONGEST_COMPLAINT).collect::<String>()))
}

/// Returns a message as one line, without the newlines between its tokens.
fn as_line(mut message: Vec<u8>) -> Vec<u8> {
    for byte in &mut message {
        if matches!(byte, b'\n' | b'\r') {
            *byte = b' ';
        }
    }
    message.push(b'\n');
    message
}
