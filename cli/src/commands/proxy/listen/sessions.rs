//! All sessions: they begin with a handshake, and end by a DELETE, by silence, or with their process.

use std::collections::HashMap;
use std::io;
use std::process::ChildStdout;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use super::super::lines::{self, Said};
use super::inner::Recipe;
use super::session::Session;

/// A session whose client has not said anything after the handshake ends after this.
const UNUSED: Duration = Duration::from_secs(120);

/// A process that has been asked to end and still runs is killed after this. It promises to take two seconds.
const KILL_AFTER: Duration = Duration::from_millis(2500);

/// An answer may be longer than a message of the server by what the proxy adds to it.
const ADDED_BYTES: usize = 1 << 20;

/// The sessions.
pub(super) struct Sessions {
    recipe: Recipe,
    most: usize,
    most_idle: Duration,
    most_bytes: usize,
    table: Mutex<Table>,
}

#[derive(Default)]
struct Table {
    by_id: HashMap<String, Arc<Session>>,
    /// The session of all clients of the stateless protocol.
    shared: Option<Arc<Session>>,
    /// Sessions whose processes still have to end.
    ending: Vec<(Arc<Session>, Instant)>,
    is_closed: bool,
}

/// Why no session begins.
#[derive(Debug)]
pub(super) enum NoSession {
    /// There are as many as may be.
    Full(usize),
    Failed(io::Error),
}

impl Sessions {
    pub(super) fn of(recipe: Recipe, most: usize, most_idle: Duration, most_bytes: usize) -> Self {
        Self { recipe, most, most_idle, most_bytes, table: Mutex::default() }
    }

    fn table(&self) -> MutexGuard<'_, Table> {
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Begins a session. The thread that calls this must not end before the session.
    pub(super) fn begin(&self) -> Result<Arc<Session>, NoSession> {
        let mut table = self.table();
        let session = self.started(&mut table, false)?;
        table.by_id.insert(session.id.clone(), Arc::clone(&session));
        Ok(session)
    }

    /// The session of the stateless protocol, which begins with its first request.
    pub(super) fn shared(&self) -> Result<Arc<Session>, NoSession> {
        let mut table = self.table();
        if let Some(shared) = table.shared.as_ref().filter(|session| !session.has_ended()) {
            return Ok(Arc::clone(shared));
        }
        let session = self.started(&mut table, true)?;
        if let Some(before) = table.shared.replace(Arc::clone(&session)) {
            // Its process is still to be waited for.
            table.end(before);
        }
        Ok(session)
    }

    fn started(&self, table: &mut Table, is_shared: bool) -> Result<Arc<Session>, NoSession> {
        if table.is_closed || table.by_id.len() + table.ending.len() >= self.most {
            return Err(NoSession::Full(self.most));
        }
        let (inner, output) = self.recipe.start(is_shared).map_err(NoSession::Failed)?;
        let session = Arc::new(Session::new(id().map_err(NoSession::Failed)?, inner, is_shared));
        let most = self.most_bytes.saturating_add(ADDED_BYTES);
        let listening = Arc::clone(&session);
        let listener = thread::Builder::new().name("lro-output".to_owned());
        let started = listener.spawn(move || listen(&listening, output, most));
        if let Err(error) = started {
            session.inner.kill();
            table.end(session);
            return Err(NoSession::Failed(error));
        }
        Ok(session)
    }

    /// The session with this id.
    pub(super) fn get(&self, id: &str) -> Option<Arc<Session>> {
        self.table().by_id.get(id).filter(|session| !session.has_ended()).cloned()
    }

    /// Ends a session.
    pub(super) fn end(&self, id: &str) -> bool {
        let mut table = self.table();
        let Some(session) = table.by_id.remove(id) else { return false };
        table.end(session);
        true
    }

    /// Ends what has been silent for too long, and what does not end by itself.
    pub(super) fn sweep(&self, now: Instant) {
        let mut table = self.table();
        let is_over = |session: &Session| {
            let most = if session.version().is_some() { self.most_idle } else { self.most_idle.min(UNUSED) };
            session.has_ended() || session.idle(now) > most
        };
        let over: Vec<String> =
            table.by_id.iter().filter(|(_, session)| is_over(session)).map(|(id, _)| id.clone()).collect();
        for id in over {
            if let Some(session) = table.by_id.remove(&id) {
                table.end(session);
            }
        }
        if let Some(shared) = table.shared.take_if(|shared| is_over(shared)) {
            table.end(shared);
        }
        table.ending.retain(|(session, since)| {
            if now.saturating_duration_since(*since) > KILL_AFTER {
                session.inner.kill();
            }
            !session.inner.has_ended()
        });
    }

    /// Ends all sessions, and begins no more.
    pub(super) fn close(&self) {
        let mut table = self.table();
        table.is_closed = true;
        let all: Vec<Arc<Session>> = table.by_id.drain().map(|(_, session)| session).collect();
        let shared = table.shared.take();
        for session in all.into_iter().chain(shared) {
            table.end(session);
        }
    }

    /// True when no process runs.
    pub(super) fn are_over(&self) -> bool {
        self.table().ending.is_empty()
    }
}

impl Table {
    fn end(&mut self, session: Arc<Session>) {
        session.inner.close();
        self.ending.push((session, Instant::now()));
    }
}

/// Passes on what a process says until it ends.
fn listen(session: &Session, output: ChildStdout, most: usize) {
    // What cannot be read has ended.
    let _ = lines::each(output, most, |said| {
        match said {
            Said::Line(line) => session.server_says(line),
            Said::TooLong(outline) => {
                if let Some(id) = outline.id().filter(|_| !outline.is_request()) {
                    let line = super::super::envelope::error(id, -32000, "the answer is too long; ask for less");
                    session.server_says(&line);
                }
            }
        }
        true
    });
    session.ended();
}

/// An id that nobody guesses: 128 random bits.
fn id() -> io::Result<String> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes).map_err(io::Error::other)?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}
