//! Ranges: `priority=3..5`, `priority between 3 and 5`, `created=2026-01..2026-03`, `size=100..`. Both ends belong to it.

use std::borrow::Cow;

use serde_json::{Number, Value, json};

use super::condition::is_spelled;
use super::{Field, refused, sql};
use crate::error::Error;

const DOTS: &str = "..";

/// How ranges are written.
pub(super) const HINT: &str = "write `priority=3..5`, `priority between 3 and 5`, or `created=2026-01..2026-03`";

/// A range of numbers or dates as dots say it; `None` for any other text. One of the ends may be open.
pub(super) fn dotted(text: &str) -> Option<Value> {
    let (from, until) = text.split_once(DOTS)?;
    let (from, until) = (from.trim(), until.trim());
    let range = json!([end(from)?, end(until)?]);
    if is_range(&range) { Some(with_digits(range, [from, until])) } else { of_years(&range) }
}

/// A range, and behind its ends their digits as they were typed, if a number does not print them.
fn with_digits(mut range: Value, typed: [&str; 2]) -> Value {
    let Some(ends) = range.as_array_mut() else { return range };
    let digits: Vec<Value> =
        ends.iter().zip(typed).map(|(end, typed)| if end.is_number() { typed.into() } else { Value::Null }).collect();
    let is_lost = |(end, digits): (&Value, &Value)| {
        let printed = end.to_string();
        digits.as_str().is_some_and(|digits| digits != printed)
    };
    if ends.iter().zip(&digits).any(is_lost) {
        ends.extend(digits);
    }
    range
}

/// An end of a range in JSON, with the digits that it was typed with.
pub(super) fn literal(range: &Value, at: usize) -> String {
    let digits = range.get(at + 2).and_then(Value::as_str);
    digits.map_or_else(|| range[at].to_string(), str::to_owned)
}

/// An end: a number, what begins like a date, or nothing.
fn end(text: &str) -> Option<Value> {
    if text.is_empty() {
        return Some(Value::Null);
    }
    match text.parse::<Number>() {
        Ok(number) => Some(number.into()),
        Err(_) => begins_like_date(text).then(|| text.into()),
    }
}

/// A range of texts for one of years: `2024..2025` means both numbers and dates, `2024..2025-03` means dates.
pub(super) fn of_years(range: &Value) -> Option<Value> {
    let end = |end: &Value| match end {
        Value::Number(number) => Some(number.to_string()).filter(|year| is_year(year)).map(Value::from),
        other => Some(other.clone()),
    };
    let has_number = range.as_array()?.iter().any(Value::is_number);
    let texts = json!([end(&range[0])?, end(&range[1])?]);
    (has_number && is_range(&texts)).then_some(texts)
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
    let end = |text: &str| serde_json::from_str::<Value>(text).unwrap_or_else(|_| sql::unquoted(text).into());
    let (from, until) = (text[..at].trim(), text[at + length..].trim());
    Ok(with_digits(json!([end(from), end(until)]), [from, until]))
}

/// True for two ends that compare: both numbers or both texts, or one of them open. The digits of numbers may follow.
pub(super) fn is_range(value: &Value) -> bool {
    let Some([from, until, digits @ ..]) = value.as_array().map(Vec::as_slice) else { return false };
    let is_of = |(end, digits): (&Value, &Value)| match (end, digits) {
        (Value::Number(number), Value::String(digits)) => is_spelled(number, digits),
        (end, digits) => !end.is_number() && digits.is_null(),
    };
    if !digits.is_empty() && (digits.len() != 2 || ![from, until].into_iter().zip(digits).all(is_of)) {
        return false;
    }
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

/// What begins all that a date stands for: 2026 for what begins with `2026-`, 2026-03 with `2026-03-`, a day or a time with
/// itself. `None` for a text that is not a date.
pub(crate) fn front(text: &str) -> Option<Cow<'_, str>> {
    match text.len() {
        4 if is_year(text) => Some(format!("{text}-").into()),
        7 if is_date(text) => Some(format!("{text}-").into()),
        _ => is_date(text).then(|| text.into()),
    }
}

/// A pattern for the days and times that equal a day, a month or a year; `None` for any other text. They are whole texts,
/// so that neither an id such as `2026-11-003` nor a line of a log equals November.
pub(crate) fn days_of(date: &str) -> Option<String> {
    // Hours alone, `10:00:00.5`, `100000`, half a day; an offset, a zone by a letter, by its short or its long name, or both.
    const TIME: &str = "[Tt ][0-9]{2}[0-9:.,]*( ?[AaPp][Mm])?( ?[-+][0-9:]+)?( ?([Zz]|[A-Z]{3,4}|[A-Z][a-z]+/[A-Za-z_/]+))?\
                        (\\[[A-Za-z_/]+\\])?";
    let rest = match date.len() {
        4 if is_year(date) => format!("-[0-9]{{2}}(-[0-9]{{2}}({TIME})?)?"),
        7 if is_date(date) => format!("-[0-9]{{2}}({TIME})?"),
        10 if is_date(date) => format!("({TIME})?"),
        _ => return None,
    };
    Some(format!("^{date}{rest}\\s*$"))
}

