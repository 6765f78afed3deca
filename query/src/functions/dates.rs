//! Dates in UTC: seconds since 1970, "broken down" arrays, and texts.

use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::fmt::strtime;
use jiff::tz::{Offset, TimeZone};

use super::{Row, native};
use crate::failure::{Failure, Shown};
use crate::value::{Result, Value, fail, failure};

pub(super) fn rows() -> Vec<Row> {
    vec![
        native!("gmtime", |value: Value| match value.as_f64() {
            Some(seconds) => broken_down(seconds),
            None => failure("gmtime() requires a number"),
        }),
        native!("mktime", |value: Value| {
            let Value::Array(_) = value else { return failure("mktime requires array of 6 numbers") };
            seconds(&value, "mktime").map(|seconds| Value::from(seconds.floor()))
        }),
        native!("strftime", 1, |value: Value, format: Value| {
            let seconds = seconds(&value, "strftime/1")?;
            let Some(format) = format.as_str() else { return failure("strftime/1 requires a string format") };
            let zoned = timestamp(seconds)?.to_zoned(TimeZone::UTC);
            strtime::format(format, &zoned).map(Value::from).or_else(|error| failure(format!("strftime/1: {error}")))
        }),
        native!("strptime", 1, |value: Value, format: Value| {
            let Some(text) = value.as_str() else {
                return not_a_date(format!(
                    "strptime/1 requires string inputs and arguments, not {}",
                    Shown::of(&value)
                ));
            };
            let Some(format) = format.as_str() else {
                return not_a_date("strptime/1 requires string inputs and arguments");
            };
            match parsed(text, format) {
                Some(timestamp) => broken_down(timestamp.as_second() as f64),
                None => not_a_date(format!("date \"{text}\" does not match format \"{format}\"")),
            }
        }),
        native!("fromdateiso8601", |value: Value| {
            let Some(text) = value.as_str() else {
                return not_a_date(format!(
                    "strptime/1 requires string inputs and arguments, not {}",
                    Shown::of(&value)
                ));
            };
            // jq takes the first form only; fractions and offsets are what records have.
            match parsed(text, ISO).map(|time| time.as_second() as f64).or_else(|| with_fraction(text)) {
                Some(seconds) => Ok(Value::from(seconds)),
                None => not_a_date(format!("date \"{text}\" does not match format \"{ISO}\"")),
            }
        }),
    ]
}

fn not_a_date<T>(words: impl Into<String>) -> Result<T> {
    fail(Failure::Date(words.into()))
}

const ISO: &str = "%Y-%m-%dT%H:%M:%SZ";

fn parsed(text: &str, format: &str) -> Option<Timestamp> {
    let mut time = strtime::BrokenDownTime::parse(format, text).ok()?;
    if time.hour().is_none() {
        let _ = time.set_hour(Some(0));
    }
    if time.offset().is_none() && time.iana_time_zone().is_none() {
        time.set_offset(Some(Offset::UTC));
    }
    time.to_timestamp().ok()
}

fn with_fraction(text: &str) -> Option<f64> {
    let time: Timestamp = text.parse().ok()?;
    Some(time.as_microsecond() as f64 / 1e6)
}

fn timestamp(seconds: f64) -> Result<Timestamp> {
    Timestamp::from_microsecond((seconds * 1e6) as i64)
        .or_else(|_| failure(format!("{} cannot be written as a date", Shown::of(&Value::from(seconds)))))
}

fn broken_down(seconds: f64) -> Result {
    let time = timestamp(seconds.floor())?.to_zoned(TimeZone::UTC).datetime();
    let numbers = [
        f64::from(time.year()),
        f64::from(time.month()) - 1.0,
        f64::from(time.day()),
        f64::from(time.hour()),
        f64::from(time.minute()),
        f64::from(time.second()) + (seconds - seconds.floor()),
        f64::from(time.weekday().to_sunday_zero_offset()),
        f64::from(time.day_of_year()) - 1.0,
    ];
    Ok(numbers.into_iter().map(Value::from).collect())
}

/// The seconds of a number or of a broken down time; what such an array lacks at its end is none.
fn seconds(value: &Value, function: &str) -> Result<f64> {
    match value {
        Value::Number(number) => Ok(number.value()),
        Value::Array(parts) => {
            let mut numbers = [1970.0, 0.0, 1.0, 0.0, 0.0, 0.0];
            for (i, part) in parts.iter().enumerate() {
                let Some(number) = part.as_f64() else {
                    return failure(format!("{function} requires parsed datetime inputs"));
                };
                if let Some(place) = numbers.get_mut(i) {
                    *place = number;
                }
            }
            let [year, month, day, hour, minute, second] = numbers;
            // Months beyond a year and days beyond a month carry over, as in C.
            let (year, month) = ((year + (month / 12.0).floor()), month.rem_euclid(12.0));
            let first = DateTime::new(year as i16, month as i8 + 1, 1, 0, 0, 0, 0)
                .and_then(|date| date.to_zoned(TimeZone::UTC))
                .or_else(|_| failure(format!("{function} requires parsed datetime inputs")))?;
            let days = first.timestamp().as_second() as f64 + (day.floor() - 1.0) * 86_400.0;
            Ok(days + hour.floor() * 3_600.0 + minute.floor() * 60.0 + second)
        }
        _ => failure(format!("{function} requires parsed datetime inputs")),
    }
}
