//! Columns that are aligned with spaces below names in capitals or above a rule, as `docker ps`, `ps` and `pip list`
//! print them.

mod several;

use super::Reading;
use super::columns::{Column, ColumnKind, is_number};
use super::names::{MOST_COLUMNS, keys};
use super::output::{Output, few};

/// Fewer columns may be words that are aligned by chance.
const LEAST_COLUMNS: usize = 2;

/// Columns that have one word each, as those of `ps`.
const LEAST_WORD_COLUMNS: usize = 4;

/// Rows that make a table.
const LEAST_ROWS: usize = 3;

/// Headings that may come before the names.
const MOST_HEADINGS: usize = 3;

/// Reads a table without bars.
pub(super) fn read(text: &str) -> Option<Reading<'_>> {
    several::read(text).or_else(|| one(text))
}

/// Reads a text that consists of one table.
fn one(text: &str) -> Option<Reading<'_>> {
    let lines: Vec<&str> = super::sample(text).lines().take(MOST_HEADINGS + 2).collect();
    let candidates = lines.iter().enumerate().filter(|(_, line)| !line.trim().is_empty()).take(MOST_HEADINGS + 1);
    candidates.into_iter().find_map(|(place, line)| {
        let layouts = [Layout::ruled(line, lines.get(place + 1)?), Layout::spaced(line), Layout::worded(line)];
        layouts.into_iter().flatten().find_map(|layout| layout.read(text, place))
    })
}

/// How the columns of a table are found in a line.
enum Columns {
    /// Each begins at a character; the one before it is a space, or two are.
    At { starts: Vec<usize>, spaces: usize },
    /// Each is a word, but the last one, which is the rest. They lie below their names.
    Words(Vec<(usize, usize)>),
}

struct Layout<'a> {
    names: Vec<&'a str>,
    columns: Columns,
    /// Lines of the head.
    lines: usize,
}

impl<'a> Layout<'a> {
    /// Names above a line of dashes, which shows where columns begin.
    fn ruled(line: &'a str, rule: &str) -> Option<Self> {
        // `dpkg -l` draws columns with other signs, and a dash where others have a space.
        let package_rule = rule.starts_with("+++-=").then(|| rule.replace('-', " ").replace(['+', '='], "-"));
        let rule = package_rule.as_deref().unwrap_or(rule);
        let starts: Vec<usize> = words(rule).take(MOST_COLUMNS + 1).map(|word| word.start).collect();
        if !is_rule(rule) || !(LEAST_COLUMNS..=MOST_COLUMNS).contains(&starts.len()) {
            return None;
        }
        let mut names = slices(line, &starts, 1)?;
        if package_rule.is_some() {
            // Its name is a drawing that leads to the legend.
            names[0] = "Status";
        }
        Some(Self { names, columns: Columns::At { starts, spaces: 1 }, lines: 2 })
    }

    /// Names in capitals with two spaces between them.
    fn spaced(line: &'a str) -> Option<Self> {
        let mut starts: Vec<usize> = Vec::new();
        let mut end = 0;
        for word in words(line).take(2 * MOST_COLUMNS) {
            if starts.is_empty() || word.start >= end + 2 {
                starts.push(word.start);
            }
            end = word.end;
        }
        if !(LEAST_COLUMNS..=MOST_COLUMNS).contains(&starts.len()) || starts[0] > 0 {
            return None;
        }
        let names = slices(line, &starts, 2)?;
        let are_capitals = names.iter().all(|name| is_capital(name));
        are_capitals.then_some(Self { names, columns: Columns::At { starts, spaces: 2 }, lines: 1 })
    }

