//! Deletes what has expired (LRO-34): on demand, and after everything that writes.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use wasmtime_wasi::FsPerms;

use crate::answer::{Cleaning, Event};
use crate::error::Error;
use crate::offloader::Lro;
use crate::request::{self, CleanupRequest};
use crate::sandbox::{Grant, Place, Sandbox};

/// The event of a cleanup that has not done all of its work.
const CLEANUP_GOES_ON: &str = "CleanupGoesOn";

/// A process sweeps a directory at most this often. A sweep looks at the names there, and opens some hundred old files.
const INTERVAL: Duration = Duration::from_secs(300);

/// More directories than this are forgotten together, and swept again.
const MOST_DIRECTORIES: usize = 256;

/// When this process has swept each directory.
static SWEPT: Mutex<BTreeMap<PathBuf, Instant>> = Mutex::new(BTreeMap::new());

impl Lro {
    /// Deletes expired offloaded files in the output directory and one folder below it, and nothing else. Files of other
    /// users stay. In the system's temporary directory, limits on count and bytes are ignored.
    ///
    /// A directory with very many files is cleaned in several calls of the component, each with the time limit to itself.
    /// Each file has an event of half a kilobyte; [`Lro::cleanup_observed`] does not hold all of them at once.
    ///
    /// # Errors
    /// `invalid-argument`, `not-found` if there is no such directory, `limit-reached`, `io`.
    pub fn cleanup(&self, request: &CleanupRequest) -> Result<Cleaning, Error> {
        let mut events = Vec::new();
        let cleaning = self.cleanup_observed(request, |observed| events.extend(observed))?;
        Ok(Cleaning { events, ..cleaning })
    }

    /// Like [`Lro::cleanup`], but hands over the events of each call of the component, at most some 10,000 at a time, and
    /// returns none. If a later call fails, the files that the events name are deleted nevertheless.
    ///
    /// # Errors
    /// As [`Lro::cleanup`].
    pub fn cleanup_observed(
        &self,
        request: &CleanupRequest,
        mut observe: impl FnMut(Vec<Event>),
    ) -> Result<Cleaning, Error> {
        let (request, settings) = (self.cleanup_request(request)?, self.settings.text()?);
        // A file of somebody else is not ours to judge, whatever its name is.
        let directory = self.grant(FsPerms::ReadWrite).map(|grant| Grant { own_files_only: true, ..grant });
        let sandbox = Sandbox { operation: "cleanup", directory, bounds: self.limits.cleaning() };
        let mut all = Cleaning { deleted: 0, freed_bytes: 0.0, kept: 0, events: Vec::new() };
        loop {
            let mut cleaning = sandbox.run(&self.compiled, |instance, store| {
                instance.lro_offload_offloader().call_cleanup(store, &request, &settings)
            })?;
            let events = cleaning.events.len();
            cleaning.events.retain(|event| event.name != CLEANUP_GOES_ON);
            let goes_on = cleaning.deleted > 0 && cleaning.events.len() < events;
            all.deleted += cleaning.deleted;
            all.freed_bytes += cleaning.freed_bytes;
            all.kept = cleaning.kept;
            observe(cleaning.events);
            if !goes_on {
                return Ok(all);
            }
        }
    }

    /// Deletes some of what has expired, after a write. Returns the events of the deleted files. A sweep that fails says
    /// nothing: the result that was written is what counts.
    pub(crate) fn sweep(&self) -> Vec<Event> {
        if !self.is_due() {
            return Vec::new();
        }
        let cleaning = self.cleanup(&CleanupRequest::default().quick(true));
        cleaning.map(|cleaning| cleaning.events).unwrap_or_default()
    }

    fn is_due(&self) -> bool {
        // A store is not asked for all of its names on the way: it lets objects expire, or is cleaned up by its operator.
        let Some(Place::Directory(directory)) = self.settings.output_dir.place().filter(|_| !self.read_only) else {
            return false;
        };
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

    /// The text of a cleanup request, with the one fact that only the host knows.
    fn cleanup_request(&self, request: &CleanupRequest) -> Result<String, Error> {
        if self.settings.output_dir.is_shared() {
            request::text(&request.clone().with("shared_directory", true))
        } else {
            request::text(request)
        }
    }
}
