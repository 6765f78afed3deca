//! Rows of separated values. A row without quotes is cut where it stands; the others are read by csv-core.

use std::borrow::Cow;

use csv_core::{ReadRecordResult, Reader, ReaderBuilder};
use lro_query::json::Lanes;
use memchr::memchr_iter;

/// Bytes that are looked at together.
const CHUNK_BYTES: usize = 16;

/// Room for the first row with quotes: most are shorter.
const FIRST_BYTES: usize = 1 << 10;
const FIRST_CELLS: usize = 32;

/// The rows of a text, one after the other. Blank lines are not rows.
pub(super) struct Rows<'a> {
    text: &'a str,
    cutter: Cutter,
    /// Where the next row begins, or blank lines before it.
    place: usize,
    /// Lines before that.
    lines: usize,
}

/// Cuts rows into their cells.
#[derive(Debug)]
pub(super) struct Cutter {
    delimiter: u8,
    escapes: bool,
    /// What reads rows with quotes, made for the first of them: its tables take as long as many rows without quotes.
    parser: Option<Box<Reader>>,
    /// The cells of the last row with quotes, without them.
    unquoted: Vec<u8>,
    /// Where the cells of the last row end.
    ends: Vec<usize>,
}

/// A row of a text, in what its reader holds.
pub(super) struct Row<'t, 'r> {
    /// As it stands in the text, without the end of its line.
    pub raw: &'t str,
    /// The same with all that was read to know where it ends: cut again, this is the same row.
    pub read: &'t str,
    /// Lines of the text before it.
    pub lines_before: usize,
    /// How many lines it has: cells in quotes may have more than one.
    pub lines: usize,
    /// No cell has a byte that JSON escapes.
    pub is_plain: bool,
    cells: Cow<'r, str>,
    ends: &'r [usize],
    /// Bytes between two cells.
    gap: usize,
}

impl<'a> Rows<'a> {
    /// Those of this text. With `escapes`, a quote in quotes has a backslash before it, and is not doubled.
    pub(super) fn of(text: &'a str, delimiter: u8, escapes: bool) -> Self {
        Self { text, cutter: Cutter::of(delimiter, escapes), place: 0, lines: 0 }
    }

    /// Goes on with the rows of this text, as if it were all.
    pub(super) fn restart(&mut self, text: &'a str) {
        (self.text, self.place, self.lines) = (text, 0, 0);
    }

    /// The next row.
    pub(super) fn next(&mut self) -> Option<Row<'a, '_>> {
        while let Some(end_of_line @ (b'\n' | b'\r')) = self.text.as_bytes().get(self.place) {
            self.lines += usize::from(*end_of_line == b'\n');
            self.place += 1;
        }
        let rest = Some(&self.text[self.place..]).filter(|rest| !rest.is_empty())?;
        let row = Row { lines_before: self.lines, ..self.cutter.first(rest) };
        self.place += row.raw.len();
        self.lines += row.lines - 1;
        Some(row)
    }
}

impl Cutter {
    /// For rows with this delimiter; `escapes` as for [`Rows::of`].
    pub(super) fn of(delimiter: u8, escapes: bool) -> Self {
        Self { delimiter, escapes, parser: None, unquoted: Vec::new(), ends: Vec::new() }
    }

