//! How the name of a file is made up: `{prefix}-{operation}-{ulid}` as the specification has it (LRO-13), or
//! `{prefix}_YYYYMMDD_HHMMSS_{operation}_{random}` in the profile of mcpagent (READ-05).
//!
//! Both have the same 80 random bits, so parallel calls get names of their own, and both tell when the file was made.

use super::instant::{self, Instant, timestamp};
use crate::settings::{Profile, Settings};

/// Characters of a ULID, of the time at its beginning, and of the random part after it.
const ULID_CHARACTERS: usize = 26;
const TIME_CHARACTERS: usize = 10;
const RANDOM_CHARACTERS: usize = ULID_CHARACTERS - TIME_CHARACTERS;

/// Characters of `YYYYMMDD_HHMMSS`.
const DATE_CHARACTERS: usize = 15;

/// The parts of a name without its extension.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stem {
    /// What was called.
    pub operation: String,
    /// When, and the random part; to the second in a name with a date.
    pub ulid: String,
}

impl Stem {
    /// The stem of a file that is made now.
    pub fn new(operation: &str, instant: Instant) -> Self {
        Self { operation: operation.to_owned(), ulid: instant.ulid() }
    }

    /// Writes the stem as the profile has it.
    pub fn text(&self, settings: &Settings) -> String {
        match settings.profile {
            Profile::Mcpagent => self.dated(&settings.prefix),
            Profile::Current | Profile::Early => self.plain(&settings.prefix),
        }
    }

    /// Every name that a file with this prefix and this stem may have, without its extension.
    pub fn texts(&self, prefix: &str) -> [String; 2] {
        [self.plain(prefix), self.dated(prefix)]
    }

    fn plain(&self, prefix: &str) -> String {
        format!("{prefix}-{}-{}", self.operation, self.ulid)
    }

    fn dated(&self, prefix: &str) -> String {
        let milliseconds = instant::of_ulid(&self.ulid).unwrap_or_default();
        let random = self.ulid.get(TIME_CHARACTERS..).unwrap_or_default();
        format!("{prefix}_{}_{}_{random}", date(milliseconds), self.operation)
    }

    /// Reads a stem of either form; `None` for any other name.
    pub fn parse(stem: &str, prefix: &str) -> Option<Self> {
        let rest = stem.strip_prefix(prefix)?;
        let (operation, ulid) = match rest.strip_prefix('-') {
            Some(rest) => rest.rsplit_once('-').map(|(operation, ulid)| (operation, ulid.to_owned()))?,
            None => parse_dated(rest.strip_prefix('_')?)?,
        };
        let plain = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_' || b == b'-';
        let fits = !operation.is_empty() && operation.bytes().all(plain) && is_ulid(&ulid);
        fits.then(|| Self { operation: operation.to_owned(), ulid })
    }
}

/// The stem of a name with a date, without the random part: `tool_20250727_093045_tavily-search`. The name that mcpagent
/// gives to files.
pub fn is_dated(stem: &str, prefix: &str) -> bool {
    let rest = stem.strip_prefix(prefix).and_then(|rest| rest.strip_prefix('_'));
    rest.and_then(split_date).is_some_and(|(_, operation)| !operation.is_empty())
}

/// The ULID in a stem of either form, whatever its prefix.
pub fn ulid_of(stem: &str) -> Option<String> {
    if let Some(ulid) = stem.rsplit_once('-').map(|(_, ulid)| ulid).filter(|ulid| is_ulid(ulid)) {
        return Some(ulid.to_owned());
    }
    let after = stem.match_indices('_').map(|(place, _)| &stem[place + 1..]);
    after.into_iter().find_map(parse_dated).map(|(_, ulid)| ulid)
}

fn is_ulid(ulid: &str) -> bool {
    ulid.len() == ULID_CHARACTERS && !ulid.bytes().any(|b| b.is_ascii_lowercase()) && instant::of_ulid(ulid).is_some()
}

/// Splits `YYYYMMDD_HHMMSS_{operation}_{random}` into the operation and a ULID.
fn parse_dated(rest: &str) -> Option<(&str, String)> {
    let (milliseconds, rest) = split_date(rest)?;
    let (operation, random) = rest.rsplit_once('_')?;
    let time = Instant { milliseconds, random: 0 }.ulid();
    let ulid = format!("{}{random}", &time[..TIME_CHARACTERS]);
    (random.len() == RANDOM_CHARACTERS && is_ulid(&ulid)).then_some((operation, ulid))
}

