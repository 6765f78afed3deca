//! A file on its way to the store: a temporary one of this machine, without a name.

use std::fs::File;
use std::io::{self, Seek, SeekFrom, Write};

/// What has been written of a file so far. It is gone when this is dropped.
#[derive(Debug)]
pub(super) struct Spool {
    file: File,
    bytes: u64,
}

impl Spool {
    /// An empty one.
    pub(super) fn new() -> io::Result<Self> {
        Ok(Self { file: tempfile::tempfile()?, bytes: 0 })
    }

    pub(super) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Writes at a byte.
    pub(super) fn write(&mut self, offset: u64, bytes: &[u8]) -> io::Result<()> {
        self.file.seek(SeekFrom::Start(offset))?;
        self.file.write_all(bytes)?;
        self.bytes = self.bytes.max(offset + bytes.len() as u64);
        Ok(())
    }

    /// The file, to be read from its beginning.
    pub(super) fn content(&self) -> io::Result<File> {
        let mut file = self.file.try_clone()?;
        file.seek(SeekFrom::Start(0))?;
        Ok(file)
    }
}
