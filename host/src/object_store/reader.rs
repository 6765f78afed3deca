//! An object as a stream of bytes.

use std::io::{self, Read};

use super::ObjectStore;
use super::window::Window;

/// Reads an object from a byte on, in ranges.
pub(crate) struct ObjectReader<'a> {
    store: &'a dyn ObjectStore,
    name: &'a str,
    window: Window,
    offset: u64,
}

impl<'a> ObjectReader<'a> {
    /// Begins at `offset`.
    pub(crate) fn open(store: &'a dyn ObjectStore, name: &'a str, offset: u64) -> io::Result<Self> {
        Ok(Self { store, name, window: Window::of(store.stat(name)?.bytes), offset })
    }
}

impl Read for ObjectReader<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let (store, name) = (self.store, self.name);
        let (bytes, _) = self.window.read(self.offset, buffer.len() as u64, |range| store.read(name, range))?;
        buffer[..bytes.len()].copy_from_slice(&bytes);
        self.offset += bytes.len() as u64;
        Ok(bytes.len())
    }
}
