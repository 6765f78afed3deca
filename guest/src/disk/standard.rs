//! The same directory by the standard library: natively, and in the core modules of plug-in systems (wasm32-wasip1).

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufReader, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::time::{SystemTime, UNIX_EPOCH};

use super::{EntryKind, Status, Synchronise, not_a_file};
use crate::file::instant::Instant;

/// A directory by its path.
#[derive(Debug, Clone)]
pub struct Directory(PathBuf);

/// An open file.
pub type Reader = BufReader<File>;

/// A file open for writing.
pub type Writer = File;

/// As much as WASI's hosts give at a time.
const READ_BYTES: usize = 64 * 1024;

impl Directory {
    /// Opens the output directory.
    pub fn open(output_dir: &str) -> io::Result<Self> {
        let path = Path::new(output_dir);
        match path.is_dir() {
            true => Ok(Self(path.to_owned())),
            false => Err(io::Error::new(io::ErrorKind::NotFound, "the output directory does not exist")),
        }
    }

    /// Opens a folder in it.
    pub fn folder(&self, name: &str) -> io::Result<Self> {
        match self.status(name)?.kind {
            EntryKind::Directory => Ok(Self(self.0.join(name))),
            _ => Err(io::Error::new(io::ErrorKind::NotADirectory, "not a directory")),
        }
    }

    /// Makes a folder in it unless there is one.
    pub fn make_folder(&self, name: &str) -> io::Result<()> {
        match fs::create_dir(self.0.join(name)) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => Err(error),
            _ => Ok(()),
        }
    }

    /// Shows each name in it, in any order.
    pub fn each_name(&self, mut show: impl FnMut(String)) -> io::Result<()> {
        let entries = fs::read_dir(&self.0)?;
        entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok()).for_each(&mut show);
        Ok(())
    }

    /// What is known of an entry.
    pub fn status(&self, name: &str) -> io::Result<Status> {
        let metadata = fs::symlink_metadata(self.0.join(name))?;
        let kind = match metadata.file_type() {
            kind if kind.is_file() => EntryKind::File,
            kind if kind.is_dir() => EntryKind::Directory,
            _ => EntryKind::Other,
        };
        Ok(Status { kind, bytes: metadata.len(), modified: metadata.modified().ok().map(milliseconds) })
    }

    /// Opens a file for reading from a byte on.
    pub fn read(&self, name: &str, offset: u64) -> io::Result<Reader> {
        if self.status(name)?.kind != EntryKind::File {
            return Err(not_a_file());
        }
        let mut file = File::open(self.0.join(name))?;
        file.seek(SeekFrom::Start(offset))?;
        Ok(BufReader::with_capacity(READ_BYTES, file))
    }

    /// Opens a file that the host shows for this call.
    pub fn read_shown(&self, name: &str) -> io::Result<Reader> {
        self.read(name, 0)
    }

    /// Creates a file that must not exist.
    pub fn create(&self, name: &str) -> io::Result<Writer> {
        OpenOptions::new().write(true).create_new(true).open(self.0.join(name))
    }

    /// Renames a file within the directory.
    pub fn rename(&self, from: &str, to: &str) -> io::Result<()> {
        fs::rename(self.0.join(from), self.0.join(to))
    }

    /// Deletes a file.
    pub fn remove(&self, name: &str) -> io::Result<()> {
        fs::remove_file(self.0.join(name))
    }

    /// Deletes a folder in it that is empty.
    pub fn remove_folder(&self, name: &str) -> io::Result<()> {
        fs::remove_dir(self.0.join(name))
    }
}

impl Synchronise for File {
    fn synchronise(&self) -> io::Result<()> {
        self.sync_data()
    }
}

/// This moment and chance.
pub fn instant() -> io::Result<Instant> {
    let mut bits = [0; 16];
    getrandom::fill(&mut bits).map_err(|error| io::Error::other(error.to_string()))?;
    Ok(Instant { milliseconds: milliseconds(SystemTime::now()), random: u128::from_le_bytes(bits) })
}

/// Milliseconds since the first call, for how long something takes.
pub fn clock() -> u64 {
    static START: OnceLock<std::time::Instant> = OnceLock::new();
    u64::try_from(START.get_or_init(std::time::Instant::now).elapsed().as_millis()).unwrap_or(u64::MAX)
}

fn milliseconds(time: SystemTime) -> u64 {
    time.duration_since(UNIX_EPOCH).map_or(0, |age| u64::try_from(age.as_millis()).unwrap_or(u64::MAX))
}
