//! Where files of users are on a machine.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use super::clients::{File, Folder};

/// What a machine runs.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum System {
    /// Linux, and whatever is like it.
    Linux,
    /// macOS.
    Macos,
    /// Windows.
    Windows,
}

/// The folders that configurations are in.
#[derive(Debug, Deserialize)]
pub struct Places {
    /// The home folder of the user.
    pub home: PathBuf,
    /// The current folder.
    pub project: PathBuf,
    /// Variables of the environment that name folders; empty ones do not count.
    pub variables: BTreeMap<String, PathBuf>,
    /// The system.
    pub system: System,
}

/// The variables that name folders of configurations.
pub const VARIABLES: [&str; 5] = ["CLAUDE_CONFIG_DIR", "CODEX_HOME", "GEMINI_CLI_HOME", "XDG_CONFIG_HOME", "APPDATA"];

impl Places {
    /// The path of a configuration: the first name that is there, otherwise the first.
    pub fn path(&self, file: &File, is_there: impl Fn(&Path) -> bool) -> PathBuf {
        let mut paths = self.paths(file);
        let first = paths.iter().position(|path| is_there(path)).unwrap_or(0);
        paths.swap_remove(first)
    }

    /// The paths that a configuration may have.
    pub(crate) fn paths(&self, file: &File) -> Vec<PathBuf> {
        let folder = self.folder(&file.folder);
        file.names.iter().map(|name| folder.join(name)).collect()
    }

    fn variable(&self, name: &str) -> Option<PathBuf> {
        debug_assert!(VARIABLES.contains(&name), "{name} is asked for");
        self.variables.get(name).cloned()
    }

    fn folder(&self, folder: &Folder) -> PathBuf {
        match folder {
            Folder::Project => self.project.clone(),
            Folder::Home => self.home.clone(),
            Folder::Own(variable, name) => self.variable(variable).unwrap_or_else(|| self.home.join(name)),
            Folder::BesideClaude => self.variable("CLAUDE_CONFIG_DIR").unwrap_or_else(|| self.home.clone()),
            Folder::Config(name) => self.config().join(name),
            Folder::Application(name) if self.system == System::Macos => {
                self.home.join("Library/Application Support").join(name)
            }
            Folder::Application(name) => match self.variable("APPDATA").filter(|_| self.system == System::Windows) {
                Some(folder) => folder.join(name),
                None => self.config().join(name),
            },
        }
    }

    fn config(&self) -> PathBuf {
        self.variable("XDG_CONFIG_HOME")
            .filter(|path| path.is_absolute())
            .unwrap_or_else(|| self.home.join(".config"))
    }

    /// A path as people write it, with `~` for the home folder.
    pub fn shown(&self, path: &Path) -> String {
        match path.strip_prefix(&self.home) {
            Ok(below) if !self.home.as_os_str().is_empty() => Path::new("~").join(below).display().to_string(),
            _ => path.display().to_string(),
        }
    }
}
