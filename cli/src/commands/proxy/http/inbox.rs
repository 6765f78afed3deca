//! Lines of the server that wait for the conversation. Adding one waits while they hold too many bytes.

use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// The queue, bounded in bytes: each line may hold a result of megabytes.
pub(super) struct Inbox {
    state: Mutex<State>,
    changed: Condvar,
    most_bytes: usize,
}

#[derive(Default)]
struct State {
    lines: VecDeque<Vec<u8>>,
    bytes: usize,
    has_ended: bool,
}

impl Inbox {
    pub(super) fn of(most_bytes: usize) -> Self {
        Self { state: Mutex::default(), changed: Condvar::new(), most_bytes }
    }

    /// Adds a line; waits for room. A single line always has room. After the end, lines are dropped.
    pub(super) fn add(&self, line: Vec<u8>) {
        let has_no_room =
            |state: &mut State| !state.has_ended && state.bytes > 0 && state.bytes + line.len() > self.most_bytes;
        let state = self.changed.wait_while(self.state(), has_no_room);
        let mut state = state.unwrap_or_else(PoisonError::into_inner);
        if !state.has_ended {
            state.bytes += line.len();
            state.lines.push_back(line);
            self.changed.notify_all();
        }
    }

    /// Ends the inbox: the lines in it are still delivered, and no others.
    pub(super) fn end(&self) {
        self.state().has_ended = true;
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
                    inbox.add(vec![b'x'; length]);
                }
                inbox.end();
                inbox.add(vec![b'x'; 3]);
            });
            thread::sleep(Duration::from_millis(20));
            assert_eq!(inbox.state().bytes, 20);
            let lengths: Vec<usize> = std::iter::from_fn(|| inbox.next()).map(|line| line.len()).collect();
            assert_eq!(lengths, [20, 6, 6, 1]);
        });
    }
}
