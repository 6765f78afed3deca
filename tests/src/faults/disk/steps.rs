//! The program `steps.c`, which steps in where another one uses the file system. strace can neither shorten a write nor wait
//! for something else to happen.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;

use crate::faults::Bench;

const SOURCE: &str = include_str!("steps.c");

/// The program, compiled.
pub(super) struct Steps {
    program: PathBuf,
    _folder: TempDir,
}

impl Steps {
    /// What is said where it cannot be compiled.
    pub(super) const MISSING: &'static str = "not tried: steps.c is for Linux on x86-64 and aarch64";

    /// Compiles it. `None` where it cannot work.
    pub(super) fn new(bench: &Bench) -> Result<Option<Self>, String> {
        if !cfg!(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64"))) {
            return Ok(None);
        }
        let folder = bench.folder()?;
        let (source, program) = (folder.path().join("steps.c"), folder.path().join("steps"));
        fs::write(&source, SOURCE).map_err(|error| error.to_string())?;
        let output = Command::new("cc").args(["-O1", "-o"]).args([&program, &source]).output();
        match output {
            Ok(output) if output.status.success() => Ok(Some(Self { program, _folder: folder })),
            Ok(output) => Err(format!("cannot compile steps.c: {}", String::from_utf8_lossy(&output.stderr))),
            Err(error) => Err(format!("cannot start a C compiler: {error}")),
        }
    }

    /// Shortens every write. Returns where it reports, and its words.
    pub(super) fn short(&self, folder: &Path, seed: u64) -> (PathBuf, Vec<String>) {
        self.words(folder, &["short", &(seed % 1_000_000_000).to_string()])
    }

    /// Runs a command of the shell before the n-th call.
    pub(super) fn at(&self, folder: &Path, number: u64, command: &str) -> (PathBuf, Vec<String>) {
        self.words(folder, &["at", &number.to_string(), command])
    }

    fn words(&self, folder: &Path, what: &[&str]) -> (PathBuf, Vec<String>) {
        let report = folder.join("steps");
        let words = [self.program.display().to_string(), report.display().to_string()];
        (report, words.into_iter().chain(what.iter().map(|word| (*word).to_owned())).collect())
    }

    /// How many calls there were, and how many were stepped in; -1 if the command failed.
    pub(super) fn report(path: &Path) -> Result<(u64, i64), String> {
        let text = fs::read_to_string(path).map_err(|error| format!("steps does not report: {error}"))?;
        let mut numbers = text.split_whitespace();
        let calls = numbers.next().and_then(|number| number.parse().ok());
        let stepped = numbers.next().and_then(|number| number.parse().ok());
        calls.zip(stepped).ok_or_else(|| format!("steps reports {text:?}"))
    }
}
