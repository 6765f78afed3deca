//! The granted directory, by WASI's own calls.
//!
//! The standard library is not used: it asks for `mutate-directory` on every file that it opens for writing, which some
//! hosts refuse, and it follows links.

use std::io::{self, BufRead, Read, Write};

use wasip2::clocks::wall_clock;
use wasip2::filesystem::preopens::get_directories;
use wasip2::filesystem::types::{Descriptor, DescriptorFlags, DescriptorType, ErrorCode, OpenFlags, PathFlags};
use wasip2::random::random::get_random_u64;

use super::{EntryKind, Status, Synchronise, WRITE_BYTES, not_a_file};
use crate::file::instant::Instant;

/// wasmtime gives at most this much at a time.
const READ_BYTES: u64 = 64 * 1024;

/// A directory that the host has granted, or a folder in one.
#[derive(Debug)]
pub struct Directory(Descriptor);

/// A file open for reading. The blocks that the host gives are handed out as they are.
#[derive(Debug)]
pub struct Reader {
    file: Descriptor,
    /// Where the next block begins.
    offset: u64,
    block: Vec<u8>,
    /// How much of the block has been handed out.
    used: usize,
}

/// A file open for writing, and how far it has been written.
#[derive(Debug)]
pub struct Writer {
    file: Descriptor,
    offset: u64,
}

impl Directory {
    /// Looks up the output directory among those that the host has granted; an empty name means the only one.
    pub fn open(output_dir: &str) -> io::Result<Self> {
        let name =
            |granted: &str| granted == output_dir || granted.trim_end_matches('/') == output_dir.trim_end_matches('/');
        let mut granted = get_directories();
        let found = match (output_dir, granted.len()) {
            ("", 1) => Some(0),
            ("", _) => None,
            _ => granted.iter().position(|(_, path)| name(path)),
        };
        match found {
            Some(position) => Ok(Self(granted.swap_remove(position).0)),
            None => Err(io::Error::new(
                io::ErrorKind::NotFound,
                "the output directory does not exist, or is not granted to the component",
            )),
        }
    }

    /// Opens a folder in it.
    pub fn folder(&self, name: &str) -> io::Result<Self> {
        let flags = DescriptorFlags::READ | DescriptorFlags::MUTATE_DIRECTORY;
        let opened = self.0.open_at(PathFlags::empty(), name, OpenFlags::DIRECTORY, flags);
        // A directory that is granted for reading only does not give more.
        let read_only = || self.0.open_at(PathFlags::empty(), name, OpenFlags::DIRECTORY, DescriptorFlags::READ);
        opened.or_else(|_| read_only()).map(Self).map_err(failure)
    }

    /// Makes a folder in it unless there is one.
    pub fn make_folder(&self, name: &str) -> io::Result<()> {
        match self.0.create_directory_at(name) {
            Err(ErrorCode::Exist) | Ok(()) => Ok(()),
            Err(code) => Err(failure(code)),
        }
    }

    /// Shows each name in it, in any order.
    pub fn each_name(&self, mut show: impl FnMut(String)) -> io::Result<()> {
        let entries = self.0.read_directory().map_err(failure)?;
        loop {
            match entries.read_directory_entry() {
                Ok(Some(entry)) => show(entry.name),
                Ok(None) => return Ok(()),
                // An entry that has gone meanwhile, or whose name is no text, hides no other one.
                Err(ErrorCode::NoEntry | ErrorCode::IllegalByteSequence) => {}
                Err(code) => return Err(failure(code)),
            }
        }
    }

    /// What is known of an entry.
    pub fn status(&self, name: &str) -> io::Result<Status> {
        let status = self.0.stat_at(PathFlags::empty(), name).map_err(failure)?;
        let kind = match status.type_ {
            DescriptorType::RegularFile => EntryKind::File,
            DescriptorType::Directory => EntryKind::Directory,
            _ => EntryKind::Other,
        };
        let modified = status.data_modification_timestamp.map(|time| milliseconds(time.seconds, time.nanoseconds));
        Ok(Status { kind, bytes: status.size, modified })
    }

    /// Opens a file for reading from a byte on.
    pub fn read(&self, name: &str, offset: u64) -> io::Result<Reader> {
        if self.status(name)?.kind != EntryKind::File {
            return Err(not_a_file());
        }
        self.read_shown(name).map(|reader| Reader { offset, ..reader })
    }

    /// Opens a file that the host shows for this call: it may be in no listing.
    pub fn read_shown(&self, name: &str) -> io::Result<Reader> {
        let open = || self.0.open_at(PathFlags::empty(), name, OpenFlags::empty(), DescriptorFlags::READ);
        Ok(Reader { file: repeated(open)?, offset: 0, block: Vec::new(), used: 0 })
    }

