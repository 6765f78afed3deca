//! Dates: one in a condition, and how those of a field are written.

use std::ops::Range;

use jiff::civil::Date;

use crate::file::instant;

/// Milliseconds of what a time and a day stand for.
const MILLISECONDS_OF_A_SECOND: u64 = 1000;
const MILLISECONDS_OF_A_DAY: u64 = 86_400_000;

/// Numbers from here on are milliseconds rather than seconds: as seconds they would be in the year 5138.
pub(in crate::extract::advice) const FIRST_MILLISECONDS: f64 = 1e11;

/// Numbers below this are too small for a date in seconds: it would be in 1973.
const FIRST_SECONDS: f64 = 1e8;

/// The names of months as they begin.
const MONTHS: [&str; 12] = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];

/// The year of a date in ISO 8601; `None` for what is none.
pub(in crate::extract::advice) fn year(text: &str) -> Option<&str> {
    let (year, rest) = text.split_at_checked(4)?;
    let is_year = year.bytes().all(|byte| byte.is_ascii_digit()) && (year.starts_with('1') || year.starts_with('2'));
    let goes_on = rest.is_empty() || rest.starts_with('-') && rest[1..].starts_with(|c: char| c.is_ascii_digit());
    (is_year && goes_on).then_some(year)
}

/// The sign between the numbers of a date with the year first, `2026/11/28 10:00`; `None` for ISO 8601 and all else. Such
/// dates compare as texts.
pub(super) fn sign_after_year(text: &str) -> Option<char> {
    let (year, rest) = text.split_at_checked(4)?;
    let (month, day) = rest.split_at_checked(3)?;
    let sign = rest.chars().next().filter(|sign| matches!(sign, '/' | '.'))?;
    let are_digits = |text: &str| text.len() == 2 && text.bytes().all(|byte| byte.is_ascii_digit());
    let is_part = |part: &str| part.strip_prefix(sign).and_then(|part| part.get(..2)).is_some_and(are_digits);
    let is_over = !day.get(3..).unwrap_or_default().starts_with(|c: char| c.is_ascii_digit());
    (self::year(year).is_some() && is_part(month) && is_part(day) && is_over).then_some(sign)
}

/// The day, the month or the year after one in ISO 8601.
pub(super) fn after(text: &str) -> Option<String> {
    let year: i16 = year(text)?.parse().ok()?;
    let month = |month: &str| month.parse::<i16>().ok();
    match text.len() {
        4 => Some(format!("{:04}", year + 1)),
        7 => {
            let month = month(&text[5..])?;
            Some(format!("{:04}-{:02}", year + month / 12, month % 12 + 1))
        }
        10 => Some(text.parse::<Date>().ok()?.tomorrow().ok()?.to_string()),
        _ => None,
    }
}

/// True for the first day of a year.
pub(super) fn begins_a_year(text: &str) -> bool {
    text.len() == 4 || text.get(4..).is_some_and(|rest| rest.starts_with("-01-01"))
}

/// True for a date that does not compare as a text: `Jun 12 1998`, `12.6.1998`, `6/12/98`.
pub(super) fn is_other_notation(text: &str) -> bool {
    if year(text).is_some() || text.len() > 40 || !text.contains(|c: char| c.is_ascii_digit()) {
        return false;
    }
    // Three digits are a group of a larger number: `$1,000.50`.
    let is_number = |word: &str| word.len() <= 4 && word.len() != 3 && word.bytes().all(|byte| byte.is_ascii_digit());
    let numbers = words(text).take_while(|word| is_number(word)).count();
    has_month(text) || numbers >= 3 && text.contains(['/', '.'])
}

/// True for a text with the name of a month and a year.
pub(super) fn has_month(text: &str) -> bool {
    let is_month = |word: &str| word.len() >= 3 && MONTHS.contains(&&*word[..3].to_ascii_lowercase());
    let is_year = |word: &str| word.len() == 4 && word.bytes().all(|byte| byte.is_ascii_digit());
    words(text).any(is_month) && words(text).any(is_year)
}

