//! Whole lines of a file, a block of many at a time.

use std::io::{self, BufRead};

/// Reads blocks of whole lines. The last line of a file may lack its end.
#[derive(Debug)]
pub(super) struct Blocks<R> {
    input: R,
    /// A block has no more bytes, but for a line that is longer.
    most: usize,
    /// The latest block, if it stands in the buffer of the input, has so many bytes.
    taken: usize,
    /// The front of a line whose end stands in another buffer.
    line: Vec<u8>,
    /// The line is the latest block.
    is_taken: bool,
}

impl<R: BufRead> Blocks<R> {
    pub(super) fn new(input: R, most: usize) -> Self {
        Self { input, most, taken: 0, line: Vec::new(), is_taken: false }
    }

    /// The next block; empty at the end of the file. Only a line that two buffers of the input share is copied.
    pub(super) fn next(&mut self) -> io::Result<&[u8]> {
        self.input.consume(std::mem::take(&mut self.taken));
        if std::mem::take(&mut self.is_taken) {
            self.line.clear();
        }
        loop {
            let buffer = self.input.fill_buf()?;
            let block = &buffer[..buffer.len().min(self.most)];
            let end = match self.line.is_empty() {
                true => memchr::memrchr(b'\n', block),
                false => memchr::memchr(b'\n', block),
            };
            if self.line.is_empty()
                && let Some(end) = end
            {
                self.taken = end + 1;
                return Ok(&self.input.fill_buf()?[..self.taken]);
            }
            let bytes = end.map_or(block.len(), |end| end + 1);
            self.line.extend_from_slice(&block[..bytes]);
            self.input.consume(bytes);
            if end.is_some() || bytes == 0 {
                self.is_taken = true;
                return Ok(&self.line);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::BufReader;

    use super::*;

    #[test]
    fn blocks_are_whole_lines_and_together_the_file() {
        let short = "a line of the file\n".repeat(40_000);
        let long = format!("{}\nb\n{}", "x".repeat(600_000), "y".repeat(300_000));
        for text in [short.as_str(), &long, "", "a", "a\n"] {
            let mut blocks = Blocks::new(BufReader::with_capacity(1000, text.as_bytes()), 256 << 10);
            let mut together = Vec::new();
            loop {
                let block = blocks.next().unwrap();
                if block.is_empty() {
                    break;
                }
                together.extend_from_slice(block);
                assert!(block.ends_with(b"\n") || together.len() == text.len());
            }
            assert!(together == text.as_bytes());
        }
    }
}
