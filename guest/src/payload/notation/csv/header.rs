//! Tells a line that names the columns from a first row without such a line.

use crate::payload::notation::names::is_surely_name;

/// A header is compared with this many rows: enough to know a column by, and as cheap for any number of rows.
pub(super) const MOST_ROWS: usize = 100;

/// A name may be a value by chance, but not in one row of this many.
const RARE: usize = 20;

/// The same where another cell is what columns are often called.
const FREQUENT: usize = 5;

/// Of a hundred rows, this many have cells like that of the first row.
const ALIKE: usize = 90;

/// Fewer rows show nothing.
const LEAST_ROWS: usize = 2;

/// A shorter word may have only letters of hexadecimal digits by chance.
const HASH_DIGITS: usize = 7;

/// What is known of a line that may name the columns.
pub(super) struct Header<'a> {
    cells: Vec<HeaderCell<'a>>,
    /// Some cell is what columns are often called.
    is_named: bool,
    rows: usize,
    /// Rows that are the same as a whole.
    repeated: usize,
}

struct HeaderCell<'a> {
    text: &'a str,
    is_surely_name: bool,
    look: Option<Look<'a>>,
    /// Rows that have the same text in the column.
    same: usize,
    /// Rows that have a text of the same look in the column.
    alike: usize,
}

/// What values look like, and names do not.
#[derive(Debug, PartialEq, Eq)]
enum Look<'a> {
    /// Hexadecimal digits, so many.
    Hash(usize),
    Path,
    Address,
    /// A label that all values of the column have: `host:`.
    Labelled(&'a str),
    /// Letters and digits with signs between them: `web-1`. Runs of letters and of digits stand as `a` and `0`.
    Pattern(String),
}

impl<'a> Header<'a> {
    pub(super) fn of(names: &[&'a str]) -> Self {
        let cell = |text: &&'a str| HeaderCell {
            text,
            is_surely_name: is_surely_name(text),
            look: Look::of(text),
            same: 0,
            alike: 0,
        };
        let cells: Vec<HeaderCell<'a>> = names.iter().map(cell).collect();
        Self { is_named: cells.iter().any(|cell| cell.is_surely_name), cells, rows: 0, repeated: 0 }
    }

    /// Takes note of a row that has as many cells.
    pub(super) fn see<'r>(&mut self, row: impl Iterator<Item = &'r str> + Clone) {
        self.rows += 1;
        // Texts with headers may stand one after the other.
        if row.clone().eq(self.cells.iter().map(|cell| cell.text)) {
            self.repeated += 1;
            return;
        }
        for (cell, value) in self.cells.iter_mut().zip(row) {
            cell.same += usize::from(cell.text == value && !value.is_empty());
            cell.alike += usize::from(cell.look.is_some() && cell.look == Look::of(value));
        }
    }

    /// True if the line is a row like those below it.
    pub(super) fn is_row(&self) -> bool {
        let recurs = |same: usize| match self.is_named {
            true => same > 1 && same * FREQUENT >= self.rows,
            false => same > 0 && same * RARE >= self.rows,
        };
        let is_alike = |cell: &HeaderCell<'_>| {
            let tells = !self.is_named || matches!(cell.look, Some(Look::Hash(_)));
            tells && cell.alike >= LEAST_ROWS && cell.alike * 100 >= (self.rows - self.repeated) * ALIKE
        };
        self.repeated * 2 > self.rows
            || self.cells.iter().any(|cell| !cell.is_surely_name && recurs(cell.same) || is_alike(cell))
    }
}

impl<'a> Look<'a> {
    fn of(text: &'a str) -> Option<Self> {
        let has_digit = text.bytes().any(|byte| byte.is_ascii_digit());
        if has_digit && text.len() >= HASH_DIGITS && text.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return Some(Self::Hash(text.len()));
        }
        let is_label = |label: &str| label.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_.-".contains(&byte));
        let labelled = text.split_once(':').filter(|(label, value)| !label.is_empty() && !value.is_empty());
        if let Some((label, _)) = labelled.filter(|(label, _)| is_label(label)) {
            return Some(Self::Labelled(label));
        }
        if text.split_once('@').is_some_and(|(_, host)| host.contains('.')) {
            return Some(Self::Address);
        }
        let is_path = || text.starts_with(['/', '.']) || text.matches('/').count() > 1 || text.contains('.');
        if text.contains('/') && !text.contains(' ') && is_path() {
            return Some(Self::Path);
        }
        has_digit.then(|| pattern(text)).filter(|pattern| pattern.len() > 2).map(Self::Pattern)
    }
}

/// A text with one letter for each run of letters and one digit for each run of digits.
fn pattern(text: &str) -> String {
    let mut pattern = String::new();
    for letter in text.chars() {
        let sign = match letter {
            _ if letter.is_ascii_digit() => '0',
            _ if letter.is_alphabetic() => 'a',
            _ => letter,
        };
        if !pattern.ends_with(sign) || !"a0".contains(sign) {
            pattern.push(sign);
        }
    }
    pattern
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_first_row_is_told_from_names() {
        let rows: [(&[&[&str]], bool); 18] = [
            (&[&["M", "CHANGELOG.md"], &["M", "a.rs"], &["A", "b.rs"]], true),
            (&[&["M", "status"], &["M", "a"], &["M", "b"], &["A", "c"]], true),
            (&[&["ok", "test_1"], &["fail", "test_2"], &["fail", "test_3"]], true),
            (&[&["svc", "running", "web"], &["db", "running", "eu"], &["x", "stopped", "us"]], true),
            (&[&["ab12345", "HEAD"], &["0123456", "refs/a"], &["fffffff0", "refs/b"], &["9123456", "c"]], false),
            (&[&["ab12345", "version"], &["0123456", "refs/a"], &["ffffff0", "refs/b"]], true),
            (&[&["host:a", "time:1"], &["host:b", "time:2"], &["host:c", "time:3"]], true),
            (&[&["src/a.rs", "x"], &["src/b.rs", "y"], &["docs/c.md", "z"]], true),
            (&[&["a@b.org", "x"], &["c@d.org", "y"], &["e.f@d.org", "z"]], true),
            (&[&["a", "b"], &["a", "b"], &["a", "b"]], true),
            (&[&["Province/State", "Date/Time"], &["x", "1/2/2020"], &["y", "1/3/2020"]], false),
            (&[&["Q1", "Q2"], &["A1", "B2"], &["A3", "B1"]], false),
            (&[&["id", "sample_1"], &["1", "s_1"], &["2", "s_2"]], false),
            (&[&["name", "type"], &["id", "int"], &["name", "text"]], false),
            (&[&["column_name", "x"], &["column_name", "y"], &["b", "z"]], false),
            (&[&["a", "b"], &["1", "2"], &["a", "b"], &["3", "4"]], false),
            (&[&["country", "2019"], &["x", "2019"], &["y", "7"]], false),
            (&[&["a", "b"], &["1", "2"]], false),
        ];
        for (rows, expected) in rows {
            let (names, rows) = rows.split_first().unwrap();
            let mut header = Header::of(names);
            rows.iter().for_each(|row| header.see(row.iter().copied()));
            assert_eq!(header.is_row(), expected, "{names:?}");
        }
    }
}
