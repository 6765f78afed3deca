//! Cells of a column: numbers or truth values where all are, texts otherwise.

use lro_query::json::push_quoted;

/// A double keeps this many digits of any decimal number.
const MOST_DIGITS: usize = 15;

/// Digits of an exponent: more are beyond what a double holds, and many a hash looks like `12e3456`.
const MOST_EXPONENT_DIGITS: usize = 2;

/// A part of a version has no more digits: 7.3666667 is a number.
const MOST_VERSION_DIGITS: usize = 3;

/// A column with more texts than these is known well enough: the numbers among its further cells change nothing.
const MOST_TEXTS: usize = 8;

/// What may stand around the digits of an amount.
const AROUND_AMOUNTS: &str = "+-€$£¥% \u{a0}\u{202f}";

/// What may stand between its thousands.
const BETWEEN_THOUSANDS: &str = "., '’\u{a0}\u{202f}";

/// What a column's cells are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ColumnKind {
    /// All that are not empty are numbers, which are written unchanged.
    Number,
    /// All that are not empty are true or false.
    Boolean,
    /// Anything else.
    Text,
}

/// What is known of a column.
#[derive(Debug, Default, Clone)]
pub(super) struct Column {
    numbers: usize,
    /// Those with decimal commas, which are texts in JSON.
    amounts: usize,
    booleans: usize,
    texts: usize,
    /// How many digits the first fraction has.
    fraction: Option<usize>,
    has_other_fractions: bool,
    /// Some fraction ends with a zero that a number does not need.
    has_zeros: bool,
    /// Some fraction has more digits than a version.
    has_long_fractions: bool,
}

impl Column {
    /// Takes note of a cell.
    #[inline(always)]
    pub(super) fn see(&mut self, cell: &str) {
        if self.texts > MOST_TEXTS || cell.is_empty() {
        } else if let Some(number) = Number::of(cell) {
            self.numbers += 1;
            if number.fraction > 0 {
                let first = *self.fraction.get_or_insert(number.fraction);
                self.has_other_fractions |= first != number.fraction;
                self.has_zeros |= number.ends_with_zero && number.fraction > 1;
                self.has_long_fractions |= number.fraction > MOST_VERSION_DIGITS;
            }
        } else if boolean(cell).is_some() {
            self.booleans += 1;
        } else if is_amount(cell) {
            self.amounts += 1;
        } else {
            self.texts += 1;
        }
    }

    /// True while no cell has anything.
    pub(super) fn is_empty(&self) -> bool {
        self.numbers + self.amounts + self.booleans + self.texts == 0
    }

    /// True if all cells are numbers, with decimal commas too, or truth values. No name looks like that.
    pub(super) fn has_values(&self) -> bool {
        self.kind() != ColumnKind::Text || self.amounts > 0 && self.booleans + self.texts == 0
    }

    /// True if the first cells are texts that no number is among.
    pub(super) fn has_texts_only(&self) -> bool {
        self.texts > 0 && self.numbers + self.amounts + self.booleans == 0
    }

    /// True if a column of values has them all with this cell too.
    #[inline(never)]
    pub(super) fn takes(&self, cell: &str) -> bool {
        let mut column = self.clone();
        column.see(cell);
        column.has_values()
    }

    /// What its cells are.
    pub(super) fn kind(&self) -> ColumnKind {
        // Prices have zeros at their ends, all of one length. 1.9 and 1.10 are versions, not numbers.
        let are_versions = self.has_zeros && self.has_other_fractions && !self.has_long_fractions;
        match (self.numbers, self.booleans, self.texts + self.amounts) {
            (1.., 0, 0) if !are_versions => ColumnKind::Number,
            (0, 1.., 0) => ColumnKind::Boolean,
            _ => ColumnKind::Text,
        }
    }
}

impl ColumnKind {
    /// Writes a cell as JSON.
    pub(super) fn write(self, json: &mut String, cell: &str) {
        match self {
            Self::Text => push_quoted(json, cell),
            _ => self.pieces(cell).into_iter().for_each(|piece| json.push_str(piece)),
        }
    }

    /// A number, a truth value or an empty cell as JSON, in pieces. A number is unchanged, except that JSON needs a digit
    /// before the point.
    pub(super) fn pieces(self, cell: &str) -> [&str; 3] {
        if cell.is_empty() {
            return ["null", "", ""];
        }
        if self == Self::Boolean {
            return [if boolean(cell) == Some(true) { "true" } else { "false" }, "", ""];
        }
        let unsigned = cell.strip_prefix('-').unwrap_or(cell);
        match unsigned.starts_with('.') {
            true => [&cell[..cell.len() - unsigned.len()], "0", unsigned],
            false => [cell, "", ""],
        }
    }
}

/// True for a number that JSON can hold without a loss.
pub(super) fn is_number(text: &str) -> bool {
    Number::of(text).is_some()
}

