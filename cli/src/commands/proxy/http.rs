//! A server behind a URL (streamable HTTP): every line of the client is a POST of its own, and what comes back, as JSON or
//! as a stream of events, are the lines of the server (PROXY-02).
//!
//! Lines of the client go through a dispatcher. Requests are sent by several threads at once. What the server should have
//! before the next line is sent by one thread, in order: the handshake, notifications, and answers of the client.

mod address;
mod events;
mod exchange;
mod headers;
mod listener;
mod reply;
mod resuming;
mod room;
mod session;
mod unanswered;
mod waiting;
mod wire;

use std::io;
use std::sync::atomic::AtomicUsize;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use self::address::Address;
use self::exchange::{Kind, Outgoing};
pub(super) use self::headers::Given;
use self::headers::Headers;
use self::room::Room;
use self::session::Session;
use self::unanswered::Unanswered;
use self::waiting::{Account, NoRoom, Queue, Signal};
use self::wire::Wire;
use super::inbox::Inbox;
use super::oauth;
use super::server::Server;
use crate::failure::Failure;
use crate::output;

/// How many requests are sent at once; others wait. A server that answers none of them causes no more threads than these.
const MOST_AT_ONCE: usize = 32;

/// How long requests are held up by a notification that the server does not accept.
const NOTIFYING: Duration = Duration::from_secs(1);

/// How long requests are held up by a handshake. It fails before.
const HANDSHAKING: Duration = Duration::from_secs(300);

/// How long requests in flight are waited for after the client has ended. With the end of the session the process ends
/// within two seconds.
const GRACE: Duration = Duration::from_millis(1000);

/// A remote server. Clones refer to the same server.
#[derive(Clone)]
pub(super) struct Http {
    connection: Arc<Connection>,
    lines: Sender<Outgoing>,
}

struct Connection {
    wire: Wire,
    session: Session,
    unanswered: Unanswered,
    inbox: Inbox,
    /// Requests that wait or are being sent, and other lines of the client: those move on whatever becomes of requests.
    held_requests: Arc<Account>,
    held_others: Arc<Account>,
    requests: Queue<Outgoing>,
    room: Room,
    /// Held while a message is read.
    reading: Mutex<()>,
    /// How many listeners there have been; the last one listens.
    listeners: AtomicUsize,
    is_closed: Signal,
}

/// The way to a server at `url`; nothing is sent yet.
fn wire(url: &str, given: &Given<'_>, oauth: &oauth::Flags) -> Result<Wire, Failure> {
    let address = Address::of(url)?;
    let headers = Headers::of(given, variable)?;
    if address.is_open() && (headers.has_secrets() || address.has_secrets()) {
        let shown = address.shown();
        output::remark(&format!("`{shown}` is not encrypted: others on the way can read the token; use https://"));
    }
    let sign_in = oauth.to(address.url(), variable)?;
    Ok(Wire::to(address, headers, sign_in, MOST_AT_ONCE))
}

/// Signs in or out at a server.
pub(super) fn perform(url: &str, given: &Given<'_>, oauth: &oauth::Flags, now: oauth::Now) -> Result<(), Failure> {
    wire(url, given, oauth)?.perform(now)
}

/// A server at `url`; nothing is sent yet. No message may have more than `longest` bytes.
pub(super) fn connect(url: &str, given: &Given<'_>, oauth: &oauth::Flags, longest: usize) -> Result<Http, Failure> {
    let connection = Arc::new(Connection {
        wire: wire(url, given, oauth)?,
        session: Session::default(),
        unanswered: Unanswered::default(),
        inbox: Inbox::of(longest),
        held_requests: Account::of(longest),
        held_others: Account::of(longest),
        requests: Queue::new(),
        room: Room::of(longest),
        reading: Mutex::default(),
        listeners: AtomicUsize::new(0),
        is_closed: Signal::default(),
    });
    let lines = dispatcher(&connection).map_err(|error| Failure::file("start a thread for the server", error))?;
    Ok(Http { connection, lines })
}

/// The value of a variable.
pub(super) fn variable(name: &str) -> Result<String, Failure> {
    std::env::var(name).map_err(|error| Failure::Usage(format!("cannot read the variable `{name}`: {error}")))
}

