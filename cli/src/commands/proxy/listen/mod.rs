//! `lro proxy --listen`: the proxy as a server over streamable HTTP. Each session is a process of its own, this program as a
//! proxy over standard input and output, so that what this module does is to carry lines between pipes and requests.

mod accepts;
mod body;
mod flags;
mod guard;
mod inner;
mod log;
mod message;
mod reader;
mod reply;
mod service;
mod session;
mod sessions;
mod wire;

use std::io;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use tokio::net::TcpListener;
use tokio::sync::oneshot;
use tokio::time::sleep;

use self::body::Room;
pub(super) use self::flags::ListenFlags;
use self::inner::Recipe;
use self::service::{PATH, Service};
use self::sessions::Sessions;
use super::notes::{Note, Notes};
use crate::failure::Failure;
use crate::output;

/// How often to look for sessions that have been silent for too long.
const SWEEP: Duration = Duration::from_millis(500);

/// How long sessions may take to end after a signal. They promise two seconds.
const ENDING: Duration = Duration::from_millis(3000);

/// How often to look whether they have ended.
const LOOK: Duration = Duration::from_millis(20);

/// How long what has been answered may take to reach clients.
const LAST: Duration = Duration::from_millis(100);

/// A connection, and the pipes to start a process and to talk to it, are seven descriptors.
const PIPES_OF_A_SESSION: usize = 4;

/// The exit status for the number of a signal, as shells have it.
const SIGNALLED: u8 = 128;

/// What is served.
pub(super) struct Serving {
    /// How many words at the end of the command line are the command of the server.
    pub(super) count: usize,
    pub(super) most_bytes: usize,
    /// The session that clients without sessions share, unless the flags name one.
    pub(super) session: Option<String>,
}

/// Serves until a signal comes.
pub(super) fn serve(flags: &ListenFlags, notes: Notes, serving: Serving) -> Result<(), Failure> {
    let (address, guard) = (flags.address()?, flags.guard()?);
    let most_bytes = serving.most_bytes;
    let recipe = Recipe::of_this_process(serving.count, &flags::FLAGS)
        .without_variable(flags.listen_bearer_env.clone())
        .with_shared_session(serving.session)
        .with_most_bytes(most_bytes);
    let most = usize::try_from(flags.listen_sessions).unwrap_or(usize::MAX);
    let idle = Duration::from_secs(flags.listen_idle.into());
    let sessions = Sessions::of(recipe, most, idle, most_bytes);
    let service = Arc::new(Service { guard, sessions, room: Room::of(most_bytes) });
    // Processes end with the thread that starts them, so everything runs in this one.
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| Failure::file("listen", error))?;
    let signal = signal_of(notes)?;
    runtime.block_on(async {
        let action = || format!("listen on {address}");
        let listener = TcpListener::bind(address).await.map_err(|error| Failure::file(action(), error))?;
        has_room_for_a_session().map_err(|error| Failure::file(action(), error))?;
        let bound = listener.local_addr().map_err(|error| Failure::file(action(), error))?;
        output::line(&format!("http://{bound}{PATH}"))?;
        let code = tokio::select! {
            () = wire::serve(&listener, &service) => 0,
            () = sweep(&service.sessions) => 0,
            code = signal => code.unwrap_or(0),
        };
        drop(listener);
        end(&service.sessions).await;
        if code == 0 { Ok(()) } else { Err(Failure::Status(code)) }
    })
}

/// Checks that descriptors are left for a connection and a process. Who cannot accept anybody had better say so at once:
/// clients would wait without an end.
fn has_room_for_a_session() -> io::Result<()> {
    (0..PIPES_OF_A_SESSION).map(|_| io::pipe()).collect::<io::Result<Vec<_>>>().map(drop)
}

/// Waits for a signal in a thread of its own. Returns where its exit status comes.
fn signal_of(mut notes: Notes) -> Result<oneshot::Receiver<u8>, Failure> {
    let (sender, signal) = oneshot::channel();
    let waiter = thread::Builder::new().name("lro-signals".to_owned());
    let waiting = waiter.spawn(move || {
        loop {
            // Standard input and output may end: clients are elsewhere.
            if let Some(Note::Signal(signal)) = notes.next(None) {
                let status = u8::try_from(signal).unwrap_or_default().saturating_add(SIGNALLED);
                // The receiver ends with the process.
                let _ = sender.send(status);
                return;
            }
        }
    });
    waiting.map(|_| signal).map_err(|error| Failure::file("start a thread", error))
}

async fn sweep(sessions: &Sessions) {
    loop {
        sleep(SWEEP).await;
        sessions.sweep(Instant::now());
    }
}

/// Ends all sessions. What does not end by itself is killed.
async fn end(sessions: &Sessions) {
    sessions.close();
    let deadline = Instant::now() + ENDING;
    while !sessions.are_over() && Instant::now() < deadline {
        sleep(LOOK).await;
        sessions.sweep(Instant::now());
    }
    // The last answers are on their way to clients.
    sleep(LAST).await;
}
