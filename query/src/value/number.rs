//! Numbers: computed ones are floats, those from a filter or a record keep what they were written as.
//!
//! As in jq 1.8: what is not touched leaves as it came, in one canonical form (`1.10`, `1E+3`, a hundred digits), and
//! compares by all of its digits with another one like it. Arithmetic sees the nearest float.

use std::cmp::Ordering;
use std::rc::Rc;

/// A number.
#[derive(Debug, Clone)]
pub enum Number {
    /// A float that prints as it was written.
    Float(f64),
    /// What a float cannot hold or would print otherwise.
    Literal(Rc<Literal>),
}

/// A number as it was written.
#[derive(Debug)]
pub struct Literal {
    text: String,
    value: f64,
}

/// No literal with a larger exponent is told apart from another.
const LARGEST_EXPONENT: i64 = 4_000_000_000_000;

/// A float tells all numbers of so many decimal digits apart.
const EXACT_DIGITS: usize = 15;

impl Number {
    /// A number from the text of a literal, which is one as in JSON; leading zeros and a missing integer part are taken
    /// too, as jq takes them in filters.
    pub(crate) fn from_literal(text: &str) -> Self {
        let value: f64 = text.parse().unwrap_or(f64::NAN);
        if prints_the_same(text) {
            return Self::Float(value);
        }
        Self::Literal(Rc::new(Literal { text: Decimal::read(text).canonical(), value }))
    }

    /// The nearest float.
    pub(crate) fn value(&self) -> f64 {
        match self {
            Self::Float(value) => *value,
            Self::Literal(literal) => literal.value,
        }
    }

    /// The number, if a float says all of it.
    pub(crate) fn float(&self) -> Option<f64> {
        match self {
            Self::Float(value) => Some(*value),
            Self::Literal(_) => None,
        }
    }

    /// The number with the other sign. A literal stays one.
    pub(crate) fn negated(&self) -> Self {
        match self {
            Self::Float(value) => Self::Float(-value),
            Self::Literal(literal) => {
                let text = match literal.text.strip_prefix('-') {
                    Some(positive) => positive.to_owned(),
                    None => format!("-{}", literal.text),
                };
                Self::Literal(Rc::new(Literal { text, value: -literal.value }))
            }
        }
    }

    /// Appends it as JSON. NaN is null, an infinity the largest float of its sign.
    pub(crate) fn print(&self, out: &mut Vec<u8>) {
        match self {
            Self::Float(value) => print_float(out, *value),
            Self::Literal(literal) => out.extend(literal.text.bytes()),
        }
    }

    /// The order of numbers, NaN before all others.
    pub(crate) fn compare(&self, other: &Self) -> Ordering {
        if let (Self::Literal(a), Self::Literal(b)) = (self, other) {
            return Decimal::read(&a.text).compare(&Decimal::read(&b.text));
        }
        let (a, b) = (self.value(), other.value());
        a.partial_cmp(&b).unwrap_or_else(|| b.is_nan().cmp(&a.is_nan()))
    }

    /// Whether both are the same number.
    pub(crate) fn equals(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Literal(a), Self::Literal(b)) => {
                a.text == b.text || Decimal::read(&a.text).compare(&Decimal::read(&b.text)) == Ordering::Equal
            }
            _ => self.value() == other.value(),
        }
    }
}

impl From<f64> for Number {
    fn from(value: f64) -> Self {
        Self::Float(value)
    }
}

/// True when a float keeps the number and prints exactly this text: few digits, no exponent, no idle zeros.
fn prints_the_same(text: &str) -> bool {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let bytes = digits.as_bytes();
    if bytes.len() > EXACT_DIGITS {
        return false;
    }
    let Some(point) = memchr::memchr(b'.', bytes) else {
        return bytes.iter().all(u8::is_ascii_digit) && (bytes[0] != b'0' || text == "0");
    };
    let (whole, fraction) = (&bytes[..point], &bytes[point + 1..]);
    let idle = (whole.len() > 1 && whole[0] == b'0') || whole.is_empty() || fraction.last().is_none_or(|d| *d == b'0');
    let tiny = whole == b"0" && fraction.starts_with(b"0000");
    !idle && !tiny && whole.iter().chain(fraction).all(u8::is_ascii_digit)
}

/// Prints a float as jq does: the fewest digits that lead back to it, at most 17.
fn print_float(out: &mut Vec<u8>, value: f64) {
    use std::io::Write as _;
    if value.is_nan() {
        out.extend(b"null");
        return;
    }
    if value.is_infinite() {
        out.extend(if value > 0.0 { &b"1.7976931348623157e+308"[..] } else { b"-1.7976931348623157e+308" });
        return;
    }
    if value == value.trunc() && value.abs() < 1e15 && (value != 0.0 || value.is_sign_positive()) {
        write!(out, "{}", value as i64).expect("memory takes everything");
        return;
    }
    let scientific = format!("{value:e}");
    let (mantissa, exponent) = scientific.split_once('e').expect("it has an exponent");
    let (sign, mantissa) = mantissa.strip_prefix('-').map_or(("", mantissa), |rest| ("-", rest));
    let digits: String = mantissa.chars().filter(|c| *c != '.').collect();
    let point = exponent.parse::<i64>().expect("the exponent is a number") + 1;
    out.extend(sign.bytes());
    let count = i64::try_from(digits.len()).expect("there are few digits");
    if point <= -4 || point > count + 15 {
        out.extend(digits[..1].bytes());
        if digits.len() > 1 {
            out.push(b'.');
            out.extend(digits[1..].bytes());
        }
        let sign = if point <= 0 { '-' } else { '+' };
        write!(out, "e{sign}{:02}", (point - 1).abs()).expect("memory takes everything");
    } else if point <= 0 {
        out.extend(b"0.");
        out.extend(std::iter::repeat_n(b'0', usize::try_from(-point).unwrap_or(0)));
        out.extend(digits.bytes());
    } else {
        let point = usize::try_from(point).unwrap_or(0);
        let whole = point.min(digits.len());
        out.extend(digits[..whole].bytes());
        out.extend(std::iter::repeat_n(b'0', point - whole));
        if whole < digits.len() {
            out.push(b'.');
            out.extend(digits[whole..].bytes());
        }
    }
}