    /// Names in capitals, of which each is a word.
    fn worded(line: &'a str) -> Option<Self> {
        let found: Vec<Word<'_>> = words(line).take(MOST_COLUMNS + 1).collect();
        if !(LEAST_WORD_COLUMNS..=MOST_COLUMNS).contains(&found.len()) {
            return None;
        }
        let mut names: Vec<&str> = found.iter().map(Word::text).collect();
        let mut places: Vec<(usize, usize)> = found.iter().map(|word| (word.start, word.end)).collect();
        if let [before @ .., "Mounted", "on"] = &names[..] {
            // `df` has one name of two words, and the only ones that are not capitals.
            let last = before.len();
            names.truncate(last);
            names.push(found[last].rest.trim_end());
            places.truncate(last + 1);
        } else if !names.iter().all(|name| is_capital(name)) {
            return None;
        }
        Some(Self { names, columns: Columns::Words(places), lines: 1 })
    }

    fn read(&self, text: &'a str, place: usize) -> Option<Reading<'a>> {
        let mut columns = vec![Column::default(); self.names.len()];
        let (mut rows, mut others) = (0, place);
        let total = total(text);
        for line in self.rows(text, place) {
            match self.cells(line).filter(|_| Some(line) != total) {
                _ if is_rule(line) => {}
                Some(cells) => {
                    rows += 1;
                    columns.iter_mut().zip(cells).for_each(|(column, cell)| column.see(cell));
                }
                None => others += usize::from(!line.trim().is_empty()),
            }
        }
        if rows < LEAST_ROWS || !few(others, rows) {
            return None;
        }
        let kinds: Vec<ColumnKind> = columns.iter().map(Column::kind).collect();
        let keys = keys(self.names.iter().copied());
        let mut output = Output::of(text);
        for (i, line) in text.lines().take(place).enumerate() {
            output.line(i + 1, line)?;
        }
        for (i, line) in self.rows(text, place).enumerate() {
            let cells = || self.cells(line).or_else(|| self.shifted(line, &kinds));
            match cells().filter(|_| Some(line) != total) {
                _ if is_rule(line) => output.fits(1),
                Some(cells) => output.record(1, record(&keys, &kinds, &cells))?,
                None => output.line(place + self.lines + i + 1, line)?,
            }
        }
        output.finish("aligned")
    }

    /// Cells of a line whose columns a wide number has moved: all numbers are where numbers are in other rows.
    fn shifted<'t>(&self, line: &'t str, kinds: &[ColumnKind]) -> Option<Vec<&'t str>> {
        let Columns::Words(names) = &self.columns else { return None };
        let found: Vec<Word<'_>> = words(line).take(names.len()).collect();
        let (last, before) = found.split_last().filter(|_| found.len() == names.len())?;
        let cells: Vec<&str> = before.iter().map(Word::text).chain([last.rest.trim_end()]).collect();
        let numbers = || kinds.iter().zip(&cells).filter(|(kind, _)| **kind == ColumnKind::Number);
        (numbers().count() > 0 && numbers().all(|(_, cell)| is_number(cell))).then_some(cells)
    }

    fn rows<'t>(&self, text: &'t str, place: usize) -> impl Iterator<Item = &'t str> {
        text.lines().skip(place + self.lines)
    }

    fn cells<'t>(&self, line: &'t str) -> Option<Vec<&'t str>> {
        match &self.columns {
            Columns::At { starts, spaces } => {
                let cells = slices(line, starts, *spaces)?;
                (!cells[0].is_empty()).then_some(cells)
            }
            Columns::Words(names) => worded_cells(line, names),
        }
    }
}

/// True for a line of dashes.
fn is_rule(line: &str) -> bool {
    line.contains("--") && line.trim_end().bytes().all(|byte| byte == b'-' || byte == b' ')
}

/// The last line, if it stands below a rule.
fn total(text: &str) -> Option<&str> {
    let mut lines = text.trim_end().lines();
    let last = lines.next_back()?;
    lines.next_back().filter(|line| is_rule(line)).map(|_| last)
}

