//! Replies: JSON, a stream of events, or a status with its reason.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};

use hyper::body::{Body, Bytes, Frame, SizeHint};
use hyper::http::{HeaderValue, Response, StatusCode, header};
use tokio::sync::mpsc::Receiver;

use super::super::envelope;
use super::guard::Refused;
use super::reader::Piece;

/// The body of a reply.
pub(super) enum Reply {
    Whole(Option<Bytes>),
    Events(Receiver<Piece>),
}

impl Body for Reply {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, io::Error>>> {
        match self.get_mut() {
            Self::Whole(bytes) => Poll::Ready(bytes.take().map(|bytes| Ok(Frame::data(bytes)))),
            Self::Events(pieces) => pieces.poll_recv(context).map(|piece| piece.map(|piece| piece.map(Frame::data))),
        }
    }

    fn is_end_stream(&self) -> bool {
        matches!(self, Self::Whole(None))
    }

    fn size_hint(&self) -> SizeHint {
        match self {
            Self::Whole(bytes) => SizeHint::with_exact(bytes.as_ref().map_or(0, Bytes::len) as u64),
            Self::Events(_) => SizeHint::default(),
        }
    }
}

/// The name of the header with a session's id.
pub(super) const SESSION: &str = "mcp-session-id";

/// What a reply is to a client.
pub(super) type Answer = Response<Reply>;

/// A reply without a body.
pub(super) fn empty(status: StatusCode) -> Answer {
    with(status, Reply::Whole(None))
}

/// A message.
pub(super) fn json(status: StatusCode, line: Bytes) -> Answer {
    let mut answer = with(status, Reply::Whole(Some(line)));
    answer.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    answer
}

/// A stream of events.
pub(super) fn events(pieces: Receiver<Piece>) -> Answer {
    let mut answer = with(StatusCode::OK, Reply::Events(pieces));
    let headers = answer.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("text/event-stream"));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-cache, no-transform"));
    // Servers in front of this one hold nothing back then.
    headers.insert("x-accel-buffering", HeaderValue::from_static("no"));
    answer
}

/// A status with the error that JSON-RPC has for it.
pub(super) fn error(status: StatusCode, id: &str, code: i32, message: &str) -> Box<Answer> {
    Box::new(json(status, Bytes::from(envelope::error(id, code, message).trim_ascii().to_vec())))
}

/// JSON-RPC leaves this number to implementations.
const REFUSED: i32 = -32000;

/// A request that is not carried out.
pub(super) fn refused(status: StatusCode, message: &str) -> Box<Answer> {
    error(status, "null", REFUSED, message)
}

/// A request of somebody who may not ask.
pub(super) fn kept_out(refusal: &Refused) -> Box<Answer> {
    let mut answer = refused(refusal.status, &refusal.message);
    if let Some(challenge) = refusal.challenge {
        answer.headers_mut().insert(header::WWW_AUTHENTICATE, HeaderValue::from_static(challenge));
    }
    answer
}

fn with(status: StatusCode, body: Reply) -> Answer {
    let mut answer = Response::new(body);
    *answer.status_mut() = status;
    answer
}