/// Formats of dates in which the engine may read them, apart from ISO 8601.
pub(super) const FORMATS: [&str; 22] = [
    "%b %d %Y",
    "%b %d, %Y",
    "%B %d %Y",
    "%B %d, %Y",
    "%d %b %Y",
    "%d %B %Y",
    "%d-%b-%Y",
    "%d/%m/%Y",
    "%m/%d/%Y",
    "%d.%m.%Y",
    "%d/%m/%y",
    "%m/%d/%y",
    "%d.%m.%y",
    "%b %d %Y %H:%M:%S",
    "%d/%m/%Y %H:%M",
    "%m/%d/%Y %H:%M",
    "%d.%m.%Y %H:%M",
    "%d/%m/%Y %H:%M:%S",
    "%m/%d/%Y %H:%M:%S",
    "%d/%b/%Y:%H:%M:%S %z",
    "%a %b %d %H:%M:%S %Y %z",
    "%a, %d %b %Y %H:%M:%S %z",
];

/// True for a date whose letters have another order, and not for a version: `Jun 12 1998`, `12.6.1998`, `6/12/98`.
pub(super) fn is_of_another_notation(text: &str) -> bool {
    let is_year = |word: &str| word.len() == 4 && word.starts_with(['1', '2']);
    is_other_notation(text)
        && sign_after_year(text).is_none()
        && (has_month(text) || text.contains('/') || words(text).nth(2).is_some_and(is_year))
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty())
}

/// The numbers of a time, a day, a month or a year in ISO 8601 where a field has numbers up to `greatest`: seconds or
/// milliseconds since 1970, the end excluded.
pub(super) fn as_numbers(text: &str, greatest: f64) -> Option<Range<u64>> {
    year(text)?;
    let number = |text: &str| text.parse::<u32>().ok();
    let at = |day: &str| instant::milliseconds(&format!("{day}T00:00:00Z"));
    let first_of = |year: u32, month: u32| at(&format!("{year:04}-{month:02}-01"));
    let Range { start, end } = match text.len() {
        4 => at(&format!("{text}-01-01"))?..first_of(number(text)? + 1, 1)?,
        7 => {
            let (year, month) = (number(&text[..4])?, number(text.get(5..)?)?);
            at(&format!("{text}-01"))?..first_of(year + month / 12, month % 12 + 1)?
        }
        10 => at(text)?..at(text)? + MILLISECONDS_OF_A_DAY,
        _ => instant::milliseconds(text).map(|start| start..start + MILLISECONDS_OF_A_SECOND)?,
    };
    match greatest {
        greatest if greatest >= FIRST_MILLISECONDS => Some(start..end),
        greatest if greatest >= FIRST_SECONDS => Some(start / 1000..end / 1000),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notations_are_told_apart() {
        for (text, is_iso, is_other) in [
            ("2010-01-01", true, false),
            ("2010", true, false),
            ("Jun 12 1998", false, true),
            ("12 June 1998", false, true),
            ("12.6.1998", false, true),
            ("6/12/98", false, true),
            ("version 3", false, false),
            ("1.2.3-beta", false, true),
            ("$1,000.50", false, false),
            ("2.000.000,00", false, false),
            ("redis", false, false),
            ("9999-x", false, false),
        ] {
            assert_eq!((year(text).is_some(), is_other_notation(text)), (is_iso, is_other), "{text}");
        }
    }

    #[test]
    fn dates_with_the_year_first_compare_as_texts() {
        let rows = [
            ("2015/01/31 01:00:00", Some('/')),
            ("2015.01.31", Some('.')),
            ("2015-01-31", None),
            ("2015/1/31", None),
            ("2015/01.31", None),
            ("2015/01/311", None),
            ("3015/01/31", None),
            ("31/01/2015", None),
            ("", None),
        ];
        for (text, expected) in rows {
            assert_eq!(sign_after_year(text), expected, "{text}");
        }
        let next = ["2015", "2015-12", "2016-02-28", "2015-12-31", "2015-12-31T10:00"].map(after);
        let expected = [Some("2016"), Some("2016-01"), Some("2016-02-29"), Some("2016-01-01"), None];
        assert_eq!(next.each_ref().map(Option::as_deref), expected);
    }

    #[test]
    fn a_date_is_a_number_of_seconds_or_milliseconds() {
        assert_eq!(as_numbers("2010-01-01", 1.7e9), Some(1_262_304_000..1_262_390_400));
        assert_eq!(as_numbers("2010-01", 1.7e12), Some(1_262_304_000_000..1_264_982_400_000));
        assert_eq!(as_numbers("2009-12", 1.7e9), Some(1_259_625_600..1_262_304_000));
        assert_eq!(as_numbers("2009", 1.7e9), Some(1_230_768_000..1_262_304_000));
        assert_eq!(as_numbers("2010-01-02T10:00:00Z", 1.7e9), Some(1_262_426_400..1_262_426_401));
        assert_eq!(as_numbers("2010", 3000.0), None);
    }
}