/// Words of a line that lie below names.
fn worded_cells<'a>(line: &'a str, names: &[(usize, usize)]) -> Option<Vec<&'a str>> {
    let mut cells = Vec::with_capacity(names.len());
    let mut found = words(line);
    for (i, (name_start, name_end)) in names.iter().enumerate() {
        let word = found.next()?;
        let is_last = i + 1 == names.len();
        // Words are as wide as they are, but they touch their names.
        let touches_last = word.start >= name_start / 2 && word.start <= *name_end;
        let touches = word.start <= *name_end && word.end >= *name_start;
        if !(if is_last { touches_last } else { touches }) {
            return None;
        }
        cells.push(if is_last { word.rest.trim_end() } else { word.text() });
    }
    Some(cells)
}

fn record(keys: &[String], kinds: &[ColumnKind], cells: &[&str]) -> String {
    let mut json = String::new();
    for ((key, kind), cell) in keys.iter().zip(kinds).zip(cells) {
        json.push_str(key);
        kind.write(&mut json, cell);
    }
    json.push('}');
    json
}

/// Names of columns in capitals, with at least one letter.
fn is_capital(name: &str) -> bool {
    let is_part = |byte: u8| byte.is_ascii_uppercase() || byte.is_ascii_digit() || b" %-_()/#".contains(&byte);
    name.bytes().all(is_part) && name.bytes().any(|byte| byte.is_ascii_uppercase())
}

/// A word of a line: columns are aligned by characters.
struct Word<'a> {
    start: usize,
    end: usize,
    /// The line from the word on.
    rest: &'a str,
    bytes: usize,
}

impl<'a> Word<'a> {
    fn text(&self) -> &'a str {
        &self.rest[..self.bytes]
    }
}

fn words(line: &str) -> impl Iterator<Item = Word<'_>> {
    let mut letters = line
        .char_indices()
        .map(|(place, letter)| (place, letter.is_whitespace()))
        .chain([(line.len(), true)])
        .enumerate();
    std::iter::from_fn(move || {
        let (start, (first, _)) = letters.by_ref().find(|(_, (_, is_space))| !is_space)?;
        let (end, (last, _)) = letters.by_ref().find(|(_, (_, is_space))| *is_space)?;
        Some(Word { start, end, rest: &line[first..], bytes: last - first })
    })
}

