//! Data frames as pandas prints them: names and cells end at the same places, and each row begins with its index.

use super::Reading;
use super::columns::{Column, ColumnKind};
use super::names::{MOST_COLUMNS, keys};
use super::output::{Output, few};

/// Fewer columns may be words that are aligned by chance.
const LEAST_COLUMNS: usize = 2;

/// Rows that make a table.
const LEAST_ROWS: usize = 3;

/// Headings that may come before the names.
const MOST_HEADINGS: usize = 3;

/// What pandas prints where there is no value.
const NOTHING: [&str; 4] = ["NaN", "NaT", "None", "<NA>"];

/// Reads a printed data frame.
pub(super) fn read(text: &str) -> Option<Reading<'_>> {
    let candidates = text.lines().take(MOST_HEADINGS + 1).enumerate();
    candidates.into_iter().find_map(|(place, line)| Frame::of(line)?.read(text, place))
}

struct Frame<'a> {
    names: Vec<&'a str>,
    /// The characters that names and cells end before.
    ends: Vec<usize>,
}

impl<'a> Frame<'a> {
    /// The names of a line that begins with the space above the index.
    fn of(line: &'a str) -> Option<Self> {
        let mut names = Vec::new();
        let mut ends = Vec::new();
        let mut start = None;
        for (count, (place, letter)) in line.char_indices().chain([(line.len(), ' ')]).enumerate() {
            match (letter == ' ', start) {
                (false, None) => start = Some(place),
                (true, Some(first)) => {
                    names.push(&line[first..place]);
                    ends.push(count);
                    start = None;
                }
                _ => {}
            }
            if names.len() > MOST_COLUMNS {
                return None;
            }
        }
        let has_letters = names.iter().all(|name| name.contains(char::is_alphabetic));
        (line.starts_with(' ') && names.len() >= LEAST_COLUMNS && has_letters).then_some(Self { names, ends })
    }

    fn read(&self, text: &'a str, place: usize) -> Option<Reading<'a>> {
        let mut columns = vec![Column::default(); self.names.len() + 1];
        let (mut rows, mut others) = (0, place);
        for line in text.lines().skip(place + 1) {
            match self.cells(line) {
                Some(cells) => {
                    rows += 1;
                    let cells = cells.into_iter().map(|cell| if NOTHING.contains(&cell) { "" } else { cell });
                    columns.iter_mut().zip(cells).for_each(|(column, cell)| column.see(cell));
                }
                None => others += usize::from(!line.trim().is_empty()),
            }
        }
        if rows < LEAST_ROWS || !few(others, rows) {
            return None;
        }
        let kinds: Vec<ColumnKind> = columns.iter().map(Column::kind).collect();
        let keys = keys(["index"].into_iter().chain(self.names.iter().copied()));
        let mut output = Output::of(text);
        for (i, line) in text.lines().enumerate().filter(|(i, _)| *i != place) {
            match self.cells(line).filter(|_| i > place) {
                Some(cells) => output.record(1, record(&keys, &kinds, &cells))?,
                None => output.line(i + 1, line)?,
            }
        }
        output.finish("data-frame")
    }

    /// The index and the cells of a row, none of which is empty.
    fn cells<'t>(&self, line: &'t str) -> Option<Vec<&'t str>> {
        let (index, _) = line.split_once(' ').filter(|(index, _)| !index.is_empty())?;
        let mut cells = vec![index];
        let mut ends = self.ends.iter().peekable();
        let mut start = index.len();
        for (count, (place, letter)) in line.char_indices().chain([(line.len(), ' ')]).enumerate() {
            if ends.next_if(|end| **end == count).is_some() {
                let cell = line.get(start..place)?.trim();
                if letter != ' ' || cell.is_empty() {
                    return None;
                }
                cells.push(cell);
                start = place;
            }
        }
        // Dots stand for the rows that are not printed.
        let are_dots = cells.iter().all(|cell| cell.bytes().all(|byte| byte == b'.'));
        (ends.peek().is_none() && line[start..].trim().is_empty() && !are_dots).then_some(cells)
    }
}

fn record(keys: &[String], kinds: &[ColumnKind], cells: &[&str]) -> String {
    let mut json = String::new();
    for ((key, kind), cell) in keys.iter().zip(kinds).zip(cells) {
        json.push_str(key);
        kind.write(&mut json, if *kind != ColumnKind::Text && NOTHING.contains(cell) { "" } else { cell });
    }
    json.push('}');
    json
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::payload::notation::tests::lines_of;

    #[test]
    fn frames_become_records() {
        let rows = [
            (
                "    id    name  x\n0    1  A. Bob  1\n10  22     Zoë  NaN\n11  22       z  2\n12  22       z  2\n",
                "data-frame {\"index\":0,\"id\":1,\"name\":\"A. Bob\",\"x\":1}\n{\"line\":3,\"text\":\"10  22     Zoë  NaN\"}\n{\"index\":11,\"id\":22,\"name\":\"z\",\"x\":2}\n{\"index\":12,\"id\":22,\"name\":\"z\",\"x\":2}",
            ),
            (
                "    id     x\n0    1  1.50\na   22   NaN\n..  ..   ...\nb   22  2.25\n\n[3 rows x 2 columns]\n",
                "data-frame {\"index\":\"0\",\"id\":1,\"x\":1.50}\n{\"index\":\"a\",\"id\":22,\"x\":null}\n{\"line\":4,\"text\":\"..  ..   ...\"}\n{\"index\":\"b\",\"id\":22,\"x\":2.25}\n{\"line\":7,\"text\":\"[3 rows x 2 columns]\"}",
            ),
            ("    A heading here\nand lines\nof words\nbelow it\n", ""),
            ("  x  y\nfn f() {\n  a\n  b\n  c\n}\n", ""),
        ];
        for (text, expected) in rows {
            assert_eq!(lines_of(read(text)), expected, "{text}");
        }
    }
}
