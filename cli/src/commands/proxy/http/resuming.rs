//! Streams of answers that end before the answer: they are opened again where they ended, with `Last-Event-ID`.
//!
//! Lines break, and since version 2025-11-25 of the protocol a server may end a stream on purpose and let the client come
//! back. A server shows by the ids of its events that it can do this; without them, the end of the stream is the end.

use std::time::{Duration, Instant};

use ureq::Body;
use ureq::http::{Response, StatusCode};

use super::Connection;
use super::reply::{self, Broken, NoAnswer, Progress, Reply};
use super::session::Known;

/// The wait before a stream is opened again, where the server asks for none. It doubles with each try that brings nothing.
const SHORTEST_WAIT: Duration = Duration::from_millis(500);

/// No server is asked more often than this, whatever it says.
const LEAST_WAIT: Duration = Duration::from_millis(50);

/// Waits double up to this, and no server is waited for longer.
const LONGEST_WAIT: Duration = Duration::from_secs(30);

/// How often in a row a stream cannot be opened, or breaks without a new event: a minute and a half of waiting.
const MOST_FAILURES: u32 = 8;

/// How long a server may end its stream again and again without a new event. It is still busy, or has lost the answer,
/// and nothing tells which.
const LONGEST_POLLING: Duration = Duration::from_secs(900);

/// What became of one try.
enum Try {
    /// The stream was there and ended. `is_clean`: as a server ends it.
    Read {
        new: usize,
        is_clean: bool,
    },
    /// Another try may succeed.
    Failed(String),
    Refused(String),
}

impl Connection {
    /// Passes each message of a reply to `take` as soon as it arrives. A stream of events that ends while `is_open` is true
    /// is opened again.
    ///
    /// # Errors
    /// The reason why no message arrived, or why the messages ended.
    pub(super) fn received(
        &self,
        response: Response<Body>,
        known: &Known,
        is_open: &dyn Fn() -> bool,
        mut take: impl FnMut(Vec<u8>),
    ) -> Result<(), NoAnswer> {
        let response = match Reply::of(response) {
            Reply::Whole(response) => return reply::message(response, &self.room, take),
            Reply::Stream(response) => response,
        };
        let mut progress = Progress::default();
        let (_, ended) = reply::events(response, &self.room, &mut progress, &mut take);
        match ended {
            Err(broken) if broken.is_final => return Err(NoAnswer::Failed(broken.reason)),
            _ if is_open() && progress.place.id.is_some() => {}
            ended => return ended.map_err(|broken| NoAnswer::Failed(broken.reason)),
        }
        self.resumed(progress, known, is_open, &mut take).map_err(NoAnswer::Failed)
    }

    fn resumed(
        &self,
        mut progress: Progress,
        known: &Known,
        is_open: &dyn Fn() -> bool,
        take: &mut dyn FnMut(Vec<u8>),
    ) -> Result<(), String> {
        let (mut backoff, mut failures, mut last_event) = (SHORTEST_WAIT, 0, Instant::now());
        while is_open() {
            let wait = match progress.place.retry {
                Some(asked) if failures == 0 => asked,
                Some(asked) => asked.max(backoff),
                None => backoff,
            };
            if self.is_closed.wait(wait.clamp(LEAST_WAIT, LONGEST_WAIT)) {
                return Err("its answer breaks off, and the conversation has ended before it could go on".to_owned());
            }
            backoff = (backoff * 2).min(LONGEST_WAIT);
            let failure = match self.try_once(&mut progress, known, take) {
                Try::Refused(reason) => return Err(format!("its answer breaks off and cannot be resumed: {reason}")),
                Try::Failed(reason) => Some(reason),
                Try::Read { new: 1.., .. } => {
                    (backoff, failures, last_event) = (SHORTEST_WAIT, 0, Instant::now());
                    continue;
                }
                Try::Read { is_clean: true, .. } => None,
                Try::Read { is_clean: false, .. } => Some("the stream breaks again".to_owned()),
            };
            failures = if failure.is_some() { failures + 1 } else { 0 };
            if let Some(reason) = failure.filter(|_| failures >= MOST_FAILURES) {
                return Err(format!("its answer breaks off and cannot be resumed after {failures} tries: {reason}"));
            }
            if last_event.elapsed() > LONGEST_POLLING {
                let minutes = LONGEST_POLLING.as_secs() / 60;
                return Err(format!("it has ended its answer again and again for {minutes} minutes without a result"));
            }
        }
        Ok(())
    }

    fn try_once(&self, progress: &mut Progress, known: &Known, take: &mut dyn FnMut(Vec<u8>)) -> Try {
        let response = match self.wire.get(known, progress.place.id.as_deref()) {
            Ok(response) => response,
            Err(reason) => return Try::Failed(reason),
        };
        let status = response.status();
        if !status.is_success() {
            let reason = format!("it answered with status {}", status.as_u16());
            return if may_pass(status) { Try::Failed(reason) } else { Try::Refused(reason) };
        }
        let Reply::Stream(response) = Reply::of(response) else {
            return Try::Refused("it answered with something that is not a stream of events".to_owned());
        };
        let (new, ended) = reply::events(response, &self.room, progress, take);
        match ended {
            Err(Broken { reason, is_final: true }) => Try::Refused(reason),
            ended => Try::Read { new, is_clean: ended.is_ok() },
        }
    }
}

/// True for an answer that may be another one a moment later.
fn may_pass(status: StatusCode) -> bool {
    matches!(status.as_u16(), 408 | 425 | 429) || status.is_server_error() && status != StatusCode::NOT_IMPLEMENTED
}
