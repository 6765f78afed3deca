//! Comma-separated values, and those with tabs, semicolons or bars: a header line names the columns.

mod blocks;
mod header;
mod rows;
mod table;

use memchr::memchr_iter;

use self::blocks::Block;
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
#[derive(Clone, Copy)]
struct CsvText<'a> {
    text: &'a str,
    delimiter: u8,
    lines_before: usize,
    /// A quote in quotes has a backslash before it, as some databases write it. Usually it is doubled.
    escapes: bool,
}

impl<'a> CsvText<'a> {
    fn read(&self, name: &'static str, headings: &'a str) -> Option<Reading<'a>> {
        let mut output = Output::of(self.text);
        output.lines(1, headings)?;
        let table = self.table(&mut output)?;
        output.finish_table(name, table)
    }

    /// The table, where the text surely is one. Its rows go to the output.
    fn table(&self, output: &mut Output<'a>) -> Option<Table> {
        let mut first = Rows::of(self.text, self.delimiter, self.escapes);
        let header = first.next()?;
        let mut names = self.names(&header)?;
        let mut ahead = Rows::of(header.rest(self.text), self.delimiter, self.escapes);
        if ahead.next().is_some_and(|row| row.len() != header.len() && self.is_header(row.and_rest(self.text))) {
            return None;
        }
        let mut columns = vec![Column::default(); names.len()];
        let lines = memchr_iter(b'\n', self.text.as_bytes()).count();
        output.expect(lines.min(self.text.len() / SHORT_ROW_BYTES));
        let (mut rows, mut spaced, mut is_over) = (0, 0, false);
        self.rows(|row, mut fits, begins_block| {
            if fits && begins_block && !is_over {
                match Block::of(row, self.text, &mut ahead, &names, &columns) {
                    Block::Rows => {}
                    Block::Header => fits = false,
                    Block::Other => is_over = true,
                }
            }
            if !fits || is_over {
                output.lines(self.lines_before + row.lines_before + 1, row.raw)?;
                // No row fits after the last one, so that too many lines stay too many.
                return (!is_over || output.has_few_misfits()).then_some(());
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
        let has_values = columns.iter().any(Column::has_values);
        // Prose has a space after each comma or semicolon.
        let has_spaces = spaced * 2 > rows;
        let may_be_prose = has_spaces && b",;".contains(&self.delimiter);
        // Programs align what they put between tabs and bars.
        let is_padded = || header.cells().any(|name| name.starts_with(' ') || name.ends_with(' '));
        let is_spaced = has_spaces && self.delimiter == b',' || b"\t|".contains(&self.delimiter) && is_padded();
        // Lines that begin with a tab are indented.
        if names.len() == 2 && header.cells().next() == Some("") && columns[0].is_empty() {
            return None;
        }
        let is_named = if may_be_prose { are_usual(&names) && names.len() > 2 } else { are_surely_names(&names) };
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
        let is_name = |name: &&str| is_column_name(name, self.is_quoted());
        let fits = (2..=MOST_COLUMNS).contains(&named.len()) && are_distinct && named.iter().all(is_name);
        fits.then_some(names)
    }

    /// True if a text begins with the header of the row below it: what is above is a heading.
    fn is_header(&self, text: &str) -> bool {
        DELIMITERS.iter().any(|(delimiter, _)| {
            let table = CsvText { text, delimiter: *delimiter, ..*self };
            let mut rows = Rows::of(table.text, table.delimiter, table.escapes);
            let width = rows.next().filter(|row| table.names(row).is_some()).map(|row| row.len());
            rows.next().is_some_and(|row| Some(row.len()) == width)
        })
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

    /// Calls a function with each row after the header, with whether it fits, and with whether a blank line is before it.
    fn rows(&self, mut each: impl FnMut(&Row<'a, '_>, bool, bool) -> Option<()>) -> Option<()> {
        let mut rows = Rows::of(self.text, self.delimiter, self.escapes);
        let header = rows.next()?;
        let (width, mut lines_before, mut is_after_blank) = (header.len(), header.lines_after(), false);
        while let Some(row) = rows.next() {
            // A quote that nothing closes takes in the rows that follow.
            let is_open = row.lines > 2 && row.raw.bytes().filter(|byte| *byte == b'"').count() % 2 == 1;
            let fits = row.len() == width && row.lines < MOST_LINES && !is_open;
            each(&row, fits, is_after_blank || row.lines_before > lines_before)?;
            lines_before = row.lines_after();
            is_after_blank = row.is_blank();
        }
        Some(())
    }
}

/// True for what a column may be called, in a line with quotes or without. A comma in a name is not between cells.
fn is_column_name(name: &str, is_quoted: bool) -> bool {
    // A line of quoted names that is cut at another delimiter than theirs has quotes within its cells.
    let is_cut = || name.as_bytes().windows(2).any(|pair| pair[1] == b'"' && b",\t;|".contains(&pair[0]));
    match is_quoted {
        true => is_quoted_name(name) && !is_cut(),
        false => !name.ends_with(',') && is_name(&name.replace(',', " ")),
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
            (
                "NAME\tN \na   \t1 \nb   \t2 \ncd  \t3 \n",
                "tsv {\"NAME\":\"a\",\"N\":1}\n{\"NAME\":\"b\",\"N\":2}\n{\"NAME\":\"cd\",\"N\":3}",
            ),
            ("\ta (0x1)\n\tb => c (0x2)\n\td (0x3)\n\te (0x4)\n\tf (0x5)\n", ""),
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
    fn numbers_with_decimal_commas_are_values() {
        // A text, and its first record, or nothing.
        let rows = [
            (
                "Datum;Betrag;Konto\n01.11.2026;280,49;DE0\n02.11.2026;-5,00;DE0\n03.11.2026;7;DE1\n",
                r#"csv {"Datum":"01.11.2026","Betrag":"280,49","Konto":"DE0"}"#,
            ),
            // Each row has as many commas as the others.
            (
                "Konto;Soll;Haben\nAnna;1,5;0,0\nBert;2,5;0,1\nCarl;3,5;7,0\n",
                r#"csv {"Konto":"Anna","Soll":"1,5","Haben":"0,0"}"#,
            ),
            ("Konto;Soll\nAnna;1.234,50 €\nBert;\nCarl;-0,10 €\n", r#"csv {"Konto":"Anna","Soll":"1.234,50 €"}"#),
            ("Konto\tSoll\nAnna\t1,5\nBert\t2,5\nCarl\t3,5\n", r#"tsv {"Konto":"Anna","Soll":"1,5"}"#),
            ("Konto|Soll\nAnna|1,5\nBert|2,5\nCarl|3,5\n", r#"csv {"Konto":"Anna","Soll":"1,5"}"#),
            (
                "\"Konto\";\"Soll\"\n\"Anna\";\"1,5\"\n\"Bert\";\"2,5\"\n\"Carl\";\"3,5\"\n",
                r#"csv {"Konto":"Anna","Soll":"1,5"}"#,
            ),
            ("Konto,Soll\nAnna,\"1,5\"\nBert,\"2,5\"\nCarl,\"3,5\"\n", r#"csv {"Konto":"Anna","Soll":"1,5"}"#),
            // A name may have a comma.
            (
                "Name, Ort;Soll\nAnna, Ulm;1,5\nBert, Hof;2,5\nCarl, Bonn;3,5\n",
                r#"csv {"Name, Ort":"Anna, Ulm","Soll":"1,5"}"#,
            ),
            ("Konto;\"Soll, netto\"\nAnna;1,5\nBert;2,5\nCarl;3,5\n", r#"csv {"Konto":"Anna","Soll, netto":"1,5"}"#),
            (
                "\"Konto\"|\"Name,Ort\"\n\"1\"|\"x,y\"\n\"2\"|\"y,z\"\n\"3\"|\"z,z\"\n",
                r#"csv {"Konto":1,"Name,Ort":"x,y"}"#,
            ),
            // The first line is a heading, although the rows have as many commas.
            (
                "Umsätze, November\nDatum;Konto;Soll\n01.11.2026;Anna;1,5\n02.11.2026;Bert;2,5\n03.11.2026;Carl;3,5\n",
                r#"csv {"line":1,"text":"Umsätze, November"}"#,
            ),
            // Semicolons in the cells of commas.
            ("id,tags,n\n1,a;b,3\n2,c;d,4\n3,e;f,5\n", r#"csv {"id":1,"tags":"a;b","n":3}"#),
            ("tags,soll\na;b,\"1,5\"\nc;d,\"2,5\"\ne;f,\"3,5\"\n", r#"csv {"tags":"a;b","soll":"1,5"}"#),
            // Not all are numbers, or the first line has one too.
            ("Konto;Soll\nAnna;1,5\nBert;2,5\nCarl;viel, sehr\n", ""),
            ("Anna;1,5\nBert;2,5\nCarl;3,5\nDora;4,5\n", ""),
            ("Er kam, sah; siegte\nSie kam, sah; ging\nEs kam, sah; blieb\nWir kamen; gingen\n", ""),
            ("a: 1,5; b\nINFO start; took 1,5\nINFO a; took 2,5\nINFO b; took 3,5\nINFO c; took 4,5\n", ""),
            ("user anna, ok; took 5\nuser bert, ok; took 6\nuser carl, no; took 7\nuser dora, ok; took 8\n", ""),
        ];
        for (text, expected) in rows {
            let found = lines_of(read(text));
            assert_eq!(found.lines().next().unwrap_or_default(), expected, "{text}");
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
