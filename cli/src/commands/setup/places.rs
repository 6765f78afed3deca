//! Where files of users are on this machine.

use std::path::{Path, PathBuf};

use super::clients::{File, Folder};

/// The folders that configurations are in.
pub(crate) struct Places {
    pub(crate) home: PathBuf,
    pub(crate) project: PathBuf,
    /// A variable of the environment; empty ones do not count.
    pub(crate) variable: fn(&str) -> Option<PathBuf>,
}

impl Places {
    /// The path of a configuration: the first name that is there, otherwise the first.
    pub(crate) fn path(&self, file: &File) -> PathBuf {
        let folder = self.folder(&file.folder);
        let paths: Vec<PathBuf> = file.names.iter().map(|name| folder.join(name)).collect();
        paths.iter().find(|path| path.exists()).unwrap_or(&paths[0]).clone()
    }

    fn folder(&self, folder: &Folder) -> PathBuf {
        match folder {
            Folder::Project => self.project.clone(),
            Folder::Home => self.home.clone(),
            Folder::Own(variable, name) => (self.variable)(variable).unwrap_or_else(|| self.home.join(name)),
            Folder::BesideClaude => (self.variable)("CLAUDE_CONFIG_DIR").unwrap_or_else(|| self.home.clone()),
            Folder::Config(name) => self.config().join(name),
            Folder::Application(name) if cfg!(target_os = "macos") => {
                self.home.join("Library/Application Support").join(name)
            }
            Folder::Application(name) => match (self.variable)("APPDATA").filter(|_| cfg!(windows)) {
                Some(folder) => folder.join(name),
                None => self.config().join(name),
            },
        }
    }

    fn config(&self) -> PathBuf {
        (self.variable)("XDG_CONFIG_HOME")
            .filter(|path| path.is_absolute())
            .unwrap_or_else(|| self.home.join(".config"))
    }

    /// A path as people write it, with `~` for the home folder.
    pub(crate) fn shown(&self, path: &Path) -> String {
        match path.strip_prefix(&self.home) {
            Ok(below) if !self.home.as_os_str().is_empty() => Path::new("~").join(below).display().to_string(),
            _ => path.display().to_string(),
        }
    }
}

/// True for two paths of one file.
pub(crate) fn is_same(one: &Path, other: &Path) -> bool {
    one == other || one.canonicalize().is_ok_and(|one| other.canonicalize().is_ok_and(|other| one == other))
}
