//! What a suite works with: the command, how much is wanted, and folders of its own.

use std::path::Path;

use tempfile::TempDir;

use crate::command;

/// How much is tried.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scale {
    /// For the test command: a suite takes less than a minute on one core.
    Short,
    /// For the table of docs/RELIABILITY.md: minutes.
    Long,
}

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
