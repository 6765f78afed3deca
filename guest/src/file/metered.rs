//! What is read takes steps, so that a call ends however much there is to read.

use std::io::{self, BufRead};

use lro_query::{Budget, Error as Cause, Spent};

use crate::error::{Error, Problem};

/// A reader that takes the steps of what it reads.
#[derive(Debug)]
pub struct MeteredReader<R> {
    path: String,
    input: R,
    /// Bytes that were read, and have taken no steps yet.
    read: usize,
}

impl<R: BufRead> MeteredReader<R> {
    /// Reads the file at a path.
    pub fn new(path: &str, input: R) -> Self {
        Self { path: path.to_owned(), input, read: 0 }
    }
}

impl<R: BufRead> io::Read for MeteredReader<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let bytes = io::Read::read(&mut self.fill_buf()?, buffer)?;
        self.consume(bytes);
        Ok(bytes)
    }
}

impl<R: BufRead> BufRead for MeteredReader<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        if self.read > 0 {
            let steps = Budget::read(std::mem::take(&mut self.read));
            steps.map_err(|cause| io::Error::other(used_up(&self.path, cause)))?;
        }
        self.input.fill_buf()
    }

    fn consume(&mut self, bytes: usize) {
        self.read += bytes;
        self.input.consume(bytes);
    }
}

/// The error of a call that reads a file and has used up what it may use.
pub fn used_up(path: &str, cause: Cause) -> Error {
    let Cause::Spent(spent) = cause else { return Error::Other(cause.to_string()) };
    let (limit, value) = match spent {
        Spent::Steps(most) => ("max_steps", most),
        Spent::Milliseconds(most) => ("max_milliseconds", most),
        Spent::Memory(most) => ("max_memory_mib", most >> 20),
        other => return Error::Other(format!("cannot read `{path}`: {other}")),
    };
    let problem =
        Problem::new(format!("cannot read `{path}`: {spent}"), format!("ask for a part of the file, or raise {limit}"));
    Error::LimitReached { problem, limit, value: u32::try_from(value).unwrap_or(u32::MAX) }
}
