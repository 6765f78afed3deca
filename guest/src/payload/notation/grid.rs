//! Tables with bars between their cells: Markdown's, and those that databases and programs draw.

mod bars;

use std::cmp::Ordering;

use super::Reading;
use super::columns::{Column, ColumnKind};
use super::names::keys;
use super::output::Output;
use super::vertical::is_summary;
use bars::{BARS, CROSSINGS, cells, rule};

/// A table with fewer rows is easy to read as it is.
const LEAST_ROWS: usize = 1;

/// A grid with more rules has one after each row, and rows of several lines.
const FEW_RULES: usize = 3;

/// The field for the number of a row's table: the first name that no column of a table has.
const NUMBERS: [&str; 3] = ["table", "table_number", "number_of_table"];

/// Lines of types and rules that may follow names.
const MOST_HEAD_LINES: usize = 4;

/// Reads a text that consists of tables.
pub(super) fn read(text: &str) -> Option<Reading<'_>> {
    let (output, tables) = read_tables(text, None)?;
    let is_free = |name: &&str| !tables.iter().flatten().any(|column| column == name);
    // Only the rows of several tables have to be told apart.
    let output = match NUMBERS.into_iter().find(is_free).filter(|_| tables.len() > 1) {
        Some(name) => read_tables(text, Some(name))?.0,
        None => output,
    };
    output.finish_with("table", LEAST_ROWS)
}

/// Reads the tables, with the number of its table in each row if that field has a name, and returns the names of the columns
/// of each.
fn read_tables<'a>(text: &'a str, numbered: Option<&str>) -> Option<(Output<'a>, Vec<Vec<&'a str>>)> {
    let mut output = Output::of(text);
    let mut lines = Lines::of(text);
    let mut tables = Vec::new();
    while let Some((number, line)) = lines.next() {
        match GridTable::at(&lines, line) {
            Some(table) => {
                tables.push(table.names.clone());
                let front = numbered.map(|name| format!("{{\"{name}\":{},", tables.len()));
                lines = table.read(lines, front, &mut output)?;
            }
            // How many rows a database has printed is not one of them.
            None if is_summary(line) => output.fits(1),
            None => output.line(number, line)?,
        }
    }
    Some((output, tables))
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
struct GridTable<'a> {
    names: Vec<&'a str>,
    /// Lines of the head after its first one.
    more_lines: usize,
    /// It is drawn with a rule above it.
    is_drawn: bool,
    /// Lines do not begin and end with bars.
    is_open: bool,
    /// The rule below the names.
    rule: &'a str,
}

impl<'a> GridTable<'a> {
    /// The table that begins with a line: a rule, names and a rule, or only names and a rule.
    fn at(after: &Lines<'a>, line: &'a str) -> Option<Self> {
        let is_drawn = rule(line).is_some();
        let mut after = after.clone();
        let head = if is_drawn { after.next()?.1 } else { line };
        // Names may have types below them, where a frame is drawn around all.
        let is_boxed = is_drawn && line.starts_with(|first| CROSSINGS.contains(&first) && first != '+');
        let is_rule = |line: &str| rule(line).is_some() && !(is_boxed && line.starts_with(BARS));
        let most = if is_boxed { MOST_HEAD_LINES } else { 1 };
        let (below, ruler) = after.take(most).map(|(_, line)| line).enumerate().find(|(_, line)| is_rule(line))?;
        let columns = rule(ruler)?;
        let names = cells(head, false)?;
        (columns == names.len()).then_some(Self {
            names,
            more_lines: usize::from(is_drawn) + below + 1,
            is_drawn,
            is_open: ruler.starts_with('-') && !head.trim_start().starts_with(BARS),
            rule: ruler,
        })
    }

