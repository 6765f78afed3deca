//! Arithmetic: numbers, and what jq lets `+`, `-`, `*`, `/` and `%` do to other values.

use std::collections::BTreeSet;
use std::ops::{Add, Div, Mul, Neg, Range, Rem, Sub};
use std::rc::Rc;

use super::values::copied;
use super::{Map, Result, Text, Value, fail, failure, spent, unfit};
use crate::budget;
use crate::failure::{Failure, Shown};
use crate::json::Type;

/// A repetition never makes a longer text.
const MOST_TEXT: f64 = 536_870_911.0;

/// Deeper objects are not merged: 10,000 levels in one.
const MOST_NESTING: u32 = 10_001;

fn refuse(left: &Value, right: &Value, done: &'static str) -> Result {
    fail(Failure::Operands { left: Shown::of(left), right: Shown::of(right), done })
}

impl Add for Value {
    type Output = Result;

    fn add(self, right: Self) -> Result {
        if !budget::steps(1) {
            return spent();
        }
        Ok(match (self, right) {
            (Self::Null, value) | (value, Self::Null) => value,
            (Self::Number(a), Self::Number(b)) => Self::from(a.value() + b.value()),
            (Self::Text(mut a), Self::Text(b)) => {
                if a.is_empty() {
                    return Ok(Self::Text(b));
                }
                if !budget::room(a.grows_by(&b)) {
                    return spent();
                }
                a.push(&b);
                Self::Text(a)
            }
            (Self::Array(mut a), Self::Array(b)) => {
                if a.is_empty() {
                    return Ok(Self::Array(b));
                }
                copied(b.len());
                if !budget::has_room((a.len() + b.len()) * size_of::<Self>()) {
                    return spent();
                }
                match Rc::try_unwrap(b) {
                    Ok(b) => Rc::make_mut(&mut a).extend(b.into_vec()),
                    Err(b) => Rc::make_mut(&mut a).extend(b.iter().cloned()),
                }
                Self::Array(a)
            }
            (Self::Object(mut a), Self::Object(b)) => {
                copied(b.len() * 4);
                let members = Rc::make_mut(&mut a);
                b.iter().for_each(|(key, value)| members.insert(key.clone(), value.clone()));
                Self::Object(a)
            }
            (a, b) => return refuse(&a, &b, "added"),
        })
    }
}

impl Sub for Value {
    type Output = Result;

    fn sub(self, right: Self) -> Result {
        if !budget::steps(1) {
            return spent();
        }
        match (self, right) {
            (Self::Number(a), Self::Number(b)) => Ok(Self::from(a.value() - b.value())),
            (Self::Array(a), Self::Array(b)) if b.len() < 8 => {
                copied(a.len() * b.len());
                Ok(a.iter().filter(|value| !b.contains(value)).cloned().collect())
            }
            (Self::Array(a), Self::Array(b)) => {
                copied(a.len() + b.len());
                #[expect(clippy::mutable_key_type, reason = "the index of an object has no part in its order")]
                let taken: BTreeSet<&Value> = b.iter().collect();
                Ok(a.iter().filter(|value| !taken.contains(value)).cloned().collect())
            }
            (a, b) => refuse(&a, &b, "subtracted"),
        }
    }
}

impl Mul for Value {
    type Output = Result;

    fn mul(self, right: Self) -> Result {
        match (self, right) {
            (Self::Number(a), Self::Number(b)) => Ok(Self::from(a.value() * b.value())),
            (Self::Text(text), Self::Number(count)) | (Self::Number(count), Self::Text(text)) => {
                repeated(&text, count.value())
            }
            (Self::Object(a), Self::Object(b)) => merged(a, &b, MOST_NESTING).map(Self::Object),
            (a, b) => refuse(&a, &b, "multiplied"),
        }
    }
}

/// A text so many times; null where that is no number of times.
fn repeated(text: &Text, count: f64) -> Result {
    if count.is_nan() || count < 0.0 {
        return Ok(Value::Null);
    }
    if text.is_empty() {
        return Ok(Value::Text(text.clone()));
    }
    // Between none and once, jq repeats once; else it leaves fractions out.
    let count = if count > 0.0 && count < 1.0 { 0.0 } else { count.trunc() };
    if count * text.len() as f64 > MOST_TEXT {
        return failure("Repeat string result too long");
    }
    if !budget::room(count as usize * text.len()) {
        return spent();
    }
    Ok(Value::from(text.repeat(count as usize)))
}

/// The members of both, those of the second counting more, objects in objects merged likewise.
fn merged(mut a: Rc<Map>, b: &Map, left: u32) -> Result<Rc<Map>> {
    let Some(left) = left.checked_sub(1) else { return failure("Object merge too deep") };
    if !budget::level(MOST_NESTING - left) || !budget::steps(1) {
        return spent();
    }
    copied(b.len() * 4);
    let members = Rc::make_mut(&mut a);
    for (key, value) in b.iter() {
        match (members.get_mut(key), value) {
            (Some(Value::Object(mine)), Value::Object(theirs)) => {
                *mine = merged(std::mem::take(mine), theirs, left)?;
            }
            (Some(mine), theirs) => *mine = theirs.clone(),
            (None, theirs) => members.push(key.clone(), theirs.clone()),
        }
    }
    Ok(a)
}

