//! How to fix what a caller wrote: the nearest function, the existing fields, the idiom for null (USER-15).
//!
//! The engine returns what is wrong as a type. Here that is read together with the filter and a few records of the
//! file, and becomes a sentence that a language model can act on. Nothing here changes a result: advice that does not
//! come to mind is left out.

mod alike;
mod engine;
mod examples;
mod failures;
mod fields;
mod front;
mod functions;
mod habits;
mod nearest;
mod nothing;
mod on_strings;
mod parents;
mod reading;
mod remarks;
mod slips;
mod sought;

pub use engine::{explained, words};
pub use fields::Fields;
pub use nothing::{Search, is_nothing};

use std::cell::LazyCell;

use lro_query::{Error as Cause, Failure, On, Query, Why};

use crate::error::{Error, Problem};
use crate::extract::page::Page;

/// A sentence quotes at most this much of a filter.
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

/// A filter shortened for use in a sentence.
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
pub struct AskedFilter<'a> {
    /// The filter.
    pub filter: &'a str,
    /// The same, parsed; nothing where it does not parse, and for criteria.
    pub query: Option<&'a Query<'a>>,
    /// Once on all records, not on each of them.
    pub slurps: bool,
    /// What it ran on, and how it runs on something else: a part of each hint on a failure. Empty for criteria.
    pub note: &'a str,
}

impl AskedFilter<'_> {
    /// The error of a filter, mended with what is known of the records. They are looked at only where that can help.
    pub fn mend(self, cause: Cause, fields: impl FnOnce() -> Fields) -> Error {
        let fields = LazyCell::new(fields);
        let advice = match &cause {
            Cause::Unknown(names) if names.iter().all(|name| matches!(name.why, Why::Withheld(_))) => None,
            Cause::Unknown(_) => reading::of_bare_name(self.filter, &fields),
            Cause::Failed { on, failure } => {
                let everywhere = matches!(on, On::EveryRecord(_));
                failures::of(failure, everywhere, self, &fields).map(|advice| match on {
                    On::Line(_) => {
                        Advice { hint: format!("{}; or {}", advice.hint, engine::remedy(*on, failure)), ..advice }
                    }
                    _ => advice,
                })
            }
            _ => None,
        };
        let failure = if let Cause::Failed { failure, .. } = &cause { Some(failure.clone()) } else { None };
        match (explained(cause, self.filter), advice) {
            (Error::InvalidQuery { problem, known }, advice) => {
                let Advice { hint, known } = advice.unwrap_or(Advice { hint: problem.hint, known });
                let hint = match failure {
                    Some(failure) => self.noted(hint, &failure),
                    None if examples::has_one(&hint) => examples::of_records(hint, self, &fields),
                    None => hint,
                };
                Error::InvalidQuery { problem: Problem { hint, ..problem }, known }
            }
            (error, _) => error,
        }
    }

    /// A hint on a failure, with what the filter ran on.
    pub fn noted(self, hint: String, failure: &Failure) -> String {
        // A record that cannot be read is no fault of the filter.
        let is_of_the_filter = !matches!(failure, Failure::NotJson(_) | Failure::NotUtf8(_) | Failure::TooDeep(_));
        match (hint.is_empty(), self.note.is_empty() || !is_of_the_filter) {
            (_, true) => hint,
            (true, false) => self.note.to_owned(),
            (false, false) => format!("{hint}; {}", self.note),
        }
    }

    /// What to do about a record that failed; empty when nothing comes to mind.
    pub fn hint(self, failure: &Failure, fields: &Fields) -> String {
        failures::of(failure, false, self, fields).map_or_else(String::new, |advice| advice.hint)
    }

    /// True if a wrong name could have led to these results, the first ones: there are none, each holds null, or
    /// their count is 0; or where the filter may compare what never meets, or gather by what no record has.
    pub fn looks_odd(self, page: &Page) -> bool {
        remarks::may_gather_by_nothing(self) || self.has_odd_results(page)
    }

    fn has_odd_results(self, page: &Page) -> bool {
        lacks_something(page) || remarks::may_never_meet(self)
    }

    /// What looks wrong in a filter that did not fail.
    pub fn remarks(self, fields: &Fields, page: &Page) -> Vec<String> {
        if fields.is_unknown_document() {
            return Vec::new();
        }
        match self.has_odd_results(page) {
            true => remarks::of(self, fields, lacks_something(page)),
            false => remarks::of_gathering(self, fields),
        }
    }
}

/// True if the first results say nothing, or each of them has null somewhere.
fn lacks_something(page: &Page) -> bool {
    let mut lines = page.text.split_inclusive(|byte| *byte == b'\n').scan(0, |seen, line| {
        *seen += line.len();
        (*seen <= SEARCHED_BYTES).then_some(line)
    });
    let has_null = |line: &[u8]| memchr::memmem::find(line, b"null").is_some();
    says_nothing(&page.text) || lines.next().is_some_and(has_null) && lines.all(has_null)
}

/// True for results that say nothing: none, nulls, or a count of 0.
fn says_nothing(results: &[u8]) -> bool {
    results.split(|byte| *byte == b'\n').all(|line| matches!(line, b"" | b"null" | b"0"))
}
