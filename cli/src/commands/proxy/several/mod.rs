//! Several servers behind one proxy: to the conversation they are one server.
//!
//! `switch` decides which message goes where. Here are the processes and connections, each with threads of its own, so that
//! one that hangs holds up no other.

mod asked;
mod config;
mod gather;
mod merge;
mod names;
mod resources;
mod running;
mod switch;
#[cfg(test)]
mod tests;
mod words;

use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use clap::{Args, value_parser};

use self::config::{Entry, Way};
use self::running::End;
use self::switch::{Out, Switch};
use super::inbox::Inbox;
use super::server::Server;
use crate::failure::Failure;
use crate::output;

/// Errors and other short lines have room in the inbox, whatever else waits there.
const SHORT_BYTES: usize = 1 << 20;

/// How long servers may take to end by themselves after the client has gone, until they are asked to, and until they are
/// killed. The process ends within two seconds.
const ASK_AFTER: Duration = Duration::from_millis(1200);
const KILL_AFTER: Duration = Duration::from_millis(300);

/// How long what has been killed may take.
const GONE_AFTER: Duration = Duration::from_millis(200);

/// The flags that name several servers.
#[derive(Args)]
pub(super) struct SeveralFlags {
    /// Put several servers behind one proxy: a name, which comes before the names of its tools, and a command
    #[arg(long = "server", value_name = "NAME=COMMAND")]
    server_flags: Vec<String>,
    /// The same with the servers of a client's file: an object `mcpServers`, or `servers`
    #[arg(long, value_name = "FILE")]
    servers: Option<PathBuf>,
    /// How long the handshake waits for all of several servers; the tools of others come later
    #[arg(long, value_name = "SECONDS", default_value_t = 8, value_parser = value_parser!(u32).range(1..))]
    servers_wait: u32,
}

impl SeveralFlags {
    /// Finds out what is wrong with the flags, or their file.
    #[cfg(feature = "listen")]
    pub(super) fn check(&self) -> Result<(), Failure> {
        self.entries().map(drop)
    }

    /// The servers, if the flags name some.
    fn entries(&self) -> Result<Option<Vec<Entry>>, Failure> {
        if let Some(path) = &self.servers {
            return config::file(path, |name| std::env::var(name).ok()).map(Some);
        }
        let entries: Vec<Entry> = self.server_flags.iter().map(|text| config::flag(text)).collect::<Result<_, _>>()?;
        for (turn, entry) in entries.iter().enumerate() {
            if entries[..turn].iter().any(|other| other.name == entry.name) {
                return Err(Failure::Usage(format!("two servers are called `{}`; give them other names", entry.name)));
            }
        }
        Ok(Some(entries).filter(|entries| !entries.is_empty()))
    }

    /// Starts the servers, if the flags name some. No message may have more than `most_bytes`.
    pub(super) fn start(&self, most_bytes: usize) -> Result<Option<Several>, Failure> {
        let Some(entries) = self.entries()? else { return Ok(None) };
        let servers = entries.iter().map(|entry| (entry.name.clone(), matches!(entry.way, Way::Url { .. })));
        let switch = Switch::new(servers.collect(), Duration::from_secs(self.servers_wait.into()), most_bytes);
        let mut links = Vec::new();
        let mut taken = Vec::new();
        for _ in &entries {
            let (link, receiver) = Link::new(most_bytes);
            links.push(link);
            taken.push(receiver);
        }
        let shared = Arc::new(Shared {
            switch: Mutex::new(switch),
            links,
            ends: entries.iter().map(|_| End::default()).collect(),
            inbox: Inbox::of(most_bytes).with_room_for_short(SHORT_BYTES),
            running: (Mutex::new(entries.len()), Condvar::new()),
            most_bytes,
        });
        for (server, (entry, lines)) in entries.into_iter().zip(taken).enumerate() {
            let shared = Arc::clone(&shared);
            let runner = thread::Builder::new().name(entry.name.clone());
            let started = runner.spawn(move || running::run(&shared, server, entry.way, lines));
            started.map_err(|error| Failure::file("start a thread for a server", error))?;
        }
        Ok(Some(Several { shared }))
    }
}

/// Several servers. Clones refer to the same ones.
#[derive(Clone)]
pub(super) struct Several {
    shared: Arc<Shared>,
}

/// What the threads share.
struct Shared {
    switch: Mutex<Switch>,
    links: Vec<Link>,
    ends: Vec<End>,
    /// Lines of servers that the client has not taken. More make the servers wait.
    inbox: Inbox,
    /// How many servers have not ended.
    running: (Mutex<usize>, Condvar),
    most_bytes: usize,
}