/// True for a number with a comma in it: `280,49`, `-1.234,50 €`. Few cells get here: the loop over cells stays small.
#[inline(never)]
fn is_amount(cell: &str) -> bool {
    let digits = cell.trim_matches(|sign| AROUND_AMOUNTS.contains(sign));
    let is_digit = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii_digit);
    let is_whole = |whole: &str| {
        is_digit(whole.as_bytes().first())
            && is_digit(whole.as_bytes().last())
            && whole.chars().all(|sign| sign.is_ascii_digit() || BETWEEN_THOUSANDS.contains(sign))
    };
    digits.rsplit_once(',').is_some_and(|(whole, fraction)| {
        is_whole(whole) && !fraction.is_empty() && fraction.bytes().all(|byte| byte.is_ascii_digit())
    })
}

fn boolean(cell: &str) -> Option<bool> {
    match cell {
        "true" | "True" | "TRUE" => Some(true),
        "false" | "False" | "FALSE" => Some(false),
        _ => None,
    }
}

/// How a number is written.
struct Number {
    /// Digits after the point.
    fraction: usize,
    ends_with_zero: bool,
}

impl Number {
    /// A number in JSON's notation with few digits, or one that begins with its point.
    fn of(cell: &str) -> Option<Self> {
        let bytes = cell.as_bytes();
        let (whole, rest) = digits(bytes.strip_prefix(b"-").unwrap_or(bytes));
        let (fraction, rest) = match rest {
            [b'.', rest @ ..] => match digits(rest) {
                ([], _) => return None,
                both => both,
            },
            _ => (&[][..], rest),
        };
        let is_complete = match rest {
            [] => true,
            [b'e' | b'E', b'-' | b'+', exponent @ ..] | [b'e' | b'E', exponent @ ..] => {
                (1..=MOST_EXPONENT_DIGITS).contains(&exponent.len()) && exponent.iter().all(u8::is_ascii_digit)
            }
            _ => false,
        };
        let significant = match whole {
            [] | b"0" => fraction.len(),
            [b'0', ..] => return None,
            _ => whole.len() + fraction.len(),
        };
        let is_number = is_complete && !(whole.is_empty() && fraction.is_empty()) && significant <= MOST_DIGITS;
        is_number.then(|| Self { fraction: fraction.len(), ends_with_zero: fraction.ends_with(b"0") })
    }
}

/// The digits that a text begins with, and the rest.
fn digits(text: &[u8]) -> (&[u8], &[u8]) {
    text.split_at(text.iter().take_while(|byte| byte.is_ascii_digit()).count())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_column_is_what_all_its_cells_are() {
        use ColumnKind::{Boolean, Number, Text};
        let rows: [(&[&str], ColumnKind); 24] = [
            (&["1", "-2", "", "3.5"], Number),
            (&["0", "0.5", "1e5", "2E-3"], Number),
            (&["19.90", "5.00", "7"], Number),
            (&["3.0", "3.25"], Number),
            (&["1.9", "1.10"], Text),
            (&["42.4225000", "7.3666667"], Number),
            (&[".097", "-.5", "0.2"], Number),
            (&["01234", "99"], Text),
            (&["+1"], Text),
            (&["1."], Text),
            (&[".e5"], Text),
            (&["1,000"], Text),
            (&["123456789012345"], Number),
            (&["1234567890123456"], Text),
            (&["0.123456789012345"], Number),
            (&["1e999"], Text),
            (&["NaN"], Text),
            (&["true", "", "false"], Boolean),
            (&["True", "False"], Boolean),
            (&["true", "1"], Text),
            (&["yes"], Text),
            (&["", ""], Text),
            (&[], Text),
            (&["1", "x"], Text),
        ];
        for (cells, expected) in rows {
            let mut column = Column::default();
            cells.iter().for_each(|cell| column.see(cell));
            assert_eq!(column.kind(), expected, "{cells:?}");
        }
    }

    #[test]
    fn values_are_told_from_texts() {
        // Cells, whether all are values, and whether all are texts.
        let rows: [(&[&str], bool, bool); 14] = [
            (&["1", "2.5", ""], true, false),
            (&["true"], true, false),
            (&["280,49", "7", "-5,00"], true, false),
            (&["1.234,50 €", "€ 7,5", "5,00-", "+12,5 %"], true, false),
            (&["1 234,5", "1'234,5", "1,234,567"], true, false),
            (&["280,49", "x"], false, false),
            (&["280,49", "true"], false, false),
            (&["1,"], false, true),
            (&[",5"], false, true),
            (&["12:00:00,123", "1,5 kg"], false, true),
            (&["1.9", "1.10"], false, false),
            (&["x", "", "1"], false, false),
            (&["x", "y"], false, true),
            (&[""], false, false),
        ];
        for (cells, are_values, are_texts) in rows {
            let mut column = Column::default();
            cells.iter().for_each(|cell| column.see(cell));
            assert_eq!((column.has_values(), column.has_texts_only()), (are_values, are_texts), "{cells:?}");
        }
    }

    #[test]
    fn numbers_stay_as_they_are_written() {
        let rows = [
            (ColumnKind::Number, "19.90", "19.90"),
            (ColumnKind::Number, "", "null"),
            (ColumnKind::Boolean, "True", "true"),
            (ColumnKind::Boolean, "", "null"),
            (ColumnKind::Text, "", "\"\""),
            (ColumnKind::Text, "a\"", r#""a\"""#),
        ];
        for (kind, cell, expected) in rows {
            let mut json = String::new();
            kind.write(&mut json, cell);
            assert_eq!(json, expected);
        }
    }
}
