//! A line of a list of files.

use std::borrow::Cow;

use lro_query::json::place;

use super::today::Today;
use crate::payload::notation::moments::month;

/// Names between the links of a file and its size: owner, group and a context of SELinux, of which any may be left out.
const MOST_OWNERS: usize = 3;

/// Letters of modes and what they mean.
const KINDS: [(u8, &str); 8] = [
    (b'-', "file"),
    (b'd', "folder"),
    (b'l', "link"),
    (b'b', "block device"),
    (b'c', "character device"),
    (b'p', "pipe"),
    (b's', "socket"),
    (b'h', "hard link"),
];

/// A file.
#[derive(Debug, Default)]
pub(super) struct Entry<'a> {
    /// Numbers before the mode: the number of the file, and its blocks.
    pub(super) numbers: [Option<&'a str>; 2],
    pub(super) mode: &'a str,
    pub(super) links: Option<&'a str>,
    pub(super) owners: [Option<&'a str>; MOST_OWNERS],
    /// Bytes, or a size with its unit; empty for a device.
    pub(super) size: &'a str,
    /// Numbers of a device.
    pub(super) device: Option<&'a str>,
    date: Date<'a>,
    pub(super) name: &'a str,
    /// What a link points to.
    pub(super) target: Option<&'a str>,
}

/// When a file was changed.
#[derive(Debug, Default)]
struct Date<'a> {
    /// As it is written.
    text: &'a str,
    year: Option<&'a str>,
    /// From 1 to 12; 0 for one in another language.
    month: usize,
    day: &'a str,
    time: &'a str,
    zone: &'a str,
}

impl<'a> Entry<'a> {
    /// The file that a line describes.
    pub(super) fn of(line: &'a str) -> Option<Self> {
        let mut entry = Self::default();
        let mut rest = line;
        for number in entry.numbers.iter_mut().map(Some).chain([None]) {
            let (word, after) = word(rest)?;
            if is_mode(word) {
                entry.mode = word;
                rest = after;
                break;
            }
            *number? = Some(word).filter(|word| is_size(word));
            rest = after;
        }
        let (links, after) = word(rest.strip_prefix(' ').filter(|_| !entry.mode.is_empty())?)?;
        rest = after;
        let mut owners = entry.owners.iter_mut();
        match links.split_once('/') {
            // `tar` writes no links, and one word for both names.
            Some((owner, group)) => owners.by_ref().zip([owner, group]).for_each(|(place, name)| *place = Some(name)),
            None if is_digits(links, 9) => entry.links = Some(links),
            None => return None,
        }
        loop {
            let (size, after) = word(rest)?;
            if is_size(size) {
                // A device has two numbers where others have a size.
                let (minor, after_minor) = if size.ends_with(',') { word(after)? } else { (size, after) };
                if let Some((date, name)) = Date::of(after_minor) {
                    match size.ends_with(',') {
                        true => entry.device = Some(between(size, minor, line)),
                        false => entry.size = size,
                    }
                    (entry.date, entry.name) = (date, name);
                    break;
                }
            }
            *owners.next()? = Some(size);
            rest = after;
        }
        if entry.mode.starts_with('l')
            && let Some((name, target)) = entry.name.split_once(" -> ")
        {
            (entry.name, entry.target) = (name, Some(target));
        }
        (!entry.name.is_empty()).then_some(entry)
    }

    /// What it is.
    pub(super) fn kind(&self) -> &'static str {
        let letter = self.mode.as_bytes().first();
        KINDS.iter().find(|(known, _)| Some(known) == letter).map_or("other", |(_, kind)| kind)
    }

    /// True if its year is left out.
    pub(super) fn lacks_year(&self) -> bool {
        self.date.year.is_none() && self.date.month > 0
    }

    /// The year that is left out, if the file was changed in the months before a day.
    pub(super) fn year_before(&self, today: &Today) -> Option<i16> {
        today.year_of(self.date.month, self.date.day).filter(|_| self.lacks_year())
    }

    /// When it was changed, in ISO 8601 where the year is known, or the day before which it was.
    pub(super) fn modified(&self, today: Option<&Today>) -> String {
        let Date { text, year, month, day, time, zone } = &self.date;
        let before = || today.and_then(|today| self.year_before(today)).map(|year| Cow::from(year.to_string()));
        let Some(year) = year.map(Cow::from).or_else(before) else { return (*text).to_owned() };
        let date = format!("{year}-{month:02}-{day:0>2}");
        match (time.is_empty(), zone.split_at_checked(3)) {
            (true, _) => date,
            (false, Some((hours, minutes))) => format!("{date}T{time}{hours}:{minutes}"),
            (false, None) => format!("{date}T{time}"),
        }
    }
}

