//! Rows that databases print with a column a line: `\G` of MySQL, `\x` of PostgreSQL.

use super::Reading;
use super::fields::{Found, Sink, TextField, Value, read as read_fields};
use super::names::MOST_COLUMNS;

/// Reads rows that are printed with a column a line.
pub(super) fn read(text: &str) -> Option<Reading<'_>> {
    let begins = |line: &str| Style::of(line).is_some();
    if !text.lines().filter(|line| !line.trim().is_empty()).take(4).any(begins) {
        return None;
    }
    read_fields("vertical", 1, text, walk)
}

fn walk<'a>(text: &'a str, sink: &mut Sink<'_, 'a>) -> Option<()> {
    let mut row: Option<Row<'_>> = None;
    for (i, line) in text.lines().enumerate() {
        if let Some(style) = Style::of(line) {
            row.take().map_or(Some(()), |row| sink(row.found()))?;
            row = Some(Row { style, lines: 1, cells: Vec::new() });
        } else if let Some(row) = row.as_mut().filter(|_| !is_summary(line)) {
            row.take(line)?;
        } else {
            row.take().map_or(Some(()), |row| sink(row.found()))?;
            sink(Found::Line { number: i + 1, line })?;
        }
    }
    row.map_or(Some(()), |row| sink(row.found()))
}

/// The program that printed a row.
#[derive(Debug, Clone, Copy)]
enum Style {
    /// `*** 1. row ***` and `name: value`.
    MySql,
    /// `-[ RECORD 1 ]--` and `name | value`.
    PostgreSql,
}

impl Style {
    /// The style of a line that begins a row.
    fn of(line: &str) -> Option<Self> {
        if line.starts_with("***") && line.trim_matches(['*', ' ']).ends_with(". row") {
            Some(Self::MySql)
        } else if line.starts_with("-[ RECORD ") {
            Some(Self::PostgreSql)
        } else {
            None
        }
    }

    fn cell(self, line: &str) -> Option<(&str, &str)> {
        let (name, value) = match self {
            Self::MySql => line.split_once(": ").or_else(|| Some((line.strip_suffix(':')?, ""))),
            Self::PostgreSql => line.split_once(" | ").or_else(|| Some((line.strip_suffix(" |")?, ""))),
        }?;
        let name = name.trim();
        (!name.is_empty() && name.len() <= 64).then_some((name, value))
    }
}

/// True for the line in which a database tells how many rows it has printed.
pub(super) fn is_summary(line: &str) -> bool {
    let is_count = |line: &str| line.split(' ').next().is_some_and(|first| first.parse::<u64>().is_ok());
    let is_psql = |line: &str| line.ends_with(" rows)") || line == "(1 row)";
    let line = line.trim_end();
    is_count(line) && line.contains(" in set") || line.starts_with('(') && is_psql(line) && is_count(&line[1..])
}

struct Row<'a> {
    style: Style,
    lines: usize,
    cells: Vec<(&'a str, String)>,
}

impl<'a> Row<'a> {
    fn take(&mut self, line: &'a str) -> Option<()> {
        self.lines += 1;
        match (self.style.cell(line), self.cells.last_mut()) {
            (Some((name, value)), _) => self.cells.push((name, value.to_owned())),
            // A value may have several lines.
            (None, Some((_, value))) => {
                value.push('\n');
                value.push_str(line);
            }
            (None, None) => return line.trim().is_empty().then_some(()),
        }
        (self.cells.len() <= MOST_COLUMNS).then_some(())
    }

    fn found(self) -> Found<'a> {
        let field = |(name, value): (&'a str, String)| {
            let value = value.trim_end();
            let value = if value == "NULL" { Value::Null } else { Value::Bare(value.to_owned().into()) };
            TextField { key: name.into(), value }
        };
        Found::Row { lines: self.lines, fields: self.cells.into_iter().map(field).collect() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::payload::notation::tests::lines_of;

    #[test]
    fn rows_become_records() {
        let rows = [
            (
                "*************************** 1. row ***************************\n  id: 1\nname: a: b\n*************************** 2. row ***************************\n  id: 2\nname: x\ny\n2 rows in set (0.00 sec)\n",
                "vertical {\"id\":1,\"name\":\"a: b\"}\n{\"id\":2,\"name\":\"x\\ny\"}\n{\"line\":8,\"text\":\"2 rows in set (0.00 sec)\"}",
            ),
            (
                "-[ RECORD 1 ]--\nid   | 1\nname | \n-[ RECORD 2 ]--\nid   | 2\nname | a | b\n",
                "vertical {\"id\":1,\"name\":\"\"}\n{\"id\":2,\"name\":\"a | b\"}",
            ),
            ("*** Note ***\na: b\n", ""),
        ];
        for (text, expected) in rows {
            assert_eq!(lines_of(read(text)), expected, "{text}");
        }
    }
}