/// The lines for a server, which a thread of its own sends.
struct Link {
    lines: Mutex<Option<Sender<Vec<u8>>>>,
    waiting: Arc<AtomicUsize>,
    most_waiting: usize,
}

/// The other end of a link.
struct Lines {
    taken: Receiver<Vec<u8>>,
    waiting: Arc<AtomicUsize>,
}

impl Link {
    fn new(most_bytes: usize) -> (Self, Lines) {
        let ((sender, taken), waiting) = (channel(), Arc::new(AtomicUsize::new(0)));
        let link = Self {
            lines: Mutex::new(Some(sender)),
            waiting: Arc::clone(&waiting),
            most_waiting: most_bytes.saturating_mul(2),
        };
        (link, Lines { taken, waiting })
    }

    /// False if the server has gone, or has too much to read.
    fn send(&self, line: &[u8]) -> bool {
        let lines = locked(&self.lines);
        let Some(sender) = &*lines else { return false };
        let is_full = self.waiting.fetch_add(line.len(), Ordering::Relaxed) > self.most_waiting;
        let is_sent = !is_full && sender.send(line.to_owned()).is_ok();
        if !is_sent {
            self.waiting.fetch_sub(line.len(), Ordering::Relaxed);
        }
        is_sent
    }

    fn close(&self) {
        *locked(&self.lines) = None;
    }
}

impl Server for Several {
    fn send(&self, line: &[u8]) -> bool {
        self.shared.act(|switch| switch.client_says(line));
        true
    }

    fn close(&self) {
        locked(&self.shared.switch).is_over = true;
        if !self.shared.links.iter().fold(false, |was_open, link| was_open | locked(&link.lines).take().is_some()) {
            return;
        }
        let shared = Arc::clone(&self.shared);
        let ender = thread::Builder::new().name("end".to_owned()).spawn(move || shared.end());
        if ender.is_err() {
            self.shared.end();
        }
    }
}

impl Several {
    /// Passes each line for the client to `take`, until all servers have ended after the client, or `take` returns false.
    pub(super) fn each(&self, take: &mut dyn FnMut(Vec<u8>) -> bool) {
        while let Some(line) = self.shared.inbox.next() {
            if !take(line) {
                self.close();
                // Nobody reads what they still say, and they end within their time.
                while self.shared.inbox.next().is_some() {}
                return;
            }
        }
    }
}

impl Shared {
    /// Lets the switch decide, and carries out what it decides.
    fn act(self: &Arc<Self>, decide: impl FnOnce(&mut Switch) -> Vec<Out>) {
        let out = decide(&mut locked(&self.switch));
        self.carry(out);
    }

    fn carry(self: &Arc<Self>, out: Vec<Out>) {
        for out in out {
            match out {
                // The client may have gone.
                Out::Client(line) => self.inbox.add(line, false),
                Out::Server(server, line) => {
                    if !self.links[server].send(&line) {
                        self.act(|switch| switch.not_sent(server, &line));
                    }
                }
                Out::Finish(gather, patience) => self.finish_later(gather, patience),
                Out::Remark(text) => output::remark(&text),
            }
        }
    }

    fn finish_later(self: &Arc<Self>, gather: u64, patience: Duration) {
        if !locked(&self.switch).gathers.contains_key(&gather) {
            return;
        }
        let shared = Arc::clone(self);
        let timer = thread::Builder::new().name("patience".to_owned()).spawn(move || {
            thread::sleep(patience);
            shared.act(|switch| switch.time_is_over(gather));
        });
        if timer.is_err() {
            self.act(|switch| switch.time_is_over(gather));
        }
    }

    /// A server has ended for this reason.
    fn ended(self: &Arc<Self>, server: usize, reason: &str) {
        self.links[server].close();
        if !self.inbox.is_closed() {
            self.act(|switch| switch.ended(server, reason));
        }
        let (running, changed) = &self.running;
        *locked(running) -= 1;
        changed.notify_all();
    }

    /// Ends all servers.
    fn end(&self) {
        self.ends.iter().for_each(End::close);
        if !self.have_ended(ASK_AFTER) {
            self.ends.iter().for_each(End::ask);
            if !self.have_ended(KILL_AFTER) {
                self.ends.iter().for_each(End::kill);
                self.have_ended(GONE_AFTER);
            }
        }
        self.inbox.end();
    }

    fn have_ended(&self, within: Duration) -> bool {
        let (running, changed) = &self.running;
        let left = changed.wait_timeout_while(locked(running), within, |running| *running > 0);
        *left.unwrap_or_else(PoisonError::into_inner).0 == 0
    }
}

/// What a thread that panicked left behind is whole: every change is one assignment.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