impl Server for Http {
    fn send(&self, line: &[u8]) -> bool {
        let connection = &self.connection;
        let ids = unanswered::ids(line);
        connection.unanswered.add(&ids);
        if ids.is_empty()
            && let Some(cancelled) = unanswered::cancelled(line)
        {
            connection.unanswered.cancel(&cancelled);
        }
        let held = match ids.is_empty() {
            true => connection.held_others.hold(line.len(), NOTIFYING),
            false => connection.held_requests.try_hold(line.len()).ok_or(NoRoom::StillNone),
        };
        let held = match held {
            Ok(held) => held,
            Err(reason) => {
                connection.refuse(&ids, "too many requests wait for it; ask again later");
                if reason == NoRoom::Waited {
                    let shown = connection.wire.address.shown();
                    output::remark(&format!("messages are left out, because `{shown}` does not accept those before"));
                }
                return true;
            }
        };
        let outgoing = Outgoing { line: line.to_owned(), kind: Kind::of(line, &ids), ids, _held: held };
        self.lines.send(outgoing).is_ok()
    }

    fn close(&self) {
        if self.connection.is_closed.set() {
            return;
        }
        let connection = Arc::clone(&self.connection);
        if thread::Builder::new().name("end".to_owned()).spawn(move || connection.end()).is_err() {
            self.connection.inbox.end();
        }
    }
}

impl Http {
    /// Passes each line of the server to `take` until the server ends or `take` returns false.
    pub(super) fn each(&self, take: &mut dyn FnMut(Vec<u8>) -> bool) -> io::Result<()> {
        while let Some(line) = self.connection.inbox.next() {
            if !take(line) {
                break;
            }
        }
        Ok(())
    }
}

/// Starts the threads that send what is not a request, and that decide when requests are sent.
fn dispatcher(connection: &Arc<Connection>) -> io::Result<Sender<Outgoing>> {
    let (lines, dispatched) = channel();
    let (ordered, taken) = channel::<(Outgoing, Signal)>();
    let sender = Arc::clone(connection);
    thread::Builder::new().name("sender".to_owned()).spawn(move || {
        for (outgoing, is_done) in taken {
            sender.exchange(&outgoing);
            if outgoing.kind == Kind::Initialized {
                sender.listen(sender.session.known());
            }
            is_done.set();
        }
    })?;
    let connection = Arc::clone(connection);
    thread::Builder::new().name("dispatcher".to_owned()).spawn(move || dispatch(&connection, dispatched, &ordered))?;
    Ok(lines)
}

fn dispatch(connection: &Arc<Connection>, lines: Receiver<Outgoing>, ordered: &Sender<(Outgoing, Signal)>) {
    let mut last = Signal::default();
    last.set();
    for outgoing in lines {
        if outgoing.kind == Kind::Request {
            connection.request(outgoing);
            continue;
        }
        // A server that is slow to accept has been waited for once.
        let is_slow = !last.wait(Duration::ZERO);
        let (kind, is_done) = (outgoing.kind, Signal::default());
        last = is_done.clone();
        if ordered.send((outgoing, is_done)).is_err() {
            return;
        }
        match kind {
            Kind::Initialize => _ = last.wait(HANDSHAKING),
            _ if is_slow => {}
            _ => _ = last.wait(NOTIFYING),
        }
    }
}

impl Connection {
    /// Sends a request as soon as there is a thread for it.
    fn request(self: &Arc<Self>, outgoing: Outgoing) {
        let added = self.requests.add(outgoing, MOST_AT_ONCE, || {
            let connection = Arc::clone(self);
            let sends = move || loop {
                connection.exchange(&connection.requests.next());
            };
            thread::Builder::new().name("request".to_owned()).spawn(sends).map(|_| ())
        });
        if let Err((outgoing, error)) = added {
            self.refuse(&outgoing.ids, &format!("cannot start a thread for the request: {error}"));
        }
    }

    /// Waits for what is in flight, and ends the session.
    fn end(&self) {
        let deadline = Instant::now() + GRACE;
        self.held_requests.wait_until_empty(deadline);
        self.held_others.wait_until_empty(deadline);
        self.refuse_all("the conversation has ended before");
        let known = self.session.known();
        if known.id.is_some() {
            self.wire.delete(&known);
        }
        self.inbox.end();
    }
}
