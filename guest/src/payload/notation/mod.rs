//! Text that is not JSON, but most of which fits a known notation: read as records with fields.
//!
//! The text as it came is kept by the caller, so records need not be turned back into it. But a reader finds every part
//! of it: a line that does not fit the notation becomes a record with its number and its text. A text in which many
//! lines do not fit stays lines of text, and nothing is guessed from words.
//!
//! A notation is a module with a function `read`, which returns nothing for another one. Each of them looks at every
//! byte a bounded number of times and stops when what it makes is too large.

mod aligned;
mod changed_by;
mod changes;
mod columns;
mod csv;
mod diff;
mod disk_usage;
mod fields;
mod framed;
mod git_log;
mod grep;
mod grid;
mod listing;
mod literal;
mod moments;
mod name_status;
mod names;
mod output;
mod pairs;
mod stanzas;
mod values;
mod vertical;
mod word_counts;

use crate::payload::texts::Texts;
pub use csv::Table;

/// What a text is read as.
#[derive(Debug)]
pub enum Reading<'a> {
    /// Records, each a JSON object on one line; keys are in the order of the text.
    Records {
        /// The notation's name, as in `csv`.
        name: &'static str,
        /// The records.
        records: Texts<'a>,
        /// How many of them are lines that have no fields, such as a heading: `{"line":3,"text":"Total 7"}`.
        other_lines: usize,
    },
    /// One JSON document, or JSON Lines whose lists are still to be found.
    Document {
        /// The notation's name, as in `python`.
        name: &'static str,
        /// The JSON text.
        text: String,
        /// It has null for NaN or an infinity, which JSON has no number for.
        has_no_number: bool,
        /// The text ends before its last list or record does.
        breaks_off: bool,
    },
}

/// A reader of a notation.
enum Reader {
    /// It needs nothing but the text.
    Of(fn(&str) -> Option<Reading<'_>>),
    /// It needs to know when the text was made, in milliseconds since 1970.
    Made(fn(&str, Option<u64>) -> Option<Reading<'_>>),
}

impl Reader {
    fn read<'a>(&self, text: &'a str, made: Option<u64>) -> Option<Reading<'a>> {
        match self {
            Self::Of(read) => read(text),
            Self::Made(read) => read(text, made),
        }
    }
}

/// Notations of lines, those first that are hardest to mistake.
const READERS: [Reader; 15] = [
    Reader::Of(git_log::read),
    Reader::Of(diff::read),
    Reader::Of(name_status::read),
    Reader::Of(changes::read),
    Reader::Made(listing::read),
    Reader::Of(grep::read),
    Reader::Of(disk_usage::read),
    Reader::Of(word_counts::read),
    Reader::Of(vertical::read),
    Reader::Of(grid::read),
    Reader::Of(csv::read),
    Reader::Of(pairs::read),
    Reader::Of(stanzas::read),
    Reader::Of(aligned::read),
    Reader::Of(framed::read),
];

/// A reader first tries this much of a text, and reads all of it if that succeeds. Text in no notation costs no
/// more than this much work for each of them.
const SAMPLE_BYTES: usize = 64 << 10;

/// Reads a text that is not JSON; `None` if it stays lines of text. When it was made, in milliseconds since 1970, is asked
/// for where [`needs_moment`] says so.
pub fn read(text: &str, made: Option<u64>) -> Option<Reading<'_>> {
    read_values(text).or_else(|| {
        let text = plain(text);
        let sample = sample(text);
        let reader = READERS.iter().find(|reader| reader.read(sample, made).is_some())?;
        reader.read(text, made)
    })
}

/// True for a text whose dates depend on when it was made.
pub fn needs_moment(text: &str) -> bool {
    let is_json = text.trim_start().starts_with(['{', '[', '"']);
    !is_json && listing::lacks_years(plain(text))
}

/// The same for notations of values alone. Those of lines never make nothing of a text: all of it counts as it came,
/// whether they read it or not.
pub fn read_values(text: &str) -> Option<Reading<'_>> {
    values::read(plain(text))
}

/// A text without what is around all of it.
fn plain(text: &str) -> &str {
    unfenced(text.strip_prefix('\u{feff}').unwrap_or(text))
}

/// A text without the Markdown fence that is around all of it.
fn unfenced(text: &str) -> &str {
    let trimmed = text.trim();
    let inner = trimmed.strip_prefix("```").and_then(|rest| rest.strip_suffix("\n```")?.split_once('\n'));
    match inner {
        Some((language, inner)) if language.trim().bytes().all(|byte| byte.is_ascii_alphanumeric()) => inner,
        _ => text,
    }
}

/// Whole lines at the beginning of a text.
fn sample(text: &str) -> &str {
    if text.len() <= SAMPLE_BYTES {
        return text;
    }
    let start = &text.as_bytes()[..SAMPLE_BYTES];
    let end = memchr::memrchr(b'\n', start).map_or(SAMPLE_BYTES, |place| place + 1);
    &text[..text.floor_char_boundary(end)]
}

#[cfg(test)]
mod tests;
