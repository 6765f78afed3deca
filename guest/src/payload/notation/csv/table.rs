//! Rows of a table as records.

use std::cell::RefCell;

use super::rows::{Cutter, Row};
use crate::payload::notation::columns::ColumnKind;

/// What makes records of the rows of a table.
#[derive(Debug)]
pub struct Table {
    columns: Vec<TableColumn>,
    /// What stands after the last value of a plain record.
    closing: &'static str,
    /// Spaces next to delimiters do not belong to the cells.
    is_spaced: bool,
    /// Bytes that a record has more than its row: names, and two quotes for each text, which has one delimiter.
    pub(in crate::payload::notation) more_bytes: usize,
    cutter: RefCell<Cutter>,
}

/// A column with what stands before its values.
#[derive(Debug)]
struct TableColumn {
    kind: ColumnKind,
    /// A comma or a brace, the name in quotes, a colon.
    key: String,
    /// The same with the quotes of the texts around it, which plain ones do not have of their own.
    opening: String,
}

impl Table {
    /// A table with these keys, each as it stands before a value. A last column without a name and without cells is not one.
    pub(super) fn of(keys: Vec<String>, kinds: Vec<ColumnKind>, is_spaced: bool, cutter: Cutter) -> Self {
        let more_bytes = keys.iter().map(String::len).sum::<usize>() + keys.len() + 2;
        let quote = |kind: Option<&ColumnKind>| if kind == Some(&ColumnKind::Text) { "\"" } else { "" };
        let closing = if kinds.last() == Some(&ColumnKind::Text) { "\"}" } else { "}" };
        let before = std::iter::once(None).chain(kinds.iter().map(Some));
        let columns = keys.into_iter().zip(&kinds).zip(before).map(|((key, kind), before)| {
            let opening = format!("{}{key}{}", quote(before), quote(Some(kind)));
            TableColumn { kind: *kind, key, opening }
        });
        Self { columns: columns.collect(), closing, is_spaced, more_bytes, cutter: RefCell::new(cutter) }
    }

    /// The record of a row.
    pub fn record(&self, row: &str) -> String {
        let mut cutter = self.cutter.borrow_mut();
        let row = cutter.first(row);
        if row.is_plain { self.plain_record(&row) } else { self.escaped_record(&row) }
    }

    /// The record of a row with nothing that JSON escapes.
    fn plain_record(&self, row: &Row<'_, '_>) -> String {
        let mut json = Vec::with_capacity(row.raw.len() + self.more_bytes);
        for (column, cell) in self.columns.iter().zip(row.cells()) {
            push_short(&mut json, &column.opening);
            match column.kind {
                ColumnKind::Text => push_short(&mut json, self.cell(column, cell)),
                kind => kind.pieces(self.cell(column, cell)).into_iter().for_each(|piece| push_short(&mut json, piece)),
            }
        }
        push_short(&mut json, self.closing);
        String::from_utf8(json).expect("texts one after the other are a text")
    }

    fn escaped_record(&self, row: &Row<'_, '_>) -> String {
        let mut json = String::with_capacity(row.raw.len() + self.more_bytes);
        for (column, cell) in self.columns.iter().zip(row.cells()) {
            json.push_str(&column.key);
            column.kind.write(&mut json, self.cell(column, cell));
        }
        json.push('}');
        json
    }

    /// What counts of a cell. One that is a text keeps its spaces: they may mean something.
    fn cell<'c>(&self, column: &TableColumn, cell: &'c str) -> &'c str {
        if column.kind == ColumnKind::Text && !self.is_spaced { cell } else { trimmed(cell) }
    }
}

/// A cell without the space around it. Most have none, which their first and last bytes say.
pub(super) fn trimmed(cell: &str) -> &str {
    let has_space = |byte: Option<&u8>| byte.is_some_and(|byte| !byte.is_ascii_graphic());
    let bytes = cell.as_bytes();
    if has_space(bytes.first()) || has_space(bytes.last()) { cell.trim() } else { cell }
}

/// Appends a text of a few bytes. For a copy of unknown length WebAssembly calls its host, which takes longer than the copy;
/// and each turn of a loop costs it a look at the clock.
fn push_short(json: &mut Vec<u8>, text: &str) {
    match text.as_bytes() {
        [] => {}
        [byte] => json.push(*byte),
        [first, second] => json.extend_from_slice(&[*first, *second]),
        [first, second, third] => json.extend_from_slice(&[*first, *second, *third]),
        text if text.len() <= 8 => push_ends::<4>(json, text),
        text if text.len() <= 16 => push_ends::<8>(json, text),
        text if text.len() <= 32 => push_ends::<16>(json, text),
        text => json.extend_from_slice(text),
    }
}

/// Appends a text of `N` to twice as many bytes: its first and last `N`, which may overlap.
#[inline(always)]
fn push_ends<const N: usize>(json: &mut Vec<u8>, text: &[u8]) {
    if let (Some(first), Some(last)) = (text.first_chunk::<N>(), text.last_chunk::<N>()) {
        json.extend_from_slice(first);
        json.truncate(json.len() + text.len() - 2 * N);
        json.extend_from_slice(last);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_texts_of_all_lengths_are_copied_whole() {
        let text = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
        let mut all = (Vec::new(), String::new());
        for length in 0..text.len() {
            push_short(&mut all.0, &text[..length]);
            all.1.push_str(&text[..length]);
        }
        assert_eq!(String::from_utf8(all.0), Ok(all.1));
    }

    #[test]
    fn a_plain_row_is_the_record_that_is_written_with_care() {
        use ColumnKind::{Boolean, Number, Text};
        let kinds = [[Text, Text, Number], [Number, Text, Text], [Boolean, Number, Boolean], [Text, Boolean, Text]];
        for kinds in kinds {
            let keys = ["{\"a\":", ",\"a name of many bytes\":", ",\"c\":"].map(str::to_owned).to_vec();
            let table = Table::of(keys, kinds.to_vec(), false, Cutter::of(b',', false));
            for row in ["1,true,-.5", ",,", "false,2,TRUE", "-1.5e3,a text of more than sixteen bytes,é"] {
                let mut cutter = Cutter::of(b',', false);
                let row = cutter.first(row);
                assert!(row.is_plain);
                assert_eq!(table.plain_record(&row), table.escaped_record(&row));
            }
        }
    }
}