/// Splits `YYYYMMDD_HHMMSS_` off.
fn split_date(text: &str) -> Option<(u64, &str)> {
    let (date, rest) = text.split_at_checked(DATE_CHARACTERS)?;
    let place = |place: usize, byte: u8| if place == 8 { byte == b'_' } else { byte.is_ascii_digit() };
    if !date.bytes().enumerate().all(|(at, byte)| place(at, byte)) {
        return None;
    }
    let part = |from: usize| &date[from..from + 2];
    let written = format!("{}-{}-{}T{}:{}:{}Z", &date[..4], part(4), part(6), part(9), part(11), part(13));
    Some((instant::milliseconds(&written)?, rest.strip_prefix('_')?))
}

/// `YYYYMMDD_HHMMSS`, in UTC.
fn date(milliseconds: u64) -> String {
    let written = timestamp(milliseconds);
    let digits: String = written.chars().filter(char::is_ascii_digit).collect();
    match (digits.get(..8), digits.get(8..14)) {
        (Some(date), Some(time)) => format!("{date}_{time}"),
        _ => "00000000_000000".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RANDOM: &str = "TSV4RRFFQ69G5FAV";

    fn settings(profile: Profile) -> Settings {
        Settings { prefix: "tool".into(), profile, ..Settings::default() }
    }

    #[test]
    fn a_stem_is_read_as_it_is_written() {
        let instant = Instant { milliseconds: 1_753_608_645_789, random: u128::MAX };
        let stem = Stem::new("tavily-search", instant);
        let plain = stem.text(&settings(Profile::Current));
        assert_eq!(plain, format!("tool-tavily-search-{}", instant.ulid()));
        assert_eq!(Stem::parse(&plain, "tool"), Some(stem.clone()));
        let dated = stem.text(&settings(Profile::Mcpagent));
        assert_eq!(dated, format!("tool_20250727_093045_tavily-search_{}", &instant.ulid()[10..]));
        // The time is exact to the second.
        let read = Stem::parse(&dated, "tool").unwrap();
        assert_eq!(instant::of_ulid(&read.ulid), Some(1_753_608_645_000));
        assert_eq!((read.operation.as_str(), &read.ulid[10..]), ("tavily-search", &stem.ulid[10..]));
        assert_eq!(read.texts("tool")[1], dated);
        assert_eq!((ulid_of(&dated), ulid_of(&plain)), (Some(read.ulid), Some(stem.ulid)));
    }

    #[test]
    fn names_with_a_date_are_told_from_others() {
        let rows = [
            (format!("tool_20250727_093045_a_b-c_{RANDOM}"), true),
            (format!("tool_20250727_093045__{RANDOM}"), false),
            (format!("tool_20250727_093045_{RANDOM}"), false),
            (format!("tool_20251327_093045_a_{RANDOM}"), false),
            (format!("tool_20250727-093045_a_{RANDOM}"), false),
            (format!("tool_20250727_093045_A_{RANDOM}"), false),
            (format!("tool_20250727_093045_a_{}", RANDOM.to_lowercase()), false),
            (format!("tool_20250727_093045_a_{}", RANDOM.replace('V', "U")), false),
            (format!("tools_20250727_093045_a_{RANDOM}"), false),
            ("tool_20250727_093045_a_é".to_owned(), false),
            ("tool_2025072é_093045_a".to_owned(), false),
        ];
        for (stem, ours) in rows {
            assert_eq!(Stem::parse(&stem, "tool").is_some(), ours, "{stem}");
        }
        // A name that is not one of ours has no ULID.
        for random in [RANDOM.to_lowercase(), RANDOM.replace('V', "U"), RANDOM[1..].to_owned()] {
            assert_eq!(ulid_of(&format!("tool_20250727_093045_a_{random}")), None, "{random}");
        }
        assert!(is_dated("tool_20250727_093045_tavily-search", "tool"));
        for stem in ["tool_20250727_093045_", "tool_20250727_0930_a", "tool-a-b", "x_20250727_093045_a"] {
            assert!(!is_dated(stem, "tool"), "{stem}");
        }
    }
}
