//! What a server replies: the messages in it, as JSON or as a stream of events, and why there are none.

use std::cell::Cell;
use std::io::{self, ErrorKind, Read};
use std::sync::atomic::{AtomicUsize, Ordering};

use ureq::Body;
use ureq::http::{Response, StatusCode};

use super::events::{BYTE_ORDER_MARK, Event, Events, Place};

/// As many messages of the longest length may be received at once.
const LONGEST_AT_ONCE: usize = 4;

/// The media type of a stream of events.
pub(super) const EVENTS: &str = "text/event-stream";

/// Why there is no answer in a reply, as a clause that begins with "it" or "its".
#[derive(Debug)]
pub(super) enum NoAnswer {
    /// The server took the message and said nothing to it.
    Accepted(String),
    Failed(String),
}

impl NoAnswer {
    pub(super) fn reason(self) -> String {
        match self {
            Self::Accepted(reason) | Self::Failed(reason) => reason,
        }
    }
}

/// How many bytes messages may have.
pub(super) struct Room {
    longest: usize,
    received: AtomicUsize,
}

impl Room {
    pub(super) fn of(longest: usize) -> Self {
        Self { longest, received: AtomicUsize::new(0) }
    }

    /// Why reading failed.
    fn reason(&self, error: &io::Error) -> String {
        match error.kind() {
            ErrorKind::FileTooLarge => {
                format!("its answer is longer than {} bytes (--max-message)", self.longest)
            }
            ErrorKind::QuotaExceeded => {
                let most = self.longest.saturating_mul(LONGEST_AT_ONCE);
                format!("the answers that are being received are longer than {most} bytes together")
            }
            _ => format!("its answer breaks off: {error}"),
        }
    }
}

/// What one reply has received and not yet handed on, on the account of all.
struct Share<'a> {
    room: &'a Room,
    bytes: Cell<usize>,
}

impl<'a> Share<'a> {
    fn of(room: &'a Room) -> Self {
        Self { room, bytes: Cell::new(0) }
    }

    fn add(&self, bytes: usize) -> io::Result<()> {
        self.bytes.set(self.bytes.get() + bytes);
        let all = self.room.received.fetch_add(bytes, Ordering::Relaxed) + bytes;
        if all > self.room.longest.saturating_mul(LONGEST_AT_ONCE) {
            return Err(ErrorKind::QuotaExceeded.into());
        }
        Ok(())
    }

    /// What has been received so far has been handed on.
    fn release(&self) {
        self.room.received.fetch_sub(self.bytes.take(), Ordering::Relaxed);
    }
}

impl Drop for Share<'_> {
    fn drop(&mut self) {
        self.release();
    }
}

/// A body whose bytes are counted.
struct Metered<'a, R> {
    body: R,
    share: &'a Share<'a>,
}

impl<R: Read> Read for Metered<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.body.read(buffer)?;
        self.share.add(read)?;
        Ok(read)
    }
}

/// Passes each message of a reply to `take` as soon as it arrives.
///
/// # Errors
/// Why there was none, or why there are no more.
pub(super) fn messages(response: Response<Body>, room: &Room, mut take: impl FnMut(Vec<u8>)) -> Result<(), NoAnswer> {
    let status = response.status();
    let media_type = media_type(&response);
    if status.is_success() && media_type == EVENTS {
        return events(response, room, &mut Place::default(), take).map_err(NoAnswer::Failed);
    }
    if media_type == "application/json" {
        take(whole(response, room).map_err(|error| NoAnswer::Failed(room.reason(&error)))?);
    }
    told(status, &media_type)
}

/// Hands on the message of each event of a stream. `place` is where the stream was, also when it breaks.
///
/// # Errors
/// Why the stream broke.
pub(super) fn events(
    response: Response<Body>,
    room: &Room,
    place: &mut Place,
    mut take: impl FnMut(Vec<u8>),
) -> Result<(), String> {
    let share = Share::of(room);
    let mut events = Events::of(Metered { body: response.into_body().into_reader(), share: &share }, room.longest);
    loop {
        let event = events.next();
        share.release();
        place.clone_from(&events.place);
        match event.map_err(|error| room.reason(&error))? {
            Some(Event { data, is_message }) if is_message && !data.trim_ascii().is_empty() => take(data),
            Some(_) => {}
            None => return Ok(()),
        }
    }
}

fn whole(response: Response<Body>, room: &Room) -> io::Result<Vec<u8>> {
    let share = Share::of(room);
    let body = Metered { body: response.into_body().into_reader(), share: &share };
    let mut bytes = Vec::new();
    body.take(room.longest as u64 + 1).read_to_end(&mut bytes)?;
    if bytes.len() > room.longest {
        return Err(ErrorKind::FileTooLarge.into());
    }
    if bytes.starts_with(BYTE_ORDER_MARK) {
        bytes.drain(..BYTE_ORDER_MARK.len());
    }
    Ok(bytes)
}

/// What a reply says beside its messages.
fn told(status: StatusCode, media_type: &str) -> Result<(), NoAnswer> {
    let number = status.as_u16();
    match media_type {
        _ if !status.is_success() => Err(NoAnswer::Failed(format!("it answered with status {number}"))),
        "application/json" => Ok(()),
        "" => Err(NoAnswer::Accepted(format!("it answered with status {number} and nothing else"))),
        other => {
            let other = other.chars().take(LONGEST_TYPE).collect::<String>();
            let reason = format!("it answered with `{other}`, which is neither JSON nor a stream of events");
            Err(NoAnswer::Accepted(reason))
        }
    }
}

/// A media type is quoted up to this.
const LONGEST_TYPE: usize = 60;

/// The media type in lower case, without its parameters.
pub(super) fn media_type(response: &Response<Body>) -> String {
    let value = response.headers().get("content-type").and_then(|value| value.to_str().ok()).unwrap_or_default();
    value.split(';').next().unwrap_or_default().trim().to_ascii_lowercase()
}
