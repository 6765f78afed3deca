//! Ranges of lines and characters.

use std::fmt;

use serde::de::{Deserializer, Unexpected, Visitor};
use serde::{Deserialize, de};

/// A range of lines or characters, counted from 1. Both ends are included.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Range {
    /// The first one. 0 is taken for 1, with a remark.
    pub first: u32,
    /// The last one; none for the end of the file.
    pub last: Option<u32>,
}

/// Which lines are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lines {
    /// Those of a range.
    Range(Range),
    /// The last so many of the file.
    Last(u32),
}

impl<'de> Deserialize<'de> for Lines {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(LinesVisitor)
    }
}

impl<'de> Deserialize<'de> for Range {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match Lines::deserialize(deserializer)? {
            Lines::Range(range) => Ok(range),
            Lines::Last(number) => Err(de::Error::custom(format!(
                r#""-{number}" counts from the end, as only lines are counted: give a range such as "1-5000" or "5001-""#
            ))),
        }
    }
}

struct LinesVisitor;

impl Visitor<'_> for LinesVisitor {
    type Value = Lines;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(r#"a range such as "120-180", "120-" (to the end), "-50" (the last 50) or 120"#)
    }

    fn visit_u64<E: de::Error>(self, number: u64) -> Result<Lines, E> {
        let number = u32::try_from(number).map_err(|_| E::invalid_value(Unexpected::Unsigned(number), &self))?;
        Ok(single(number))
    }

    fn visit_i64<E: de::Error>(self, number: i64) -> Result<Lines, E> {
        self.visit_str(&number.to_string())
    }

    fn visit_f64<E: de::Error>(self, number: f64) -> Result<Lines, E> {
        match number.fract() == 0.0 && (0.0..=f64::from(u32::MAX)).contains(&number) {
            true => self.visit_u64(number as u64),
            false => Err(E::invalid_value(Unexpected::Float(number), &self)),
        }
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<Lines, E> {
        lines(text).ok_or_else(|| E::invalid_value(Unexpected::Str(text), &self))
    }
}

/// A single 0 is the first one, too.
fn single(number: u32) -> Lines {
    Lines::Range(Range { first: number, last: Some(number.max(1)) })
}

/// `120-180`, `120..180`, `120-`, `120`, `-50`.
fn lines(text: &str) -> Option<Lines> {
    if let Some(last) = text.trim().strip_prefix('-') {
        return number(last).filter(|number| *number > 0).map(Lines::Last);
    }
    let Some((first, last)) = text.split_once('-').or_else(|| text.split_once("..")) else {
        return number(text).map(single);
    };
    let last = if last.trim().is_empty() { None } else { Some(number(last)?) };
    Some(Lines::Range(Range { first: number(first)?, last }))
}

/// A number of digits alone. One that is too large for a position is the largest one.
pub fn number(text: &str) -> Option<u32> {
    let text = text.trim();
    let is_number = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then(|| text.parse().unwrap_or(u32::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_range_is_a_text_or_a_number() {
        let rows = [
            (r#""3-7""#, Some((3, Some(7)))),
            (r#"" 3 - 7 ""#, Some((3, Some(7)))),
            (r#""3..7""#, Some((3, Some(7)))),
            (r#""3-""#, Some((3, None))),
            (r#""3""#, Some((3, Some(3)))),
            ("3", Some((3, Some(3)))),
            ("3.0", Some((3, Some(3)))),
            ("0", Some((0, Some(1)))),
            (r#""0-50""#, Some((0, Some(50)))),
            (r#""1-99999999999""#, Some((1, Some(u32::MAX)))),
            (r#""-7""#, None),
            (r#""a-b""#, None),
            (r#""""#, None),
            (r#""3-7-9""#, None),
            (r#""+3-7""#, None),
            ("-3", None),
            ("3.5", None),
            ("4294967296", None),
            ("[3,7]", None),
        ];
        for (text, expected) in rows {
            let range = serde_json::from_str::<Range>(text).ok().map(|range| (range.first, range.last));
            assert_eq!(range, expected, "{text}");
        }
    }

    #[test]
    fn lines_are_counted_from_the_end_too() {
        let rows = [
            (r#""-50""#, Some(Lines::Last(50))),
            (r#"" - 50 ""#, Some(Lines::Last(50))),
            ("-50", Some(Lines::Last(50))),
            (r#""3-""#, Some(Lines::Range(Range { first: 3, last: None }))),
            ("3", Some(Lines::Range(Range { first: 3, last: Some(3) }))),
            (r#""-0""#, None),
            (r#""-""#, None),
            (r#""--5""#, None),
            (r#""-5-""#, None),
            ("-3.0", None),
        ];
        for (text, expected) in rows {
            assert_eq!(serde_json::from_str(text).ok(), expected, "{text}");
        }
        let error = serde_json::from_str::<Range>("-3").unwrap_err().to_string();
        assert!(
            error.contains(r#""-3" counts from the end, as only lines are counted: give a range such as"#),
            "{error}"
        );
    }
}
