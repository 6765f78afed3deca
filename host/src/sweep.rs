//! Everything that writes also sweeps: what has expired goes although nobody calls `cleanup` (LRO-34).

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::answer::Event;
use crate::offloader::Lro;
use crate::request::CleanupRequest;

/// A process sweeps a directory at most this often. A sweep looks at the names there, and opens some hundred old files.
const INTERVAL: Duration = Duration::from_secs(300);

/// More directories than this are forgotten together, and swept again.
const MOST_DIRECTORIES: usize = 256;

/// When this process has swept each directory.
static SWEPT: Mutex<BTreeMap<PathBuf, Instant>> = Mutex::new(BTreeMap::new());

impl Lro {
    /// Deletes what has expired, after a write. Returns the events of the deleted files. A sweep that fails says nothing:
    /// the result that was written is what counts.
    pub(crate) fn sweep(&self) -> Vec<Event> {
        if !self.is_due() {
            return Vec::new();
        }
        let cleaning = self.cleanup(&CleanupRequest::default().quick(true));
        cleaning.map(|cleaning| cleaning.events).unwrap_or_default()
    }

    fn is_due(&self) -> bool {
        let Some(directory) = self.settings.output_dir.canonical().filter(|_| !self.read_only) else { return false };
        let mut swept = SWEPT.lock().unwrap_or_else(PoisonError::into_inner);
        if swept.get(directory).is_some_and(|last| last.elapsed() < INTERVAL) {
            return false;
        }
        if swept.len() >= MOST_DIRECTORIES {
            swept.clear();
        }
        swept.insert(directory.to_owned(), Instant::now());
        true
    }
}
