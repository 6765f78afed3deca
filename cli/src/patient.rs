//! Streams that may be non-blocking. Launchers may leave the standard streams of a command so (those in Node do), and "not
//! now" is then neither an end nor an error.

use std::io::{self, Read, Write};

/// A stream whose calls wait until they can succeed.
pub(super) struct Patient<S>(S);

impl<S> Patient<S> {
    pub(super) fn new(stream: S) -> Self {
        Self(stream)
    }
}

#[cfg(unix)]
impl<S: Read + std::os::fd::AsFd> Read for Patient<S> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            match self.0.read(buffer) {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => crate::system::wait_to_read(&self.0)?,
                read => return read,
            }
        }
    }
}

#[cfg(unix)]
impl<S: Write + std::os::fd::AsFd> Write for Patient<S> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        loop {
            match self.0.write(bytes) {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => crate::system::wait_to_write(&self.0)?,
                written => return written,
            }
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        loop {
            match self.0.flush() {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => crate::system::wait_to_write(&self.0)?,
                flushed => return flushed,
            }
        }
    }
}

/// Elsewhere standard streams block.
#[cfg(not(unix))]
impl<S: Read> Read for Patient<S> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.0.read(buffer)
    }
}

#[cfg(not(unix))]
impl<S: Write> Write for Patient<S> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}
