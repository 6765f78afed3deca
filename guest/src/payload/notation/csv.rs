//! Comma-separated values, and those with tabs, semicolons or bars: a header line names the columns.

mod header;
mod rows;
mod table;

use memchr::memchr_iter;

use self::header::Header;
use self::rows::{Cutter, Row, Rows};
pub use self::table::Table;
use self::table::trimmed;
use super::Reading;
use super::columns::{Column, ColumnKind};
use super::names::{MOST_COLUMNS, are_surely_names, are_usual, is_name, is_quoted_name, keys};
use super::output::Output;

/// Separators of cells. Commas come first: they are the most common, and text has tabs and bars in cells.
const DELIMITERS: [(u8, &str); 4] = [(b',', "csv"), (b'\t', "tsv"), (b';', "csv"), (b'|', "csv")];

/// Headings that may come before the header line.
const MOST_HEADINGS: usize = 3;

/// Rows that make a table.
const LEAST_ROWS: usize = 3;

/// Most rows are longer, so that room for all lines is little beside the text. A text may have nothing but blank lines.
const SHORT_ROW_BYTES: usize = 16;

/// A row over more lines than this has a quote that nothing closes.
const MOST_LINES: usize = 1000;

/// Reads a text with a header line.
pub(super) fn read(text: &str) -> Option<Reading<'_>> {
    let mut start = 0;
    let mut headings = 0;
    for (number, line) in text.split_inclusive('\n').enumerate() {
        for (delimiter, name) in DELIMITERS {
            let count = memchr_iter(delimiter, line.as_bytes()).take(MOST_COLUMNS).count();
            if (1..MOST_COLUMNS).contains(&count) {
                let table = CsvText { text: &text[start..], delimiter, lines_before: number, escapes: false };
                let escaping = || CsvText { escapes: true, ..table }.read(name, &text[..start]);
                if table.begins_with_row() {
                    return None;
                }
                let has_escapes = || super::sample(table.text).contains("\\\"");
                let reading = table.read(name, &text[..start]).or_else(|| has_escapes().then(escaping).flatten());
                if reading.is_some() {
                    return reading;
                }
            }
        }
        headings += usize::from(!line.trim().is_empty());
        start += line.len();
        if headings > MOST_HEADINGS {
            break;
        }
    }
    None
}

/// A text that begins with a header line.
struct CsvText<'a> {
    text: &'a str,
    delimiter: u8,
    lines_before: usize,
    /// A quote in quotes has a backslash before it, as some databases write it. Usually it is doubled.
    escapes: bool,
}

