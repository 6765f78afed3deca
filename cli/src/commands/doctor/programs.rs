//! The `lro` that configurations name: is it there, and which version is it?

use std::collections::BTreeMap;
use std::path::Path;

use super::version::{Version, versions};

/// What is wrong with each program that was looked at.
pub(super) struct Programs {
    this: String,
    known: BTreeMap<String, Option<(String, bool)>>,
}

impl Programs {
    pub(super) fn new(this: String) -> Self {
        Self { this, known: BTreeMap::new() }
    }

    /// What is wrong with a program, and true if it cannot run.
    pub(super) fn problem(&mut self, program: &str) -> Option<(String, bool)> {
        if program == self.this {
            return None;
        }
        self.known.entry(program.to_owned()).or_insert_with(|| problem(program)).clone()
    }
}

fn problem(program: &str) -> Option<(String, bool)> {
    let ours = env!("CARGO_PKG_VERSION");
    let missing = || Some((format!("`{program}` is configured, and is not there"), true));
    if Path::new(program).is_absolute() && !Path::new(program).is_file() {
        return missing();
    }
    match versions(&[program]).pop()? {
        Version::NotFound => missing(),
        Version::Unknown(reason) => Some((format!("`{program}` is configured, and does not work: {reason}"), true)),
        Version::Known(version) if version != ours => {
            Some((format!("`{program}` is configured, which is version {version}; this is {ours}"), false))
        }
        Version::Known(_) => None,
    }
}
