//! A folder with an output directory, and the command in it, with a compiled component at hand.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use serde_json::Value;
use tempfile::TempDir;

use super::process::{Ended, end};
use crate::command;
use crate::faults::Bench;

/// No call in these suites takes so long, also where the machine has other work.
pub(super) const LONGEST: Duration = Duration::from_secs(90);

/// Where a suite works.
#[derive(Debug)]
pub(super) struct Place {
    folder: TempDir,
    lro: PathBuf,
}

impl Place {
    /// An empty place. The component is compiled when this returns.
    pub(super) fn new(bench: &Bench) -> Result<Self, String> {
        let place = Self { folder: bench.folder()?, lro: bench.lro().to_owned() };
        place.end(&mut place.lro(&["estimate", "/dev/null"]), b"")?.printed()?;
        Ok(place)
    }

    /// A place with a copy of the command and of its compiled component, for another user who cannot reach the real ones.
    pub(super) fn with_own_program(bench: &Bench) -> Result<Self, String> {
        let mut place = Self::new(bench)?;
        let own = place.path("lro");
        fs::copy(&place.lro, &own).map_err(|error| format!("cannot copy the command: {error}"))?;
        let copied = Command::new("cp").arg("-a").arg(cache()).arg(place.own_cache()).status();
        place.lro = own;
        match copied {
            Ok(status) if status.success() => Ok(place),
            _ => Err("cannot copy the compiled component".to_owned()),
        }
    }

    /// The compiled component of a place with a program of its own.
    pub(super) fn own_cache(&self) -> PathBuf {
        self.path("cache")
    }

    pub(super) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// The output directory. It need not exist.
    pub(super) fn output(&self) -> PathBuf {
        self.path("out")
    }

    /// Writes a file beside the output directory.
    pub(super) fn write(&self, name: &str, text: &str) -> Result<PathBuf, String> {
        let path = self.path(name);
        fs::write(&path, text).map_err(|error| format!("cannot write `{}`: {error}", path.display()))?;
        Ok(path)
    }

    /// The command, not yet started.
    pub(super) fn lro(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(&self.lro);
        command.args(arguments);
        self.in_here(&mut command);
        command
    }

    /// The same through programs that take something away from it, such as `prlimit --nofile=5`.
    pub(super) fn lro_under(&self, before: &[&str], arguments: &[&str]) -> Command {
        let mut command = Command::new(before[0]);
        command.args(&before[1..]).arg(&self.lro).args(arguments);
        self.in_here(&mut command);
        command
    }

    fn in_here(&self, command: &mut Command) {
        command.current_dir(self.folder.path()).env("LRO_CACHE_DIR", cache()).env("TMPDIR", self.folder.path());
        command.env_remove("RUST_BACKTRACE");
    }

    /// Runs a command to its end.
    pub(super) fn end(&self, command: &mut Command, input: &[u8]) -> Result<Ended, String> {
        end(command, input, LONGEST)
    }

    /// Runs the command, which is to succeed.
    pub(super) fn print(&self, arguments: &[&str]) -> Result<String, String> {
        self.end(&mut self.lro(arguments), b"")?.printed()
    }

    /// Offloads a text, and returns the response.
    pub(super) fn offload(&self, text: &str) -> Result<Value, String> {
        let arguments = ["offload", "-", "--operation", "search", "--output-dir", "out"];
        response(&self.end(&mut self.lro(&arguments), text.as_bytes())?)
    }

    /// The names of all files in the output directory and its folders.
    pub(super) fn names(&self) -> Vec<String> {
        let mut names = Vec::new();
        for entry in fs::read_dir(self.output()).into_iter().flatten().flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            match entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                true => {
                    let inner = fs::read_dir(entry.path()).into_iter().flatten().flatten();
                    names.extend(inner.map(|inner| format!("{name}/{}", inner.file_name().to_string_lossy())));
                }
                false => names.push(name),
            }
        }
        names
    }
}

/// The compiled component of these suites, kept from run to run: compiling takes seconds.
pub(super) fn cache() -> PathBuf {
    command::profile().join("faults-cache")
}

/// The response of an offload that succeeded.
pub(super) fn response(ended: &Ended) -> Result<Value, String> {
    ended.accident()?;
    let response: Value = serde_json::from_slice(&ended.stdout).unwrap_or_default();
    match response["offloaded"] == true && ended.status == Some(0) {
        true => Ok(response),
        false => Err(format!("it was not offloaded: {}", ended.shown())),
    }
}

/// The paths of all files of a response, its own first.
pub(super) fn paths(response: &Value) -> Vec<String> {
    let own = response["file_path"].as_str();
    let others = response["sections"].as_array().into_iter().flatten().filter_map(|list| list["file_path"].as_str());
    own.into_iter().chain(others.filter(|path| Some(*path) != own)).map(str::to_owned).collect()
}

/// Fails if a file under a final name is not whole: it has the lines that its header counts, and ends with one.
pub(super) fn is_whole(file: &Path) -> Result<(), String> {
    let shown = file.display();
    let text = fs::read_to_string(file).map_err(|error| format!("cannot read `{shown}`: {error}"))?;
    let header = text.lines().next().unwrap_or_default();
    let header: Value = serde_json::from_str(header).map_err(|error| format!("`{shown}` has no header: {error}"))?;
    let lines = text.lines().count() as u64 - 1;
    match header["count"] == lines && text.ends_with('\n') {
        true => Ok(()),
        false => Err(format!("`{shown}` has {lines} records, and its header says {}", header["count"])),
    }
}
