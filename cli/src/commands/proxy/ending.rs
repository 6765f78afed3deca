//! Ends a conversation within two seconds after the client has gone or a signal has arrived, whatever workers, the server,
//! its children or the reader of our output do. A thread that waits for none of them sees to that.

use std::sync::{Arc, Condvar, Mutex, PoisonError, mpsc};
use std::time::{Duration, Instant};
use std::{io, process, thread};

use super::child::{self, Process};
use super::conversation::Conversation;
use super::notes::{Note, Notes};
use super::workers::Workers;
use crate::{output, remarks};

/// How long a server may take to end by itself after the client has gone, until it is asked to. Most take some
/// milliseconds.
const ASK_AFTER: Duration = Duration::from_millis(1300);

/// How long it may take after the client has gone, or after a signal, until it is killed.
const KILL_AFTER: Duration = Duration::from_millis(1600);

/// The same for a server that has closed its output while its client waits: it may have something to tidy up.
const ASK_SILENT_AFTER: Duration = Duration::from_secs(5);
const KILL_SILENT_AFTER: Duration = Duration::from_secs(10);

/// How long answers in flight may take after the client has gone. Two seconds are promised, and the process needs a
/// moment to end.
const LEAVE_AFTER: Duration = Duration::from_millis(1800);

/// How long the deletion of a session's files may take then. Most sessions have few, which takes some milliseconds.
const END_SESSION_WITHIN: Duration = Duration::from_millis(100);

/// The exit status for an error of the proxy.
const FAILED: u8 = 1;

/// The exit status for the number of a signal, as shells have it.
const SIGNALLED: u8 = 128;

#[cfg(unix)]
const TERMINATE: i32 = signal_hook::consts::SIGTERM;
#[cfg(not(unix))]
const TERMINATE: i32 = 0;

/// The end of a conversation, which is waited for.
pub(super) struct Ending(Arc<(Mutex<Option<u8>>, Condvar)>);

impl Ending {
    /// Watches over a conversation from now on, in a thread that ends with the process. `server` is the process that has
    /// been started for it, if there is one.
    pub(super) fn watch(
        notes: Notes,
        server: Option<Process>,
        conversation: &Arc<Conversation>,
        workers: &Arc<Workers>,
    ) -> io::Result<Self> {
        // Without a process there is nothing to wait for.
        let known = server.is_none().then_some(0);
        let code = Arc::new((Mutex::new(known), Condvar::new()));
        let mut watch = Watch {
            server,
            conversation: Arc::clone(conversation),
            workers: Arc::clone(workers),
            code: Arc::clone(&code),
            ask_at: None,
            kill_at: None,
            leave_at: None,
            is_forced: false,
            is_silent: false,
            signal: None,
            ends_when_open: false,
        };
        thread::Builder::new().name("lro-ending".to_owned()).spawn(move || watch.run(notes))?;
        Ok(Self(code))
    }

    /// Waits for the server's end, and returns our exit status for it.
    pub(super) fn code(&self) -> u8 {
        let (code, changed) = &*self.0;
        let code = code.lock().unwrap_or_else(PoisonError::into_inner);
        changed.wait_while(code, |code| code.is_none()).unwrap_or_else(PoisonError::into_inner).unwrap_or(0)
    }
}

struct Watch {
    server: Option<Process>,
    conversation: Arc<Conversation>,
    workers: Arc<Workers>,
    code: Arc<(Mutex<Option<u8>>, Condvar)>,
    /// When the server is to be asked to end, to be killed, and when this process ends.
    ask_at: Option<Instant>,
    kill_at: Option<Instant>,
    leave_at: Option<Instant>,
    /// The server has got a signal, so what it has started ends with it.
    is_forced: bool,
    /// Nothing more comes from the server.
    is_silent: bool,
    signal: Option<i32>,
    /// The client has ended its input, and the component is still being compiled.
    ends_when_open: bool,
}

impl Watch {
    fn run(&mut self, mut notes: Notes) {
        loop {
            self.look_at_server();
            let due = [self.ask_at, self.kill_at, self.leave_at].into_iter().flatten().min();
            match notes.next(due) {
                Some(note) => self.react(note),
                None => self.act(Instant::now()),
            }
        }
    }

