//! What a suite works with: the command, how much is wanted, and folders of its own.

use std::path::Path;
use std::thread;

use serde::{Deserialize, Serialize};
use tempfile::TempDir;

use super::row::Row;
use crate::command;

/// How much is tried.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Scale {
    /// For the test command: a suite takes less than a minute on one core.
    Short,
    /// For an hour when nothing else runs: minutes, or an hour.
    Long,
}

/// A part of a suite, which does not disturb its other parts.
pub type Part = fn(&Bench) -> Result<Vec<Row>, String>;

/// What a suite works with.
#[derive(Debug)]
pub struct Bench {
    /// How much is tried.
    pub scale: Scale,
    /// The first number of the suite's random numbers: a failure is repeated with it.
    pub seed: u64,
}

impl Bench {
    /// The command `lro`, built as this program was.
    #[must_use]
    pub fn lro(&self) -> &'static Path {
        command::lro()
    }

    /// The number for this scale.
    pub fn scaled<T>(&self, short: T, long: T) -> T {
        match self.scale {
            Scale::Short => short,
            Scale::Long => long,
        }
    }

    /// Runs the parts of a suite, one after the other in the short form, and side by side in the long one.
    ///
    /// # Errors
    /// One line that says what cannot be run.
    pub fn run_parts(&self, parts: &[Part]) -> Result<Vec<Row>, String> {
        let rows: Vec<Result<Vec<Row>, String>> = match self.scale {
            Scale::Short => parts.iter().map(|part| part(self)).collect(),
            Scale::Long => thread::scope(|scope| {
                let parts: Vec<_> = parts.iter().map(|part| scope.spawn(move || part(self))).collect();
                let panicked = |_| Err("a part panicked".to_owned());
                parts.into_iter().map(|part| part.join().unwrap_or_else(panicked)).collect()
            }),
        };
        rows.into_iter().collect::<Result<Vec<_>, _>>().map(|rows| rows.concat())
    }

    /// An empty folder with a short path, which goes when it is dropped.
    ///
    /// # Errors
    /// One line that says why there is none.
    pub fn folder(&self) -> Result<TempDir, String> {
        tempfile::Builder::new()
            .prefix("lro-")
            .tempdir_in("/tmp")
            .map_err(|error| format!("cannot make a folder: {error}"))
    }
}
