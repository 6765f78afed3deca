//! Checks that a file is as long as its header says. A power failure or an interrupted copy leaves it shorter.

use std::io::{self, BufRead};

use lro_query::End;

use crate::file::header::Header;
use crate::file::kind::Kind;

/// Describes how the end of a file differs from what its header promises.
pub fn difference(end: End, header: &Header) -> Option<String> {
    let is_text = header.lro.kind == Kind::Text;
    let (found, promised, what) = (end.lines, header.count, if is_text { "lines" } else { "records" });
    // A text is stored as it came: its last line may have no end.
    let is_cut = end.is_open && !is_text;
    if found > promised {
        return Some(format!("the file has {found} {what}, and its header says {promised}: something was added to it"));
    }
    match (found < promised, is_cut) {
        (true, true) => Some(format!("the file was cut: it has {found} of {promised} {what}, the last one in part")),
        (true, false) => Some(format!("the file was cut: it has {found} of {promised} {what}")),
        (false, true) => Some(format!("the file was cut: the last of its {promised} {what} is there in part")),
        (false, false) => None,
    }
}

/// A reader that remembers where it ended.
#[derive(Debug)]
pub struct MeasuredReader<R> {
    input: R,
    ends: usize,
    last: u8,
}

impl<R: BufRead> MeasuredReader<R> {
    /// Starts after a header.
    pub fn new(input: R) -> Self {
        Self { input, ends: 0, last: b'\n' }
    }

    /// The end, once all has been read.
    pub fn end(&self) -> End {
        let is_open = self.last != b'\n';
        End { lines: u32::try_from(self.ends + usize::from(is_open)).unwrap_or(u32::MAX), is_open }
    }
}

impl<R: BufRead> io::Read for MeasuredReader<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let bytes = io::Read::read(&mut self.fill_buf()?, buffer)?;
        self.consume(bytes);
        Ok(bytes)
    }
}

impl<R: BufRead> BufRead for MeasuredReader<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        self.input.fill_buf()
    }

    fn consume(&mut self, bytes: usize) {
        // What is consumed stands in the buffer, which can be had again.
        if let Ok(block) = self.input.fill_buf()
            && let Some(used) = block.get(..bytes)
            && let Some(last) = used.last()
        {
            self.last = *last;
            self.ends += memchr::memchr_iter(b'\n', used).count();
        }
        self.input.consume(bytes);
    }
}

#[cfg(test)]
mod tests {
    use std::io::{BufReader, Read};

    use super::*;

    #[test]
    fn an_end_is_found_in_blocks_of_any_size() {
        for (text, lines, is_open) in
            [("", 0, false), ("a\n", 1, false), ("a", 1, true), ("a\n\nb\n", 3, false), ("a\nb", 2, true)]
        {
            for bytes in 1..4 {
                let end = End { lines, is_open };
                assert_eq!(End::of(BufReader::with_capacity(bytes, text.as_bytes())).unwrap(), end, "{text:?}");
                let mut measured = MeasuredReader::new(BufReader::with_capacity(bytes, text.as_bytes()));
                measured.read_to_end(&mut Vec::new()).unwrap();
                assert_eq!(measured.end(), end, "{text:?}");
            }
        }
    }

    #[test]
    fn what_is_missing_or_too_much_is_told() {
        let header = |kind| {
            let line = r#"{"type":"lro_header","operation":"recall","query":null,"count":2,"schema_version":"1.0.0","timestamp":"2026-01-01T00:00:00.000Z","estimated_tokens":9,"detail":"full"}"#;
            let mut header = Header::parse(line.as_bytes(), "lro_header").expect("it is a header");
            header.lro.kind = kind;
            header
        };
        let rows = [
            (Kind::Records, 2, false, None),
            (Kind::Records, 3, false, Some("the file has 3 records, and its header says 2: something was added to it")),
            (Kind::Records, 1, false, Some("the file was cut: it has 1 of 2 records")),
            (Kind::Records, 1, true, Some("the file was cut: it has 1 of 2 records, the last one in part")),
            (Kind::Records, 2, true, Some("the file was cut: the last of its 2 records is there in part")),
            (Kind::Text, 2, true, None),
            (Kind::Text, 1, true, Some("the file was cut: it has 1 of 2 lines")),
        ];
        for (kind, lines, is_open, expected) in rows {
            let found = difference(End { lines, is_open }, &header(kind));
            assert_eq!(found.as_deref(), expected, "{kind:?} {lines} {is_open}");
        }
    }
}
