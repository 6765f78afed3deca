//! Calls that run at once, and those that wait for their turn.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use serde_json::{Map, Value};
use tokio::sync::{AcquireError, Notify, OwnedSemaphorePermit, Semaphore};

/// A call may hold about 1 GiB: a filter of a large file, or the largest file that is offloaded. So these bound the memory
/// of all.
const MOST_AT_ONCE: usize = 4;

/// The account of the calls.
pub(super) struct Calls {
    turns: Arc<Semaphore>,
    /// Bytes of the arguments of calls that run or wait.
    held: AtomicUsize,
    released: Notify,
    most_held: usize,
}

impl Calls {
    /// More calls wait unread while those that were read hold more than `most_held` bytes.
    pub(super) fn new(most_held: usize) -> Self {
        // More than there are processors would only take each other's time, which counts against the limit of a filter.
        let at_once = thread::available_parallelism().map_or(2, usize::from).clamp(2, MOST_AT_ONCE);
        Self { turns: Arc::new(Semaphore::new(at_once)), held: AtomicUsize::new(0), released: Notify::new(), most_held }
    }

    /// Puts a call on the account.
    pub(super) fn hold(self: &Arc<Self>, arguments: &Map<String, Value>) -> Held {
        let bytes = arguments.values().filter_map(Value::as_str).map(str::len).sum();
        self.held.fetch_add(bytes, Ordering::Relaxed);
        Held { calls: Arc::clone(self), bytes }
    }

    /// Waits for a call's turn, which lasts until the answer is dropped. Waiting does not count against a limit.
    pub(super) async fn turn(&self) -> Result<OwnedSemaphorePermit, AcquireError> {
        Arc::clone(&self.turns).acquire_owned().await
    }

    /// Waits until there is room for another call.
    pub(super) async fn have_room(&self) {
        while self.held.load(Ordering::Relaxed) > self.most_held {
            self.released.notified().await;
        }
    }
}

/// A call on the account, until it is dropped.
pub(super) struct Held {
    calls: Arc<Calls>,
    bytes: usize,
}

impl Drop for Held {
    fn drop(&mut self) {
        self.calls.held.fetch_sub(self.bytes, Ordering::Relaxed);
        // One waits at most; a notice that comes before it waits is kept.
        self.calls.released.notify_one();
    }
}
