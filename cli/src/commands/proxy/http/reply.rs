//! What a server replies: the messages in it, as JSON or as a stream of events, and why there are none.

use std::collections::HashSet;
use std::hash::{BuildHasher, RandomState};
use std::io::{self, ErrorKind, Read};

use ureq::Body;
use ureq::http::{Response, StatusCode};

use super::address::Address;
use super::events::{BYTE_ORDER_MARK, Event, Events, Place};
use super::room::{Metered, Room, Share};

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

/// A reply, by what is in it.
pub(super) enum Reply {
    /// A stream of events.
    Stream(Response<Body>),
    /// Anything else.
    Whole(Response<Body>),
}

impl Reply {
    pub(super) fn of(response: Response<Body>) -> Self {
        match response.status().is_success() && media_type(&response) == EVENTS {
            true => Self::Stream(response),
            false => Self::Whole(response),
        }
    }
}

/// Passes the message of a reply that is not a stream to `take`.
///
/// # Errors
/// Why there was none, or why there are no more.
pub(super) fn message(response: Response<Body>, room: &Room, take: impl FnOnce(Vec<u8>)) -> Result<(), NoAnswer> {
    let status = response.status();
    let media_type = media_type(&response);
    let advice = advice(&response);
    if media_type == "application/json" {
        let share = Share::of(room);
        take(whole(response, room, &share).map_err(|error| NoAnswer::Failed(room.reason(&error)))?);
    }
    told(status, &media_type, &advice)
}

/// What a refusal says about another try, as the end of a sentence. Only addresses and numbers are quoted.
fn advice(response: &Response<Body>) -> String {
    let header = |name: &str| response.headers().get(name).and_then(|value| value.to_str().ok()).map(str::trim);
    let status = response.status();
    if status.is_redirection() {
        let place = header("location").and_then(|place| Address::of(place).ok());
        let place = place.filter(|place| place.shown().len() <= LONGEST_PLACE);
        let place = place.map(|place| format!(" to `{}`", place.shown())).unwrap_or_default();
        return format!(", a redirect{place}, which is not followed; if the server has moved, use its new URL");
    }
    match header("retry-after").and_then(|seconds| seconds.parse::<u32>().ok()) {
        Some(seconds) if !status.is_success() => format!("; it asks to wait {seconds} seconds"),
        _ => String::new(),
    }
}

/// An address is quoted up to this.
const LONGEST_PLACE: usize = 200;

/// Where a stream is, over all the times that it has been opened.
#[derive(Default)]
pub(super) struct Progress {
    pub(super) place: Place,
    seen: Seen,
}

/// Hands on the message of each event of a stream, and says how many events were new. `progress` is where the stream was,
/// also when it breaks. An event that was there before is left out: a server may go back too far.
///
/// # Errors
/// Why the stream broke.
pub(super) fn events(
    response: Response<Body>,
    room: &Room,
    progress: &mut Progress,
    mut take: impl FnMut(Vec<u8>),
) -> (usize, Result<(), Broken>) {
    let share = Share::of(room);
    let body = Metered { body: response.into_body().into_reader(), share: &share };
    let mut events = Events::of(body, room.longest, progress.place.clone());
    let mut new = 0;
    loop {
        let event = events.next();
        progress.place.clone_from(&events.place);
        match event {
            Err(error) => {
                let is_final = matches!(error.kind(), ErrorKind::FileTooLarge | ErrorKind::QuotaExceeded);
                return (new, Err(Broken { reason: room.reason(&error), is_final }));
            }
            Ok(Some(event)) if event.id.as_deref().is_some_and(|id| !progress.seen.is_new(id)) => {}
            Ok(Some(Event { data, is_message, .. })) => {
                new += 1;
                if is_message && !data.trim_ascii().is_empty() {
                    share.is_whole();
                    take(data);
                }
            }
            Ok(None) => return (new, Ok(())),
        }
        share.release();
    }
}

/// Why a stream broke.
pub(super) struct Broken {
    pub(super) reason: String,
    /// It would break again at the same place.
    pub(super) is_final: bool,
}

/// The events that a stream has had, by hashes of their ids.
#[derive(Default)]
struct Seen {
    hashes: HashSet<u64>,
    keys: RandomState,
}

impl Seen {
    /// True for an id that has not been there before.
    fn is_new(&mut self, id: &str) -> bool {
        if self.hashes.len() >= MOST_SEEN {
            self.hashes.clear();
        }
        self.hashes.insert(self.keys.hash_one(id))
    }
}

/// A server goes back by a few events, if at all. These take 300 KB.
const MOST_SEEN: usize = 20_000;

fn whole(response: Response<Body>, room: &Room, share: &Share<'_>) -> io::Result<Vec<u8>> {
    let body = Metered { body: response.into_body().into_reader(), share };
    let mut bytes = Vec::new();
    body.take(room.longest as u64 + 1).read_to_end(&mut bytes)?;
    if bytes.len() > room.longest {
        return Err(ErrorKind::FileTooLarge.into());
    }
    if bytes.starts_with(BYTE_ORDER_MARK) {
        bytes.drain(..BYTE_ORDER_MARK.len());
    }
    share.is_whole();
    Ok(bytes)
}

/// What a reply says beside its messages.
fn told(status: StatusCode, media_type: &str, advice: &str) -> Result<(), NoAnswer> {
    let number = status.as_u16();
    match media_type {
        _ if !status.is_success() => Err(NoAnswer::Failed(format!("it answered with status {number}{advice}"))),
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
