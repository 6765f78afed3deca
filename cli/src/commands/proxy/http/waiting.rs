//! A queue of lines of the client, and the account of how many there are. A line counts until its exchange has ended.

use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// As many requests as the conversation remembers.
const MOST_LINES: usize = 10_000;

/// How many lines are held, and their bytes.
pub(super) struct Account {
    held: Mutex<(usize, usize)>,
    changed: Condvar,
    most_bytes: usize,
}

/// A line on the account, until it is dropped.
pub(super) struct Held {
    account: Arc<Account>,
    bytes: usize,
}

impl Account {
    pub(super) fn of(most_bytes: usize) -> Arc<Self> {
        Arc::new(Self { held: Mutex::default(), changed: Condvar::new(), most_bytes })
    }

    /// Room for a line, if there is some. A line alone always has room.
    pub(super) fn try_hold(self: &Arc<Self>, bytes: usize) -> Option<Held> {
        let mut held = self.held();
        if self.is_full(*held, bytes) {
            return None;
        }
        *held = (held.0 + 1, held.1 + bytes);
        Some(Held { account: Arc::clone(self), bytes })
    }

    /// Room for a line; waits for it.
    pub(super) fn hold(self: &Arc<Self>, bytes: usize) -> Held {
        let held = self.changed.wait_while(self.held(), |held| self.is_full(*held, bytes));
        let mut held = held.unwrap_or_else(PoisonError::into_inner);
        *held = (held.0 + 1, held.1 + bytes);
        Held { account: Arc::clone(self), bytes }
    }

    /// Waits until nothing is held, at most until `deadline`.
    pub(super) fn wait_until_empty(&self, deadline: Instant) {
        let longest = deadline.saturating_duration_since(Instant::now());
        drop(self.changed.wait_timeout_while(self.held(), longest, |held| held.0 > 0));
    }

    fn is_full(&self, (lines, held): (usize, usize), bytes: usize) -> bool {
        lines > 0 && (lines >= MOST_LINES || held + bytes > self.most_bytes)
    }

    fn held(&self) -> MutexGuard<'_, (usize, usize)> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        let mut held = self.account.held();
        *held = (held.0 - 1, held.1 - self.bytes);
        self.account.changed.notify_all();
    }
}

/// A queue for several threads that take.
pub(super) struct Queue<T> {
    state: Mutex<State<T>>,
    changed: Condvar,
}

struct State<T> {
    items: VecDeque<T>,
    takers: usize,
    idle: usize,
}

impl<T> Queue<T> {
    pub(super) fn new() -> Self {
        Self { state: Mutex::new(State { items: VecDeque::new(), takers: 0, idle: 0 }), changed: Condvar::new() }
    }

    /// Adds an item. `start` starts another thread that takes; it is called while all are busy and fewer than `most`.
    ///
    /// # Errors
    /// The item, if no thread takes it and none can be started, and the reason.
    pub(super) fn add(
        &self,
        item: T,
        most: usize,
        start: impl FnOnce() -> std::io::Result<()>,
    ) -> Result<(), (T, std::io::Error)> {
        let mut state = self.state();
        if state.idle <= state.items.len() && state.takers < most {
            match start() {
                Ok(()) => state.takers += 1,
                Err(error) if state.takers == 0 => return Err((item, error)),
                // Those that are there take it later.
                Err(_) => {}
            }
        }
        state.items.push_back(item);
        self.changed.notify_one();
        Ok(())
    }

    /// The next item; waits for it.
    pub(super) fn next(&self) -> T {
        let mut state = self.state();
        state.idle += 1;
        loop {
            if let Some(item) = state.items.pop_front() {
                state.idle -= 1;
                return item;
            }
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn state(&self) -> MutexGuard<'_, State<T>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Something that happens once, and that others wait for.
#[derive(Clone, Default)]
pub(super) struct Signal(Arc<(Mutex<bool>, Condvar)>);

impl Signal {
    /// True when it had happened already.
    pub(super) fn set(&self) -> bool {
        let was_set = std::mem::replace(&mut *self.0.0.lock().unwrap_or_else(PoisonError::into_inner), true);
        self.0.1.notify_all();
        was_set
    }

    /// Waits for it, at most so long. True when it has happened.
    pub(super) fn wait(&self, longest: Duration) -> bool {
        let is_set = self.0.0.lock().unwrap_or_else(PoisonError::into_inner);
        let waited = self.0.1.wait_timeout_while(is_set, longest, |is_set| !*is_set);
        *waited.unwrap_or_else(PoisonError::into_inner).0
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::io::{self, ErrorKind};

    use super::{Account, Queue};

    #[test]
    fn lines_have_room_or_not() {
        let account = Account::of(10);
        let first = account.try_hold(20);
        assert!(first.is_some() && account.try_hold(1).is_none());
        drop(first);
        let held = [account.hold(4), account.hold(6)];
        assert!(account.try_hold(1).is_none());
        drop(held);
        assert!(account.try_hold(1).is_some());
    }

    #[test]
    fn takers_are_started_as_they_are_needed() {
        let queue = Queue::new();
        let started = Cell::new(0);
        let add = |item, fails| {
            queue.add(item, 2, || {
                if fails {
                    return Err(io::Error::from(ErrorKind::WouldBlock));
                }
                started.set(started.get() + 1);
                Ok(())
            })
        };
        assert!(matches!(add(1, true), Err((1, _))));
        assert!(add(2, false).is_ok());
        assert!(add(3, true).is_ok() && add(4, false).is_ok() && add(5, false).is_ok());
        assert_eq!(started.get(), 2);
        assert_eq!([queue.next(), queue.next(), queue.next(), queue.next()], [2, 3, 4, 5]);
    }
}
