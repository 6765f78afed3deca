//! What a program reads: bytes that can be read once more when a plan gives up.

use std::io::Read;

use crate::error::Error;

/// Something that can be read from its front, as often as is asked for.
pub trait Input {
    /// Begins at the front.
    fn open(&self) -> Result<Box<dyn Read + '_>, Error>;
}

impl Input for &[u8] {
    fn open(&self) -> Result<Box<dyn Read + '_>, Error> {
        Ok(Box::new(*self))
    }
}

/// An input by the function that opens it.
pub struct Opened<'a>(pub &'a dyn Fn() -> Result<Box<dyn Read + 'a>, Error>);

impl Input for Opened<'_> {
    fn open(&self) -> Result<Box<dyn Read + '_>, Error> {
        (self.0)()
    }
}
