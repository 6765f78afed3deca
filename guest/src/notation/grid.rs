//! Tables with bars between their cells: Markdown's, and those that databases and programs draw.

use super::Reading;
use super::columns::{Column, Kind};
use super::names::{MOST_COLUMNS, keys};
use super::output::Output;

/// A table with fewer rows is as easy to read as it stands.
const LEAST_ROWS: usize = 1;

/// A grid with more rules has one behind each row, and rows of several lines.
const FEW_RULES: usize = 3;

/// Reads a text that consists of tables.
pub(super) fn read(text: &str) -> Option<Reading> {
    let mut output = Output::of(text);
    let mut lines = Lines::of(text);
    while let Some((number, line)) = lines.next() {
        match Table::at(&lines, line) {
            Some(table) => lines = table.read(lines, &mut output)?,
            None => output.line(number, line)?,
        }
    }
    output.finish_with("table", LEAST_ROWS)
}

/// The lines that are still to be read.
#[derive(Clone)]
struct Lines<'a> {
    lines: std::str::Lines<'a>,
    number: usize,
}

impl<'a> Lines<'a> {
    fn of(text: &'a str) -> Self {
        Self { lines: text.lines(), number: 0 }
    }
}

impl<'a> Iterator for Lines<'a> {
    type Item = (usize, &'a str);

    fn next(&mut self) -> Option<Self::Item> {
        self.number += 1;
        Some((self.number, self.lines.next()?))
    }
}

/// The head of a table.
struct Table<'a> {
    names: Vec<&'a str>,
    /// Lines of the head behind its first one.
    more_lines: usize,
    /// It is drawn with a rule above it.
    is_drawn: bool,
}

impl<'a> Table<'a> {
    /// The table that begins with a line: a rule, names and a rule, or only names and a rule.
    fn at(after: &Lines<'a>, line: &'a str) -> Option<Self> {
        let is_drawn = rule(line).is_some();
        let mut after = after.clone();
        let head = if is_drawn { after.next()?.1 } else { line };
        let names = cells(head)?;
        let columns = rule(after.next()?.1)?;
        (columns == names.len()).then_some(Self { names, more_lines: if is_drawn { 2 } else { 1 }, is_drawn })
    }

