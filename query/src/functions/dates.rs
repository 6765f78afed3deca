//! Dates in UTC: seconds since 1970, "broken down" arrays, and texts.

use jiff::civil::{Date, DateTime};
use jiff::fmt::strtime::{self, BrokenDownTime};
use jiff::tz::{Offset, TimeZone};
use jiff::{Span, Timestamp};

use super::date_formats::in_c_locale;
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
            let written = strtime::format(in_c_locale(format), &zoned);
            written.map(Value::from).or_else(|error| failure(format!("strftime/1: {error}")))
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
            let Some(time) = parsed(text, &in_c_locale(format)) else {
                return not_a_date(format!("date \"{text}\" does not match format \"{format}\""));
            };
            match time.to_timestamp() {
                Ok(timestamp) => broken_down(timestamp.as_second() as f64),
                Err(_) => match without_date(&time) {
                    Some(parts) => Ok(parts.into_iter().map(Value::from).collect()),
                    None => not_a_date(format!("date \"{text}\" does not match format \"{format}\"")),
                },
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
            let exact = parsed(text, ISO).and_then(|time| time.to_timestamp().ok());
            match exact.map(|time| time.as_second() as f64).or_else(|| with_fraction(text)) {
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

/// What a text says of a moment; in UTC where it names no zone.
fn parsed(text: &str, format: &str) -> Option<BrokenDownTime> {
    let mut time = BrokenDownTime::parse(format, text).ok().or_else(|| without_utc(text, format))?;
    if time.hour().is_none() {
        let _ = time.set_hour(Some(0));
    }
    if time.offset().is_none() && time.iana_time_zone().is_none() {
        time.set_offset(Some(Offset::UTC));
    }
    Some(time)
}

/// Names of UTC, which C's `strptime` takes for `%Z`; `Z` for `%z` as well.
const NAMES_OF_UTC: [&str; 4] = ["GMT", "UTC", "UT", "Z"];

/// What a text says of a moment that ends with the name of UTC: a name of a zone is not read otherwise.
fn without_utc(text: &str, format: &str) -> Option<BrokenDownTime> {
    let name = NAMES_OF_UTC.into_iter().find(|name| text.ends_with(name))?;
    let format = format.strip_suffix("%Z").or_else(|| format.strip_suffix("%z").filter(|_| name == "Z"))?;
    BrokenDownTime::parse(format, text.strip_suffix(name)?).ok()
}

/// What jq has in a weekday and a day of the year that are not known.
const NO_WEEKDAY: i8 = 8;
const NO_DAY_OF_YEAR: i32 = 367;

/// The broken down time of a text that lacks a part of the date: as in C, the year is 1900 then, the month January, and
/// the day the one before the first. `None` where no part is missing: there is no such date.
fn without_date(time: &BrokenDownTime) -> Option<[f64; 8]> {
    let date = (time.year(), time.month(), time.day());
    if let (Some(_), Some(_), Some(_)) = date {
        return None;
    }
    let (year, month, day) = (date.0.unwrap_or(1900), date.1.unwrap_or(1), date.2.unwrap_or(0));
    let first = Date::new(year, month, 1).ok()?;
    let that = first.checked_add(Span::new().days(day - 1)).ok()?;
    let (weekday, day_of_year) = match date {
        (None, None, None) => (NO_WEEKDAY, time.day_of_year().map_or(NO_DAY_OF_YEAR, |day| i32::from(day) - 1)),
        _ => (that.weekday().to_sunday_zero_offset(), i32::from(first.day_of_year()) + i32::from(day) - 2),
    };
    let weekday = time.weekday().map_or(weekday, |weekday| weekday.to_sunday_zero_offset());
    Some([
        f64::from(year),
        f64::from(month) - 1.0,
        f64::from(day),
        f64::from(time.hour().unwrap_or(0)),
        f64::from(time.minute().unwrap_or(0)),
        f64::from(time.second().unwrap_or(0)),
        f64::from(weekday),
        f64::from(day_of_year),
    ])
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

#[cfg(test)]
mod tests {
    use crate::{Limits, Value, outputs};

    #[test]
    fn dates_are_written_and_read_as_in_jq() {
        let rows = [
            (r#"1425599621 | strftime("%c|%x|%X|%r")"#, r#""Thu Mar  5 23:53:41 2015|03/05/15|23:53:41|11:53:41 PM""#),
            (r#"0 | strftime("%%c %p %Ex")"#, r#""%c AM 01/01/70""#),
            (r#""Thu Mar  5 23:53:41 2015" | strptime("%c")"#, "[2015,2,5,23,53,41,4,63]"),
            (r#""03/05/15" | strptime("%x")"#, "[2015,2,5,0,0,0,4,63]"),
            // Without a whole date.
            (r#""Thu, 05 Mar 2015 23:51:47 GMT" | strptime("%a, %d %b %Y %H:%M:%S %Z") | mktime"#, "1425599507"),
            (r#""2015-03-05T23:51:47Z" | strptime("%Y-%m-%dT%H:%M:%S%z") | mktime"#, "1425599507"),
            (r#""2015-03-05T23:51:47UTC" | strptime("%Y-%m-%dT%H:%M:%S%Z") | mktime"#, "1425599507"),
            (r#""10:20" | strptime("%H:%M")"#, "[1900,0,0,10,20,0,8,367]"),
            (r#""10:20" | strptime("%H:%M") | mktime"#, "-2209038000"),
            (r#""10 PM" | strptime("%I %p")"#, "[1900,0,0,22,0,0,8,367]"),
            (r#""5" | strptime("%S")"#, "[1900,0,0,0,0,5,8,367]"),
            (r#""Mon" | strptime("%a")"#, "[1900,0,0,0,0,0,1,367]"),
            (r#""2020" | strptime("%Y")"#, "[2020,0,0,0,0,0,2,-1]"),
            (r#""March 2020" | strptime("%B %Y")"#, "[2020,2,0,0,0,0,6,59]"),
            (r#""03/15" | strptime("%m/%d")"#, "[1900,2,15,0,0,0,4,73]"),
            (r#""100" | strptime("%j")"#, "[1900,0,0,0,0,0,8,99]"),
            (r#""2020 100" | strptime("%Y %j")"#, "[2020,3,9,0,0,0,4,99]"),
        ];
        for (filter, expected) in rows {
            let (found, failure) = outputs(filter, Value::default(), &Limits::default()).unwrap();
            assert_eq!((found.join(" ").as_str(), failure.map(|why| why.to_string())), (expected, None), "{filter}");
        }
    }

    #[test]
    fn a_text_that_is_no_such_date_is_refused() {
        for filter in [r#""10:20x" | strptime("%H:%M")"#, r#""2020-02-30" | strptime("%Y-%m-%d")"#] {
            let (_, failure) = outputs(filter, Value::default(), &Limits::default()).unwrap();
            assert!(failure.unwrap().to_string().contains("does not match format"), "{filter}");
        }
    }
}
