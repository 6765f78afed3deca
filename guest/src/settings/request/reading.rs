//! The requests of `read`, `search` and `rebuild-part`.

use serde::Deserialize;
use serde_json::{Map, Value};

use super::range::{Lines, Range};
use super::{Part, read, read_arguments};
use crate::error::Error;

/// A page of `read` has no more bytes of the file than these, 256 KiB (GATE-13).
pub const MOST_PAGE_BYTES: u32 = 256 * 1024;

/// A page of `read` has no more lines (GATE-13).
pub const MOST_PAGE_LINES: u32 = 200;

/// A page of `search` has no more hits (READ-10).
const MOST_HITS: u32 = 50;

/// Lines around a hit, unless a request says so otherwise (READ-10).
const CONTEXT_LINES: u32 = 2;

/// A hit has no more lines before it or after it. More of them are read, not searched.
const MOST_CONTEXT_LINES: u32 = 20;

/// A character of UTF-8 has up to four bytes: a page has room for one.
const LEAST_BYTES: u32 = 4;

/// The request of `read`.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Read {
    /// These lines.
    pub lines: Option<Lines>,
    /// These characters instead.
    pub characters: Option<Range>,
    /// Line 1 is the header.
    pub header: Option<bool>,
    /// How the text is returned.
    pub encoding: Option<Encoding>,
    /// At most this many bytes of the file on a page.
    pub max_bytes: Option<u32>,
    /// The `next` of the page before.
    pub next: Option<String>,
    /// `max_bytes` bounds the text as it is written in a JSON string, or in base64. Not a key of a request.
    #[serde(skip)]
    pub bounds_the_answer: bool,
}

/// How a passage is returned.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Encoding {
    /// As it stands.
    #[default]
    Raw,
    /// The base64 of its bytes.
    Base64,
}

impl Read {
    /// Reads a request.
    pub fn parse(text: &str) -> Result<Self, Error> {
        read::<Self>("read", text)?.checked()
    }

    /// Reads the arguments of a tool, whose caller has no schema of requests: `hint` has an example.
    pub(crate) fn of_arguments(arguments: Map<String, Value>, hint: &str) -> Result<Self, Error> {
        read_arguments::<Self>("read", arguments, hint)?.checked()
    }

    fn checked(self) -> Result<Self, Error> {
        if self.lines.is_some() && self.characters.is_some() {
            return Err(Error::invalid_argument(
                "cannot read the read request: it has `lines` and `characters`",
                "leave out one of them",
            ));
        }
        let lines = self.lines.and_then(|lines| match lines {
            Lines::Range(range) => Some(range),
            Lines::Last(_) => None,
        });
        for (key, range) in [("lines", lines), ("characters", self.characters)] {
            if let Some(Range { first, last: Some(last) }) = range
                && last < first.max(1)
            {
                return Err(Error::invalid_argument(
                    format!("cannot read {key} {first} to {last}: the range ends before it begins"),
                    format!(
                        "both ends are counted from 1 and included, for example: {{\"{key}\": \"1-{}\"}}",
                        last.max(20)
                    ),
                ));
            }
        }
        has_room("read", self.max_bytes)?;
        Ok(self)
    }
}

/// The request of `rebuild-part`.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rebuild {
    /// Enough bytes of the document for a part.
    pub max_bytes: Option<u32>,
    /// The `next` of the part before.
    pub next: Option<String>,
}

impl Rebuild {
    /// Reads a request.
    pub fn parse(text: &str) -> Result<Self, Error> {
        let request: Self = read("rebuild", text)?;
        has_room("rebuild", request.max_bytes)?;
        Ok(request)
    }
}

/// Refuses a bound on bytes that leaves no room for a character.
fn has_room(call: &str, max_bytes: Option<u32>) -> Result<(), Error> {
    match max_bytes.is_some_and(|bytes| bytes < LEAST_BYTES) {
        true => Err(Error::invalid_argument(
            format!("cannot read the {call} request: `max_bytes` is too small for one character"),
            format!("give at least {LEAST_BYTES}, or leave it out"),
        )),
        false => Ok(()),
    }
}

/// The request of `search`.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Search {
    /// A regular expression.
    pub pattern: String,
    /// Small and capital letters match each other.
    pub ignore_case: Option<bool>,
    /// The pattern is a plain text.
    pub literal: Option<bool>,
    /// Lines before and after each hit.
    pub context: Option<u32>,
    /// Lines before, instead.
    pub before: Option<u32>,
    /// Lines after, instead.
    pub after: Option<u32>,
    /// At most this many hits on a page.
    pub limit: Option<u32>,
    /// At most this many bytes of lines on a page.
    pub max_bytes: Option<u32>,
    /// Line 1 is the header.
    pub header: Option<bool>,
    /// The `next` of the page before.
    pub next: Option<String>,
    /// Only the lines that begin in this part of the file.
    pub part: Option<Part>,
    /// What the parts before it have for this page.
    pub so_far: Option<SoFar>,
    /// `max_bytes` bounds the lines as they are written in an array of JSON strings, each with its number. Not a key of
    /// a request.
    #[serde(skip)]
    pub bounds_the_answer: bool,
    /// Only the number of lines that match is wanted, in the whole file. Not a key of a request.
    #[serde(skip)]
    pub counts_only: bool,
    /// The caller's tool has other arguments: `case_sensitive`, and none for a plain text. Not a key of a request.
    #[serde(skip)]
    pub has_other_names: bool,
}