impl<'a> CsvText<'a> {
    fn read(&self, name: &'static str, headings: &str) -> Option<Reading<'a>> {
        let mut output = Output::of(self.text);
        output.lines(1, headings)?;
        let table = self.table(&mut output)?;
        output.finish_table(name, table)
    }

    /// The table, where the text surely is one. Its rows go to the output.
    fn table(&self, output: &mut Output<'a>) -> Option<Table> {
        let mut header = Rows::of(self.text, self.delimiter, self.escapes);
        let header = header.next()?;
        let mut names = self.names(&header)?;
        let mut columns = vec![Column::default(); names.len()];
        let lines = memchr_iter(b'\n', self.text.as_bytes()).count();
        output.expect(lines.min(self.text.len() / SHORT_ROW_BYTES));
        let (mut rows, mut spaced) = (0, 0);
        self.rows(|row, fits| {
            if !fits {
                return output.lines(self.lines_before + row.lines_before + 1, row.raw);
            }
            rows += 1;
            spaced += usize::from(row.cells().skip(1).any(|cell| cell.starts_with(' ')));
            columns.iter_mut().zip(row.cells()).for_each(|(column, cell)| column.see(trimmed(cell)));
            output.row(row.read)
        })?;
        if names.ends_with(&[""]) && columns.last().is_some_and(Column::is_empty) {
            names.pop();
            columns.pop();
        }
        let kinds: Vec<ColumnKind> = columns.iter().map(Column::kind).collect();
        let has_values = kinds.iter().any(|kind| *kind != ColumnKind::Text);
        // Prose has a space after each comma.
        let is_spaced = self.delimiter == b',' && spaced * 2 > rows;
        let is_named = if is_spaced { are_usual(&names) && names.len() > 2 } else { are_surely_names(&names) };
        let are_questions = self.is_quoted() && names.iter().any(|name| name.ends_with('?'));
        (rows >= LEAST_ROWS && (has_values || is_named || are_questions))
            .then(|| Table::of(keys(names), kinds, is_spaced, Cutter::of(self.delimiter, self.escapes)))
    }

    /// What a line calls the columns, if it can be their names.
    fn names<'h>(&self, header: &'h Row<'_, '_>) -> Option<Vec<&'h str>> {
        let mut names: Vec<&str> = header.cells().map(str::trim).collect();
        if names.first() == Some(&"") && self.delimiter != b'|' {
            // The index of a data frame has no name.
            names[0] = "index";
        }
        let mut distinct = names.clone();
        distinct.sort_unstable();
        distinct.dedup();
        // Some programs end each line with a delimiter.
        let named = names.strip_suffix(&[""]).unwrap_or(&names);
        // The result of a join has some names twice.
        let are_distinct = distinct.len() * 2 > names.len();
        let is_name = if self.is_quoted() { is_quoted_name } else { is_name };
        let fits = (2..=MOST_COLUMNS).contains(&named.len()) && are_distinct && named.iter().all(|name| is_name(name));
        fits.then_some(names)
    }

    /// True if the first line could name the columns, but is a row like those below it: no other line is a header then.
    fn begins_with_row(&self) -> bool {
        let (mut first, mut rows) = [(); 2].map(|()| Rows::of(self.text, self.delimiter, self.escapes)).into();
        let Some(first) = first.next() else { return false };
        let Some(names) = self.names(&first) else { return false };
        let mut header = Header::of(&names);
        rows.next();
        for _ in 0..header::MOST_ROWS {
            let Some(row) = rows.next() else { break };
            if row.len() == names.len() {
                header.see(row.cells().map(trimmed));
            }
        }
        header.is_row()
    }

    fn is_quoted(&self) -> bool {
        self.text.starts_with('"')
    }

    /// Calls a function with each row after the header, and with whether it fits.
    fn rows(&self, mut each: impl FnMut(&Row<'a, '_>, bool) -> Option<()>) -> Option<()> {
        let mut rows = Rows::of(self.text, self.delimiter, self.escapes);
        let width = rows.next()?.len();
        while let Some(row) = rows.next() {
            // A quote that nothing closes takes in the rows that follow.
            let is_open = row.lines > 2 && row.raw.bytes().filter(|byte| *byte == b'"').count() % 2 == 1;
            let fits = row.len() == width && row.lines < MOST_LINES && !is_open;
            each(&row, fits)?;
        }
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::payload::notation::tests::lines_of;

    #[test]
    fn rows_become_records() {
        let rows = [
            ("a,b\n1,x\n2,\n,y\n", "csv {\"a\":1,\"b\":\"x\"}\n{\"a\":2,\"b\":\"\"}\n{\"a\":null,\"b\":\"y\"}"),
            (
                "a\tb\r\n1\tx\r\n2\ty z\r\n3\tz\r\n",
                "tsv {\"a\":1,\"b\":\"x\"}\n{\"a\":2,\"b\":\"y z\"}\n{\"a\":3,\"b\":\"z\"}",
            ),
            (
                "a;b\n1,5;x\n2,5;y\n3;z",
                "csv {\"a\":\"1,5\",\"b\":\"x\"}\n{\"a\":\"2,5\",\"b\":\"y\"}\n{\"a\":\"3\",\"b\":\"z\"}",
            ),
            ("id,\"a \"\"b\"\"\"\n1,2\n1,2\n1,2\n", ""),
            (
                "id,note\n1,\"x\ny\"\n2,\"a, \"\"b\"\"\"\n3,c\n",
                "csv {\"id\":1,\"note\":\"x\\ny\"}\n{\"id\":2,\"note\":\"a, \\\"b\\\"\"}\n{\"id\":3,\"note\":\"c\"}",
            ),
            (
                ",a\n0,x\n1,y\n2,z\n",
                "csv {\"index\":0,\"a\":\"x\"}\n{\"index\":1,\"a\":\"y\"}\n{\"index\":2,\"a\":\"z\"}",
            ),
            (
                "Rows:\n\nid,n\n1,2\n3,4\n5,6\n",
                "csv {\"line\":1,\"text\":\"Rows:\"}\n{\"id\":1,\"n\":2}\n{\"id\":3,\"n\":4}\n{\"id\":5,\"n\":6}",
            ),
            (
                "id,n\n1,2\n3,4\n5,6\n7,8\n9",
                "csv {\"id\":1,\"n\":2}\n{\"id\":3,\"n\":4}\n{\"id\":5,\"n\":6}\n{\"id\":7,\"n\":8}\n{\"line\":6,\"text\":\"9\"}",
            ),
            (
                "id,n,n\n1,2,3\n1,2,3\n1,2,3\n",
                "csv {\"id\":1,\"n\":2,\"n_3\":3}\n{\"id\":1,\"n\":2,\"n_3\":3}\n{\"id\":1,\"n\":2,\"n_3\":3}",
            ),
            (
                "id,n\n1,\"a \\\"b\\\", c\"\n2,x\n3,\"\\\"y, z\\\"\"\n",
                "csv {\"id\":1,\"n\":\"a \\\"b\\\", c\"}\n{\"id\":2,\"n\":\"x\"}\n{\"id\":3,\"n\":\"\\\"y, z\\\"\"}",
            ),
            (
                "\"How, then?\",b\n1,x\n2,y\n3,z\n",
                "csv {\"How, then?\":1,\"b\":\"x\"}\n{\"How, then?\":2,\"b\":\"y\"}\n{\"How, then?\":3,\"b\":\"z\"}",
            ),
            ("id,n,\n1,2,\n1,2,\n1,2,\n", "csv {\"id\":1,\"n\":2}\n{\"id\":1,\"n\":2}\n{\"id\":1,\"n\":2}"),
            (
                "id,n,\n1,2,\n1,2,x\n1,2,\n",
                "csv {\"id\":1,\"n\":2,\"column_3\":\"\"}\n{\"id\":1,\"n\":2,\"column_3\":\"x\"}\n{\"id\":1,\"n\":2,\"column_3\":\"\"}",
            ),
            ("id, n\n1, x\n2, y\n3, z\n", "csv {\"id\":1,\"n\":\"x\"}\n{\"id\":2,\"n\":\"y\"}\n{\"id\":3,\"n\":\"z\"}"),
            ("id,n\n1,2\n3,\"4\n5,6\n7,8\n9,10\n", ""),
            ("id,n\n1,x \n2, y\n3,z\n", "csv {\"id\":1,\"n\":\"x \"}\n{\"id\":2,\"n\":\" y\"}\n{\"id\":3,\"n\":\"z\"}"),
            (
                "a\n\n\n\n\n\nid,n\n1,2\n3,4\n5,6\n",
                "csv {\"line\":1,\"text\":\"a\"}\n{\"id\":1,\"n\":2}\n{\"id\":3,\"n\":4}\n{\"id\":5,\"n\":6}",
            ),
            ("a\nb\nc\nd\nid,n\n1,2\n3,4\n5,6\n7,8\n9,0\n", ""),
            // A quote that nothing closes takes in no rows, and one that is closed does.
            (
                "id,n\n1,2\n3,\"a\nb\nc\nd\"\n5,6\n7,8\n9,\"0\n10,11\n12,13\n",
                "csv {\"id\":1,\"n\":\"2\"}\n{\"id\":3,\"n\":\"a\\nb\\nc\\nd\"}\n{\"id\":5,\"n\":\"6\"}\n{\"id\":7,\"n\":\"8\"}\n{\"line\":9,\"text\":\"9,\\\"0\"}\n{\"line\":10,\"text\":\"10,11\"}\n{\"line\":11,\"text\":\"12,13\"}",
            ),
        ];
        for (text, expected) in rows {
            assert_eq!(lines_of(read(text)), expected, "{text}");
        }
    }

    #[test]
    fn prose_code_and_logs_are_not_tables() {
        let texts = [
            "Dear Anna, how are you?\nI am well, thanks.\nSee you, Bob\nYours, Carl\n",
            "Paris, France\nBerlin, Germany\nRome, Italy\nMadrid, Spain\n",
            "Paris,France\nBerlin,Germany\nRome,Italy\nMadrid,Spain\n",
            "2024-01-01 12:00:00,123 INFO start\n2024-01-01 12:00:01,123 INFO a\n2024-01-01 12:00:02,123 INFO b\n2024-01-01 12:00:03,123 INFO c\n",
            "let a = f(x, y);\nlet b = f(x, y);\nlet c = f(x, y);\nlet d = f(x, y);\n",
            "1,2\n3,4\n5,6\n7,8\n",
            "a,a\n1,2\n3,4\n5,6\n",
            "id,name\n1,2\n",
            "M\tCHANGELOG.md\nM\tsrc/a.rs\nA\tsrc/b.rs\n",
            "web-1,running,eu\nweb-2,stopped,eu\ndb-1,running,us\n",
            // The first line cannot be a header, and the second one looks like it.
            "1b12345\tHEAD\nfb12345\trefs/heads/a\n0123456\trefs/heads/b\n9123456\trefs/heads/c\n",
            "roses are red, violets are blue\nsugar is sweet, and so are you\nroses are red, violets are blue\nsugar is sweet, and you\n",
        ];
        for text in texts {
            assert_eq!(lines_of(read(text)), "", "{text}");
        }
    }
}
