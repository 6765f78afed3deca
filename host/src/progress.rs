//! How far something has come that takes long.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// How far something has come, in whatever it consists of: bytes, cases. Clones are the same progress, so one thread works
/// and another one looks.
///
/// ```
/// let progress = lro::Progress::default();
/// progress.expect(60);
/// progress.add(25);
/// assert_eq!((progress.done(), progress.total()), (25, Some(60)));
/// ```
#[derive(Clone, Debug, Default)]
pub struct Progress(Arc<Counts>);

#[derive(Debug, Default)]
struct Counts {
    done: AtomicU64,
    /// 0 while it is not known.
    total: AtomicU64,
}

impl Progress {
    /// What is done.
    #[must_use]
    pub fn done(&self) -> u64 {
        self.0.done.load(Ordering::Relaxed)
    }

    /// What there is to do, if that is known.
    #[must_use]
    pub fn total(&self) -> Option<u64> {
        Some(self.0.total.load(Ordering::Relaxed)).filter(|total| *total > 0)
    }

    /// Notes that so much more is done.
    pub fn add(&self, done: u64) {
        self.0.done.fetch_add(done, Ordering::Relaxed);
    }

    /// Notes how much there is to do.
    pub fn expect(&self, total: u64) {
        self.0.total.store(total, Ordering::Relaxed);
    }
}
