//! What a program reads: bytes that can be read from any place, and once more when a plan gives up.

use std::io::BufRead;

use crate::error::Error;

/// A file, as often as it is asked for.
pub trait Input {
    /// Begins at this byte of the file.
    fn open(&self, offset: u64) -> Result<Box<dyn BufRead + '_>, Error>;
}

/// A file in memory.
impl Input for &[u8] {
    fn open(&self, offset: u64) -> Result<Box<dyn BufRead + '_>, Error> {
        let rest = usize::try_from(offset).ok().and_then(|offset| self.get(offset..));
        Ok(Box::new(rest.unwrap_or_default()))
    }
}

/// An input by the function that opens it.
pub struct Opened<'a>(pub &'a dyn Fn(u64) -> Result<Box<dyn BufRead + 'a>, Error>);

impl Input for Opened<'_> {
    fn open(&self, offset: u64) -> Result<Box<dyn BufRead + '_>, Error> {
        (self.0)(offset)
    }
}
