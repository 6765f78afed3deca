//! The body of a POST, with a bound on its length and on the time that it takes.

use std::future::poll_fn;
use std::pin::Pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use hyper::body::{Body, Incoming};
use hyper::http::{HeaderMap, StatusCode, header};
use tokio::time::{Instant, timeout, timeout_at};

use super::reply::{self, Answer};

/// How long a client may send nothing in the middle of a body.
const PAUSE: Duration = Duration::from_secs(20);

/// How long a body may take: 64 MiB at 2 Mbit/s.
const LONGEST: Duration = Duration::from_secs(300);

/// All bodies that are being received have at most so many times the longest message together.
const MESSAGES_RECEIVED: usize = 4;

/// The room for bodies.
pub(super) struct Room {
    most_bytes: usize,
    taken: AtomicUsize,
}

/// A part of the room.
struct Share<'a> {
    room: &'a Room,
    bytes: usize,
}

impl Room {
    pub(super) fn of(most_bytes: usize) -> Self {
        Self { most_bytes, taken: AtomicUsize::new(0) }
    }
}

impl Share<'_> {
    fn grows(&mut self, bytes: usize) -> bool {
        self.bytes += bytes;
        let taken = self.room.taken.fetch_add(bytes, Ordering::Relaxed) + bytes;
        taken <= self.room.most_bytes.saturating_mul(MESSAGES_RECEIVED)
    }
}

impl Drop for Share<'_> {
    fn drop(&mut self) {
        self.room.taken.fetch_sub(self.bytes, Ordering::Relaxed);
    }
}

/// Reads a body.
pub(super) async fn read(headers: &HeaderMap, mut body: Incoming, room: &Room) -> Result<Vec<u8>, Box<Answer>> {
    let too_long = || {
        let message = format!("a message has at most {} bytes; --max-message allows more", room.most_bytes);
        reply::refused(StatusCode::PAYLOAD_TOO_LARGE, &message)
    };
    let announced = headers.get(header::CONTENT_LENGTH).and_then(|length| length.to_str().ok()?.parse::<u64>().ok());
    if announced.is_some_and(|length| length > room.most_bytes as u64) {
        return Err(too_long());
    }
    let deadline = Instant::now() + LONGEST;
    let (mut bytes, mut share) = (Vec::new(), Share { room, bytes: 0 });
    loop {
        let frame = poll_fn(|context| Pin::new(&mut body).poll_frame(context));
        let Ok(Ok(frame)) = timeout_at(deadline, timeout(PAUSE, frame)).await else {
            return Err(reply::refused(StatusCode::REQUEST_TIMEOUT, "the body took too long"));
        };
        let data = match frame {
            None => return Ok(bytes),
            Some(Err(_)) => return Err(reply::refused(StatusCode::BAD_REQUEST, "the body breaks off")),
            Some(Ok(frame)) => frame.into_data().unwrap_or_default(),
        };
        if bytes.len() + data.len() > room.most_bytes {
            return Err(too_long());
        }
        if !share.grows(data.len()) {
            let message = "too many long messages are being received; try again later";
            return Err(reply::refused(StatusCode::SERVICE_UNAVAILABLE, message));
        }
        bytes.extend_from_slice(&data);
    }
}
