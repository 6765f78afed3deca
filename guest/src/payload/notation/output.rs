//! Records as they are made, within bounds: what does not fit a notation becomes a record of its own.

use std::borrow::Cow;

use lro_query::json::Object;

use super::{Reading, Table};
use crate::payload::texts::Texts;

/// What is made of a text may have this many times its bytes: a column's name is written once a record.
const MOST_TIMES: usize = 2;

/// This many bytes are allowed in addition, so that small tables with long names are read too.
const MORE_BYTES: usize = 64 << 20;

/// Rows are made records twice, once to look at them and once to write them. As much as this is made once and kept.
const HELD_BYTES: usize = 8 << 20;

/// What a string in a list costs in addition to its bytes: its place in the list, and what the allocator adds.
const RECORD_BYTES: usize = 32;

/// One line in this many may be something else than the notation: a heading, a total, a truncated line.
const MISFITS: usize = 10;

/// In a small text, this many lines may be something else.
const ALWAYS_MISFITS: usize = 3;

/// Text with fewer records is easy to read as it is.
const LEAST_RECORDS: usize = 3;

/// The most bytes that may be made of a text.
pub(super) fn most_bytes(text: &str) -> usize {
    text.len().saturating_mul(MOST_TIMES).saturating_add(MORE_BYTES)
}

/// The records of a text so far.
#[derive(Debug)]
pub(super) struct Output<'a> {
    /// Records; the borrowed ones are rows of a table. What does not fit has its place, and is made a record at the end:
    /// most texts are tried by several notations that drop what they made.
    records: Vec<Cow<'a, str>>,
    /// Lines that are records of their own: their places among the records, and their numbers in the text.
    others: Vec<(usize, usize, &'a str)>,
    bytes: usize,
    most: usize,
    /// Lines that fit the notation.
    fitting: usize,
    /// Lines that do not.
    misfits: usize,
}

impl<'a> Output<'a> {
    /// Nothing yet of this text.
    pub(super) fn of(text: &str) -> Self {
        Self { records: Vec::new(), others: Vec::new(), bytes: 0, most: most_bytes(text), fitting: 0, misfits: 0 }
    }

    /// Adds a record made of `lines` lines; `None` if the records are too large.
    pub(super) fn record(&mut self, lines: usize, record: String) -> Option<()> {
        self.fitting += lines;
        self.push(record)
    }

    /// Makes room for so many records: a list that grows is in memory twice.
    pub(super) fn expect(&mut self, records: usize) {
        self.records.reserve_exact(records);
    }

    /// Adds a row of a table, which [`Output::finish_table`] is given.
    pub(super) fn row(&mut self, row: &'a str) -> Option<()> {
        self.fitting += 1;
        self.records.push(row.into());
        self.grow(row.len() + RECORD_BYTES)
    }

    /// Takes note of lines that fit, but that no record is made of.
    pub(super) fn fits(&mut self, lines: usize) {
        self.fitting += lines;
    }

    /// Adds a line that does not fit as a record; blank lines are skipped.
    pub(super) fn line(&mut self, number: usize, line: &'a str) -> Option<()> {
        if line.trim().is_empty() {
            return Some(());
        }
        self.misfits += 1;
        self.other(number, line)
    }

    /// Adds a line that fits, but has no fields, as a record.
    pub(super) fn plain(&mut self, number: usize, line: &'a str) -> Option<()> {
        self.fitting += 1;
        self.other(number, line)
    }

    fn other(&mut self, number: usize, line: &'a str) -> Option<()> {
        self.others.push((self.records.len(), number, line));
        self.records.push("".into());
        self.grow(line.len() + RECORD_BYTES)
    }

    /// Adds lines that do not fit, of which the first has this number.
    pub(super) fn lines(&mut self, number: usize, lines: &'a str) -> Option<()> {
        lines.lines().enumerate().try_for_each(|(i, line)| self.line(number + i, line))
    }

    /// True while no line fits.
    pub(super) fn is_empty(&self) -> bool {
        self.fitting == 0
    }

    /// True while few lines do not fit.
    pub(super) fn has_few_misfits(&self) -> bool {
        few(self.misfits, self.fitting)
    }

    /// The records, if there are some and if few lines did not fit.
    pub(super) fn finish(self, name: &'static str) -> Option<Reading<'a>> {
        self.finish_with(name, LEAST_RECORDS)
    }

    /// The same for a notation that is known by less.
    pub(super) fn finish_with(self, name: &'static str, least: usize) -> Option<Reading<'a>> {
        if !self.is_read_by(least) {
            return None;
        }
        self.reading(name)
    }

    /// The same where rows of this table have been added.
    pub(super) fn finish_table(mut self, name: &'static str, table: Table) -> Option<Reading<'a>> {
        self.grow(self.fitting * table.more_bytes)?;
        if !self.is_read_by(LEAST_RECORDS) {
            return None;
        }
        let (is_held, other_lines) = (self.bytes <= HELD_BYTES, self.others.len());
        let mut records = Texts::of_table(self.records()?, table);
        if is_held {
            records.records();
        }
        Some(Reading::Records { name, records, other_lines })
    }

    /// The same for a notation whose lines are like those of no other: half of the text may be something else.
    pub(super) fn finish_sure(self, name: &'static str) -> Option<Reading<'a>> {
        if self.fitting == 0 || self.misfits > self.fitting {
            return None;
        }
        self.reading(name)
    }

    fn reading(self, name: &'static str) -> Option<Reading<'a>> {
        let other_lines = self.others.len();
        Some(Reading::Records { name, records: self.records()?.into(), other_lines })
    }

    /// All records, with those that are lines.
    fn records(mut self) -> Option<Vec<Cow<'a, str>>> {
        for (place, number, line) in std::mem::take(&mut self.others) {
            let record = text_record(number, line);
            self.grow(record.len().saturating_sub(line.len()))?;
            self.records[place] = record.into();
        }
        Some(self.records)
    }

    fn is_read_by(&self, least: usize) -> bool {
        self.has_few_misfits() && self.records.len() >= self.misfits + least
    }

    fn push(&mut self, mut record: String) -> Option<()> {
        // A string that grew may have twice the room that it needs.
        record.shrink_to_fit();
        let bytes = record.len() + RECORD_BYTES;
        self.records.push(record.into());
        self.grow(bytes)
    }

    /// Takes note of more bytes; `None` where they are too many.
    fn grow(&mut self, bytes: usize) -> Option<()> {
        self.bytes += bytes;
        (self.bytes <= self.most).then_some(())
    }
}

/// True if few lines do not fit.
pub(super) fn few(misfits: usize, fitting: usize) -> bool {
    misfits <= ALWAYS_MISFITS.min(fitting) || misfits * MISFITS <= misfits + fitting
}

/// A line that is not in the notation.
pub(super) fn text_record(number: usize, line: &str) -> String {
    let mut record = Object::default();
    record.count("line", number);
    record.text("text", line.trim_end());
    record.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_lines_may_be_something_else() {
        let rows = [(0, 3, true), (3, 3, true), (3, 2, false), (4, 35, false), (4, 36, true)];
        for (misfits, fitting, expected) in rows {
            assert_eq!(few(misfits, fitting), expected, "{misfits} of {fitting}");
        }
    }

    #[test]
    fn records_are_bounded() {
        let mut output = Output::of("x");
        let large = "x".repeat(MORE_BYTES);
        assert_eq!(output.record(1, "{}".to_owned()), Some(()));
        assert_eq!(output.record(1, large), None);
    }
}
