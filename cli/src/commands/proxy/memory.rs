//! The memory of the component in all workers together. What a call may hold is known before it begins, and grows with its
//! message or its file: six times a message and 128 MiB.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use lro::{Lro, McpCall};

/// Beside the longest message there is room for two short ones, or for an extraction from a short file, so that those seldom
/// wait for it.
const BESIDE: u64 = 256 << 20;

/// The account of it.
pub(super) struct Memory {
    /// The longest message.
    longest: usize,
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    used: u64,
    /// Calls begin in their order, so that short ones do not keep a long one out.
    next: u64,
    turn: u64,
}

/// The memory of one call, until it is dropped.
struct Used<'a> {
    memory: &'a Memory,
    bytes: u64,
}

impl Memory {
    pub(super) fn of(longest: usize) -> Self {
        Self { longest, state: Mutex::default(), changed: Condvar::new() }
    }

    /// Does the work of a call when there is memory for it. A call alone always has it.
    pub(super) fn within<T>(&self, lro: &Lro, call: McpCall<'_>, work: impl FnOnce() -> T) -> T {
        let most = lro.mcp_memory(McpCall::Offload { message_bytes: self.longest }) + BESIDE;
        let _used = self.hold_bytes(lro.mcp_memory(call), most);
        work()
    }

    fn hold_bytes(&self, bytes: u64, most: u64) -> Used<'_> {
        let mut state = self.state();
        let ticket = state.next;
        state.next += 1;
        let waits = |state: &mut State| state.turn != ticket || state.used > 0 && state.used + bytes > most;
        let mut state = self.changed.wait_while(state, waits).unwrap_or_else(PoisonError::into_inner);
        state.turn += 1;
        state.used += bytes;
        self.changed.notify_all();
        Used { memory: self, bytes }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Used<'_> {
    fn drop(&mut self) {
        self.memory.state().used -= self.bytes;
        self.memory.changed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use std::thread;
    use std::time::Duration;

    use super::Memory;

    #[test]
    fn calls_wait_in_their_order_for_memory() {
        let memory = Memory::of(1);
        // Alone it has what it needs.
        let first = memory.hold_bytes(20, 10);
        thread::scope(|scope| {
            let long = scope.spawn(|| drop(memory.hold_bytes(10, 10)));
            while memory.state().next < 2 {
                thread::sleep(Duration::from_millis(1));
            }
            let short = scope.spawn(|| drop(memory.hold_bytes(1, 30)));
            while memory.state().next < 3 {
                thread::sleep(Duration::from_millis(1));
            }
            thread::sleep(Duration::from_millis(20));
            assert!(!long.is_finished() && !short.is_finished());
            drop(first);
        });
        assert_eq!(memory.state().used, 0);
    }
}
