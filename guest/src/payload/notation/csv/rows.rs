//! Rows of separated values. A row without quotes is cut where it stands; the others are read by csv-core.

use std::borrow::Cow;

use csv_core::{ReadRecordResult, Reader, ReaderBuilder};
use memchr::{memchr_iter, memchr3};

/// Room for the first row with quotes: most are shorter.
const FIRST_BYTES: usize = 1 << 10;
const FIRST_CELLS: usize = 32;

/// The rows of a text, one after the other. Blank lines are not rows.
pub(super) struct Rows<'a> {
    text: &'a str,
    delimiter: u8,
    /// Where the next row begins, or blank lines before it.
    place: usize,
    /// Lines before that.
    lines: usize,
    /// What reads rows with quotes.
    parser: Reader,
    /// The cells of the last row with quotes, without them.
    unquoted: Vec<u8>,
    /// Where the cells of the last row end.
    ends: Vec<usize>,
}

/// A row.
pub(super) struct Row<'r> {
    /// As it stands in the text, without the end of its line.
    pub raw: &'r str,
    /// Lines of the text before it.
    pub lines_before: usize,
    /// How many lines it has: cells in quotes may have more than one.
    pub lines: usize,
    cells: Cow<'r, str>,
    ends: &'r [usize],
    /// Bytes between two cells.
    gap: usize,
}

impl<'a> Rows<'a> {
    /// Those of this text. With `escapes`, a quote in quotes has a backslash before it, and is not doubled.
    pub(super) fn of(text: &'a str, delimiter: u8, escapes: bool) -> Self {
        let mut parser = ReaderBuilder::new();
        parser.delimiter(delimiter).double_quote(!escapes).escape(escapes.then_some(b'\\'));
        let parser = parser.build();
        Self { text, delimiter, place: 0, lines: 0, parser, unquoted: Vec::new(), ends: Vec::new() }
    }

    /// The next row.
    pub(super) fn next(&mut self) -> Option<Row<'_>> {
        let bytes = self.text.as_bytes();
        while let Some(end_of_line @ (b'\n' | b'\r')) = bytes.get(self.place) {
            self.lines += usize::from(*end_of_line == b'\n');
            self.place += 1;
        }
        let (start, lines_before) = (self.place, self.lines);
        let rest = &bytes[start..];
        if rest.is_empty() {
            return None;
        }
        let end = memchr3(b'\n', b'\r', b'"', rest).unwrap_or(rest.len());
        if rest.get(end) == Some(&b'"') {
            return Some(self.quoted());
        }
        self.ends.clear();
        self.ends.extend(memchr_iter(self.delimiter, &rest[..end]));
        self.ends.push(end);
        self.place += end;
        let raw = &self.text[start..self.place];
        Some(Row { raw, lines_before, lines: 1, cells: Cow::Borrowed(raw), ends: &self.ends, gap: 1 })
    }

    /// The next row, which has quotes.
    fn quoted(&mut self) -> Row<'_> {
        let (start, lines_before) = (self.place, self.lines);
        let (mut written, mut ended) = (0, 0);
        loop {
            // What has nothing left to read ends the last row.
            let rest = &self.text.as_bytes()[self.place..];
            self.unquoted.resize(self.unquoted.len().max(FIRST_BYTES), 0);
            self.ends.resize(self.ends.len().max(FIRST_CELLS), 0);
            let (result, read, more, ends) =
                self.parser.read_record(rest, &mut self.unquoted[written..], &mut self.ends[ended..]);
            self.place += read;
            written += more;
            ended += ends;
            match result {
                ReadRecordResult::OutputFull => self.unquoted.resize(2 * self.unquoted.len(), 0),
                ReadRecordResult::OutputEndsFull => self.ends.resize(2 * self.ends.len(), 0),
                ReadRecordResult::InputEmpty => {}
                ReadRecordResult::Record | ReadRecordResult::End => break,
            }
        }
        let raw = self.text[start..self.place].trim_end_matches(['\n', '\r']);
        let breaks = memchr_iter(b'\n', raw.as_bytes()).count();
        self.place = start + raw.len();
        self.lines += breaks;
        let cells = String::from_utf8_lossy(&self.unquoted[..written]);
        Row { raw, lines_before, lines: breaks + 1, cells, ends: &self.ends[..ended], gap: 0 }
    }
}

impl Row<'_> {
    /// How many cells it has.
    pub(super) fn len(&self) -> usize {
        self.ends.len()
    }

    /// Its cells, without the quotes around them.
    pub(super) fn cells(&self) -> impl Iterator<Item = &str> {
        let mut start = 0;
        self.ends.iter().map(move |&end| {
            let cell = &self.cells[start..end];
            start = end + self.gap;
            cell
        })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use proptest::test_runner::RngSeed;

    use super::*;

    /// The rows of a text, each with the lines before it, how many it has, and its cells.
    fn rows(text: &str, escapes: bool) -> Vec<(usize, usize, Vec<String>)> {
        let mut rows = Rows::of(text, b',', escapes);
        let mut found = Vec::new();
        while let Some(row) = rows.next() {
            assert_eq!(row.len(), row.cells().count());
            found.push((row.lines_before, row.lines, row.cells().map(str::to_owned).collect()));
        }
        found
    }

    #[test]
    fn rows_know_their_lines() {
        let cells = |cells: &[&str]| cells.iter().map(|cell| (*cell).to_owned()).collect::<Vec<_>>();
        assert_eq!(
            rows("a,b\r\n\n\"x\ny\",2\nc\",\rlast", false),
            [
                (0, 1, cells(&["a", "b"])),
                (2, 2, cells(&["x\ny", "2"])),
                (4, 1, cells(&["c\"", ""])),
                (4, 1, cells(&["last"])),
            ]
        );
        // More than there is room for at first.
        let long = format!("\"{}\"{}\n1", "x".repeat(3 * FIRST_BYTES), ",y".repeat(3 * FIRST_CELLS));
        let found = rows(&long, false);
        assert_eq!(found.iter().map(|row| row.2.len()).collect::<Vec<_>>(), [3 * FIRST_CELLS + 1, 1]);
        assert_eq!(found[0].2[0].len(), 3 * FIRST_BYTES);
    }

    proptest! {
        #![proptest_config(ProptestConfig { rng_seed: RngSeed::Fixed(7), failure_persistence: None, ..ProptestConfig::default() })]

        /// Cells are those of the reader that everybody uses.
        #[test]
        fn cells_are_those_of_csv(text in "[ab,\"\\\\\n\ré ]{0,40}", escapes in any::<bool>()) {
            let mut theirs = csv::ReaderBuilder::new();
            theirs.has_headers(false).flexible(true).double_quote(!escapes).escape(escapes.then_some(b'\\'));
            let theirs = theirs.from_reader(text.as_bytes()).into_records();
            let theirs: Vec<Vec<String>> =
                theirs.map(|row| row.expect("a row of a text").iter().map(str::to_owned).collect()).collect();
            let ours: Vec<Vec<String>> = rows(&text, escapes).into_iter().map(|(_, _, cells)| cells).collect();
            prop_assert_eq!(ours, theirs);
        }
    }
}