    /// Writes the rows after the head, each with this at its front, and returns the lines that follow them.
    fn read(&self, mut lines: Lines<'a>, front: Option<String>, output: &mut Output<'a>) -> Option<Lines<'a>> {
        let is_type = |line: &str| self.is_drawn && rule(line).is_none();
        let mut head = lines.by_ref().take(self.more_lines);
        let _names = if self.is_drawn { head.next() } else { None };
        head.filter(|(_, line)| is_type(line)).try_for_each(|(number, line)| output.line(number, line))?;
        let mut columns = vec![Column::default(); self.names.len()];
        let (mut rules, mut rows) = (0, 0);
        let mut look = lines.clone();
        while let Some(part) = self.part(&mut look) {
            match part {
                GridLine::Rule => rules += 1,
                GridLine::Row(cells, _) => {
                    rows += 1;
                    columns.iter_mut().zip(cells).for_each(|(column, cell)| column.see(cell));
                }
                GridLine::Other(..) => {}
            }
        }
        let has_blocks = self.is_drawn && rules > FEW_RULES && rules * 2 >= rows;
        let mut writer = GridWriter {
            front,
            keys: keys(self.names.iter().copied()),
            kinds: columns.iter().map(Column::kind).collect(),
            output,
            row: Vec::new(),
            lines: 0,
        };
        while let Some(part) = self.part(&mut lines) {
            match part {
                GridLine::Rule => writer.finish()?,
                GridLine::Row(cells, goes_on) => {
                    writer.take(&cells);
                    if !has_blocks && !goes_on {
                        writer.finish()?;
                    }
                }
                GridLine::Other(number, line) => {
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
    fn part(&self, lines: &mut Lines<'a>) -> Option<GridLine<'a>> {
        let before = lines.clone();
        let (number, line) = lines.next()?;
        let found = if rule(line).is_some() {
            Some(GridLine::Rule)
        } else {
            self.split(line).and_then(|cells| match self.fitting(line, cells) {
                Some(cells) => Some(self.row(line, cells, lines)),
                // Two tables may follow each other without a blank line.
                None => GridTable::at(lines, line).is_none().then_some(GridLine::Other(number, line)),
            })
        };
        if found.is_none() {
            *lines = before;
        }
        found
    }

    /// The cells of a row: one for each column. Markdown lets the last ones be missing, and a cell of a database may
    /// have bars in it.
    fn fitting(&self, line: &'a str, cells: Vec<&'a str>) -> Option<Vec<&'a str>> {
        let may_be_short = !self.is_drawn && line.trim_start().starts_with('|');
        match cells.len().cmp(&self.names.len()) {
            Ordering::Equal => Some(cells),
            Ordering::Less => may_be_short.then_some(cells),
            Ordering::Greater => self.placed(line),
        }
    }

    /// The cells of a row whose bars are where the rule has its crossings.
    fn placed(&self, line: &'a str) -> Option<Vec<&'a str>> {
        let mut cells = Vec::with_capacity(self.names.len());
        let mut start = 0;
        let mut rule = self.rule.chars().map(|letter| CROSSINGS.contains(&letter));
        for (place, letter) in line.char_indices() {
            if rule.next() == Some(true) {
                if !BARS.contains(&letter) {
                    return None;
                }
                cells.push(line[start..place].trim());
                start = place + letter.len_utf8();
            }
        }
        cells.push(line[start..].trim());
        if self.is_drawn && cells.len() > 2 {
            // Before the first bar and behind the last one there is nothing.
            cells.pop();
            cells.remove(0);
        }
        (cells.len() == self.names.len()).then_some(cells)
    }

    /// A row; `psql` ends a line of a cell that continues with a plus, and leaves the other cells of the next line
    /// empty.
    fn row(&self, line: &str, mut row: Vec<&'a str>, after: &Lines<'a>) -> GridLine<'a> {
        let goes_on = if self.is_open && self.rule.contains('+') { self.pluses(line) } else { Vec::new() };
        if !goes_on.contains(&true) || goes_on.len() != row.len() {
            return GridLine::Row(row, false);
        }
        let next = after.clone().next().and_then(|(_, line)| self.split(line)).unwrap_or_default();
        let is_more =
            next.len() == row.len() && goes_on.iter().zip(&next).all(|(goes_on, cell)| *goes_on || cell.is_empty());
        for (cell, _) in row.iter_mut().zip(goes_on).filter(|(_, goes_on)| is_more && *goes_on) {
            *cell = cell.strip_suffix('+').unwrap_or(cell).trim_end();
        }
        GridLine::Row(row, is_more)
    }

    /// For each column, whether a plus marks where a line has its last space.
    fn pluses(&self, line: &str) -> Vec<bool> {
        let mut before = ' ';
        let mut pluses = Vec::with_capacity(self.names.len());
        let mut letters = line.chars();
        for stroke in self.rule.trim_end().chars().chain(['+']) {
            if CROSSINGS.contains(&stroke) {
                pluses.push(before == '+');
            }
            before = letters.next().unwrap_or(' ');
        }
        pluses
    }

    fn split(&self, line: &'a str) -> Option<Vec<&'a str>> {
        cells(line, self.is_open)
    }
}

/// A line of a table.
enum GridLine<'a> {
    Rule,
    /// Its cells, and whether the row continues in the next line.
    Row(Vec<&'a str>, bool),
    /// It has bars, but a different number.
    Other(usize, &'a str),
}

/// Rows that are written, each when its lines are there.
struct GridWriter<'o, 'a> {
    /// What a row has before its cells.
    front: Option<String>,
    keys: Vec<String>,
    kinds: Vec<ColumnKind>,
    output: &'o mut Output<'a>,
    row: Vec<String>,
    lines: usize,
}

impl GridWriter<'_, '_> {
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
            let kind = if cell.contains('\n') { ColumnKind::Text } else { *kind };
            kind.write(&mut json, cell);
        }
        json.push('}');
        if let (Some(front), Some(cells)) = (&self.front, json.strip_prefix('{')) {
            json = format!("{front}{cells}");
        }
        self.row.clear();
        self.output.record(std::mem::take(&mut self.lines), json)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::payload::notation::tests::lines_of;

    #[test]
    fn tables_become_records() {
        let rows = [
            ("| a | b |\n|---|:-:|\n| 1 | x \\| y |\n| 2 |\n", "table {\"a\":1,\"b\":\"x | y\"}\n{\"a\":2,\"b\":\"\"}"),
            ("a | b\n--|--\n1 | x\n2 | y\n", "table {\"a\":1,\"b\":\"x\"}\n{\"a\":2,\"b\":\"y\"}"),
            (
                "## T\n\n| a |\n|---|\n| 1 |\n\n| b |\n|---|\n| x |\n",
                "table {\"line\":1,\"text\":\"## T\"}\n{\"table\":1,\"a\":1}\n{\"table\":2,\"b\":\"x\"}",
            ),
            (
                "| a |\n|---|\n| 1 |\n\n| table |\n|---|\n| x |\n",
                "table {\"table_number\":1,\"a\":1}\n{\"table_number\":2,\"table\":\"x\"}",
            ),
            (
                "+---+----+\n| a | b  |\n+---+----+\n| 1 | x  |\n| 2 |    |\n+---+----+\n",
                "table {\"a\":1,\"b\":\"x\"}\n{\"a\":2,\"b\":\"\"}",
            ),
            (
                " id | b \n----+---\n  1 | x\n  2 | y\n(2 rows)\n",
                "table {\"id\":1,\"b\":\"x\"}\n{\"id\":2,\"b\":\"y\"}",
            ),
            (
                "+---+---+\n| a | b |\n+===+===+\n| 1 | x |\n|   | y |\n+---+---+\n| 2 | z |\n+---+---+\n| 3 | z |\n+---+---+\n| 4 | z |\n+---+---+\n",
                "table {\"a\":1,\"b\":\"x\\ny\"}\n{\"a\":2,\"b\":\"z\"}\n{\"a\":3,\"b\":\"z\"}\n{\"a\":4,\"b\":\"z\"}",
            ),
            (
                "+---+-----+\n| a | b   |\n+---+-----+\n| 1 | x|y |\n| 2 | é|  |\n+---+-----+\n",
                "table {\"a\":1,\"b\":\"x|y\"}\n{\"a\":2,\"b\":\"é|\"}",
            ),
            (
                " id | b |  c  \n----+---+-----\n  1 | x+| C++\n    | y | \n  2 | z | C++\n",
                "table {\"id\":1,\"b\":\"x\\ny\",\"c\":\"C++\"}\n{\"id\":2,\"b\":\"z\",\"c\":\"C++\"}",
            ),
            ("┌───┬───┐\n│ a │ b │\n├───┼───┤\n│ 1 │ x │\n└───┴───┘\n", "table {\"a\":1,\"b\":\"x\"}"),
            (
                "┌─────┬─────┐\n│ a   ┆ b   │\n│ --- ┆ --- │\n│ i64 ┆ str │\n╞═════╪═════╡\n│ 1   ┆ x   │\n│ 2   ┆ y   │\n└─────┴─────┘\n",
                "table {\"line\":4,\"text\":\"│ i64 ┆ str │\"}\n{\"a\":1,\"b\":\"x\"}\n{\"a\":2,\"b\":\"y\"}",
            ),
            ("┏━━━┳━━━┓\n┃ a ┃ b ┃\n┡━━━╇━━━┩\n│ 1 │ x │\n└───┴───┘\n", "table {\"a\":1,\"b\":\"x\"}"),
            (
                "| a | a |\n|---|---|\n| 1 | 2 |\n| 1 | 2 | 3 |\n",
                "table {\"a\":1,\"a_2\":2}\n{\"line\":4,\"text\":\"| 1 | 2 | 3 |\"}",
            ),
            (
                "----|-----|----\nf   | %   | n \n----|-----|----\nall |  85 |   \n a  | 100 | 1 \n----|-----|----\n",
                "table {\"f\":\"all\",\"%\":85,\"n\":null}\n{\"f\":\"a\",\"%\":100,\"n\":1}",
            ),
            ("a | b\n--|--\n1 | x\n2 | \n", "table {\"a\":1,\"b\":\"x\"}\n{\"a\":2,\"b\":\"\"}"),
            ("| a | b |\n--|--\n| 1 | x |\n| 2 | |\n", "table {\"a\":1,\"b\":\"x\"}\n{\"a\":2,\"b\":\"\"}"),
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
