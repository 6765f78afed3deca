//! The engine's errors as those of the contract: its words, and what to do about them.

use std::io;

use lro_query::json::cut;
use lro_query::{Error as Cause, Failure, On, PageLimit, Spent, Unknown, Why};

use super::functions::{of_function, of_variable};
use super::{Advice, habits};
use crate::error::{Error, Problem};

/// A message has at most this many characters: some quote a value whole, and a text may have megabytes.
const MOST_CHARACTERS: usize = 500;

/// The message of a failure, shortened. If a limit caused it, the message names the setting that raises the limit.
pub fn words(failure: &Failure) -> String {
    let words = match failure {
        Failure::TooDeep(_) => format!("{failure} (max_record_nesting)"),
        failure => failure.to_string(),
    };
    cut(&words, MOST_CHARACTERS)
}

/// The error of a filter, with what can be said without looking at the records.
pub fn explained(cause: Cause, filter: &str) -> Error {
    let message = match &cause {
        Cause::Failed { on, failure } => format!("the filter failed on {on}: {}", words(failure)),
        cause => cause.to_string(),
    };
    let query = |hint: &str| Error::invalid_query(message.clone(), hint);
    match cause {
        Cause::TooLong { most, .. } => too_large(message, "max_filter_bytes", most),
        Cause::TooDeep { most } => too_large(message, "max_filter_nesting", most),
        Cause::Syntax(_) => {
            let hint = habits::of_syntax(filter);
            query(hint.as_deref().unwrap_or("write a jq filter, for example `select(.title | test(\"cache\"; \"i\"))`"))
        }
        Cause::Unknown(names) => unknown(message, &names),
        Cause::Failed { on, failure } => query(remedy(on, &failure)),
        Cause::Spent(spent) => used_up(message, spent),
        Cause::TooLarge { bytes, limit, most } => {
            let limit = match limit {
                PageLimit::Asked => "max_bytes",
                PageLimit::AnyPage => "max_page_bytes",
            };
            let hint = format!("project the fields that you need, for example `{{id, title}}`, or raise {limit}");
            let message = format!("cannot return a page: a single result has {bytes} bytes, {limit} is {most}");
            Error::LimitReached { problem: Problem::new(message, hint), limit, value: most }
        }
        Cause::Token(_) => Error::invalid_argument(
            message,
            "pass the `next` of the previous page, unchanged, or leave it out to begin at the front",
        ),
        Cause::PastEnd { .. } => {
            Error::invalid_argument(message, "pass the `next` of the previous piece, with otherwise the same arguments")
        }
        Cause::Changed => {
            Error::Io(Problem::new(message, "leave out `next` to begin at the front, or offload the result again"))
        }
        Cause::Io(error) => unreadable(error),
        _ => Error::Other(message),
    }
}

/// What to do about a failure that ended the run.
pub(super) fn remedy(on: On, failure: &Failure) -> &'static str {
    if matches!((on, failure), (On::EveryRecord(_), Failure::TooDeep(_))) {
        return "no filter reads such records: search the file as text, or read a part of it";
    }
    match on {
        On::Line(_) => "leave out strict to get the results of the other records",
        On::EveryRecord(_) => "look at a record with the query `.` and `limit` 1, then name fields that exist",
        On::Document => "look at it with `keys`, then name keys that exist, or guard with `?` and `//`",
        On::WholeSet => "guard against null and other types, for example with `.field // \"\"`",
    }
}

fn too_large(message: String, limit: &'static str, value: u32) -> Error {
    let problem = Problem::new(
        format!("{message}, the limit {limit}"),
        "write a shorter filter, or do the work in several extractions",
    );
    Error::LimitReached { problem, limit, value }
}

/// The error of a call that has used up what it may use.
fn used_up(message: String, spent: Spent) -> Error {
    const ENDS: &str = "give the recursion or generator of the filter an end (`limit`, `until`)";
    let (limit, value, hint) = match spent {
        Spent::Steps(most) => ("max_steps", most, format!("{ENDS}, look at less data, or raise max_steps")),
        Spent::Milliseconds(most) => {
            ("max_milliseconds", most, format!("{ENDS}, look at less data, or raise max_milliseconds"))
        }
        Spent::Memory(most) => {
            ("max_memory_mib", most >> 20, "collect less at once, or raise max_memory_mib".to_owned())
        }
        Spent::Stack(most) => (
            "max_stack_bytes",
            most as u64,
            "the filter probably recurses without end: give its recursion a case that ends it".to_owned(),
        ),
        Spent::Nesting(most) => (
            "max_value_nesting",
            u64::from(most),
            "build a flatter value: add to an array instead of wrapping it".to_owned(),
        ),
        _ => return Error::Other(message),
    };
    let problem = Problem::new(message, hint);
    Error::LimitReached { problem, limit, value: u32::try_from(value).unwrap_or(u32::MAX) }
}

fn unknown(message: String, names: &[Unknown]) -> Error {
    let (mut hints, mut known): (Vec<String>, Vec<String>) = (Vec::new(), Vec::new());
    for Unknown { name, why } in names {
        let advice = match *why {
            Why::Function(arity) => of_function(name, arity),
            Why::Variable => of_variable(name),
            Why::Withheld(withheld) => Advice::new(withheld.instead().unwrap_or("leave it out"), [] as [&str; 0]),
            _ => continue,
        };
        if !hints.contains(&advice.hint) {
            hints.push(advice.hint);
            known.extend(advice.known);
        }
    }
    Error::InvalidQuery { problem: Problem::new(message, hints.join("; ")), known }
}

/// The message of a read error, in the words of the disk if there are any.
fn unreadable(error: io::Error) -> Error {
    match error.downcast::<Error>() {
        Ok(error) => error,
        Err(error) => Error::Io(Problem::new(format!("cannot read the file: {error}"), "offload the result again")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_words_of_a_failure_are_bounded() {
        let said = words(&Failure::Other("é".repeat(60_000)));
        assert_eq!(said, format!("{}…", "é".repeat(MOST_CHARACTERS)));
    }

    #[test]
    fn what_is_used_up_is_named_with_its_setting_and_number() {
        let rows = [
            (Spent::Steps(70), "max_steps", 70),
            (Spent::Milliseconds(200), "max_milliseconds", 200),
            (Spent::Memory(64 << 20), "max_memory_mib", 64),
            (Spent::Stack(1000), "max_stack_bytes", 1000),
            (Spent::Nesting(127), "max_value_nesting", 127),
        ];
        for (spent, setting, number) in rows {
            let error = used_up("it is used up".to_owned(), spent);
            assert!(
                matches!(&error, Error::LimitReached { limit, value, .. } if (*limit, *value) == (setting, number))
            );
            assert_eq!((error.message(), error.hint().is_empty()), ("it is used up", false));
        }
    }
}
