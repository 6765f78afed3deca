//! The lines of a file, read in blocks.

use std::io::{self, Read};

/// As much as the host gives at a time.
pub(super) const BLOCK_BYTES: usize = 64 * 1024;

/// Reads lines from a file and tells where they begin.
#[derive(Debug)]
pub(super) struct Lines<R> {
    input: R,
    buffer: Vec<u8>,
    /// The part of the buffer that has not been handed out.
    pending: std::ops::Range<usize>,
    /// Where the pending part begins in the file.
    offset: u64,
    ended: bool,
}

/// A line without its end, and where it and the next one begin.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Line<'a> {
    /// Its bytes.
    pub bytes: &'a [u8],
    /// Its first byte's position in the file.
    pub offset: u64,
}

impl<R: Read> Lines<R> {
    /// Lines of an input whose first byte stands at `offset` in its file.
    pub(super) fn new(input: R, offset: u64) -> Self {
        Self { input, buffer: Vec::new(), pending: 0..0, offset, ended: false }
    }

    /// The next line; the last one may lack its newline. Lines longer than `most` bytes are an error.
    pub(super) fn next(&mut self, most: usize) -> io::Result<Option<Line<'_>>> {
        let mut searched = 0;
        loop {
            let pending = &self.buffer[self.pending.clone()];
            let end = memchr::memchr(b'\n', &pending[searched..]).map(|found| searched + found);
            let (length, consumed) = match end {
                Some(length) => (length, length + 1),
                None if self.ended && pending.is_empty() => return Ok(None),
                None if self.ended => (pending.len(), pending.len()),
                None if pending.len() > most => return Err(too_long(most)),
                None => {
                    searched = pending.len();
                    self.fill()?;
                    continue;
                }
            };
            let (start, offset) = (self.pending.start, self.offset);
            self.pending.start += consumed;
            self.offset += consumed as u64;
            let bytes = &self.buffer[start..start + length];
            return Ok(Some(Line { bytes: bytes.strip_suffix(b"\r").unwrap_or(bytes), offset }));
        }
    }

    fn fill(&mut self) -> io::Result<()> {
        if self.pending.start > 0 {
            self.buffer.copy_within(self.pending.clone(), 0);
            self.pending = 0..self.pending.len();
        }
        let wanted = self.pending.end + BLOCK_BYTES;
        if self.buffer.len() < wanted {
            self.buffer.resize(wanted.max(self.buffer.len() * 2), 0);
        }
        let end = self.pending.end;
        let read = self.input.read(&mut self.buffer[end..end + BLOCK_BYTES])?;
        self.pending.end += read;
        self.ended = read == 0;
        Ok(())
    }
}

/// How many lines end in an input.
pub(super) fn count_lines(mut input: impl Read) -> io::Result<u32> {
    let mut block = vec![0; BLOCK_BYTES];
    let mut lines = 0;
    loop {
        match input.read(&mut block)? {
            0 => return Ok(u32::try_from(lines).unwrap_or(u32::MAX)),
            bytes => lines += memchr::memchr_iter(b'\n', &block[..bytes]).count(),
        }
    }
}

fn too_long(most: usize) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, format!("a line is longer than {most} bytes"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(text: &[u8], offset: u64) -> Vec<(Vec<u8>, u64)> {
        let mut lines = Lines::new(text, offset);
        let mut seen = Vec::new();
        while let Some(line) = lines.next(1 << 20).unwrap() {
            seen.push((line.bytes.to_vec(), line.offset));
        }
        seen
    }

    #[test]
    fn lines_are_told_apart_with_their_offsets() {
        let line = |text: &str, offset| (text.as_bytes().to_vec(), offset);
        assert_eq!(all(b"a\n\nbc\r\nd", 10), [line("a", 10), line("", 12), line("bc", 13), line("d", 17)]);
        assert_eq!(all(b"", 0), []);
    }

    #[test]
    fn lines_longer_than_a_block_are_put_together() {
        let long = "x".repeat(3 * BLOCK_BYTES + 7);
        let seen = all(format!("{long}\n{long}\n").as_bytes(), 0);
        assert_eq!(seen.len(), 2);
        assert!(seen.iter().all(|(line, _)| line == long.as_bytes()));
        assert!(Lines::new(long.as_bytes(), 0).next(100).is_err());
    }
}