    /// Writes the rows behind the head, and returns the lines that follow them.
    fn read(&self, mut lines: Lines<'a>, output: &mut Output) -> Option<Lines<'a>> {
        lines.by_ref().take(self.more_lines).for_each(drop);
        let mut columns = vec![Column::default(); self.names.len()];
        let (mut rules, mut rows) = (0, 0);
        let mut look = lines.clone();
        while let Some(part) = self.part(&mut look) {
            match part {
                Part::Rule => rules += 1,
                Part::Row(cells) => {
                    rows += 1;
                    columns.iter_mut().zip(cells).for_each(|(column, cell)| column.see(cell));
                }
                Part::Other(..) => {}
            }
        }
        let has_blocks = self.is_drawn && rules > FEW_RULES && rules * 2 >= rows;
        let mut writer = Writer {
            keys: keys(self.names.iter().copied()),
            kinds: columns.iter().map(Column::kind).collect(),
            output,
            row: Vec::new(),
            lines: 0,
        };
        while let Some(part) = self.part(&mut lines) {
            match part {
                Part::Rule => writer.finish()?,
                Part::Row(cells) => {
                    writer.take(&cells);
                    if !has_blocks {
                        writer.finish()?;
                    }
                }
                Part::Other(number, line) => {
                    writer.finish()?;
                    writer.output.line(number, line)?;
                }
            }
        }
        writer.finish()?;
        // The head fits as well.
        writer.output.fits(1 + self.more_lines);
        Some(lines)
    }

    /// The next line of the table; it is not taken when the table ends before it.
    fn part(&self, lines: &mut Lines<'a>) -> Option<Part<'a>> {
        let before = lines.clone();
        let (number, line) = lines.next()?;
        let found = if rule(line).is_some() {
            Some(Part::Rule)
        } else {
            // Two tables may follow each other without a blank line.
            let other = || Table::at(lines, line).is_none().then_some(Part::Other(number, line));
            cells(line).and_then(|cells| if self.fits(line, &cells) { Some(Part::Row(cells)) } else { other() })
        };
        if found.is_none() {
            *lines = before;
        }
        found
    }

    /// A row has a cell for each column; Markdown lets the last ones be missing.
    fn fits(&self, line: &str, cells: &[&str]) -> bool {
        cells.len() == self.names.len()
            || cells.len() < self.names.len() && !self.is_drawn && line.trim_start().starts_with('|')
    }
}

/// A line of a table.
enum Part<'a> {
    Rule,
    Row(Vec<&'a str>),
    /// It has bars, but not as many.
    Other(usize, &'a str),
}

/// Rows that are written, each when its lines are there.
struct Writer<'o> {
    keys: Vec<String>,
    kinds: Vec<Kind>,
    output: &'o mut Output,
    row: Vec<String>,
    lines: usize,
}

impl Writer<'_> {
    fn take(&mut self, cells: &[&str]) {
        self.lines += 1;
        self.row.resize(self.keys.len(), String::new());
        for (text, cell) in self.row.iter_mut().zip(cells) {
            if !text.is_empty() && !cell.is_empty() {
                text.push('\n');
            }
            text.push_str(&cell.replace("\\|", "|"));
        }
    }

    fn finish(&mut self) -> Option<()> {
        if self.lines == 0 {
            return Some(());
        }
        let mut json = String::new();
        for ((key, kind), cell) in self.keys.iter().zip(&self.kinds).zip(&self.row) {
            json.push_str(key);
            // Two numbers in a cell of two lines are a text.
            let kind = if cell.contains('\n') { Kind::Text } else { *kind };
            kind.write(&mut json, cell);
        }
        json.push('}');
        self.row.clear();
        self.output.record(std::mem::take(&mut self.lines), json)
    }
}

/// What stands between cells, and at both ends of a line.
const BARS: [char; 3] = ['|', '│', '┃'];

/// What rules are drawn with, beside bars.
const STROKES: [char; 6] = ['-', '=', '─', '━', '═', '╌'];

/// Where rules cross or end.
const CROSSINGS: [char; 24] = [
    '+', '┼', '├', '┤', '┌', '┐', '└', '┘', '┬', '┴', '╭', '╮', '╰', '╯', '╋', '┏', '┓', '┳', '┡', '┩', '╇', '┗', '┛',
    '┻',
];

/// The number of columns of a line that only separates: `|---|:-:|`, `+---+---+`, `----+----`.
fn rule(line: &str) -> Option<usize> {
    let line = line.trim();
    let is_end = |letter: char| BARS.contains(&letter) || CROSSINGS.contains(&letter) || "╞╡╪╬╠╣║".contains(letter);
    let mut has_stroke = false;
    let (mut columns, mut in_column) = (0, false);
    let mut ends = 0;
    for letter in line.chars() {
        if is_end(letter) {
            ends += 1;
            in_column = false;
        } else if STROKES.contains(&letter) || letter == ':' {
            has_stroke |= letter != ':';
            columns += usize::from(!in_column);
            in_column = true;
        } else if letter != ' ' {
            return None;
        }
    }
    (has_stroke && ends > 0 && columns <= MOST_COLUMNS).then_some(columns)
}

/// The cells of a line with bars.
fn cells(line: &str) -> Option<Vec<&str>> {
    let line = line.trim();
    let bars = line.chars().filter(|letter| BARS.contains(letter)).take(MOST_COLUMNS + 2).count();
    if !(1..=MOST_COLUMNS + 1).contains(&bars) {
        return None;
    }
    let inner = line.strip_prefix(BARS).unwrap_or(line);
    let inner = if inner.ends_with("\\|") { inner } else { inner.strip_suffix(BARS).unwrap_or(inner) };
    let mut cells = Vec::with_capacity(bars + 1);
    let mut start = 0;
    for (place, bar) in inner.char_indices().filter(|(_, letter)| BARS.contains(letter)) {
        if !inner[..place].ends_with('\\') {
            cells.push(inner[start..place].trim());
            start = place + bar.len_utf8();
        }
    }
    cells.push(inner[start..].trim());
    Some(cells)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::notation::tests::lines_of;

    #[test]
    fn tables_become_records() {
        let rows = [
            ("| a | b |\n|---|:-:|\n| 1 | x \\| y |\n| 2 |\n", "table {\"a\":1,\"b\":\"x | y\"}\n{\"a\":2,\"b\":\"\"}"),
            ("a | b\n--|--\n1 | x\n2 | y\n", "table {\"a\":1,\"b\":\"x\"}\n{\"a\":2,\"b\":\"y\"}"),
            (
                "## T\n\n| a |\n|---|\n| 1 |\n\n| b |\n|---|\n| x |\n",
                "table {\"line\":1,\"text\":\"## T\"}\n{\"a\":1}\n{\"b\":\"x\"}",
            ),
            (
                "+---+----+\n| a | b  |\n+---+----+\n| 1 | x  |\n| 2 |    |\n+---+----+\n",
                "table {\"a\":1,\"b\":\"x\"}\n{\"a\":2,\"b\":\"\"}",
            ),
            (
                " id | b \n----+---\n  1 | x\n  2 | y\n(2 rows)\n",
                "table {\"id\":1,\"b\":\"x\"}\n{\"id\":2,\"b\":\"y\"}\n{\"line\":5,\"text\":\"(2 rows)\"}",
            ),
            (
                "+---+---+\n| a | b |\n+===+===+\n| 1 | x |\n|   | y |\n+---+---+\n| 2 | z |\n+---+---+\n| 3 | z |\n+---+---+\n| 4 | z |\n+---+---+\n",
                "table {\"a\":1,\"b\":\"x\\ny\"}\n{\"a\":2,\"b\":\"z\"}\n{\"a\":3,\"b\":\"z\"}\n{\"a\":4,\"b\":\"z\"}",
            ),
            ("┌───┬───┐\n│ a │ b │\n├───┼───┤\n│ 1 │ x │\n└───┴───┘\n", "table {\"a\":1,\"b\":\"x\"}"),
            ("┏━━━┳━━━┓\n┃ a ┃ b ┃\n┡━━━╇━━━┩\n│ 1 │ x │\n└───┴───┘\n", "table {\"a\":1,\"b\":\"x\"}"),
            (
                "| a | a |\n|---|---|\n| 1 | 2 |\n| 1 | 2 | 3 |\n",
                "table {\"a\":1,\"a_2\":2}\n{\"line\":4,\"text\":\"| 1 | 2 | 3 |\"}",
            ),
            ("# Title\n\nA paragraph.\n\nOne more.\n\nAnd one.\n\n| a |\n|---|\n| 1 |\n", ""),
            ("a | b\nc | d\n", ""),
            ("x\n---\ny\n", ""),
            ("grep a | sort\ngrep b | sort\n", ""),
        ];
        for (text, expected) in rows {
            assert_eq!(lines_of(read(text)), expected, "{text}");
        }
    }
}
