//! What comes after a blank line: more rows of a table, or another table.

use super::header::MOST_ROWS;
use super::is_column_name;
use super::rows::{Row, Rows};
use super::table::trimmed;
use crate::payload::notation::columns::Column;
use crate::payload::notation::names::{are_usual, is_surely_name};

/// Words that stand for a value that is not known.
const UNKNOWN: [&str; 9] = ["n/a", "na", "nan", "nil", "none", "null", "undefined", "unknown", "missing"];

/// Lines between two blank ones.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Block {
    /// Rows of the table above.
    Rows,
    /// The header of the table above once more, and rows of it.
    Header,
    /// Another table, or what stands below a table.
    Other,
}

/// A block beside the rows above it.
struct Seen<'a> {
    /// Cells of its first row.
    first: &'a [&'a str],
    /// All up to the last one that is not empty can be names.
    is_named: bool,
    above: &'a [Column],
    /// The columns of its other rows.
    below: Vec<Column>,
    /// Some of these rows has what columns are often called in each cell.
    has_names_below: bool,
    /// No row has a value where all above are values.
    is_of_other_types: bool,
}

impl Block {
    /// The block that begins with a row, which has as many cells as there are columns above it. What follows in
    /// the text is read by `ahead`, which is made once: a text may have a blank line after each row.
    #[inline(never)]
    pub(super) fn of<'a>(
        first: &Row<'a, '_>,
        text: &'a str,
        ahead: &mut Rows<'a>,
        names: &[&str],
        above: &[Column],
    ) -> Self {
        let cells: Vec<&str> = first.cells().map(trimmed).collect();
        if cells == names {
            return Self::Header;
        }
        let mut seen = Seen::of(&cells, above, first.raw.starts_with('"'));
        if !seen.is_named && !seen.is_of_other_types {
            return Self::Rows;
        }
        ahead.restart(first.rest(text));
        // What ends the line of the first row counts as a line.
        let mut lines_before = 1;
        for _ in 0..MOST_ROWS {
            let Some(row) = ahead.next() else { break };
            if row.lines_before > lines_before || row.len() != cells.len() || row.is_blank() {
                break;
            }
            lines_before = row.lines_after();
            seen.see(row.cells().map(trimmed));
        }
        if seen.is_other_table() || seen.is_below_table() { Self::Other } else { Self::Rows }
    }
}

impl<'a> Seen<'a> {
    fn of(first: &'a [&'a str], above: &'a [Column], is_quoted: bool) -> Self {
        let is_unknown = |cell: &str| UNKNOWN.iter().any(|word| word.eq_ignore_ascii_case(cell));
        let width = first.iter().rposition(|cell| !cell.is_empty()).map_or(0, |last| last + 1);
        let is_named =
            width > 1 && first[..width].iter().all(|cell| is_column_name(cell, is_quoted) && !is_unknown(cell));
        let below = vec![Column::default(); above.len()];
        let is_of_other_types = has_other_types(above, first.iter().copied());
        Self { first, is_named, above, below, has_names_below: false, is_of_other_types }
    }

    /// Takes note of a row below the first one.
    fn see<'r>(&mut self, row: impl Iterator<Item = &'r str> + Clone) {
        self.below.iter_mut().zip(row.clone()).for_each(|(column, cell)| column.see(cell));
        self.has_names_below |= row.clone().all(is_surely_name);
        self.is_of_other_types &= has_other_types(self.above, row);
    }

    /// True if the first row can be a header, and is not a row like those above.
    fn is_other_table(&self) -> bool {
        let pairs = || self.above.iter().zip(self.first).filter(|(_, cell)| !cell.is_empty());
        if !self.is_named || pairs().any(|(above, cell)| above.has_values() && above.takes(cell)) {
            return false;
        }
        // A code such as `A7` may stand among numbers.
        let is_code = |cell: &str| cell.bytes().any(|byte| byte.is_ascii_digit());
        let mut among_values = pairs().filter(|(above, _)| above.has_values()).peekable();
        if among_values.peek().is_some() && among_values.all(|(_, cell)| !is_code(cell)) {
            return true;
        }
        let is_first = self.above.iter().all(Column::is_empty);
        let has_values_below = self.columns().any(|(above, first, below)| {
            let is_text_above = if is_first { are_usual(self.first) } else { above.has_texts_only() };
            is_text_above && below.has_values() && !below.takes(first)
        });
        let has_names = self.first.iter().all(|cell| is_surely_name(cell));
        let has_texts_above = self.above.iter().all(Column::has_texts_only);
        let has_rows = self.below.iter().any(|column| !column.is_empty());
        has_values_below || has_texts_above && has_names && has_rows && !self.has_names_below
    }

    /// True if no column is of the type that it has above: texts where numbers were, and numbers where texts were.
    fn is_below_table(&self) -> bool {
        self.is_of_other_types
            && self.columns().any(|(above, first, below)| {
                above.has_texts_only() && below.has_values() && !first.is_empty() && below.takes(first)
            })
    }

    /// Each column: what is above, in the first row, and below it.
    fn columns(&self) -> impl Iterator<Item = (&Column, &str, &Column)> {
        self.above.iter().zip(self.first).zip(&self.below).map(|((above, first), below)| (above, *first, below))
    }
}

