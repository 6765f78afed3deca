//! A queue of lines of the client, and the account of how many there are. A line counts until its exchange has ended.

use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// As many requests as the conversation remembers.
const MOST_LINES: usize = 10_000;

/// How many lines are held, and their bytes.
pub(super) struct Account {
    held: Mutex<Count>,
    changed: Condvar,
    most_bytes: usize,
}

#[derive(Clone, Copy, Default)]
struct Count {
    lines: usize,
    bytes: usize,
    /// Room was waited for in vain, and none has come since.
    is_stuck: bool,
}

/// Why a line has to be refused.
#[derive(Debug, PartialEq)]
pub(super) enum NoRoom {
    /// It was waited for.
    Waited,
    /// It has been waited for with another line.
    StillNone,
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
        (!self.is_full(*held, bytes)).then(|| self.add(&mut held, bytes))
    }

    /// Room for a line; waits for it, at most so long. Whoever waited in vain is not waited for again: the client's other
    /// lines, and its end, come after this one.
    pub(super) fn hold(self: &Arc<Self>, bytes: usize, longest: Duration) -> Result<Held, NoRoom> {
        let is_stuck = self.held().is_stuck;
        let longest = if is_stuck { Duration::ZERO } else { longest };
        let waited = self.changed.wait_timeout_while(self.held(), longest, |held| self.is_full(*held, bytes));
        let (mut held, _) = waited.unwrap_or_else(PoisonError::into_inner);
        if !self.is_full(*held, bytes) {
            return Ok(self.add(&mut held, bytes));
        }
        held.is_stuck = true;
        Err(if is_stuck { NoRoom::StillNone } else { NoRoom::Waited })
    }

    fn add(self: &Arc<Self>, held: &mut Count, bytes: usize) -> Held {
        *held = Count { lines: held.lines + 1, bytes: held.bytes + bytes, is_stuck: false };
        Held { account: Arc::clone(self), bytes }
    }

    /// Waits until nothing is held, at most until `deadline`.
    pub(super) fn wait_until_empty(&self, deadline: Instant) {
        let longest = deadline.saturating_duration_since(Instant::now());
        drop(self.changed.wait_timeout_while(self.held(), longest, |held| held.lines > 0));
    }

    fn is_full(&self, held: Count, bytes: usize) -> bool {
        held.lines > 0 && (held.lines >= MOST_LINES || held.bytes + bytes > self.most_bytes)
    }

    fn held(&self) -> MutexGuard<'_, Count> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        let mut held = self.account.held();
        *held = Count { lines: held.lines - 1, bytes: held.bytes - self.bytes, is_stuck: false };
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
    use std::time::Duration;

    use super::{Account, NoRoom, Queue};

    #[test]
    fn lines_have_room_or_not() {
        let account = Account::of(10);
        let first = account.try_hold(20);
        assert!(first.is_some() && account.try_hold(1).is_none());
        drop(first);
        let hold = |bytes, longest| account.hold(bytes, Duration::from_millis(longest));
        let held = [hold(4, 0), hold(6, 0)];
        assert!(held.iter().all(Result::is_ok) && account.try_hold(1).is_none());
        // The second one does not wait.
        assert_eq!(hold(1, 1).err(), Some(NoRoom::Waited));
        assert_eq!(hold(1, u64::MAX).err(), Some(NoRoom::StillNone));
        drop(held);
        assert!(account.try_hold(1).is_some() && hold(1, 0).is_ok());
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
