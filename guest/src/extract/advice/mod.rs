//! How to mend what a caller wrote: the nearest function, the fields that there are, the idiom for null (USER-15).
//!
//! The engine says what is wrong, in jq's words. Here that is read together with the filter and a few records of the
//! file, and becomes a sentence that a language model can act on. Nothing here changes a result: advice that does not
//! come to mind is left out.

mod failures;
mod fields;
mod functions;
mod habits;
mod nearest;
mod nothing;
mod reading;
mod remarks;

pub use fields::Fields;
pub(crate) use functions::{of_function, of_variable, of_withheld};
pub(crate) use habits::of_syntax;
pub use nothing::Search;

use crate::error::{Error, Problem};
use crate::query::Outcome;

/// So much of a filter stands in a sentence.
const SHOWN_CHARACTERS: usize = 200;

/// So much of a first page is searched for null: a record of usual size, or many small results.
const SEARCHED_BYTES: usize = 4096;

/// What to do, as one sentence, and the names that could have been meant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Advice {
    /// One sentence.
    pub hint: String,
    /// Names that exist.
    pub known: Vec<String>,
}

/// A filter as it stands in a sentence: so much of it that the sentence is read.
fn shown(filter: &str) -> std::borrow::Cow<'_, str> {
    match filter.char_indices().nth(SHOWN_CHARACTERS) {
        Some((end, _)) => format!("{}…", &filter[..end]).into(),
        None => filter.into(),
    }
}

/// A path as jq writes it: `.provenance.confidence`.
pub fn jq_path(parts: &[String]) -> String {
    fields::jq(&parts.iter().map(String::as_str).collect::<Vec<_>>())
}

impl Advice {
    fn new(hint: impl Into<String>, known: impl IntoIterator<Item = impl Into<String>>) -> Self {
        Self { hint: hint.into(), known: known.into_iter().map(Into::into).collect() }
    }
}

/// What was run.
#[derive(Debug, Clone, Copy)]
pub struct Asked<'a> {
    /// The filter.
    pub filter: &'a str,
    /// Once on all records, not on each of them.
    pub slurps: bool,
}

impl Asked<'_> {
    /// Mends the error of a filter with what is known of the records.
    pub fn mend(self, error: Error, fields: &Fields) -> Error {
        let Error::InvalidQuery { problem, known } = error else { return error };
        let advice = match problem.message.starts_with("cannot compile") {
            true if problem.message.contains("is not defined") => reading::of_bare_name(self.filter, fields),
            true => None,
            false => failures::of(&problem.message, self, fields),
        };
        match advice {
            Some(Advice { mut hint, known }) => {
                if problem.hint.starts_with("leave out strict") {
                    hint.push_str("; or ");
                    hint.push_str(&problem.hint);
                }
                Error::InvalidQuery { problem: Problem { message: problem.message, hint }, known }
            }
            None => Error::InvalidQuery { problem, known },
        }
    }

    /// What to do about a record that failed with this message; empty when nothing comes to mind.
    pub fn hint(self, message: &str, fields: &Fields) -> String {
        failures::of(message, self, fields).map_or_else(String::new, |advice| advice.hint)
    }

    /// True where a wrong name could have led to these results, the first ones: there are none, each holds null, or their
    /// count is 0; or where the filter may compare what never meets.
    pub fn looks_odd(self, outcome: &Outcome) -> bool {
        let text = &outcome.page.text;
        let mut lines = text.split_inclusive(|byte| *byte == b'\n').scan(0, |seen, line| {
            *seen += line.len();
            (*seen <= SEARCHED_BYTES).then_some(line)
        });
        let has_null = |line: &[u8]| memchr::memmem::find(line, b"null").is_some();
        let is_odd = says_nothing(text) || lines.next().is_some_and(has_null) && lines.all(has_null);
        is_odd || remarks::may_never_meet(self.filter)
    }

    /// What looks wrong in a filter that did not fail.
    pub fn remarks(self, fields: &Fields, outcome: &Outcome) -> Vec<String> {
        remarks::of(self, fields, says_nothing(&outcome.page.text))
    }
}

/// True for results that are no answer: none, nulls, or a count of 0.
fn says_nothing(results: &[u8]) -> bool {
    results.split(|byte| *byte == b'\n').all(|line| matches!(line, b"" | b"null" | b"0"))
}
