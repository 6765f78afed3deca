//! What a program reads: bytes that can be read from any place, and once more when a plan gives up.

use std::io::{self, BufRead};

/// What a line of a file is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Form {
    /// JSON; an empty line is nothing.
    #[default]
    Json,
    /// A string as it stands: what jq makes of it with `-R`.
    Text,
}

/// A file, as often as it is asked for.
pub trait Input {
    /// Begins at this byte of the file.
    fn open(&self, offset: u64) -> io::Result<Box<dyn BufRead + '_>>;

    /// What its lines are.
    fn form(&self) -> Form {
        Form::Json
    }
}

/// A file in memory.
impl Input for &[u8] {
    fn open(&self, offset: u64) -> io::Result<Box<dyn BufRead + '_>> {
        let rest = usize::try_from(offset).ok().and_then(|offset| self.get(offset..));
        Ok(Box::new(rest.unwrap_or_default()))
    }
}

/// An input by the function that opens it, and what its lines are.
pub struct Opened<'a>(pub &'a dyn Fn(u64) -> io::Result<Box<dyn BufRead + 'a>>, pub Form);

impl Input for Opened<'_> {
    fn open(&self, offset: u64) -> io::Result<Box<dyn BufRead + '_>> {
        (self.0)(offset)
    }

    fn form(&self) -> Form {
        self.1
    }
}