    fn react(&mut self, note: Note) {
        match note {
            Note::Signal(signal) => self.signalled(signal),
            // Pending requests may need the component. While it is being compiled, nothing is hurried.
            Note::ClientIsSilent if !self.conversation.is_open() => self.ends_when_open = true,
            Note::ClientIsSilent => self.end_soon(),
            Note::Opened if self.ends_when_open => self.end_soon(),
            Note::Opened => {}
            Note::Unusable => {
                self.ended(FAILED);
                self.leave();
            }
            Note::ClientHasGone => {
                self.conversation.client_has_ended();
                self.end_soon();
            }
            Note::ServerIsSilent => {
                self.is_silent = true;
                self.end_server(ASK_SILENT_AFTER, KILL_SILENT_AFTER);
            }
            Note::ServerMayHaveEnded => {}
        }
    }

    /// Passes a signal to the server: it ends, and then we do.
    fn signalled(&mut self, signal: i32) {
        match &self.server {
            Some(server) => server.signal(signal),
            None => {
                self.conversation.client_has_ended();
                self.ended(status_of(signal));
            }
        }
        (self.signal, self.is_forced) = (Some(signal), true);
        self.end_soon();
    }

    fn end_soon(&mut self) {
        self.leave_at.get_or_insert(Instant::now() + LEAVE_AFTER);
        self.end_server(ASK_AFTER, KILL_AFTER);
    }

    fn end_server(&mut self, ask_after: Duration, kill_after: Duration) {
        let at_latest = |time: &mut Option<Instant>, after| {
            let then = Instant::now() + after;
            *time = Some(time.map_or(then, |time| time.min(then)));
        };
        at_latest(&mut self.ask_at, ask_after);
        at_latest(&mut self.kill_at, kill_after);
    }

    /// Carries out what is due.
    fn act(&mut self, now: Instant) {
        let is_due = |time: &mut Option<Instant>| time.take_if(|time| *time <= now).is_some();
        if is_due(&mut self.ask_at)
            && let Some(server) = &self.server
        {
            server.signal(TERMINATE);
            self.is_forced = true;
        }
        if is_due(&mut self.kill_at)
            && let Some(server) = &mut self.server
        {
            server.kill();
            self.is_silent = true;
        }
        if is_due(&mut self.leave_at) {
            self.leave();
        }
    }

    /// Ends the process, whatever its other threads do.
    fn leave(&mut self) {
        let open = self.workers.open();
        if open > 0 {
            output::remark(&format!("{open} answers were not ready when the conversation ended"));
        }
        if let Some(server) = &mut self.server {
            server.kill();
        }
        self.end_session();
        remarks::flush();
        lro::remove_unfinished_files();
        let code = *self.code.0.lock().unwrap_or_else(PoisonError::into_inner);
        process::exit(code.or(self.signal.map(status_of)).unwrap_or(0).into());
    }

    /// Ends the session, as far as there is time: what stays expires.
    fn end_session(&self) {
        let conversation = Arc::clone(&self.conversation);
        let (sender, ended) = mpsc::channel();
        let ender = thread::Builder::new().name("lro-session".to_owned()).spawn(move || {
            conversation.end_session();
            // The other side may no longer wait.
            let _ = sender.send(());
        });
        if ender.is_ok() {
            let _ = ended.recv_timeout(END_SESSION_WITHIN);
        }
    }

    /// Notices the server's end. If it got a signal, its children are waited for as long as they can still write something,
    /// and are then ended.
    fn look_at_server(&mut self) {
        let Some(server) = &mut self.server else { return };
        if !server.has_ended() || (self.is_forced && !self.is_silent) {
            return;
        }
        if self.is_forced {
            server.kill();
        }
        if let Some(status) = server.reap() {
            self.server = None;
            // Its client sees no more than an end, and a server that is ended so has often said nothing itself.
            if let Some(signal) = child::signal_name(status).filter(|_| !self.is_forced) {
                output::remark(&format!("the server was ended by {signal}"));
            }
            self.ended(child::exit_code(status));
        }
    }

    /// The exit status is known.
    fn ended(&self, status: u8) {
        let (code, changed) = &*self.code;
        *code.lock().unwrap_or_else(PoisonError::into_inner) = Some(status);
        changed.notify_all();
    }
}

fn status_of(signal: i32) -> u8 {
    u8::try_from(signal).unwrap_or_default().saturating_add(SIGNALLED)
}
