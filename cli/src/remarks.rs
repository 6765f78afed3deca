//! Lines on standard error. A command that ends soon writes them itself. One that serves others passes them to a thread,
//! because a conversation must not stop if nobody reads them.

use std::io::{self, Write};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Condvar, Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread;
use std::time::Duration;

use crate::patient::Patient;
use crate::progress;

/// Lines that wait for a reader of standard error. With the longest lines they take 4 MiB.
const MOST_WAITING: usize = 1000;

/// Longer lines are cut while they wait. A pipe takes this much in one piece, so lines of the server do not mix with them.
const MOST_BYTES: usize = 4096;

/// How long the last lines may take at the end.
const LAST: Duration = Duration::from_millis(100);

static QUEUE: OnceLock<Queue> = OnceLock::new();

/// Takes the lines that are not for standard error.
static ELSEWHERE: OnceLock<Elsewhere> = OnceLock::new();

type Elsewhere = Box<dyn Fn(&str) + Send + Sync>;

struct Queue {
    lines: SyncSender<String>,
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    waiting: usize,
    dropped: usize,
}

/// From now on no line is waited for: lines that nobody reads are dropped and counted.
pub(super) fn never_wait() {
    let (lines, waiting) = sync_channel(MOST_WAITING);
    let writer = thread::Builder::new().name("lro-remarks".to_owned());
    // Without a thread lines are written as before.
    if writer.spawn(move || write_all(&waiting)).is_ok() {
        let _ = QUEUE.set(Queue { lines, state: Mutex::default(), changed: Condvar::new() });
    }
}

/// From now on nothing is written on standard error: `take` gets each line.
pub(super) fn send_to(take: impl Fn(&str) + Send + Sync + 'static) {
    let _ = ELSEWHERE.set(Box::new(take));
}

/// Writes a line, which has its end.
pub(super) fn write(line: String) {
    if let Some(take) = ELSEWHERE.get() {
        return take(&line);
    }
    match QUEUE.get() {
        Some(queue) => queue.add(line),
        None => write_now(&line),
    }
}

/// Waits a moment for the lines that are not written yet.
pub(super) fn flush() {
    if let Some(queue) = QUEUE.get() {
        let state = queue.state();
        drop(queue.changed.wait_timeout_while(state, LAST, |state| state.waiting > 0));
    }
}

impl Queue {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn add(&self, line: String) {
        let mut state = self.state();
        match self.lines.try_send(cut(line)) {
            Ok(()) => state.waiting += 1,
            Err(_) => state.dropped += 1,
        }
    }

    /// Notes that a line is written. Returns how many were dropped before it.
    fn is_written(&self) -> usize {
        let mut state = self.state();
        state.waiting -= 1;
        self.changed.notify_all();
        std::mem::take(&mut state.dropped)
    }
}

fn write_all(lines: &Receiver<String>) {
    while let Ok(line) = lines.recv() {
        write_now(&line);
        let dropped = QUEUE.get().map_or(0, Queue::is_written);
        if dropped > 0 {
            write_now(&format!("lro: {dropped} lines were dropped here, because nobody read standard error\n"));
        }
    }
}

fn write_now(line: &str) {
    progress::hide(false);
    // Who closes standard error does not want to know.
    let _ = Patient::new(io::stderr()).write_all(line.as_bytes());
}

fn cut(mut line: String) -> String {
    if line.len() > MOST_BYTES {
        let mut end = MOST_BYTES - "…\n".len();
        while !line.is_char_boundary(end) {
            end -= 1;
        }
        line.truncate(end);
        line.push_str("…\n");
    }
    line
}

#[cfg(test)]
mod tests {
    use super::{MOST_BYTES, cut};

    #[test]
    fn long_lines_are_cut_between_characters() {
        assert_eq!(cut("short\n".to_owned()), "short\n");
        let line = cut("é".repeat(MOST_BYTES));
        assert!(line.len() <= MOST_BYTES && line.ends_with("é…\n"), "{line}");
    }
}
