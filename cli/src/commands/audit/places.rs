//! Where transcripts are: below the folders of the clients, or where the command line says. Links are not followed, so a
//! folder that leads back to itself ends.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// Below this folder, and deeper than Claude Code has its subagents' transcripts, nothing is looked for.
const MOST_DEPTH: usize = 8;

/// The folders in which the clients keep transcripts: the variable that moves them, the folder below home, and where
/// transcripts are in it.
const FOLDERS: [(&str, &str, &str); 3] = [
    ("CLAUDE_CONFIG_DIR", ".claude", "projects"),
    ("CODEX_HOME", ".codex", "sessions"),
    ("CODEX_HOME", ".codex", "archived_sessions"),
];

/// The transcripts that were found, and what was passed over.
#[derive(Debug, Default)]
pub(super) struct Found {
    pub(super) files: Vec<PathBuf>,
    pub(super) remarks: Vec<String>,
}

/// The folders of the clients that exist.
pub(super) fn of_clients() -> Vec<PathBuf> {
    let folder = |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|folder| folder.is_absolute());
    let home = folder(if cfg!(windows) { "USERPROFILE" } else { "HOME" });
    let of = |(variable, name, below): (&str, &str, &str)| {
        Some(folder(variable).or_else(|| Some(home.as_ref()?.join(name)))?.join(below))
    };
    FOLDERS.into_iter().filter_map(of).filter(|folder| folder.is_dir()).collect()
}

/// The transcripts at these paths, files and folders, that were written to since then.
pub(super) fn transcripts(paths: &[PathBuf], since: Option<SystemTime>) -> Found {
    let mut found = Found::default();
    for path in paths {
        // Who names a link means what it leads to.
        match fs::metadata(path) {
            Ok(metadata) if metadata.is_dir() => walk(path, since, 0, &mut found),
            Ok(_) => found.files.push(path.clone()),
            Err(error) => found.remarks.push(format!("cannot read `{}`: {error}", path.display())),
        }
    }
    found.files.sort();
    found.files.dedup();
    found
}

fn walk(folder: &Path, since: Option<SystemTime>, depth: usize, found: &mut Found) {
    let entries = match fs::read_dir(folder) {
        Ok(entries) if depth < MOST_DEPTH => entries,
        Ok(_) => return found.remarks.push(format!("`{}` is too deep, and was passed over", folder.display())),
        Err(error) => return found.remarks.push(format!("cannot read `{}`: {error}", folder.display())),
    };
    for entry in entries.flatten() {
        let path = entry.path();
        let is_transcript = path.extension().is_some_and(|extension| extension == "jsonl");
        match entry.file_type() {
            Ok(kind) if kind.is_dir() => walk(&path, since, depth + 1, found),
            Ok(kind) if kind.is_file() && is_transcript && is_since(&entry, since) => found.files.push(path),
            Ok(kind) if kind.is_symlink() && (is_transcript || path.is_dir()) => {
                found.remarks.push(format!("`{}` is a link, and was not followed", path.display()));
            }
            _ => {}
        }
    }
}

fn is_since(entry: &fs::DirEntry, since: Option<SystemTime>) -> bool {
    let Some(since) = since else { return true };
    entry.metadata().and_then(|metadata| metadata.modified()).is_ok_and(|modified| modified >= since)
}

/// Opens a transcript, which must be a regular file.
pub(super) fn open(path: &Path) -> io::Result<File> {
    let mut options = File::options();
    options.read(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        // A pipe would wait for its writer.
        options.custom_flags(rustix::fs::OFlags::NONBLOCK.bits().cast_signed());
    }
    let file = options.open(path)?;
    match file.metadata()?.is_file() {
        true => Ok(file),
        false => Err(io::Error::other("it is not a regular file")),
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn links_and_cycles_are_told_and_not_followed() {
        let root = tempfile::tempdir().unwrap();
        let folder = root.path().join("a/b");
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join("1.jsonl"), "").unwrap();
        fs::write(folder.join("notes.txt"), "").unwrap();
        std::os::unix::fs::symlink(root.path(), folder.join("cycle")).unwrap();
        std::os::unix::fs::symlink(folder.join("1.jsonl"), folder.join("2.jsonl")).unwrap();
        let found = transcripts(&[root.path().to_owned(), root.path().join("missing")], None);
        assert_eq!(found.files, [folder.join("1.jsonl")]);
        assert_eq!(found.remarks.len(), 3, "{:?}", found.remarks);
        let named = transcripts(&[folder.join("2.jsonl")], None);
        assert_eq!(named.files.len(), 1);
    }
}
