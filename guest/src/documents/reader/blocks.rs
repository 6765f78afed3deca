//! Whole lines of a file, a block of many at a time.

use std::io::{self, BufRead};

/// Reads blocks of whole lines. The last line of a file may lack its end.
#[derive(Debug)]
pub(super) struct Blocks<R> {
    input: R,
    buffer: Vec<u8>,
    /// So much is read before lines are looked at.
    least: usize,
    /// How much of the buffer the latest block was.
    taken: usize,
}

impl<R: BufRead> Blocks<R> {
    pub(super) fn new(input: R, least: usize) -> Self {
        Self { input, buffer: Vec::new(), least, taken: 0 }
    }

    /// The next block; empty at the end of the file. A line that is longer than a block makes it as long.
    pub(super) fn next(&mut self) -> io::Result<&[u8]> {
        self.buffer.drain(..self.taken);
        // What is left of the latest block has no newline.
        let mut searched = self.buffer.len();
        self.taken = loop {
            let block = self.input.fill_buf()?;
            if block.is_empty() {
                break self.buffer.len();
            }
            // Memory is one block, and a block would be all of it.
            let bytes = block.len().min(self.least);
            self.buffer.extend_from_slice(&block[..bytes]);
            self.input.consume(bytes);
            if self.buffer.len() < self.least {
                continue;
            }
            if let Some(newline) = memchr::memrchr(b'\n', &self.buffer[searched..]) {
                break searched + newline + 1;
            }
            searched = self.buffer.len();
        };
        Ok(&self.buffer[..self.taken])
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
