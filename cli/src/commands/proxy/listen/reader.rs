//! Who reads a stream of a session: a POST that waits for its answers, or a GET.

use std::sync::Arc;
use std::time::Duration;

use hyper::body::Bytes;
use tokio::sync::mpsc::{Receiver, Sender, channel};
use tokio::time::timeout;

use super::session::{OWN, Session};

/// How often something is sent where nothing happens. Otherwise nobody notices that a client has gone, and what is in
/// between closes connections that are silent.
const KEEP_ALIVE: Duration = Duration::from_secs(15);

/// How soon a client comes back whose stream broke.
const RETRY_MILLISECONDS: u32 = 1000;

/// Versions from this one on know an event that has an id and no data.
const FIRST_WITH_EMPTY_EVENT: &str = "2025-11-25";

/// A reader of a stream. There is one at a time: the next one takes over.
pub(super) struct Reader {
    session: Arc<Session>,
    stream: u64,
    turn: u64,
    /// The number of the event before the next one.
    last: u64,
}

/// What comes next on a stream.
#[derive(Debug, PartialEq)]
enum Next {
    Event(u64, Bytes),
    /// Nothing more comes.
    End,
    /// Events are missing that had to be dropped.
    Lost,
}

/// A piece of a stream, or its end for a reason that the client should notice.
pub(super) type Piece = Result<Bytes, std::io::Error>;

impl Reader {
    /// Reads a stream from here on, or after an event. `None` for a stream or an event that is not there.
    pub(super) fn of(session: &Arc<Session>, stream: u64, after: Option<u64>) -> Option<Self> {
        let mut state = session.state();
        let last_event = state.log.last();
        let read = state.streams.get_mut(&stream)?;
        if after.is_some_and(|after| after < read.dropped || after > last_event) {
            return None;
        }
        read.turn += 1;
        read.is_read = true;
        let (turn, last) = (read.turn, after.unwrap_or(read.last));
        drop(state);
        // Another reader ends now.
        session.changed.send_replace(());
        Some(Self { session: Arc::clone(session), stream, turn, last })
    }

    /// Waits for the answer. `None` if there is more than that to send.
    pub(super) async fn only_answer(&self) -> Option<Bytes> {
        self.wait().await;
        let mut state = self.session.state();
        let only = state.log.only(self.stream).filter(|_| state.is_over(self.stream))?;
        state.forget(self.stream);
        Some(only)
    }

    /// Waits for all answers, and returns them with what the server said between.
    pub(super) async fn all(&mut self) -> Vec<Bytes> {
        let mut lines = Vec::new();
        while let Next::Event(number, line) = self.wait().await {
            lines.push(line);
            self.advance(number);
        }
        self.session.state().forget(self.stream);
        lines
    }

    /// Waits until there is something to read.
    async fn wait(&self) -> Next {
        let mut changed = self.session.changed.subscribe();
        loop {
            if let Some(next) = self.look() {
                return next;
            }
            // The sender lives as long as the session, which this reader holds.
            let _ = changed.changed().await;
        }
    }

    fn look(&self) -> Option<Next> {
        let state = self.session.state();
        let Some(stream) = state.streams.get(&self.stream).filter(|stream| stream.turn == self.turn) else {
            return Some(Next::End);
        };
        if stream.dropped > self.last {
            return Some(Next::Lost);
        }
        match state.log.after(self.stream, self.last) {
            Some((number, line)) => Some(Next::Event(number, line)),
            None => state.is_over(self.stream).then_some(Next::End),
        }
    }

    fn advance(&mut self, number: u64) {
        self.last = number;
        let mut state = self.session.state();
        state.log.sent(number);
        if let Some(stream) = state.streams.get_mut(&self.stream) {
            stream.last = number;
        }
    }

    /// Sends events from now on, until nothing more comes or the client has gone.
    pub(super) fn events(mut self) -> Receiver<Piece> {
        // The client takes one before the next is formed.
        let (pieces, taken) = channel(1);
        tokio::spawn(async move {
            tokio::select! {
                () = self.send(&pieces) => {}
                () = pieces.closed() => {}
            }
        });
        taken
    }

    async fn send(&mut self, pieces: &Sender<Piece>) {
        // With the id of an event, a client whose stream breaks before the first one can come back.
        let first = match self.session.version() {
            Some(version) if version.as_str() >= FIRST_WITH_EMPTY_EVENT => {
                format!("id: {}-{}\nretry: {RETRY_MILLISECONDS}\ndata: \n\n", self.stream, self.last)
            }
            // A stream begins with its first bytes; until then a client waits for headers.
            _ => ":\n\n".to_owned(),
        };
        let mut piece = Ok(Bytes::from(first));
        while pieces.send(piece).await.is_ok() {
            piece = match timeout(KEEP_ALIVE, self.wait()).await {
                Ok(Next::Event(number, line)) => {
                    self.advance(number);
                    Ok(self.event(number, &line))
                }
                Ok(Next::End) => return,
                Ok(Next::Lost) => Err(std::io::Error::other("the client was too slow")),
                Err(_) => Ok(Bytes::from_static(b":\n\n")),
            };
        }
    }

    fn event(&self, number: u64, line: &[u8]) -> Bytes {
        let id = match self.session.is_shared {
            // Nobody can come back to it.
            true => String::new(),
            false => format!("id: {}-{number}\n", self.stream),
        };
        [id.as_bytes(), b"data: ", line, b"\n\n"].concat().into()
    }
}

impl Drop for Reader {
    fn drop(&mut self) {
        self.session.left(self.stream, self.turn);
    }
}

/// The stream and the number in the id of an event.
pub(super) fn place(id: &str) -> Option<(u64, u64)> {
    let (stream, number) = id.split_once('-')?;
    Some((stream.parse().ok()?, number.parse().ok()?))
}

/// Reads the server's own stream, from where the last reader was.
pub(super) fn own(session: &Arc<Session>) -> Option<Reader> {
    Reader::of(session, OWN, None)
}