/// True if a row has a cell where all above are values, and none of its cells there is such a value.
fn has_other_types<'r>(above: &[Column], row: impl Iterator<Item = &'r str>) -> bool {
    let mut cells = above.iter().zip(row).filter(|(above, cell)| above.has_values() && !cell.is_empty()).peekable();
    cells.peek().is_some() && cells.all(|(above, cell)| !above.takes(cell))
}

#[cfg(test)]
mod tests {
    use super::super::read;
    use crate::payload::notation::tests::lines_of;

    #[test]
    fn rows_after_a_blank_line_belong_to_the_table_or_not() {
        // The rows of a table, those after a blank line, and whether they belong to it.
        let rows = [
            // More of the same, in groups.
            ("id,name\n1,a\n2,b\n3,c", "4,d\n5,e", true),
            ("id,name\n1,a\n2,b\n3,c", "", true),
            ("id,name\n1,a\n2,b\n3,c", "x4,d\n5,e", true),
            ("id,name\n1,a\n2,b\n3,c", "x4,d\nx5,e", true),
            ("id,name\n1,a\n2,b\n3,c", "4,5\n6,7", true),
            ("name,age\na,1\nb,2\nc,3", "d,\ne,4", true),
            ("name,age\na,1\nb,2\nc,3", "d,N/A\ne,unknown", true),
            ("name,age\na,1\nb,2\nc,3", "\"d, e\",4", true),
            ("name,role\na,b\nc,d\ne,f", "g,h\ni,j", true),
            ("name,role\na,b\nc,7\ne,f", "g,h\ni,8", true),
            ("table,column\norders,id\norders,name\norders,age", "user,id\nuser,name", true),
            ("name,year,n\na,2019,1\nb,2020,2\nc,2021,3", "d,2022,x\ne,2022,5", true),
            ("name,n\na,1\nb,2\nc,3", "d7,A7\ne,5", true),
            // Another header.
            ("id,name\n1,a\n2,b\n3,c", "region,total\nnorth,5\nsouth,6", false),
            ("id,name\r\n1,a\r\n2,b\r\n3,c\r", "region,total\r\nnorth,5\r\nsouth,6\r", false),
            ("id,name\n1,a\n2,b\n3,c\n \t", "region,total\nnorth,5\nsouth,6", false),
            ("id,name\n1,a\n2,b\n3,c\n,", "region,total\nnorth,5\nsouth,6", false),
            ("id,name\n1,a\n2,b\n3,c", "\"region\",\"total, net\"\n\"north\",5", false),
            ("id,name,n\n1,a,1\n2,b,2\n3,c,3", "region,total,\nnorth,5,", false),
            ("id,name\n1,a\n2,b\n3,c", "Generated by,Tool", false),
            ("name,n\na,1\nb,2\nc,3", "region,total\nnorth,5\nsouth,6", false),
            ("name,role\na,b\nc,d\ne,f", "region,total\nnorth,5\nsouth,6", false),
            ("name,role\na,b\nc,d\ne,f", "region,country\nnorth,x\nsouth,y", false),
            ("Konto;Soll\na;1,5\nb;2,5\nc;3,5", "Ort;Haben\nx;4,5\ny;5,5", false),
            // No header, but other types.
            ("id,name\n1,a\n2,b\n3,c", "north,5\nsouth,6", false),
            ("id,name\n1,a\n2,b\n3,c", "4,d,x\n5,e,y", false),
        ];
        for (table, block, belongs) in rows {
            let found = lines_of(read(&format!("{table}\n\n{block}\n")));
            let texts = found.lines().filter(|line| line.contains("{\"line\":")).count();
            assert!(found.contains(" {"), "{table} {block}");
            assert_eq!(texts, if belongs { 0 } else { block.lines().count() }, "{found}");
        }
    }