    /// Creates a file that must not exist.
    pub fn create(&self, name: &str) -> io::Result<Writer> {
        let flags = OpenFlags::CREATE | OpenFlags::EXCLUSIVE;
        let open = || self.0.open_at(PathFlags::empty(), name, flags, DescriptorFlags::WRITE);
        Ok(Writer { file: repeated(open)?, offset: 0 })
    }

    /// Renames a file within the directory.
    pub fn rename(&self, from: &str, to: &str) -> io::Result<()> {
        repeated(|| self.0.rename_at(from, &self.0, to))
    }

    /// Deletes a file.
    pub fn remove(&self, name: &str) -> io::Result<()> {
        repeated(|| self.0.unlink_file_at(name))
    }

    /// Deletes a folder in it that is empty.
    pub fn remove_folder(&self, name: &str) -> io::Result<()> {
        repeated(|| self.0.remove_directory_at(name))
    }
}

impl Read for Reader {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let bytes = self.fill_buf()?.read(buffer)?;
        self.consume(bytes);
        Ok(bytes)
    }
}

impl BufRead for Reader {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        if self.used == self.block.len() {
            let (block, _end) = repeated(|| self.file.read(READ_BYTES, self.offset))?;
            self.offset += block.len() as u64;
            self.block = block;
            self.used = 0;
        }
        Ok(&self.block[self.used..])
    }

    fn consume(&mut self, bytes: usize) {
        self.used += bytes;
    }
}

impl Write for Writer {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        // The host copies what it gets: a text of 60 MB, which is written as it is, would be in memory twice.
        let bytes = &bytes[..bytes.len().min(WRITE_BYTES)];
        let written = repeated(|| self.file.write(bytes, self.offset))?;
        self.offset += written;
        Ok(usize::try_from(written).expect("no more is written than was given"))
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Synchronise for Writer {
    fn synchronise(&self) -> io::Result<()> {
        repeated(|| self.file.sync_data())
    }
}

/// Calls the host again when a signal came between.
fn repeated<T>(mut call: impl FnMut() -> Result<T, ErrorCode>) -> io::Result<T> {
    loop {
        match call() {
            Err(ErrorCode::Interrupted) => {}
            result => return result.map_err(failure),
        }
    }
}

/// This moment and chance.
pub fn instant() -> io::Result<Instant> {
    let now = wall_clock::now();
    let (high, low) = (get_random_u64(), get_random_u64());
    let random = u128::from(high) << 64 | u128::from(low);
    Ok(Instant { milliseconds: milliseconds(now.seconds, now.nanoseconds), random })
}

/// Milliseconds, for how long something takes. The clock may be set meanwhile: one that cannot is another import, which
/// some hosts do not have.
pub fn clock() -> u64 {
    let now = wall_clock::now();
    milliseconds(now.seconds, now.nanoseconds)
}

fn milliseconds(seconds: u64, nanoseconds: u32) -> u64 {
    seconds.saturating_mul(1000).saturating_add(u64::from(nanoseconds / 1_000_000))
}

/// WASI's error codes in words.
fn failure(code: ErrorCode) -> io::Error {
    use io::ErrorKind::*;
    let (kind, reason) = match code {
        ErrorCode::NoEntry => (NotFound, "no such file or directory"),
        ErrorCode::Access | ErrorCode::NotPermitted => (PermissionDenied, "permission denied"),
        ErrorCode::ReadOnly => (ReadOnlyFilesystem, "the file system is read-only"),
        ErrorCode::InsufficientSpace => (StorageFull, "no space left on the device"),
        ErrorCode::Quota => (QuotaExceeded, "the disk quota is exceeded"),
        ErrorCode::FileTooLarge => (FileTooLarge, "the file would be too large"),
        ErrorCode::Exist => (AlreadyExists, "the file exists already"),
        ErrorCode::NotDirectory => (NotADirectory, "not a directory"),
        ErrorCode::IsDirectory => (IsADirectory, "it is a directory"),
        ErrorCode::Loop => (InvalidInput, "it is a symbolic link"),
        // A host's answer to the opening of a pipe or a device.
        ErrorCode::NoSuchDevice => return not_a_file(),
        // A host's answer when it has no descriptors left, too.
        ErrorCode::InsufficientMemory => {
            (OutOfMemory, "the system has too little memory, or too few file descriptors (`ulimit -n`)")
        }
        ErrorCode::Unsupported => (Unsupported, "not supported"),
        ErrorCode::Io => (Other, "the disk reports an input or output error"),
        other => return io::Error::other(other.name().to_owned()),
    };
    io::Error::new(kind, reason)
}
