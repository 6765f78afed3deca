//! Days of the civil calendar, in UTC: seconds since 1970 as a date or an instant, and dates as seconds.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

const SECONDS_OF_A_DAY: u64 = 86_400;

/// Days from 0000-03-01 to 1970-01-01.
const DAYS_BEFORE: u64 = 719_468;

/// Seconds since 1970.
pub(crate) fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs())
}

/// The moment that many seconds after 1970 began.
pub(crate) fn start(seconds: u64) -> SystemTime {
    UNIX_EPOCH.checked_add(Duration::from_secs(seconds)).unwrap_or(UNIX_EPOCH)
}

/// `2026-11-23` for seconds since 1970, by the civil calendar in eras of 400 years.
pub(crate) fn date(seconds: u64) -> String {
    let days = seconds / SECONDS_OF_A_DAY + DAYS_BEFORE;
    let (era, day) = (days / 146_097, days % 146_097);
    let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    // Months are counted from March, so that a leap day is the last day.
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let (year, month) = if month < 10 { (era * 400 + year, month + 3) } else { (era * 400 + year + 1, month - 9) };
    format!("{year:04}-{month:02}-{day:02}")
}

/// `2026-11-23T07:25:14Z` for seconds since 1970.
pub(crate) fn instant(seconds: u64) -> String {
    let rest = seconds % SECONDS_OF_A_DAY;
    format!("{}T{:02}:{:02}:{:02}Z", date(seconds), rest / 3600, rest / 60 % 60, rest % 60)
}

/// The seconds from 1970 to the beginning of a day, `2026-11-23`.
///
/// # Errors
/// What a date looks like.
pub(crate) fn parse(text: &str) -> Result<u64, String> {
    let expected = || "it must be a date, YYYY-MM-DD".to_owned();
    let parts: Option<Vec<u64>> = text.split('-').map(|part| part.parse().ok()).collect();
    let [year, month @ 1..=12, day @ 1..=31] = parts.ok_or_else(expected)?[..] else { return Err(expected()) };
    if !(1970..=9999).contains(&year) {
        return Err(expected());
    }
    let (year, month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let days = 365 * year + year / 4 - year / 100 + year / 400 + (153 * month + 2) / 5 + day - 1;
    let seconds = (days - DAYS_BEFORE) * SECONDS_OF_A_DAY;
    // A day that a month does not have comes back as another one.
    if date(seconds) == text { Ok(seconds) } else { Err(expected()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn instants_are_readable() {
        let rows = [
            (0, "1970-01-01T00:00:00Z"),
            (951_782_400, "2000-02-29T00:00:00Z"),
            (1_735_689_599, "2024-12-31T23:59:59Z"),
            (1_795_419_276, "2026-11-23T07:34:36Z"),
        ];
        for (seconds, expected) in rows {
            assert_eq!(instant(seconds), expected);
            assert_eq!(parse(&expected[..10]), Ok(seconds / SECONDS_OF_A_DAY * SECONDS_OF_A_DAY));
        }
    }

    #[test]
    fn what_is_not_a_date_is_refused() {
        for text in ["", "2026", "2026-1-1", "2026-02-30", "2026-13-01", "1969-01-01", "2026-11-23T00", "-1-01-01"] {
            assert!(parse(text).is_err(), "{text}");
        }
    }
}
