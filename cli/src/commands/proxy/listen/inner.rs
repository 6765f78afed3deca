//! The process behind a session: this program once more, as a proxy over standard input and output.
//!
//! A session of its own process has its own server, its own files and its own end, and whatever happens to it happens to no
//! other session.

use std::ffi::OsString;
use std::io::{self, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

#[cfg(unix)]
use crate::system;

/// How a process is started.
pub(super) struct Recipe {
    /// The words before the command of the server, and this command.
    own: Vec<OsString>,
    command: Vec<OsString>,
    /// More words for the process that clients without sessions share.
    shared: Vec<OsString>,
    /// A variable that is for this process only.
    secret: Option<String>,
    most_bytes: usize,
}

impl Recipe {
    /// From this process's own command line. Its last words are the command of the server, `count` of them. `flags` are the
    /// flags that are for this process only, and whether each has a value.
    pub(super) fn of_this_process(count: usize, flags: &[(&str, bool)]) -> Self {
        let words: Vec<OsString> = std::env::args_os().skip(1).collect();
        let (own, command) = without(words, count, flags);
        Self { own, command, shared: Vec::new(), secret: None, most_bytes: 0 }
    }

    /// With a variable that the processes do not get.
    pub(super) fn without_variable(mut self, secret: Option<String>) -> Self {
        self.secret = secret;
        self
    }

    /// With a session that the clients without sessions share, so that its files outlive a process.
    pub(super) fn with_shared_session(mut self, name: Option<String>) -> Self {
        self.shared = name.map(|name| vec!["--session".into(), name.into()]).unwrap_or_default();
        self
    }

    /// With this bound on messages.
    pub(super) fn with_most_bytes(mut self, most_bytes: usize) -> Self {
        self.most_bytes = most_bytes;
        self
    }

    /// How many bytes may wait for the process.
    fn most_waiting(&self) -> usize {
        self.most_bytes.saturating_mul(2)
    }

    /// Starts a process. It ends at the latest with the thread that calls this.
    pub(super) fn start(&self, is_shared: bool) -> io::Result<(Inner, ChildStdout)> {
        let mut command = Command::new(std::env::current_exe()?);
        command.args(&self.own).args(self.shared.iter().filter(|_| is_shared));
        if !self.command.is_empty() {
            command.arg("--").args(&self.command);
        }
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        if let Some(variable) = &self.secret {
            command.env_remove(variable);
        }
        let mut child = crate::start::start(&mut command)?;
        let (Some(input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(io::Error::other("it has no standard input and output"));
        };
        let (lines, taken) = channel();
        let waiting = Arc::new(AtomicUsize::new(0));
        let written = Arc::clone(&waiting);
        let writer = thread::Builder::new().name("lro-input".to_owned());
        if let Err(error) = writer.spawn(move || write(input, &taken, &written)) {
            // Whoever is not waited for stays in the list of processes. Without a writer it has no input, and ends.
            let _ = child.kill().and_then(|()| child.wait());
            return Err(error);
        }
        let inner = Inner {
            lines: Mutex::new(Some(lines)),
            waiting,
            most_waiting: self.most_waiting(),
            child: Mutex::new(child),
        };
        Ok((inner, output))
    }
}

/// The words without these flags and their values, and the command at their end.
fn without(words: Vec<OsString>, count: usize, flags: &[(&str, bool)]) -> (Vec<OsString>, Vec<OsString>) {
    let (own, command) = words.split_at(words.len() - count.min(words.len()));
    let mut kept = Vec::new();
    let mut own = own.iter();
    while let Some(word) = own.next() {
        let text = word.to_string_lossy();
        let name = text.split('=').next().unwrap_or_default();
        match flags.iter().find(|(flag, _)| *flag == name) {
            // Its value is the next word.
            Some((_, true)) if !text.contains('=') => _ = own.next(),
            Some(_) => {}
            None if text == "--" => {}
            None => kept.push(word.clone()),
        }
    }
    (kept, command.to_vec())
}

/// Writes lines until their senders have ended or the process has gone.
fn write(mut input: ChildStdin, lines: &Receiver<Vec<u8>>, waiting: &AtomicUsize) {
    for line in lines {
        let is_written = input.write_all(&line).and_then(|()| input.flush()).is_ok();
        waiting.fetch_sub(line.len(), Ordering::Relaxed);
        if !is_written {
            return;
        }
    }
}

/// A running process.
pub(super) struct Inner {
    lines: Mutex<Option<Sender<Vec<u8>>>>,
    waiting: Arc<AtomicUsize>,
    most_waiting: usize,
    child: Mutex<Child>,
}

impl Inner {
    /// Sends a line. False if the process has gone, or has too much to read.
    pub(super) fn send(&self, line: Vec<u8>) -> bool {
        let lines = self.lines.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(sender) = &*lines else { return false };
        let bytes = line.len();
        if self.waiting.fetch_add(bytes, Ordering::Relaxed) > self.most_waiting || sender.send(line).is_err() {
            self.waiting.fetch_sub(bytes, Ordering::Relaxed);
            return false;
        }
        true
    }

    /// Ends its input: it ends within two seconds then.
    pub(super) fn close(&self) {
        *self.lines.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }

    /// Ends the process and its group at once, if it still runs.
    pub(super) fn kill(&self) {
        let mut child = self.child();
        if child.try_wait().is_ok_and(|status| status.is_none()) {
            #[cfg(unix)]
            system::signal_group(child.id(), signal_hook::consts::SIGKILL);
            // Otherwise it has ended meanwhile.
            let _ = child.kill();
        }
    }

    /// Reaps the process if it has ended.
    pub(super) fn has_ended(&self) -> bool {
        !self.child().try_wait().is_ok_and(|status| status.is_none())
    }

    fn child(&self) -> std::sync::MutexGuard<'_, Child> {
        self.child.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::{OsString, without};

    #[test]
    fn flags_of_the_listener_are_left_out() {
        let flags = [("--listen", true), ("--listen-unprotected", false)];
        let rows = [
            ("proxy --listen 127.0.0.1:0 -- a --listen b", 3, "proxy|a --listen b"),
            ("proxy --listen=127.0.0.1:0 --no-tools a", 1, "proxy --no-tools|a"),
            ("proxy --listen-unprotected --url u --listen x", 0, "proxy --url u|"),
        ];
        for (words, count, expected) in rows {
            let words: Vec<OsString> = words.split(' ').map(OsString::from).collect();
            let (own, command) = without(words, count, &flags);
            let text = |words: Vec<OsString>| words.join(" ".as_ref()).to_string_lossy().into_owned();
            assert_eq!(format!("{}|{}", text(own), text(command)), expected);
        }
    }
}
