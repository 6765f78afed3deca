//! What a client needs in its configuration, and how it goes in and out again.
//!
//! An edge looks at the files that [`candidates`] names, [`prepare`] plans, and the edge takes the steps.

mod carry;
mod choice;
pub mod clients;
mod diff;
pub mod document;
pub mod entries;
mod json;
pub mod ours;
pub mod places;
mod plan;
mod record;
mod report;
mod templates;
mod toml;
pub mod wrap;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

pub use self::carry::{Prepared, prepare};
pub use self::choice::candidates;
use self::places::Places;

/// What is asked for.
#[derive(Debug, Deserialize)]
pub struct Request {
    /// The name of the client.
    pub client: Option<String>,
    /// The configuration of the current folder is meant.
    pub project: bool,
    /// The user's own configuration is meant.
    pub user: bool,
    /// Servers get the proxy before them, instead.
    pub wrap: bool,
    /// The configuration with the servers to wrap.
    pub file: Option<PathBuf>,
    /// What was put in is taken out.
    pub undo: bool,
    /// Nothing is to be changed.
    pub dry_run: bool,
    /// The directory for files, absolute.
    pub output_dir: Option<String>,
    /// The words with which clients start us.
    pub command: Vec<String>,
    /// Where files are.
    pub places: Places,
}

/// What is at the place of a configuration.
#[derive(Clone, Debug, Default, Deserialize)]
pub struct Seen {
    /// Something is there.
    pub exists: bool,
    /// Its path without links.
    pub canonical: Option<PathBuf>,
    /// Its text, if it is a file.
    pub text: Option<String>,
    /// The files beside it whose names begin with its name, with their texts as far as they have one.
    pub beside: BTreeMap<String, Option<String>>,
    /// The folders above it that are missing, outermost first.
    pub missing_folders: Vec<PathBuf>,
}

/// Looks at the place of a configuration.
pub type Look<'a> = dyn Fn(&Path) -> Result<Seen, Problem> + 'a;

/// A file as it shall be: with this text, or gone.
#[derive(Debug, Serialize)]
pub struct Step {
    /// The file.
    pub path: PathBuf,
    /// Its text, or nothing if it goes.
    pub text: Option<String>,
    /// What was read before. Somebody else may have written since.
    pub before: Option<String>,
    /// A new file gets the mode of this one.
    pub like: Option<PathBuf>,
    /// Setup has created the file: where the path is a link, the file that it means goes, and the link stays.
    pub follows: bool,
}

/// A line for the user.
#[derive(Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Line {
    /// A difference, of several lines.
    Difference(String),
    /// A line whose control characters are not to reach a terminal.
    Text(String),
}

/// Why nothing is done.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case", tag = "case")]
pub enum Problem {
    /// What is asked for makes no sense.
    Usage {
        /// What is wrong.
        message: String,
    },
    /// A configuration cannot be changed.
    Configuration {
        /// What is wrong.
        message: String,
        /// What to do.
        hint: String,
    },
    /// A file cannot be used.
    Io {
        /// What is wrong.
        message: String,
    },
}

impl Problem {
    fn usage(message: impl Into<String>) -> Self {
        Self::Usage { message: message.into() }
    }
}