    #[test]
    fn a_header_may_come_again() {
        let text = "id,name\n1,a\n2,b\n\nid,name\n3,c\n4,d\n";
        let expected = "csv {\"id\":1,\"name\":\"a\"}\n{\"id\":2,\"name\":\"b\"}\n{\"line\":5,\"text\":\"id,name\"}\n{\"id\":3,\"name\":\"c\"}\n{\"id\":4,\"name\":\"d\"}";
        assert_eq!(lines_of(read(text)), expected);
    }

    #[test]
    fn two_tables_are_not_one() {
        let table = |names: &str, rows: std::ops::Range<usize>, row: fn(usize) -> String| {
            names.to_owned() + &rows.map(row).collect::<String>()
        };
        let first = |rows| table("id,name\n", 0..rows, |n| format!("{n},name {n}\n"));
        let second = |rows| table("region,total\n", 0..rows, |n| format!("region {n},{n}\n"));
        // Rows of both tables, and what is read: records of the first one, and lines.
        let rows = [
            (30, 10, None),
            (300, 10, Some((300, 11))),
            (30, 2, Some((30, 3))),
            (2, 30, Some((30, 3))),
            (3, 30, None),
            (30_000, 6000, None),
        ];
        for (rows, more, expected) in rows {
            let found = lines_of(crate::payload::notation::read(&format!("{}\n{}", first(rows), second(more)), None));
            let lines = found.lines().filter(|line| line.contains("{\"line\":")).count();
            let counts = (!found.is_empty()).then(|| (found.lines().count() - lines, lines));
            assert_eq!(counts, expected, "{rows} and {more}");
            assert!(!found.contains("\"id\":\"") && !found.contains("\"total\":\""), "numbers stay numbers");
        }
    }

    #[test]
    fn what_stands_before_a_table_is_not_its_header() {
        let rows = [
            ("Bank,Muster\nKonto,Anna\n\nDatum,Soll\nx,1\ny,2\nz,3\n", 2),
            ("account,main\nowner,anna\n\nname,total\nx,1\ny,2\nz,3\n", 2),
            ("id,n\n\n1,2\n3,4\n5,6\n", 0),
            ("id,n\n\na,x\nb,4\nc,6\n", 0),
            ("id,n\n\n1,2\n\n3,4\n\n5,6\n\n", 0),
        ];
        for (text, headings) in rows {
            let found = lines_of(read(text));
            let lines = found.lines().filter(|line| line.contains("{\"line\":")).count();
            assert_eq!((found.lines().count() - lines, lines), (3, headings), "{found}");
        }
    }
}