impl<'a> Date<'a> {
    /// The date that a text begins with, and the name after it.
    fn of(text: &'a str) -> Option<(Self, &'a str)> {
        let (first, after_first) = word(text)?;
        let (second, after_second) = word(after_first)?;
        let (mut date, rest) = if let Some((year, month, day)) = iso_date(first) {
            let month = month.parse().ok()?;
            let date = Self { year: Some(year), month, day, ..Self::default() };
            match word(after_second) {
                _ if !is_time(second) => (date, after_first.strip_prefix(' ')?),
                Some((zone, after)) if is_zone(zone) => (Self { time: second, zone, ..date }, after),
                _ => (Self { time: second, ..date }, after_second),
            }
        } else if first.len() == 5
            && let Some((month, day)) = first.split_once('-')
            && is_digits(month, 2)
            && is_digits(day, 2)
        {
            let date = Self { month: month.parse().ok()?, day, time: second, ..Self::default() };
            is_time(second).then_some((date, after_second))?
        } else {
            let (name, day) = if is_digits(second, 2) { (first, second) } else { (second, first) };
            let is_month = name.chars().all(|letter| letter.is_alphabetic() || letter == '.') && name.len() <= 12;
            if !is_month || !is_digits(day, 2) {
                return None;
            }
            let date = Self { month: month(name).unwrap_or(0), day, ..Self::default() };
            let (third, after) = word(after_second)?;
            match word(after) {
                _ if is_year(third) => (Self { year: Some(third), ..date }, after),
                // `ls -T` of BSD.
                Some((year, after)) if third.len() == 8 && is_time(third) && is_year(year) => {
                    (Self { year: Some(year), time: third, ..date }, after)
                }
                _ => is_time(third).then_some((Self { time: third, ..date }, after))?,
            }
        };
        // Months in other languages stay as they are.
        if !(1..=12).contains(&date.month) {
            (date.year, date.month) = (None, 0);
        }
        date.text = between(first, &rest[..0], text).trim_end();
        Some((date, rest.strip_prefix(' ')?))
    }
}

/// The first word of a text, and what follows it.
fn word(text: &str) -> Option<(&str, &str)> {
    let text = text.trim_start_matches(' ');
    (!text.is_empty()).then(|| text.split_at(memchr::memchr(b' ', text.as_bytes()).unwrap_or(text.len())))
}

/// The part of a text from the beginning of one part of it to the end of another.
fn between<'a>(first: &str, last: &str, text: &'a str) -> &'a str {
    &text[place(text, first).start..place(text, last).end]
}

/// True for the kind of a file and who may do what with it: `-rw-r--r--`. A sign may say that there are more rights.
fn is_mode(word: &str) -> bool {
    let Some((kind, rights)) = word.as_bytes().split_first() else { return false };
    let Some((rights, more)) = rights.split_at_checked(9) else { return false };
    KINDS.iter().any(|(known, _)| known == kind)
        && rights.iter().all(|right| b"rwxsStTlL-".contains(right))
        && matches!(more, [] | [b'.' | b'+' | b'@'])
}

fn is_digits(word: &str, most: usize) -> bool {
    (1..=most).contains(&word.len()) && word.bytes().all(|byte| byte.is_ascii_digit())
}

/// A number of bytes, one with a unit, or the first number of a device.
fn is_size(word: &str) -> bool {
    word.starts_with(|first: char| first.is_ascii_digit())
        && word.len() <= 20
        && word.bytes().all(|byte| byte.is_ascii_digit() || b".,KMGTPEZYkiB".contains(&byte))
}

/// `15:34`, perhaps with seconds and a fraction.
fn is_time(word: &str) -> bool {
    let is_two = |part: &str| part.len() == 2 && is_digits(part, 2);
    let Some((hour, rest)) = word.split_once(':') else { return false };
    let (minute, second) = rest.split_once(':').unwrap_or((rest, "00"));
    let (second, fraction) = second.split_once('.').unwrap_or((second, "0"));
    is_two(hour) && is_two(minute) && is_two(second) && is_digits(fraction, 9)
}

fn is_year(word: &str) -> bool {
    word.len() == 4 && is_digits(word, 4)
}

fn is_zone(word: &str) -> bool {
    word.len() == 5 && word.starts_with(['+', '-']) && is_digits(&word[1..], 4)
}

/// Year, month and day of `2026-01-31`.
fn iso_date(word: &str) -> Option<(&str, &str, &str)> {
    let (year, rest) = word.split_once('-')?;
    let (month, day) = rest.split_once('-')?;
    (is_year(year) && word.len() == 10 && is_digits(month, 2) && is_digits(day, 2)).then_some((year, month, day))
}
