//! Threads for jobs that take time, beside the threads that forward.

use std::collections::VecDeque;
use std::ops::Range;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;

use super::conversation::Conversation;
use super::pending::{Expected, ToolCall};
use super::resolving::Waiting;

/// Something that takes time.
pub(super) enum Job {
    /// Answer a call of one of our tools; the line is for a server that has one of this name for its client.
    Answer { id: String, call: ToolCall, line: Vec<u8> },
    /// Change an answer of the server if necessary, and send it on. Its result is at this place in the line.
    Look { line: Vec<u8>, expected: Expected, result: Range<usize> },
    /// Resolve the references in the arguments of a call, and send it to the server.
    Resolve { id: String, call: ToolCall, line: Vec<u8>, waiting: Waiting },
}

impl Job {
    /// How many bytes it holds.
    pub(super) fn bytes(&self) -> usize {
        match self {
            Self::Answer { id, call, line } => id.len() + call.arguments.len() + line.len(),
            Self::Look { line, .. } | Self::Resolve { line, .. } => line.len(),
        }
    }
}

/// The most jobs that wait; adding another one waits as well.
const MOST_WAITING: usize = 64;

/// More threads than this would only wait for the disk.
const MOST_THREADS: usize = 8;

/// A queue and the threads that work on it.
pub(super) struct Workers {
    conversation: Arc<Conversation>,
    queue: Arc<Queue>,
    threads: usize,
}

impl Workers {
    /// Starts threads. All jobs together, waiting and in work, hold no more than `most_bytes`, except for a single longer
    /// one.
    pub(super) fn start(conversation: &Arc<Conversation>, most_bytes: usize) -> Self {
        let queue = Arc::new(Queue { most_bytes, ..Queue::default() });
        let wanted = thread::available_parallelism().map_or(2, usize::from).clamp(2, MOST_THREADS);
        let start = |turn: usize| {
            let (conversation, queue) = (Arc::clone(conversation), Arc::clone(&queue));
            let thread = thread::Builder::new().name(format!("lro-worker-{turn}"));
            thread.spawn(move || work(&conversation, &queue)).is_ok()
        };
        // If the system allows no thread, the thread that adds a job does it.
        let threads = (0..wanted).take_while(|turn| start(*turn)).count();
        Self { conversation: Arc::clone(conversation), queue, threads }
    }

    /// Adds a job; waits when there are too many, or too large ones.
    pub(super) fn add(&self, job: Job) {
        if self.threads == 0 {
            self.conversation.work(job);
        } else {
            self.queue.add(job);
        }
    }

    /// How many jobs are not done yet.
    pub(super) fn open(&self) -> usize {
        self.queue.state().open
    }

    /// Waits until every job is done.
    pub(super) fn finish(&self) {
        drop(self.queue.wait_while(|state| state.open > 0));
    }
}

fn work(conversation: &Conversation, queue: &Arc<Queue>) {
    loop {
        let job = queue.next();
        let _done = Done { bytes: job.bytes(), queue };
        conversation.work(job);
    }
}

/// Counts a job as done, also if it panicked.
struct Done<'a> {
    bytes: usize,
    queue: &'a Queue,
}

impl Drop for Done<'_> {
    fn drop(&mut self) {
        let mut state = self.queue.state();
        state.open -= 1;
        state.bytes -= self.bytes;
        self.queue.changed.notify_all();
    }
}

#[derive(Default)]
struct Queue {
    most_bytes: usize,
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    waiting: VecDeque<Job>,
    /// Jobs that wait or are worked on, and what they hold.
    open: usize,
    bytes: usize,
}

impl Queue {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait_while(&self, condition: impl Fn(&State) -> bool) -> MutexGuard<'_, State> {
        self.changed.wait_while(self.state(), |state| condition(state)).unwrap_or_else(PoisonError::into_inner)
    }

    fn add(&self, job: Job) {
        let bytes = job.bytes();
        let is_full = |state: &State| {
            state.waiting.len() >= MOST_WAITING || (state.open > 0 && state.bytes + bytes > self.most_bytes)
        };
        let mut state = self.wait_while(is_full);
        state.open += 1;
        state.bytes += bytes;
        state.waiting.push_back(job);
        self.changed.notify_all();
    }

    fn next(&self) -> Job {
        loop {
            let mut state = self.wait_while(|state| state.waiting.is_empty());
            if let Some(job) = state.waiting.pop_front() {
                self.changed.notify_all();
                return job;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::thread;
    use std::time::Duration;

    use super::{Done, Job, Queue};
    use crate::commands::proxy::pending::Expected;

    fn job(bytes: usize) -> Job {
        Job::Look { line: vec![b'x'; bytes], expected: Expected::Tools(String::new()), result: 0..bytes }
    }

    #[test]
    fn who_brings_too_much_waits() {
        let queue = Queue { most_bytes: 10, ..Queue::default() };
        // A job that is too large by itself is accepted when it is alone.
        queue.add(job(20));
        thread::scope(|threads| {
            let second = threads.spawn(|| queue.add(job(1)));
            let first = Done { bytes: queue.next().bytes(), queue: &queue };
            // It is being worked on, and still held.
            thread::sleep(Duration::from_millis(50));
            assert!(!second.is_finished());
            drop(first);
        });
        let next = queue.next().bytes();
        let state = queue.state();
        assert_eq!((next, state.open, state.bytes), (1, 1, 1));
    }
}