/// What the parts of a file before another one have for a page of hits.
#[derive(Debug, Clone, Copy, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SoFar {
    /// How many lines they have.
    #[serde(default)]
    pub lines: u32,
    /// The last line that their hits show: one of these, or one behind them.
    #[serde(default)]
    pub shown: u32,
    /// How many hits they have.
    #[serde(default)]
    pub hits: u32,
    /// How many hits the whole file has, if they have been counted.
    pub total: Option<u32>,
}

impl Search {
    /// Reads a request.
    pub fn parse(text: &str) -> Result<Self, Error> {
        read::<Self>("search", text)?.checked()
    }

    /// Reads the arguments of a tool, whose caller has no schema of requests: `hint` has an example.
    pub(crate) fn of_arguments(arguments: Map<String, Value>, hint: &str) -> Result<Self, Error> {
        read_arguments::<Self>("search", arguments, hint)?.checked()
    }

    fn checked(self) -> Result<Self, Error> {
        if self.pattern.is_empty() {
            return Err(Error::invalid_argument(
                "cannot search: `pattern` is empty",
                "give a regular expression; to read lines without searching, call read",
            ));
        }
        for (key, value) in [("limit", self.limit), ("max_bytes", self.max_bytes)] {
            if value == Some(0) {
                return Err(Error::invalid_argument(
                    format!("cannot read the search request: `{key}` is 0"),
                    "give at least 1, or leave it out",
                ));
            }
        }
        if self.next.is_some() && (self.part.is_some() || self.so_far.is_some()) {
            return Err(Error::invalid_argument(
                "cannot read the search request: `next` leads to a place, and `part` and `so_far` to another",
                "leave out one of them",
            ));
        }
        Ok(self)
    }

    /// Lines before and after a hit.
    pub fn around(&self) -> (usize, usize) {
        let lines = |own: Option<u32>| own.or(self.context).unwrap_or(CONTEXT_LINES).min(MOST_CONTEXT_LINES) as usize;
        (lines(self.before), lines(self.after))
    }

    /// Hits on a page, without those of the parts before.
    pub fn most_hits(&self) -> usize {
        if self.counts_only {
            return 0;
        }
        let most = self.limit.unwrap_or(MOST_HITS).min(MOST_HITS);
        most.saturating_sub(self.so_far.unwrap_or_default().hits) as usize
    }

    /// How many lines before a part may be shown before its first hit.
    pub fn lines_before_part(&self) -> Option<usize> {
        let not_shown = |so_far: SoFar| so_far.lines.saturating_sub(so_far.shown);
        let most = self.so_far.map_or(u32::MAX, not_shown) as usize;
        self.part.map(|_| most.min(self.around().0))
    }

    /// Which limits were lowered.
    pub fn lowered(&self) -> Vec<String> {
        let mut remarks = Vec::new();
        if let Some(limit) = self.limit.filter(|limit| *limit > MOST_HITS) {
            remarks.push(format!("a page has at most {MOST_HITS} hits, not {limit}; `next` leads to more"));
        }
        let wanted = [self.context, self.before, self.after].into_iter().flatten().max();
        if let Some(lines) = wanted.filter(|lines| *lines > MOST_CONTEXT_LINES) {
            remarks.push(format!(
                "a hit has at most {MOST_CONTEXT_LINES} lines around it, not {lines}; read the lines for more"
            ));
        }
        remarks
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_read_is_refused_with_a_way_out() {
        let rows = [
            (r#"{"lines":"7-3"}"#, "cannot read lines 7 to 3: the range ends before it begins"),
            (r#"{"characters":"0-0"}"#, "cannot read characters 0 to 0: the range ends before it begins"),
            (r#"{"lines":"1-2","characters":"1-2"}"#, "it has `lines` and `characters`"),
            (
                r#"{"lines":"x"}"#,
                r#"expected a range such as "120-180", "120-" (to the end), "-50" (the last 50) or 120"#,
            ),
            (r#"{"max_bytes":3}"#, "`max_bytes` is too small"),
            (r#"{"line":3}"#, "unknown field `line`, expected one of `lines`, `characters`"),
            (r#"{"encoding":"hex"}"#, "unknown variant `hex`, expected `raw` or `base64`"),
        ];
        for (text, part) in rows {
            let error = Read::parse(text).unwrap_err();
            assert!(error.message().contains(part), "{error}");
        }
        for (text, part) in [
            ("{}", "missing field `pattern`"),
            (r#"{"pattern":""}"#, "`pattern` is empty"),
            (r#"{"pattern":"a","limit":0}"#, "`limit` is 0"),
        ] {
            let error = Search::parse(text).unwrap_err();
            assert!(error.message().contains(part), "{error}");
        }
    }

    #[test]
    fn limits_are_lowered_and_told() {
        let request = Search::parse(r#"{"pattern":"a","limit":51,"context":21,"after":0}"#).unwrap();
        assert_eq!((request.most_hits(), request.around()), (50, (20, 0)));
        assert_eq!(request.lowered().len(), 2);
        let request = Search::parse(r#"{"pattern":"a"}"#).unwrap();
        assert_eq!((request.most_hits(), request.around(), request.lowered().len()), (50, (2, 2), 0));
    }
}
