//! The only module with files, clock and randomness.
//!
//! A [`Directory`] is one that the host has granted, or a folder directly in it. Names are single path components;
//! links are never followed, and only regular files are opened. Errors are `std::io::Error`s whose text is the bare
//! reason.

#[cfg(any(test, all(target_family = "wasm", not(target_env = "p1"))))]
mod allocator;
#[cfg(all(target_family = "wasm", not(target_env = "p1")))]
mod last_words;
#[cfg(all(target_family = "wasm", not(target_env = "p1")))]
mod memory;
#[cfg(any(not(target_family = "wasm"), target_env = "p1"))]
mod standard;
#[cfg(all(target_family = "wasm", not(target_env = "p1")))]
mod wasi;

use std::io::{self, BufWriter, Write};

use lro_query::Gauge;

#[cfg(any(not(target_family = "wasm"), target_env = "p1"))]
pub use standard::{Directory, Reader, Writer, clock, instant};
#[cfg(all(target_family = "wasm", not(target_env = "p1")))]
pub use wasi::{Directory, Reader, Writer, clock, instant};

use crate::file::file_name::PART;

/// A write costs a call of the host, in Python 40 µs: large blocks make few of them. Hosts copy a block to memory of their own,
/// which the GNU C library maps anew, page by page, from 128 KiB on.
const WRITE_BYTES: usize = 120 * 1024;

/// What an entry of a directory is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EntryKind {
    /// A regular file.
    File,
    /// A directory.
    Directory,
    /// A link, a pipe, a device.
    Other,
}

/// What is known of an entry; of a link, not of what it leads to.
#[derive(Debug, Clone, Copy)]
pub struct Status {
    /// What it is.
    pub kind: EntryKind,
    /// Its size in bytes.
    pub bytes: u64,
    /// When it was last written, milliseconds since 1970.
    pub modified: Option<u64>,
}

impl Directory {
    /// The names in it that fit, sorted.
    pub fn names(&self, fits: impl Fn(&str) -> bool) -> io::Result<Vec<String>> {
        let mut names = Vec::new();
        self.each_name(|name| {
            if fits(&name) {
                names.push(name);
            }
        })?;
        names.sort();
        Ok(names)
    }
}

/// So often a folder may vanish while a file is created in it.
const MOST_VANISHED: u32 = 8;

/// Writes a file whole or not at all (LRO-42, decision 12): as `NAME.part`, renamed when it is complete and on the
/// disk, removed when it cannot be completed. Its text is given in pieces. The folder of a session is made. Returns its
/// bytes.
pub fn write_whole(
    output_dir: &Directory,
    session: Option<&str>,
    name: &str,
    pieces: impl Iterator<Item = impl AsRef<str>>,
) -> io::Result<u64> {
    let part = format!("{name}{PART}");
    let (folder, file) = match session {
        Some(session) => create_in(output_dir, session, &part).map(|(folder, file)| (Some(folder), file))?,
        None => (None, create_new(output_dir, &part)?),
    };
    let directory = folder.as_ref().unwrap_or(output_dir);
    let is_new = || match directory.status(name) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        // Renaming would replace it. Whoever holds the `.part` is the only one who can give this name.
        Ok(_) => Err(io::Error::new(io::ErrorKind::AlreadyExists, "there is a file of this name already")),
        Err(error) => Err(error),
    };
    let written = is_new().and_then(|()| write_pieces(file, pieces));
    let written = written.and_then(|bytes| directory.rename(&part, name).map(|()| bytes));
    if written.is_err() {
        // The first error is the one to tell.
        _ = directory.remove(&part);
    }
    written
}

/// Creates a file in a folder, which a cleanup that finds it empty may delete meanwhile.
fn create_in(output_dir: &Directory, session: &str, name: &str) -> io::Result<(Directory, Writer)> {
    let create = || {
        output_dir.make_folder(session)?;
        let folder = output_dir.folder(session)?;
        create_new(&folder, name).map(|file| (folder, file))
    };
    let mut created = create();
    for _ in 1..MOST_VANISHED {
        match &created {
            Err(error) if error.kind() == io::ErrorKind::NotFound => created = create(),
            _ => break,
        }
    }
    created
}

/// Creates a file that must not exist. A host may fail when the file is there already: it looks at what it has opened.
fn create_new(folder: &Directory, name: &str) -> io::Result<Writer> {
    folder.create(name).inspect_err(|error| {
        if error.kind() != io::ErrorKind::AlreadyExists {
            _ = folder.remove(name);
        }
    })
}

fn write_pieces(file: Writer, pieces: impl Iterator<Item = impl AsRef<str>>) -> io::Result<u64> {
    let mut bytes = 0;
    let mut file = BufWriter::with_capacity(WRITE_BYTES, file);
    for piece in pieces {
        file.write_all(piece.as_ref().as_bytes())?;
        bytes += piece.as_ref().len() as u64;
    }
    file.flush()?;
    // Renamed without this, a file that has its name already is empty after a loss of power.
    synchronised(&file.into_parts().0).map(|()| bytes)
}

/// Lets a host that cannot synchronise do without; every other failure is one of the write.
fn synchronised(file: &impl Synchronise) -> io::Result<()> {
    match file.synchronise() {
        Err(error) if error.kind() == io::ErrorKind::Unsupported => Ok(()),
        result => result,
    }
}

/// A file whose bytes can be brought to the disk.
trait Synchronise {
    fn synchronise(&self) -> io::Result<()>;
}

/// The clock and the size of the memory, for what a call may use.
pub fn gauge() -> Gauge {
    Gauge { milliseconds: clock(), memory_bytes: memory_bytes() }
}

/// A page of WebAssembly, in bytes.
#[cfg(target_family = "wasm")]
const PAGE_BYTES: usize = 64 * 1024;

/// The memory of the component, which never shrinks.
#[cfg(target_family = "wasm")]
fn memory_bytes() -> u64 {
    core::arch::wasm32::memory_size(0) as u64 * PAGE_BYTES as u64
}

/// Natively, nobody asks.
#[cfg(not(target_family = "wasm"))]
fn memory_bytes() -> u64 {
    0
}

/// Returns the error for anything but a regular file before it is opened: opening a pipe would wait for its other end.
fn not_a_file() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, "not a regular file")
}
