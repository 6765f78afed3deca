//! Moments in notations of their own, written as ISO 8601, which sorts.

use jiff::Timestamp;
use jiff::tz::Offset;

/// Months as in English dates.
const MONTHS: [&str; 12] = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/// The number of a month, from 1.
pub(super) fn month(name: &str) -> Option<usize> {
    Some(MONTHS.iter().position(|known| *known == name)? + 1)
}

/// `Mon Sep 7 12:00:00 2026 +0200`, as git writes it.
pub(super) fn of_git(text: &str) -> Option<String> {
    let mut words = text.split_ascii_whitespace();
    let (_, month, day, time, year, zone) =
        (words.next()?, words.next()?, words.next()?, words.next()?, words.next()?, words.next()?);
    let month = self::month(month)?;
    let day: u8 = day.parse().ok()?;
    let is_time = time.len() == 8 && time.bytes().all(|byte| byte.is_ascii_digit() || byte == b':');
    let is_year = year.len() == 4 && year.bytes().all(|byte| byte.is_ascii_digit());
    let is_zone = zone.len() == 5 && zone.starts_with(['+', '-']) && zone.bytes().skip(1).all(|b| b.is_ascii_digit());
    (is_time && is_year && is_zone && words.next().is_none())
        .then(|| format!("{year}-{month:02}-{day:02}T{time}{}:{}", &zone[..3], &zone[3..]))
}

/// Seconds since 1970 and a zone, as git stores them: `1700000000` and `+0100`.
pub(super) fn of_seconds(seconds: i64, zone: &str) -> Option<String> {
    let (sign, digits) = zone.split_at_checked(1)?;
    if !matches!(sign, "+" | "-") || digits.len() != 4 || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let (hours, minutes) = digits.split_at(2);
    let offset = hours.parse::<i32>().ok()? * 3600 + minutes.parse::<i32>().ok()? * 60;
    let offset = Offset::from_seconds(if sign == "-" { -offset } else { offset }).ok()?;
    let moment = offset.to_datetime(Timestamp::from_second(seconds).ok()?);
    Some(format!("{moment}{sign}{hours}:{minutes}"))
}

/// The arguments of Python's `datetime.datetime` or `datetime.date`.
pub(super) fn of_python(numbers: &[u32], zone: &str) -> Option<String> {
    let date = |year: u32, month: u32, day: u32| format!("{year:04}-{month:02}-{day:02}");
    let time = |rest: &[u32]| {
        let part = |i: usize| rest.get(i).copied().unwrap_or(0);
        let micros = if part(3) > 0 { format!(".{:06}", part(3)) } else { String::new() };
        format!("T{:02}:{:02}:{:02}{micros}{zone}", part(0), part(1), part(2))
    };
    match numbers {
        [year, month, day] => Some(date(*year, *month, *day)),
        [year, month, day, rest @ ..] if rest.len() <= 4 => Some(date(*year, *month, *day) + &time(rest)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_become_iso_8601() {
        let rows = [
            ("Mon Sep 7 12:00:05 2026 +0200", Some("2026-09-07T12:00:05+02:00")),
            ("2026-09-07T12:00:05Z", None),
            ("Mon Sep x 12:00:05 2026 +0200", None),
            ("Mon Sep 7 12:00:05 2026 +020é", None),
            ("2 hours ago", None),
        ];
        for (text, expected) in rows {
            assert_eq!(of_git(text).as_deref(), expected);
        }
        let rows = [
            (1_757_239_205, "+0200", Some("2025-09-07T12:00:05+02:00")),
            (0, "-0130", Some("1969-12-31T22:30:00-01:30")),
            (0, "UTC", None),
            (0, "+02:0", None),
            (0, "+9900", None),
            (i64::MAX, "+0000", None),
        ];
        for (seconds, zone, expected) in rows {
            assert_eq!(of_seconds(seconds, zone).as_deref(), expected);
        }
        let rows: [(&[u32], &str, Option<&str>); 5] = [
            (&[2020, 1, 2], "", Some("2020-01-02")),
            (&[2020, 1, 2, 3, 4], "", Some("2020-01-02T03:04:00")),
            (&[2020, 1, 2, 3, 4, 5, 60], "Z", Some("2020-01-02T03:04:05.000060Z")),
            (&[2020, 1], "", None),
            (&[1, 2, 3, 4, 5, 6, 7, 8], "", None),
        ];
        for (numbers, zone, expected) in rows {
            assert_eq!(of_python(numbers, zone).as_deref(), expected);
        }
    }
}
