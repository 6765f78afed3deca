//! The lines of a file, where they stand in the blocks that it is read in.

use std::io::{self, BufRead};

use crate::run::input::Form;

/// Reads lines from a file and tells where they begin.
#[derive(Debug)]
pub(crate) struct Lines<R> {
    input: R,
    form: Form,
    /// Where the next line begins in the file.
    offset: u64,
    /// How much of the block at hand the latest line was.
    taken: usize,
    /// The latest line, if it did not stand in one block.
    joined: Vec<u8>,
    /// The last line of the file lacks its end.
    pub is_open: bool,
}

/// A line without its end, and where it begins. The end of a line of JSON may be that of another system.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Line<'a> {
    /// Its bytes.
    pub bytes: &'a [u8],
    /// Its first byte's position in the file.
    pub offset: u64,
    /// There is nothing in it, and it is no empty text.
    pub is_blank: bool,
}

impl<R: BufRead> Lines<R> {
    /// Lines of an input whose first byte stands at `offset` in its file.
    pub(crate) fn new(input: R, form: Form, offset: u64) -> Self {
        Self { input, form, offset, taken: 0, joined: Vec::new(), is_open: false }
    }

    /// The next line; the last one may lack its newline. Lines longer than `most` bytes are an error.
    pub(crate) fn next(&mut self, most: usize) -> io::Result<Option<Line<'_>>> {
        self.input.consume(std::mem::take(&mut self.taken));
        self.joined.clear();
        let offset = self.offset;
        let length = loop {
            let block = self.input.fill_buf()?;
            let end = memchr::memchr(b'\n', block);
            if let Some(end) = end {
                self.taken = end + 1;
                self.offset += (self.joined.len() + end + 1) as u64;
                if self.joined.is_empty() {
                    break end;
                }
            }
            let bytes = end.unwrap_or(block.len());
            self.joined.extend_from_slice(&block[..bytes]);
            if end.is_some() {
                return Ok(Some(line(&self.joined, self.form, offset)));
            }
            if bytes == 0 {
                self.offset += self.joined.len() as u64;
                self.is_open |= !self.joined.is_empty();
                return Ok((!self.joined.is_empty()).then(|| line(&self.joined, self.form, offset)));
            }
            self.input.consume(bytes);
            if self.joined.len() > most {
                return Err(too_long(most));
            }
        };
        Ok(Some(line(&self.input.fill_buf()?[..length], self.form, offset)))
    }
}

fn line(bytes: &[u8], form: Form, offset: u64) -> Line<'_> {
    match form {
        Form::Json => {
            let bytes = bytes.strip_suffix(b"\r").unwrap_or(bytes);
            Line { bytes, offset, is_blank: bytes.is_empty() }
        }
        Form::Text => Line { bytes, offset, is_blank: false },
    }
}

/// How many lines end in an input.
pub(crate) fn count_lines(mut input: impl BufRead) -> io::Result<u32> {
    let mut lines = 0;
    loop {
        let block = input.fill_buf()?;
        if block.is_empty() {
            return Ok(u32::try_from(lines).unwrap_or(u32::MAX));
        }
        lines += memchr::memchr_iter(b'\n', block).count();
        let bytes = block.len();
        input.consume(bytes);
    }
}

fn too_long(most: usize) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, format!("a line is longer than {most} bytes"))
}

#[cfg(test)]
mod tests {
    use std::io::BufReader;

    use super::*;

    const BLOCK_BYTES: usize = 64 * 1024;

    /// The lines of a text that is read in blocks of so many bytes.
    fn all(text: &[u8], form: Form, offset: u64, block_bytes: usize) -> Vec<(Vec<u8>, u64)> {
        let mut lines = Lines::new(BufReader::with_capacity(block_bytes, text), form, offset);
        let mut seen = Vec::new();
        while let Some(line) = lines.next(1 << 20).unwrap() {
            seen.push((line.bytes.to_vec(), line.offset));
        }
        seen
    }

    #[test]
    fn lines_are_told_apart_with_their_offsets() {
        let line = |text: &str, offset| (text.as_bytes().to_vec(), offset);
        for block_bytes in [1, 2, 3, 100] {
            for (form, third) in [(Form::Json, "bc"), (Form::Text, "bc\r")] {
                let seen = all(b"a\n\nbc\r\nd", form, 10, block_bytes);
                assert_eq!(seen, [line("a", 10), line("", 12), line(third, 13), line("d", 17)]);
                assert_eq!(all(b"", form, 0, block_bytes), []);
                assert_eq!(all(b"a\n", form, 0, block_bytes), [line("a", 0)]);
            }
        }
    }

    #[test]
    fn lines_longer_than_a_block_are_put_together() {
        let long = "x".repeat(3 * BLOCK_BYTES + 7);
        let seen = all(format!("{long}\n{long}\n").as_bytes(), Form::Text, 0, BLOCK_BYTES);
        assert_eq!(seen.len(), 2);
        assert!(seen.iter().all(|(line, _)| line == long.as_bytes()));
        assert!(Lines::new(BufReader::with_capacity(64, long.as_bytes()), Form::Text, 0).next(100).is_err());
    }
}