/// The parts of a line that begin at these characters, if `spaces` spaces precede each.
fn slices<'a>(line: &'a str, starts: &[usize], spaces: usize) -> Option<Vec<&'a str>> {
    let mut slices = Vec::with_capacity(starts.len());
    let mut letters = line.char_indices();
    let mut character = 0;
    let mut start = 0;
    for next in starts.iter().skip(1).copied().chain([usize::MAX]) {
        let mut blanks = 0;
        let mut end = line.len();
        while character < next {
            let Some((place, letter)) = letters.next() else { break };
            blanks = if letter == ' ' { blanks + 1 } else { 0 };
            character += 1;
            end = place + letter.len_utf8();
        }
        if next != usize::MAX && character == next && blanks < spaces {
            return None;
        }
        slices.push(line[start.min(end)..end].trim());
        start = end;
    }
    Some(slices)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::payload::notation::tests::lines_of;

    #[test]
    fn columns_become_fields() {
        let rows = [
            (
                "NAME    READY   AGE\nweb-1   1/1     5d\nweb-2   0/1     5d (2 h)\nwéb-3           6d\n",
                "aligned {\"NAME\":\"web-1\",\"READY\":\"1/1\",\"AGE\":\"5d\"}\n{\"NAME\":\"web-2\",\"READY\":\"0/1\",\"AGE\":\"5d (2 h)\"}\n{\"NAME\":\"wéb-3\",\"READY\":\"\",\"AGE\":\"6d\"}",
            ),
            (
                "Package Version\n------- -------\na       1.0\nb       1.2\nc-d     2.0.1\n",
                "aligned {\"Package\":\"a\",\"Version\":\"1.0\"}\n{\"Package\":\"b\",\"Version\":\"1.2\"}\n{\"Package\":\"c-d\",\"Version\":\"2.0.1\"}",
            ),
            (
                "USER  PID %CPU COMMAND\nroot    1  0.0 a b  c\nroot   12  0.1 d\nx    1234 10.0 e\n",
                "aligned {\"USER\":\"root\",\"PID\":1,\"%CPU\":0.0,\"COMMAND\":\"a b  c\"}\n{\"USER\":\"root\",\"PID\":12,\"%CPU\":0.1,\"COMMAND\":\"d\"}\n{\"USER\":\"x\",\"PID\":1234,\"%CPU\":10.0,\"COMMAND\":\"e\"}",
            ),
            (
                "Desired=Unknown/Install\n| Status=Not/Inst\n|/ Err?=(none)\n||/ Name   Version Architecture Description\n+++-======-=======-============-===========\nii  adds   3.134   all          add and  more\nii  alsa   1.2-2   all          \nrc  apt    2.6     amd64        x\n",
                "aligned {\"line\":1,\"text\":\"Desired=Unknown/Install\"}\n{\"line\":2,\"text\":\"| Status=Not/Inst\"}\n{\"line\":3,\"text\":\"|/ Err?=(none)\"}\n{\"Status\":\"ii\",\"Name\":\"adds\",\"Version\":\"3.134\",\"Architecture\":\"all\",\"Description\":\"add and  more\"}\n{\"Status\":\"ii\",\"Name\":\"alsa\",\"Version\":\"1.2-2\",\"Architecture\":\"all\",\"Description\":\"\"}\n{\"Status\":\"rc\",\"Name\":\"apt\",\"Version\":\"2.6\",\"Architecture\":\"amd64\",\"Description\":\"x\"}",
            ),
            (
                "NAME   READY  AGE\npod/a  1/1    5d\n\nNAME   TYPE       PORT(S)\nsvc/a  ClusterIP  443/TCP\nsvc/b  ClusterIP  80/TCP\n",
                "aligned {\"NAME\":\"pod/a\",\"READY\":\"1/1\",\"AGE\":\"5d\"}\n{\"NAME\":\"svc/a\",\"TYPE\":\"ClusterIP\",\"PORT(S)\":\"443/TCP\"}\n{\"NAME\":\"svc/b\",\"TYPE\":\"ClusterIP\",\"PORT(S)\":\"80/TCP\"}",
            ),
            (
                "calls errors syscall\n----- ------ -------\n    4      1 openat\n    3        close\n    1        read\n----- ------ -------\n    8      1 total\n",
                "aligned {\"calls\":4,\"errors\":1,\"syscall\":\"openat\"}\n{\"calls\":3,\"errors\":null,\"syscall\":\"close\"}\n{\"calls\":1,\"errors\":null,\"syscall\":\"read\"}\n{\"line\":7,\"text\":\"    8      1 total\"}",
            ),
            (
                "USER  PID  VSZ COMMAND\nroot    1 2000 a b\nroot   12 1082744596 c d\nx    1234 10 e\nroot 4 5 f\nhe said nothing\n",
                "aligned {\"USER\":\"root\",\"PID\":1,\"VSZ\":2000,\"COMMAND\":\"a b\"}\n{\"USER\":\"root\",\"PID\":12,\"VSZ\":1082744596,\"COMMAND\":\"c d\"}\n{\"USER\":\"x\",\"PID\":1234,\"VSZ\":10,\"COMMAND\":\"e\"}\n{\"USER\":\"root\",\"PID\":4,\"VSZ\":5,\"COMMAND\":\"f\"}\n{\"line\":6,\"text\":\"he said nothing\"}",
            ),
            ("THE TITLE\nis a text\nwith lines\nof words\nand so on\n", ""),
            ("NAME   AGE\na b c d e f g\nh i j k l m n\no p q r s t u\n", ""),
        ];
        for (text, expected) in rows {
            assert_eq!(lines_of(read(text)), expected, "{text}");
        }
    }
}