impl Div for Value {
    type Output = Result;

    fn div(self, right: Self) -> Result {
        match (&self, &right) {
            (Self::Number(_), Self::Number(b)) if b.value() == 0.0 => {
                refuse(&self, &right, "divided because the divisor is zero")
            }
            (Self::Number(a), Self::Number(b)) => Ok(Self::from(a.value() / b.value())),
            (Self::Text(text), Self::Text(separator)) => Ok(split(text, separator)),
            _ => refuse(&self, &right, "divided"),
        }
    }
}

/// The parts of a text between separators, as slices of it.
pub(crate) fn split(text: &Text, separator: &str) -> Value {
    if text.is_empty() {
        return Value::array(Vec::new());
    }
    if separator.is_empty() {
        let parts = text.char_indices().map(|(at, c)| Value::Text(text.slice(at, at + c.len_utf8())));
        return parts.collect();
    }
    pieces(text.as_bytes(), separator.as_bytes()).map(|part| Value::Text(text.slice(part.start, part.end))).collect()
}

/// Where the pieces of a text are between separators, which are not empty. An empty text has none.
pub(crate) fn pieces<'t>(text: &'t [u8], separator: &'t [u8]) -> impl Iterator<Item = Range<usize>> + 't {
    let mut start = 0;
    let ends = memchr::memmem::find_iter(text, separator).chain((!text.is_empty()).then_some(text.len()));
    ends.map(move |end| std::mem::replace(&mut start, end + separator.len())..end)
}

impl Rem for Value {
    type Output = Result;

    fn rem(self, right: Self) -> Result {
        let (Some(a), Some(b)) = (self.as_f64(), right.as_f64()) else {
            return refuse(&self, &right, "divided (remainder)");
        };
        if a.is_nan() || b.is_nan() {
            return Ok(Self::from(f64::NAN));
        }
        // Both are cut to integers, infinities to the largest.
        let (a, b) = (a as i64, b as i64);
        if b == 0 {
            return refuse(&self, &right, "divided (remainder) because the divisor is zero");
        }
        let rest = a.unsigned_abs() % b.unsigned_abs();
        Ok(Self::from(if a < 0 { -(rest as f64) } else { rest as f64 } + 0.0))
    }
}

impl Neg for Value {
    type Output = Result;

    fn neg(self) -> Result {
        match self {
            Self::Number(number) => Ok(Self::Number(number.negated())),
            other => unfit(&other, Type::Number, "cannot be negated"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_are_between_separators() {
        let rows = [("a b  c", " ", 4), ("", " ", 0), (" ", " ", 2), ("abc", "abcd", 1), ("aaa", "aa", 2)];
        for (text, separator, count) in rows {
            let found: Vec<_> = pieces(text.as_bytes(), separator.as_bytes()).map(|range| &text[range]).collect();
            assert_eq!(found.len(), count, "{text}");
            assert_eq!(found.join(separator), text);
        }
    }

    #[test]
    fn operators_do_what_jq_does() {
        let value = |text: &str| Value::parse(text, 8).unwrap();
        let text = |result: Result| {
            result.map_or_else(|error| super::super::failure_of(error).to_string(), |value| value.to_json())
        };
        let rows = [
            ("null", '+', "1", "1"),
            ("[1]", '+', "[2]", "[1,2]"),
            (r#"{"a":1}"#, '+', r#"{"b":2,"a":3}"#, r#"{"a":3,"b":2}"#),
            ("[1,2,1,3]", '-', "[1]", "[2,3]"),
            (r#""ab""#, '*', "2", r#""abab""#),
            (r#""ab""#, '*', "-1", "null"),
            (r#"{"a":{"b":1}}"#, '*', r#"{"a":{"c":2}}"#, r#"{"a":{"b":1,"c":2}}"#),
            (r#""a,b""#, '/', r#"",""#, r#"["a","b"]"#),
            ("5", '%', "-3", "2"),
            ("-5", '%', "3", "-2"),
            ("1", '/', "0", "number (1) and number (0) cannot be divided because the divisor is zero"),
            ("1", '+', r#""a""#, r#"number (1) and string ("a") cannot be added"#),
        ];
        for (a, operator, b, expected) in rows {
            let (x, y) = (value(a), value(b));
            let result = match operator {
                '+' => x + y,
                '-' => x - y,
                '*' => x * y,
                '/' => x / y,
                _ => x % y,
            };
            assert_eq!(text(result), expected, "{a} {operator} {b}");
        }
    }
}
