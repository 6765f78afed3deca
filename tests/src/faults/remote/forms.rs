//! The forms that a good reply has, to the byte.

use super::super::http::site::{EVENTS, JSON, answer};

/// A form of reply.
pub(super) struct Form {
    pub(super) name: &'static str,
    head: &'static str,
    body: Body,
}

/// How the message is in the body.
enum Body {
    /// With its length.
    Long,
    /// Until the connection is closed.
    Open,
    /// In chunks of so many bytes.
    Chunks(usize),
    /// An event, with this before the message and this after it, in chunks.
    Event(&'static str, &'static str),
    /// An event until the connection is closed.
    OpenEvent(&'static str, &'static str),
}

/// A reply and what of it must have arrived.
pub(super) struct Reply {
    pub(super) bytes: Vec<u8>,
    /// From here on the message has been said, and must not be reported as failed.
    pub(super) said: usize,
    /// From here on it may be an answer.
    pub(super) may_be_said: usize,
}

pub(super) const FORMS: [Form; 10] = [
    Form { name: "JSON with its length", head: JSON, body: Body::Long },
    Form { name: "JSON until the end", head: JSON, body: Body::Open },
    Form { name: "JSON in chunks", head: JSON, body: Body::Chunks(7) },
    Form { name: "an event", head: EVENTS, body: Body::Event("data: ", "\n\n") },
    Form { name: "an event with CR", head: EVENTS, body: Body::Event("event: message\rdata:", "\r\r") },
    Form { name: "an event with CRLF", head: EVENTS, body: Body::OpenEvent("\u{feff}: hello\r\ndata: ", "\r\n\r\n") },
    Form { name: "an event after another", head: EVENTS, body: Body::OpenEvent(BEFORE, "\n\n") },
    Form { name: "an event and a stray one", head: EVENTS, body: Body::Event("data: ", AFTER) },
    Form {
        name: "media types in capitals",
        head: "CONTENT-TYPE: Text/Event-Stream; charset=UTF-8\r\n",
        body: Body::OpenEvent("data: ", "\n\n"),
    },
    Form { name: "JSON in capitals", head: "content-type:APPLICATION/JSON;charset=utf-8\r\n", body: Body::Long },
];

const BEFORE: &str =
    "retry: 60\n\ndata:\n\ndata: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",\"params\":{}}\n\ndata: ";
const AFTER: &str = "\n\ndata: {\"jsonrpc\":\"2.0\",\"id\":\"nobody\",\"result\":{}}\n\ndata: junk\n\n: bye";

impl Form {
    /// The reply with this text to the request with this id.
    pub(super) fn reply(&self, id: &str, text: &str) -> Reply {
        let message = answer(id, text);
        let mut bytes = format!("HTTP/1.1 200 OK\r\nConnection: close\r\n{}", self.head).into_bytes();
        match &self.body {
            Body::Long => {
                bytes.extend(format!("Content-Length: {}\r\n\r\n{message}", message.len()).into_bytes());
                whole(bytes)
            }
            Body::Open => {
                bytes.extend(format!("\r\n{message}").into_bytes());
                whole(bytes)
            }
            Body::Chunks(size) => {
                bytes.extend(b"Transfer-Encoding: chunked\r\n\r\n");
                let (mut bytes, may_be_said) = chunked(bytes, &[(message.as_bytes(), *size)]);
                bytes.extend(b"0\r\n\r\n");
                Reply { said: bytes.len(), may_be_said, bytes }
            }
            Body::Event(before, after) => {
                bytes.extend(b"Transfer-Encoding: chunked\r\n\r\n");
                let (event, rest) = after.split_at(2);
                let event = format!("{before}{message}{event}");
                let size = (event.len() / 50).max(5);
                let (mut bytes, said) = chunked(bytes, &[(event.as_bytes(), size)]);
                // The end of the event is said with its last byte, before the end of the chunk.
                let may_be_said = said - 2;
                if !rest.is_empty() {
                    bytes = chunked(bytes, &[(rest.as_bytes(), 11)]).0;
                }
                bytes.extend(b"0\r\n\r\n");
                Reply { bytes, said, may_be_said }
            }
            Body::OpenEvent(before, after) => {
                bytes.extend(format!("\r\n{before}{message}{after}").into_bytes());
                // With CRLF the event ends before the last LF.
                Reply { said: bytes.len(), may_be_said: bytes.len() - 1, bytes }
            }
        }
    }
}

fn whole(bytes: Vec<u8>) -> Reply {
    Reply { said: bytes.len(), may_be_said: bytes.len(), bytes }
}

/// Adds chunks. Returns where the data of the last one ends.
fn chunked(mut bytes: Vec<u8>, texts: &[(&[u8], usize)]) -> (Vec<u8>, usize) {
    for (text, size) in texts {
        for piece in text.chunks(*size) {
            bytes.extend(format!("{:x}\r\n", piece.len()).into_bytes());
            bytes.extend(piece);
            bytes.extend(b"\r\n");
        }
    }
    let end = bytes.len();
    (bytes, end)
}