fn is_year(text: &str) -> bool {
    text.len() == 4 && text.starts_with(['1', '2']) && digits(text, 4).is_some()
}

/// True for a date in ISO 8601 from its month on, as far as its parts are whole: `2026-03`, `2026-03-05 10:00`. An id such
/// as `2026-031` is not a date.
pub(crate) fn is_date(text: &str) -> bool {
    let Some(month) = digits(text, 4).and_then(|rest| part(rest, &['-'])) else { return false };
    let Some(day) = part(month, &['-']) else { return month.is_empty() };
    let Some(hour) = part(day, &['T', ' ']) else { return day.is_empty() };
    let Some(minute) = part(hour, &[':']) else { return is_zone(hour) };
    let second = part(minute, &[':']).unwrap_or(minute);
    let fraction = second.strip_prefix('.').filter(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
    is_zone(fraction.map_or(second, |rest| rest.trim_start_matches(|c: char| c.is_ascii_digit())))
}

/// True for nothing, `Z`, or an offset such as `+01:00`.
fn is_zone(text: &str) -> bool {
    let minutes = |rest: &str| digits(rest.strip_prefix(':').unwrap_or(rest), 2) == Some("");
    ["", "Z"].contains(&text)
        || part(text.trim_start(), &['+', '-']).is_some_and(|rest| rest.is_empty() || minutes(rest))
}

/// What follows a sign and two digits.
fn part<'a>(text: &'a str, signs: &[char]) -> Option<&'a str> {
    digits(text.strip_prefix(signs)?, 2)
}

/// What follows so many digits.
fn digits(text: &str, count: usize) -> Option<&str> {
    text.bytes().take(count).all(|byte| byte.is_ascii_digit()).then(|| text.get(count..)).flatten()
}

/// True for a text that is written like a date or a part of one: ids such as `2024-001` have ranges, too.
fn begins_like_date(text: &str) -> bool {
    let rest = digits(text, 4).and_then(|rest| part(rest, &['-']));
    rest.is_some_and(|rest| rest.bytes().all(|byte| byte.is_ascii_digit() || b"-T: Z+.".contains(&byte)))
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
            ("2024..2025", json!([2024, 2025])),
            ("2024..2025-03", json!(["2024", "2025-03"])),
            ("2024-001..2024-010", json!(["2024-001", "2024-010"])),
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

    #[test]
    fn a_date_has_whole_parts() {
        let rows = [
            ("2026", Some("2026-")),
            ("2026-03", Some("2026-03-")),
            ("2026-03-05", Some("2026-03-05")),
            ("2026-03-05T10", Some("2026-03-05T10")),
            ("2026-03-05 10:00", Some("2026-03-05 10:00")),
            ("2026-03-05T10:00:00.25Z", Some("2026-03-05T10:00:00.25Z")),
            ("2026-03-05T10:00+01:00", Some("2026-03-05T10:00+01:00")),
            ("2026-03-05 10:00:00 -0800", Some("2026-03-05 10:00:00 -0800")),
            ("202", None),
            ("9999", None),
            ("20260", None),
            ("2026-", None),
            ("2026-1", None),
            ("2026-001", None),
            ("2026-01-1", None),
            ("2026-01-", None),
            ("2026-01-01T1", None),
            ("2026-01-01T10:0", None),
            ("2026-01-01 x", None),
            ("2026-ü1", None),
            ("ü026", None),
        ];
        for (text, expected) in rows {
            assert_eq!(front(text).as_deref(), expected, "{text}");
        }
    }

    #[test]
    fn a_day_a_month_and_a_year_have_days_and_times() {
        let values = [
            "2026-11-20",
            "2026-11-20T09:12:00Z",
            "2026-11-20 09:12:00.123 +0100",
            "2026-11-20 09:12 UTC",
            "2026-11",
            "2026-11-003",
            "2026-11-20-rc1",
            "2026-11-20 09:12:00 INFO done",
            "2027-11-20",
            "2026-11-20\n",
            "2026-11-20 09:12 PM",
            "2026-11-20T091200Z",
            "2026-11-20t09z",
            "2026-11-20 09:12:00 +0000 UTC",
            "2026-11-20 09:12:00 Europe/Berlin",
            "2026-11-20T09:12:00+01:00[Europe/Berlin]",
        ];
        let rows = [
            ("2026-11-20", "1111000001111111"),
            ("2026-11", "1111000001111111"),
            ("2026", "1111100001111111"),
            ("2026-1", ""),
            ("9999", ""),
        ];
        for (date, expected) in rows {
            let pattern = days_of(date).map(|days| regex::Regex::new(&days).unwrap());
            let found = |pattern: regex::Regex| {
                values.iter().map(|value| if pattern.is_match(value) { '1' } else { '0' }).collect::<String>()
            };
            assert_eq!(pattern.map(found).unwrap_or_default(), expected, "{date}");
        }
    }
}
