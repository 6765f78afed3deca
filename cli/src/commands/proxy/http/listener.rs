//! The stream of what a server says of its own accord, up to version 2025-11-25 of the protocol. It is opened again when
//! it ends, where it ended.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::thread;
use std::time::Duration;

use super::Connection;
use super::reply::{self, Progress};
use super::session::Known;
use crate::output;

/// The first wait before a stream is opened again.
const SHORTEST_WAIT: Duration = Duration::from_secs(1);

/// Waits double up to this.
const LONGEST_WAIT: Duration = Duration::from_secs(60);

/// What became of a stream.
enum Stream {
    /// It ended. It had messages, or had none.
    Ended { was_used: bool },
    /// The server has none.
    None,
}

impl Connection {
    /// Listens in a thread of its own, until the conversation ends or another session begins.
    pub(super) fn listen(self: &Arc<Self>, session: Known) {
        let turn = self.listeners.fetch_add(1, Ordering::SeqCst) + 1;
        let connection = Arc::clone(self);
        let started =
            thread::Builder::new().name("listener".to_owned()).spawn(move || connection.follow(&session, turn));
        if let Err(error) = started {
            output::remark(&format!("cannot listen to what the server says of its own accord: {error}"));
        }
    }

    fn follow(&self, session: &Known, turn: usize) {
        let (mut progress, mut wait) = (Progress::default(), SHORTEST_WAIT);
        loop {
            match self.follow_once(session, &mut progress) {
                Stream::None => return,
                Stream::Ended { was_used: true } => wait = SHORTEST_WAIT,
                Stream::Ended { was_used: false } => {}
            }
            let asked = progress.place.retry.unwrap_or_default().min(LONGEST_WAIT);
            if self.is_closed.wait(wait.max(asked)) || self.listeners.load(Ordering::SeqCst) != turn {
                return;
            }
            wait = (wait * 2).min(LONGEST_WAIT);
        }
    }

    fn follow_once(&self, session: &Known, progress: &mut Progress) -> Stream {
        // A server that cannot be reached may come back.
        let Ok(response) = self.wire.get(session, progress.place.id.as_deref()) else {
            return Stream::Ended { was_used: false };
        };
        let status = response.status();
        // A token that is not good any more is replaced when a request needs one.
        let waits_for_a_token = status.as_u16() == 401 && self.wire.signs_in();
        if waits_for_a_token || status.is_server_error() && status.as_u16() != 501 {
            return Stream::Ended { was_used: false };
        }
        if !status.is_success() || reply::media_type(&response) != reply::EVENTS {
            return Stream::None;
        }
        let mut was_used = false;
        // A stream that breaks is opened again like one that ends.
        let _ = reply::events(response, &self.room, progress, |message| {
            was_used = true;
            if let Some(complaint) = self.hand_on(message, &mut Vec::new()) {
                output::remark(&format!("a message of the server is left out: {}", self.wire.redacted(&complaint)));
            }
        });
        Stream::Ended { was_used }
    }
}
