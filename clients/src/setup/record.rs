//! What was done to a configuration, beside it, so that it can be undone exactly.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::document::Step;
use super::entries::Added;

/// What can be done to a configuration, and undone for itself.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Action {
    Setup,
    Wrap,
}

impl Action {
    fn name(self) -> &'static str {
        match self {
            Self::Setup => "setup",
            Self::Wrap => "wrap",
        }
    }
}

/// What an action did to a file.
#[derive(Serialize, Deserialize, Clone, Debug, Default, PartialEq)]
pub(crate) struct Record {
    about: String,
    /// The name of the copy beside the file. None if there was no file.
    pub(crate) copy: Option<String>,
    /// The file was there before.
    pub(crate) existed: bool,
    /// The copy is what was there before all that the action did.
    pub(crate) exact: bool,
    /// The checksum of the file as the action left it.
    sha256: String,
    /// The folders that were created for it, outermost first.
    pub(crate) folders: Vec<PathBuf>,
    /// The maps and lists that were created in it.
    created: Vec<Vec<StoredStep>>,
    /// The texts that were added to lists.
    texts: Vec<String>,
    /// The servers that were put behind the proxy.
    servers: Vec<Vec<StoredStep>>,
}

#[derive(Serialize, Deserialize, Clone, Debug, PartialEq)]
#[serde(untagged)]
enum StoredStep {
    Index(usize),
    Key(String),
}

impl Record {
    pub(crate) fn new(after: &str) -> Self {
        let about = "Written by lro setup, which needs this file to undo exactly what it did.";
        Self { about: about.to_owned(), sha256: checksum(after), ..Self::default() }
    }

    /// True if nobody has edited the file since.
    pub(crate) fn fits(&self, text: &str) -> bool {
        self.sha256 == checksum(text)
    }

    /// What was added to the file.
    pub(crate) fn added(&self) -> Added {
        Added { created: read(&self.created), texts: self.texts.clone(), servers: read(&self.servers) }
    }

    pub(crate) fn set_added(&mut self, added: &Added) {
        self.created = stored(&added.created);
        self.texts.clone_from(&added.texts);
        self.servers = stored(&added.servers);
    }

    pub(crate) fn parse(text: &str) -> Option<Self> {
        serde_json::from_str(text).ok()
    }

    pub(crate) fn to_text(&self) -> String {
        format!("{}\n", serde_json::to_string_pretty(self).expect("a record has texts, booleans and lists only"))
    }
}

fn read(paths: &[Vec<StoredStep>]) -> Vec<Vec<Step>> {
    let step = |step: &StoredStep| match step {
        StoredStep::Index(index) => Step::Index(*index),
        StoredStep::Key(key) => Step::Key(key.clone()),
    };
    paths.iter().map(|path| path.iter().map(step).collect()).collect()
}

fn stored(paths: &[Vec<Step>]) -> Vec<Vec<StoredStep>> {
    let step = |step: &Step| match step {
        Step::Index(index) => StoredStep::Index(*index),
        Step::Key(key) => StoredStep::Key(key.clone()),
    };
    paths.iter().map(|path| path.iter().map(step).collect()).collect()
}

fn checksum(text: &str) -> String {
    Sha256::digest(text).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The path of the record of an action.
pub(crate) fn path(file: &Path, action: Action) -> PathBuf {
    beside(file, &format!(".lro-{}.json", action.name()))
}

/// The path of the first copy that is not there yet; `is_there` knows names beside the file.
pub(crate) fn free_copy(file: &Path, action: Action, is_there: impl Fn(&str) -> bool) -> PathBuf {
    let copy = |number: u32| beside(file, &format!(".before-lro-{}-{number}", action.name()));
    let is_free = |path: &PathBuf| !path.file_name().and_then(|name| name.to_str()).is_some_and(&is_there);
    (1..).map(copy).find(is_free).expect("a folder does not have so many files")
}

fn beside(file: &Path, end: &str) -> PathBuf {
    let mut name = file.file_name().unwrap_or_default().to_owned();
    name.push(end);
    file.with_file_name(name)
}
