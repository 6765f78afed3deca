//! The names in a case's texts, written `{{name}}`.

use std::collections::BTreeMap;
use std::time::{SystemTime, UNIX_EPOCH};

use regex::Regex;

/// What names stand for. `{{now-7200s}}` and `{{ulid-7200s}}` are a timestamp and a ULID of that many seconds ago;
/// `{{repeat 3 ab}}` is `ababab`.
#[derive(Clone, Debug, Default)]
pub struct Names(BTreeMap<String, String>);

/// A ULID; the pattern of its characters.
const ULID: &str = "[0-7][0-9A-HJKMNP-TV-Z]{25}";

/// ISO 8601 in UTC.
const TIMESTAMP: &str = r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z";

impl Names {
    /// Gives a name its text.
    pub fn set(&mut self, name: &str, text: &str) {
        self.0.insert(name.to_owned(), text.to_owned());
    }

    /// The text of a name.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.0.get(name).map(String::as_str)
    }

    /// The text with its names replaced. Names that are not known stay.
    pub fn fill(&self, text: &str) -> String {
        let mut filled = String::new();
        for piece in pieces(text) {
            match piece {
                Piece::Text(text) => filled.push_str(text),
                Piece::Name(name) => match self.value(name) {
                    Some(value) => filled.push_str(&value),
                    None => filled.push_str(&format!("{{{{{name}}}}}")),
                },
            }
        }
        filled
    }

    /// True for a text that is as the expected one says.
    pub(super) fn matches(&self, expected: &str, found: &str) -> bool {
        // Most texts have no pattern in them, and compiling one takes longer than all the rest.
        let is_pattern = || ["{{any}}", "{{ulid}}", "{{timestamp}}"].iter().any(|name| expected.contains(name));
        self.fill(expected) == found || (is_pattern() && self.pattern(expected).is_match(found))
    }

    /// The text as a pattern for a whole string.
    fn pattern(&self, text: &str) -> Regex {
        let mut pattern = String::from("(?s)^");
        for piece in pieces(text) {
            match piece {
                Piece::Text(text) => pattern.push_str(&regex::escape(text)),
                Piece::Name("any") => pattern.push_str(".*"),
                Piece::Name("ulid") => pattern.push_str(ULID),
                Piece::Name("timestamp") => pattern.push_str(TIMESTAMP),
                Piece::Name(name) => pattern.push_str(&regex::escape(&self.value(name).unwrap_or_default())),
            }
        }
        pattern.push('$');
        Regex::new(&pattern).expect("escaped texts and our own patterns are a pattern")
    }

    fn value(&self, name: &str) -> Option<String> {
        if let Some(text) = self.get(name) {
            return Some(text.to_owned());
        }
        if let Some(repetition) = name.strip_prefix("repeat ") {
            let (times, text) = repetition.split_once(' ')?;
            return Some(text.repeat(times.parse().ok()?));
        }
        let ago = |prefix: &str| name.strip_prefix(prefix)?.strip_suffix('s')?.parse::<u64>().ok();
        let now = SystemTime::now().duration_since(UNIX_EPOCH).ok()?.as_secs();
        ago("now-").map(|seconds| timestamp(now - seconds)).or_else(|| ago("ulid-").map(|seconds| ulid(now - seconds)))
    }
}

enum Piece<'a> {
    Text(&'a str),
    Name(&'a str),
}

fn pieces(text: &str) -> Vec<Piece<'_>> {
    let mut pieces = Vec::new();
    let mut rest = text;
    while let Some((before, name, after)) = rest
        .split_once("{{")
        .and_then(|(before, inside)| inside.split_once("}}").map(|(name, after)| (before, name, after)))
    {
        pieces.extend([Piece::Text(before), Piece::Name(name)]);
        rest = after;
    }
    pieces.push(Piece::Text(rest));
    pieces
}

/// Seconds since 1970 as ISO 8601 in UTC.
fn timestamp(seconds: u64) -> String {
    let (days, second) = (seconds / 86_400, seconds % 86_400);
    // The civil calendar from a count of days, in eras of 400 years that begin in March.
    let shifted = days + 719_468;
    let (era, day) = (shifted / 146_097, shifted % 146_097);
    let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let of_year = day - (365 * year + year / 4 - year / 100);
    let month = (5 * of_year + 2) / 153;
    let date = of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    let year = year + era * 400 + u64::from(month <= 2);
    format!("{year:04}-{month:02}-{date:02}T{:02}:{:02}:{:02}Z", second / 3600, second / 60 % 60, second % 60)
}

/// A ULID of a moment, its random part being zero.
fn ulid(seconds: u64) -> String {
    const CROCKFORD: &[u8; 32] = b"0123456789ABCDEFGHJKMNPQRSTVWXYZ";
    let milliseconds = seconds * 1000;
    let digit = |place: u32| char::from(CROCKFORD[usize::try_from(milliseconds >> (5 * place) & 31).unwrap_or(0)]);
    (0..10).rev().map(digit).chain(std::iter::repeat_n('0', 16)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_are_written_as_they_should() {
        assert_eq!(timestamp(0), "1970-01-01T00:00:00Z");
        assert_eq!(timestamp(1_709_210_096), "2024-02-29T12:34:56Z");
        assert_eq!(timestamp(1_790_000_000), "2026-09-21T14:13:20Z");
        // The ULID specification's example time, 1469918176.385 s, rounded to the second.
        assert_eq!(&ulid(1_469_918_176), "01ARYZ6RR00000000000000000");
    }

    #[test]
    fn names_are_replaced_and_others_stay() {
        let mut names = Names::default();
        names.set("file", "/x");
        assert_eq!(names.fill("{{file}} {{repeat 2 ab}} {{other}} {"), "/x abab {{other}} {");
    }
}
