//! Ranges: `priority=3..5`, `priority between 3 and 5`, `created=2026-01..2026-03`, `size=100..`. Both ends belong to it.

use serde_json::{Number, Value, json};

use super::{Field, refused};
use crate::error::Error;

const DOTS: &str = "..";

/// How ranges are written.
pub(super) const HINT: &str = "write `priority=3..5`, `priority between 3 and 5`, or `created=2026-01..2026-03`";

/// A range of numbers or dates as dots say it; `None` for any other text. One of the ends may be open.
pub(super) fn dotted(text: &str) -> Option<Value> {
    let (from, until) = text.split_once(DOTS)?;
    let (from, until) = (end(from.trim())?, end(until.trim())?);
    let is_one = from.is_null() || until.is_null() || from.is_number() == until.is_number();
    (is_one && !(from.is_null() && until.is_null())).then(|| json!([from, until]))
}

/// An end: a number, a date, or nothing.
fn end(text: &str) -> Option<Value> {
    if text.is_empty() {
        return Some(Value::Null);
    }
    match text.parse::<Number>() {
        Ok(number) => Some(number.into()),
        Err(_) => is_date(text).then(|| text.into()),
    }
}

/// The ends after `between`: `3 and 5`, `3, 5`, `3..5`, with quotes or without.
pub(super) fn between(field: &Field, text: &str) -> Result<Value, Error> {
    if let Some(range) = dotted(text) {
        return Ok(range);
    }
    let lower = text.to_ascii_lowercase();
    let at = lower.find(" and ").map(|at| (at, 5)).or_else(|| lower.find(',').map(|at| (at, 1)));
    let Some((at, length)) = at else {
        return Err(refused(&format!("the range of `{}` has no two ends", field.name), HINT));
    };
    let end = |text: &str| serde_json::from_str::<Value>(text.trim()).unwrap_or_else(|_| text.trim().into());
    Ok(json!([end(&text[..at]), end(&text[at + length..])]))
}

/// True for two ends that compare: both numbers or both texts, or one of them open.
pub(super) fn is_range(value: &Value) -> bool {
    let Some([from, until]) = value.as_array().map(Vec::as_slice) else { return false };
    match (from, until) {
        (Value::Null, end) | (end, Value::Null) => end.is_number() || end.is_string(),
        (from, until) => from.is_number() && until.is_number() || from.is_string() && until.is_string(),
    }
}

/// The day with the blank after it, and the same date with a `T` in place of the blank between its day and its time.
pub(crate) fn with_t(date: &str) -> Option<(&str, String)> {
    let (day, time) = date.split_at_checked(11)?;
    let is_time = is_date(date) && day.as_bytes()[7] == b'-' && time.starts_with(|c: char| c.is_ascii_digit());
    let date = day.strip_suffix(' ').filter(|_| is_time)?;
    Some((day, format!("{date}T{time}")))
}

/// True for a date or the front of one, such as `2026-03`, which stands for all of its days.
pub(crate) fn is_date(text: &str) -> bool {
    let bytes = text.as_bytes();
    bytes.len() >= 7
        && bytes[..4].iter().all(u8::is_ascii_digit)
        && bytes[4] == b'-'
        && bytes[5..7].iter().all(u8::is_ascii_digit)
        && bytes[7..].iter().all(|byte| byte.is_ascii_digit() || b"-T: Z+.".contains(byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dots_between_numbers_or_dates_are_a_range() {
        let rows = [
            ("3..5", json!([3, 5])),
            ("-1.5 .. 2", json!([-1.5, 2])),
            ("3..", json!([3, null])),
            ("..5", json!([null, 5])),
            ("2026-01..2026-03-05T10:00:00Z", json!(["2026-01", "2026-03-05T10:00:00Z"])),
        ];
        for (text, expected) in rows {
            assert_eq!(dotted(text), Some(expected), "{text}");
        }
        assert_eq!(with_t("2026-11-25 12:00"), Some(("2026-11-25 ", "2026-11-25T12:00".to_owned())));
        for text in ["2026-11-25", "2026-11-25T12:00", "2026-11-25 ", "2026-11-25 x", "2026-11 25 12:00"] {
            assert_eq!(with_t(text), None, "{text}");
        }
        for text in ["..", "a..b", "../x", "1.2", "3...5", "main..2", "3..2026-01-01", "\"3..5\""] {
            assert_eq!(dotted(text), None, "{text}");
        }
    }
}
