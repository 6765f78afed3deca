//! Lines of a server, or of several, that wait for the conversation. Adding one waits while they hold too many bytes.

use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// The queue, bounded in bytes: each line may hold a result of megabytes.
pub(super) struct Inbox {
    state: Mutex<State>,
    changed: Condvar,
    most_bytes: usize,
    /// What short lines may have beyond that.
    short_bytes: usize,
}

/// A line up to this is short.
const LONGEST_SHORT: usize = 16 * 1024;

#[derive(Default)]
struct State {
    lines: VecDeque<Vec<u8>>,
    bytes: usize,
    /// Nothing is added any more.
    is_closed: bool,
    has_ended: bool,
}

impl State {
    fn push(&mut self, line: Vec<u8>) {
        self.bytes += line.len();
        self.lines.push_back(line);
    }
}

impl Inbox {
    pub(super) fn of(most_bytes: usize) -> Self {
        Self { state: Mutex::default(), changed: Condvar::new(), most_bytes, short_bytes: 0 }
    }

    /// The same with so many bytes more for short lines: whoever takes the lines may wait for a thread that adds an error.
    pub(super) fn with_room_for_short(self, short_bytes: usize) -> Self {
        Self { short_bytes, ..self }
    }

    /// Adds a line; waits for room. A single line always has room. Once the inbox is closed, answers need no room, and
    /// other lines are dropped.
    pub(super) fn add(&self, line: Vec<u8>, is_answer: bool) {
        let most = self.most_bytes + if line.len() <= LONGEST_SHORT { self.short_bytes } else { 0 };
        let has_no_room = |state: &mut State| !state.is_closed && state.bytes > 0 && state.bytes + line.len() > most;
        let state = self.changed.wait_while(self.state(), has_no_room);
        let mut state = state.unwrap_or_else(PoisonError::into_inner);
        if !state.is_closed || is_answer && !state.has_ended {
            state.push(line);
            self.changed.notify_all();
        }
    }

    /// Closes the inbox with these lines, which wait for no room and come first: a server that says something again and
    /// again keeps none of them out.
    #[cfg(feature = "http")]
    pub(super) fn close_with(&self, lines: Vec<Vec<u8>>) {
        let mut state = self.state();
        state.is_closed = true;
        for line in lines.into_iter().rev() {
            state.bytes += line.len();
            state.lines.push_front(line);
        }
        self.changed.notify_all();
    }

    /// True when nothing is added any more.
    pub(super) fn is_closed(&self) -> bool {
        self.state().is_closed
    }

    /// Ends the inbox: the lines in it are still delivered.
    pub(super) fn end(&self) {
        let mut state = self.state();
        (state.is_closed, state.has_ended) = (true, true);
        self.changed.notify_all();
    }

    /// The next line; `None` at the end.
    pub(super) fn next(&self) -> Option<Vec<u8>> {
        let is_empty = |state: &mut State| state.lines.is_empty() && !state.has_ended;
        let mut state = self.changed.wait_while(self.state(), is_empty).unwrap_or_else(PoisonError::into_inner);
        let line = state.lines.pop_front()?;
        state.bytes -= line.len();
        self.changed.notify_all();
        Some(line)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use std::thread;
    use std::time::Duration;

    use super::Inbox;

    #[test]
    fn lines_wait_for_room_and_keep_their_order() {
        let inbox = Inbox::of(10);
        thread::scope(|scope| {
            scope.spawn(|| {
                for length in [20, 6, 6, 1] {
                    inbox.add(vec![b'x'; length], false);
                }
                inbox.end();
                inbox.add(vec![b'x'; 3], true);
            });
            thread::sleep(Duration::from_millis(20));
            assert_eq!(inbox.state().bytes, 20);
            let lengths: Vec<usize> = std::iter::from_fn(|| inbox.next()).map(|line| line.len()).collect();
            assert_eq!(lengths, [20, 6, 6, 1]);
        });
    }

    #[test]
    fn the_last_lines_wait_for_no_room() {
        let inbox = Inbox::of(10);
        thread::scope(|scope| {
            inbox.add(vec![b'x'; 10], false);
            scope.spawn(|| inbox.add(vec![b'x'; 9], false));
            thread::sleep(Duration::from_millis(20));
            inbox.close_with(vec![vec![b'x'; 3], vec![b'x'; 4]]);
            inbox.add(vec![b'x'; 8], false);
            inbox.add(vec![b'x'; 7], true);
            let lengths: Vec<usize> = (0..4).filter_map(|_| inbox.next()).map(|line| line.len()).collect();
            assert_eq!(lengths, [3, 4, 10, 7]);
            inbox.end();
            assert_eq!(inbox.next(), None);
        });
    }
}