    /// The row with which a text begins.
    pub(super) fn first<'t: 'r, 'r>(&'r mut self, text: &'t str) -> Row<'t, 'r> {
        self.ends.clear();
        let (end, is_plain) = find_ends(text.as_bytes(), self.delimiter, &mut self.ends);
        if text.as_bytes().get(end) == Some(&b'"') {
            return self.quoted(text);
        }
        let raw = &text[..end];
        let (cells, ends) = (Cow::Borrowed(raw), self.ends.as_slice());
        Row { raw, read: raw, lines_before: 0, lines: 1, is_plain, cells, ends, gap: 1 }
    }

    /// The same for a row that has quotes.
    #[inline(never)]
    fn quoted<'t: 'r, 'r>(&'r mut self, text: &'t str) -> Row<'t, 'r> {
        let (delimiter, escapes) = (self.delimiter, self.escapes);
        let parser = self.parser.get_or_insert_with(|| {
            let mut parser = ReaderBuilder::new();
            parser.delimiter(delimiter).double_quote(!escapes).escape(escapes.then_some(b'\\'));
            Box::new(parser.build())
        });
        parser.reset();
        let (mut read, mut written, mut ended) = (0, 0, 0);
        loop {
            // What has nothing left to read ends the last row.
            let rest = &text.as_bytes()[read..];
            self.unquoted.resize(self.unquoted.len().max(FIRST_BYTES), 0);
            self.ends.resize(self.ends.len().max(FIRST_CELLS), 0);
            let (result, more_read, more_written, more_ended) =
                parser.read_record(rest, &mut self.unquoted[written..], &mut self.ends[ended..]);
            read += more_read;
            written += more_written;
            ended += more_ended;
            match result {
                ReadRecordResult::OutputFull => self.unquoted.resize(2 * self.unquoted.len(), 0),
                ReadRecordResult::OutputEndsFull => self.ends.resize(2 * self.ends.len(), 0),
                ReadRecordResult::InputEmpty => {}
                ReadRecordResult::Record | ReadRecordResult::End => break,
            }
        }
        let read = &text[..read];
        let raw = read.trim_end_matches(['\n', '\r']);
        let lines = memchr_iter(b'\n', raw.as_bytes()).count() + 1;
        let cells = String::from_utf8_lossy(&self.unquoted[..written]);
        Row { raw, read, lines_before: 0, lines, is_plain: false, cells, ends: &self.ends[..ended], gap: 0 }
    }
}

/// Finds where the cells of the first row end, as far as it has no quotes. Returns where the last of them ends or a quote
/// is, and whether nothing before that is escaped in JSON.
fn find_ends(text: &[u8], delimiter: u8, ends: &mut Vec<usize>) -> (usize, bool) {
    let (mut at, mut is_plain) = (0, true);
    let end = loop {
        // The last chunk begins before the rest, where the text is long enough.
        let (lanes, skipped) = match (text[at..].first_chunk(), text.last_chunk()) {
            (Some(chunk), _) => (Lanes::load(chunk), 0),
            (None, Some(last)) => (Lanes::load(last), last.len() - (text.len() - at)),
            (None, None) => (Lanes::load(&padded(text)), 0),
        };
        let is_delimiter = lanes.equal(delimiter);
        let is_end = lanes.equal(b'\n').or(lanes.equal(b'\r')).or(lanes.equal(b'"')).bits() >> skipped;
        let before_end = (is_end & is_end.wrapping_neg()).wrapping_sub(1) & u16::MAX as u32 >> skipped;
        let mut delimiters = is_delimiter.bits() >> skipped & before_end;
        let escaped = (lanes.below(b' ').or(lanes.equal(b'\\')).bits() & !is_delimiter.bits()) >> skipped;
        is_plain &= escaped & before_end == 0;
        while delimiters != 0 {
            ends.push(at + delimiters.trailing_zeros() as usize);
            delimiters &= delimiters - 1;
        }
        if is_end != 0 {
            break at + is_end.trailing_zeros() as usize;
        }
        at += CHUNK_BYTES - skipped;
        if at >= text.len() {
            break text.len();
        }
    };
    ends.push(end);
    (end, is_plain)
}

/// A text that is shorter than a chunk, filled up with line ends.
fn padded(text: &[u8]) -> [u8; CHUNK_BYTES] {
    let mut chunk = [b'\n'; CHUNK_BYTES];
    chunk[..text.len()].copy_from_slice(text);
    chunk
}

impl<'t> Row<'t, '_> {
    /// What the text that it is from has from it on.
    pub(super) fn and_rest(&self, text: &'t str) -> &'t str {
        &text[self.raw.as_ptr() as usize - text.as_ptr() as usize..]
    }

    /// What the text that it is from has after it, from the end of its line on.
    pub(super) fn rest(&self, text: &'t str) -> &'t str {
        &self.and_rest(text)[self.raw.len()..]
    }

    /// Lines of the text up to its end.
    pub(super) fn lines_after(&self) -> usize {
        self.lines_before + self.lines
    }

    /// True if it has space alone, or empty cells without quotes.
    pub(super) fn is_blank(&self) -> bool {
        self.raw.len() < self.len() || self.len() == 1 && self.raw.trim().is_empty()
    }

    /// How many cells it has.
    pub(super) fn len(&self) -> usize {
        self.ends.len()
    }

    /// Its cells, without the quotes around them.
    pub(super) fn cells(&self) -> impl Iterator<Item = &str> + Clone {
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