/// A decimal number: digits without leading zeros, times ten to a power.
struct Decimal {
    negative: bool,
    digits: String,
    exponent: i64,
}

impl Decimal {
    fn read(text: &str) -> Self {
        let (negative, rest) = match text.strip_prefix('-') {
            Some(rest) => (true, rest),
            None => (false, text.strip_prefix('+').unwrap_or(text)),
        };
        let (mantissa, exponent) = rest.split_once(['e', 'E']).unwrap_or((rest, "0"));
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let written = exponent.parse::<i64>().unwrap_or(if exponent.starts_with('-') { i64::MIN } else { i64::MAX });
        let written = written.clamp(-LARGEST_EXPONENT, LARGEST_EXPONENT);
        let exponent = written - i64::try_from(fraction.len()).unwrap_or(0);
        let all = format!("{whole}{fraction}");
        let significant = all.trim_start_matches('0');
        let digits = if significant.is_empty() { "0" } else { significant };
        Self { negative, digits: digits.to_owned(), exponent }
    }

    /// The decimal exponent of the first digit.
    fn adjusted(&self) -> i64 {
        self.exponent + i64::try_from(self.digits.len()).unwrap_or(0) - 1
    }

    /// The one text of this number: plain where that is short, else with an exponent of ten.
    fn canonical(&self) -> String {
        let sign = if self.negative { "-" } else { "" };
        let (digits, adjusted) = (&self.digits, self.adjusted());
        if self.exponent <= 0 && adjusted >= -6 {
            let fraction = usize::try_from(-self.exponent).unwrap_or(0);
            if fraction == 0 {
                return format!("{sign}{digits}");
            }
            let padded = format!("{}{digits}", "0".repeat((fraction + 1).saturating_sub(digits.len())));
            let (whole, fraction) = padded.split_at(padded.len() - fraction);
            return format!("{sign}{whole}.{fraction}");
        }
        let (first, rest) = digits.split_at(1);
        let point = if rest.is_empty() { "" } else { "." };
        format!("{sign}{first}{point}{rest}E{adjusted:+}")
    }

    fn compare(&self, other: &Self) -> Ordering {
        let sign = |decimal: &Self| match (decimal.digits.as_str(), decimal.negative) {
            ("0", _) => 0,
            (_, true) => -1,
            (_, false) => 1,
        };
        let (mine, theirs) = (sign(self), sign(other));
        if mine != theirs || mine == 0 {
            return mine.cmp(&theirs);
        }
        let size = self
            .adjusted()
            .cmp(&other.adjusted())
            .then_with(|| self.digits.trim_end_matches('0').cmp(other.digits.trim_end_matches('0')));
        if self.negative { size.reverse() } else { size }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn printed(number: &Number) -> String {
        let mut out = Vec::new();
        number.print(&mut out);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn what_is_not_touched_keeps_its_digits() {
        let rows = [
            ("1", "1"),
            ("-0", "-0"),
            ("0.0", "0.0"),
            ("1.0", "1.0"),
            ("1.10", "1.10"),
            ("0.95", "0.95"),
            ("100000000000000000000", "100000000000000000000"),
            ("0.12345678901234567890123456789", "0.12345678901234567890123456789"),
            ("1e3", "1E+3"),
            ("1E1000", "1E+1000"),
            ("100e-2", "1.00"),
            ("0.0001e4", "1"),
            ("0.00001", "0.00001"),
            ("0.00000012", "1.2E-7"),
        ];
        for (text, expected) in rows {
            assert_eq!(printed(&Number::from_literal(text)), expected, "{text}");
        }
    }

    #[test]
    fn what_is_computed_prints_as_in_jq() {
        let rows = [
            (3.0, "3"),
            (-0.0, "-0"),
            (0.1 + 0.2, "0.30000000000000004"),
            (1e15, "1000000000000000"),
            (1e17, "1e+17"),
            (123_456_789_012_345_678.0, "123456789012345680"),
            (1.5e300, "1.5e+300"),
            (0.0001, "0.0001"),
            (0.00001, "1e-05"),
            (1234.5, "1234.5"),
            (f64::NAN, "null"),
            (f64::NEG_INFINITY, "-1.7976931348623157e+308"),
        ];
        for (value, expected) in rows {
            assert_eq!(printed(&Number::from(value)), expected);
        }
    }

    #[test]
    fn literals_compare_by_all_digits() {
        let rows = [
            ("13911860366432393", "13911860366432392", Ordering::Greater),
            ("100e-2", "1.000", Ordering::Equal),
            ("1", "1.0", Ordering::Equal),
            ("9E999999999", "1e-999999999", Ordering::Greater),
            ("-1e400", "-1e401", Ordering::Greater),
            ("0.0", "-0", Ordering::Equal),
        ];
        for (a, b, expected) in rows {
            let (a, b) = (Number::from_literal(a), Number::from_literal(b));
            assert_eq!((a.compare(&b), a.equals(&b)), (expected, expected == Ordering::Equal));
        }
    }
}
