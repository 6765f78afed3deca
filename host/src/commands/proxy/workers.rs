//! Threads that do what takes time, beside those that forward.

use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread;

use super::conversation::{Conversation, Job};

/// Jobs that wait. Each may hold a result of megabytes: when so many wait, the server waits too.
const MOST_WAITING: usize = 64;

/// More threads than this would only wait for the disk.
const MOST_THREADS: usize = 8;

/// A queue and those who work on it.
pub(super) struct Workers {
    queue: SyncSender<Job>,
    open: Arc<Open>,
}

impl Workers {
    pub(super) fn start(conversation: &Arc<Conversation>) -> Self {
        let (queue, jobs) = sync_channel(MOST_WAITING);
        let (jobs, open) = (Arc::new(Mutex::new(jobs)), Arc::new(Open::default()));
        let threads = thread::available_parallelism().map_or(2, usize::from).clamp(2, MOST_THREADS);
        for _ in 0..threads {
            let (conversation, jobs, open) = (Arc::clone(conversation), Arc::clone(&jobs), Arc::clone(&open));
            thread::spawn(move || {
                while let Some(job) = next(&jobs) {
                    conversation.work(job);
                    open.change(-1);
                }
            });
        }
        Self { queue, open }
    }

    /// Adds a job; waits when there are too many. False when nobody works any more.
    pub(super) fn add(&self, job: Job) -> bool {
        self.open.change(1);
        self.queue.send(job).is_ok()
    }

    /// Waits until every job is done.
    pub(super) fn finish(&self) {
        let count = self.open.count.lock().unwrap_or_else(PoisonError::into_inner);
        drop(self.open.changed.wait_while(count, |count| *count > 0));
    }
}

fn next(jobs: &Mutex<Receiver<Job>>) -> Option<Job> {
    jobs.lock().unwrap_or_else(PoisonError::into_inner).recv().ok()
}

/// How many jobs are not done yet.
#[derive(Default)]
struct Open {
    count: Mutex<isize>,
    changed: Condvar,
}

impl Open {
    fn change(&self, by: isize) {
        *self.count.lock().unwrap_or_else(PoisonError::into_inner) += by;
        self.changed.notify_all();
    }
}
