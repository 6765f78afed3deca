//! A process that is talked to over its standard streams, line by line.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

use super::shown;

/// Nothing takes so long unless it hangs.
pub const LONG: Duration = Duration::from_secs(120);

/// Lines that wait to be looked at. A client that looks at none fills the pipe soon.
const MOST_WAITING: usize = 64;

/// What is heard.
#[derive(Debug, PartialEq, Eq)]
pub enum Heard {
    /// A line with its end; the last one may have none.
    Line(Vec<u8>),
    /// The output has ended.
    End,
    /// Nothing has come in time.
    Nothing,
}

/// A conversation with a process.
#[derive(Debug)]
pub struct Talk {
    child: Child,
    input: Option<ChildStdin>,
    lines: Receiver<Vec<u8>>,
    /// What reads the output for us, if that is to be closed.
    relay: Option<Box<Talk>>,
}

impl Talk {
    /// Starts a command, and listens to it in a thread.
    ///
    /// # Errors
    /// One line that says why it cannot be started.
    pub fn start(command: &mut Command) -> Result<Self, String> {
        Self::listen(command.stdin(Stdio::piped()))
    }

    fn listen(command: &mut Command) -> Result<Self, String> {
        let started = command.stdout(Stdio::piped()).spawn();
        let mut child = started.map_err(|error| format!("cannot start {command:?}: {error}"))?;
        let (input, Some(output)) = (child.stdin.take(), child.stdout.take()) else {
            return Err("the process has no standard output".to_owned());
        };
        let (sender, lines) = sync_channel(MOST_WAITING);
        thread::spawn(move || {
            let mut output = BufReader::with_capacity(1 << 16, output);
            loop {
                let mut line = Vec::new();
                // Who drops the conversation listens no more: the stream is closed then.
                if !output.read_until(b'\n', &mut line).is_ok_and(|read| read > 0) || sender.send(line).is_err() {
                    return;
                }
            }
        });
        Ok(Self { child, input, lines, relay: None })
    }

    /// The same with a program between, whose end closes the output even while it is read.
    ///
    /// # Errors
    /// One line that says what cannot be started.
    pub fn start_closable(command: &mut Command) -> Result<Self, String> {
        let failed = |error| format!("cannot start {command:?}: {error}");
        let (reader, writer) = std::io::pipe().map_err(failed)?;
        let started = command.stdin(Stdio::piped()).stdout(writer).spawn();
        let mut child = started.map_err(|error| format!("cannot start {command:?}: {error}"))?;
        // The command would keep the stream open.
        command.stdout(Stdio::null());
        let mut relay = Self::listen(Command::new("cat").stdin(reader))?;
        let input = child.stdin.take();
        let lines = std::mem::replace(&mut relay.lines, sync_channel(0).1);
        Ok(Self { child, input, lines, relay: Some(Box::new(relay)) })
    }

    /// A process whose streams are somewhere else.
    #[must_use]
    pub fn of(child: Child) -> Self {
        Self { child, input: None, lines: sync_channel(0).1, relay: None }
    }

    /// Writes bytes. False when nobody reads them.
    pub fn send(&mut self, bytes: &[u8]) -> bool {
        let Some(input) = &mut self.input else { return false };
        input.write_all(bytes).and_then(|()| input.flush()).is_ok()
    }

    /// Says nothing more.
    pub fn close_input(&mut self) {
        self.input = None;
    }

    /// Listens no more.
    pub fn close_output(&mut self) {
        self.relay = None;
        self.lines = sync_channel(0).1;
    }

    /// The input, for another thread to write to.
    pub fn take_input(&mut self) -> Option<ChildStdin> {
        self.input.take()
    }

    /// Gives it back.
    pub fn give_input(&mut self, input: ChildStdin) {
        self.input = Some(input);
    }

    /// The next line.
    pub fn hear(&mut self, within: Duration) -> Heard {
        match self.lines.recv_timeout(within) {
            Ok(line) => Heard::Line(line),
            Err(RecvTimeoutError::Timeout) => Heard::Nothing,
            Err(RecvTimeoutError::Disconnected) => Heard::End,
        }
    }

    /// The next line, which must be a message.
    ///
    /// # Errors
    /// One line that says what came instead.
    pub fn message(&mut self) -> Result<serde_json::Value, String> {
        match self.hear(LONG) {
            Heard::Line(line) => {
                serde_json::from_slice(&line).map_err(|error| format!("no message, {error}: {}", shown(&line)))
            }
            Heard::End => Err("the output has ended".to_owned()),
            Heard::Nothing => Err("nothing came".to_owned()),
        }
    }

    /// All lines up to the end of the output.
    pub fn rest(&mut self) -> Vec<Vec<u8>> {
        std::iter::from_fn(|| match self.hear(LONG) {
            Heard::Line(line) => Some(line),
            Heard::End | Heard::Nothing => None,
        })
        .collect()
    }

    /// The number of the process.
    #[must_use]
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Sends a signal to the process.
    pub fn signal(&self, signal: &str) {
        // It may have ended already.
        let mut kill = Command::new("kill");
        let _ = kill.args([&format!("-{signal}"), &self.id().to_string()]).stderr(Stdio::null()).status();
    }

    /// The most memory that the process has had, in MB.
    #[must_use]
    pub fn peak_mb(&self) -> u64 {
        self.status("VmHWM:") / 1024
    }

    /// The threads that it has.
    #[must_use]
    pub fn threads(&self) -> u64 {
        self.status("Threads:")
    }

    fn status(&self, name: &str) -> u64 {
        let status = fs::read_to_string(format!("/proc/{}/status", self.id())).unwrap_or_default();
        let line = status.lines().find_map(|line| line.strip_prefix(name));
        line.and_then(|line| line.split_whitespace().next()?.parse().ok()).unwrap_or(0)
    }

    /// Waits for the end of the process.
    ///
    /// # Errors
    /// One line when it has not ended in time; it is killed then.
    pub fn wait(&mut self, within: Duration) -> Result<ExitStatus, String> {
        let start = Instant::now();
        loop {
            match self.child.try_wait() {
                Ok(Some(status)) => return Ok(status),
                Ok(None) if start.elapsed() < within => thread::sleep(Duration::from_millis(5)),
                other => {
                    // Otherwise it has ended.
                    let _ = self.child.kill();
                    let _ = self.child.wait();
                    return Err(format!("the process has not ended within {within:?} ({other:?})"));
                }
            }
        }
    }
}

impl Drop for Talk {
    fn drop(&mut self) {
        // Otherwise it has ended.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Reads a stream as slowly as this, for so long. Returns what it read.
pub fn read_slowly(mut stream: impl Read, bytes_a_second: usize, time: Duration) -> Vec<u8> {
    let (start, mut read) = (Instant::now(), Vec::new());
    let mut piece = vec![0; (bytes_a_second / 10).max(1)];
    while start.elapsed() < time {
        match stream.read(&mut piece) {
            Ok(length) if length > 0 => read.extend_from_slice(&piece[..length]),
            _ => break,
        }
        thread::sleep(Duration::from_millis(100));
    }
    read
}
