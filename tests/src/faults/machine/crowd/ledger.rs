//! What was written, what was deleted, and what went wrong.

use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};
use std::time::SystemTime;

/// An offload that succeeded.
#[derive(Debug, Clone)]
pub(super) struct Document {
    /// Its files, the main one first.
    pub(super) paths: Vec<String>,
    /// Which payload it was.
    pub(super) payload: usize,
    /// It was made after this moment, and before the other one.
    pub(super) begin: SystemTime,
    pub(super) end: SystemTime,
    pub(super) ttl_seconds: u64,
}

impl Document {
    /// Its time has not passed yet, whenever exactly it was made.
    pub(super) fn is_alive(&self) -> bool {
        self.begin.elapsed().is_ok_and(|age| age.as_secs() < self.ttl_seconds)
    }

    /// Its time had passed at a moment, whenever exactly it was made.
    pub(super) fn has_expired(&self, at: SystemTime) -> bool {
        at.duration_since(self.end).is_ok_and(|age| age.as_secs() > self.ttl_seconds + 1)
    }
}

/// All that is known.
#[derive(Debug, Default)]
pub(super) struct Kept {
    pub(super) documents: Vec<Document>,
    pub(super) offloads: u64,
    pub(super) write_failures: Vec<String>,
    pub(super) reads: u64,
    /// Reads of files whose time had passed.
    pub(super) gone: u64,
    pub(super) read_failures: Vec<String>,
    /// Files that a cleanup deleted because of a cap.
    pub(super) capped: BTreeSet<String>,
    /// Files that a cleanup deleted because their time had passed.
    pub(super) expired: u64,
    /// Cleanups with caps.
    pub(super) caps: u64,
    pub(super) cap_failures: Vec<String>,
    /// Documents that were gone before their time: a cap may have taken them.
    pub(super) missed: Vec<String>,
}

/// The same, for all threads.
#[derive(Debug, Default)]
pub(super) struct Ledger(Mutex<Kept>);

impl Ledger {
    /// Reads or writes something down.
    pub(super) fn with<T>(&self, action: impl FnOnce(&mut Kept) -> T) -> T {
        action(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// What is known at the end: what a reader missed must have been taken by a cap.
    pub(super) fn take(&self) -> Kept {
        let mut kept = self.with(std::mem::take);
        let lost = kept.missed.iter().filter(|path| !kept.capped.contains(*path));
        let lost: Vec<String> = lost.map(|path| format!("`{path}` was gone before its time")).collect();
        kept.read_failures.extend(lost);
        kept
    }
}
