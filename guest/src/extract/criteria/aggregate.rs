//! Values of many records: `sum(size)`, `avg(size)`, `min(created)`, `max(created)`, `count_distinct(user.login)`, `count`.
//!
//! Null and what a record lacks is left out. `sum` and `avg` are of numbers only, and null where there are none; `min` and
//! `max` compare as jq does. An array gives each of its elements, as in a group.

use serde_json::Value;

use super::{Field, refused};
use crate::error::Error;

/// A request of more is written by a program, which can write jq.
const MOST: usize = 10;

const HINT: &str = "write sum(FIELD), avg(FIELD), min(FIELD), max(FIELD), count_distinct(FIELD) or count";

/// A value of many records.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Aggregate {
    /// As the caller wrote it: its key in a result.
    pub(crate) name: String,
    pub(crate) function: Function,
    /// Of which field; none for the number of records.
    pub(crate) field: Option<Field>,
}

/// What is computed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Function {
    Count,
    Sum,
    Avg,
    Min,
    Max,
    CountDistinct,
}

impl Function {
    /// True for those that leave out what is not a number.
    pub(crate) fn is_of_numbers(self) -> bool {
        matches!(self, Self::Sum | Self::Avg)
    }

    /// True for those that compare values.
    pub(crate) fn is_of_order(self) -> bool {
        matches!(self, Self::Min | Self::Max)
    }
}

/// Functions by their names, those of other languages included.
const NAMES: [(&str, Function); 10] = [
    ("count", Function::Count),
    ("sum", Function::Sum),
    ("total", Function::Sum),
    ("avg", Function::Avg),
    ("mean", Function::Avg),
    ("average", Function::Avg),
    ("min", Function::Min),
    ("max", Function::Max),
    ("count_distinct", Function::CountDistinct),
    ("distinct", Function::CountDistinct),
];

/// The aggregates of a request; those that are named twice are one.
pub(super) fn read_all(values: &[Value]) -> Result<Vec<Aggregate>, Error> {
    let mut list: Vec<Aggregate> = Vec::new();
    for value in values {
        let Value::String(text) = value else {
            return Err(refused(&format!("{value} is not a valid aggregate"), HINT));
        };
        let aggregate = Aggregate::read(text)?;
        if !list.iter().any(|known| known.name == aggregate.name) {
            list.push(aggregate);
        }
    }
    if list.is_empty() || list.len() > MOST {
        return Err(refused("`aggregate` lists nothing, or too much", &format!("list 1 to {MOST}: {HINT}")));
    }
    Ok(list)
}

impl Aggregate {
    /// How many records there are.
    pub(super) fn count() -> Self {
        Self { name: "count".to_owned(), function: Function::Count, field: None }
    }

    /// `FUNCTION(FIELD)`; the field is a path, or a JSON array of keys.
    pub(super) fn read(text: &str) -> Result<Self, Error> {
        let text = text.trim();
        let (function, field) = match text.split_once('(') {
            Some((function, rest)) => (function.trim(), rest.strip_suffix(')').map(str::trim)),
            None => (text, Some("")),
        };
        let Some(field) = field else {
            return Err(refused(&format!("`{text}` is not a valid aggregate"), HINT));
        };
        let known = NAMES.iter().find(|(name, _)| name.eq_ignore_ascii_case(function));
        let Some((name, function)) = known.copied() else {
            let what = format!("`aggregate` has no function `{function}`");
            return Err(refused(&what, &format!("{HINT}; for others, a jq `query` with `slurp`")));
        };
        let words = field.split_once(char::is_whitespace);
        let (function, field) = match (function, words) {
            (Function::Count, Some((distinct, field))) if distinct.eq_ignore_ascii_case("distinct") => {
                (Function::CountDistinct, field)
            }
            _ => (function, field),
        };
        match (function, field) {
            (Function::Count, "" | "*") => Ok(Self::count()),
            (_, "") => Err(refused(&format!("`{text}` names no field"), &format!("write {name}(FIELD)"))),
            (function, field) => {
                let keys = field.starts_with('[').then(|| serde_json::from_str(field).ok()).flatten();
                let field = Field::read(&keys.unwrap_or_else(|| field.into()))?;
                Ok(Self { name: text.to_owned(), function, field: Some(field) })
            }
        }
    }

    /// True for the same value, however it is written.
    pub(super) fn is_like(&self, other: &Self) -> bool {
        self.function == other.function && self.field == other.field
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn aggregates_are_read_as_they_are_typed() {
        let rows = [
            ("sum(size)", Function::Sum, Some("size"), "sum(size)"),
            (
                " AVG( provenance.confidence ) ",
                Function::Avg,
                Some("provenance.confidence"),
                "AVG( provenance.confidence )",
            ),
            ("mean(.size)", Function::Avg, Some("size"), "mean(.size)"),
            ("count", Function::Count, None, "count"),
            ("count(*)", Function::Count, None, "count"),
            ("count(id)", Function::Count, Some("id"), "count(id)"),
            ("count(distinct user.id)", Function::CountDistinct, Some("user.id"), "count(distinct user.id)"),
            ("count(user id)", Function::Count, Some("user id"), "count(user id)"),
            ("max([\"a.b\"])", Function::Max, Some("a.b"), "max([\"a.b\"])"),
        ];
        for (text, function, field, name) in rows {
            let read = Aggregate::read(text).unwrap();
            let found = (read.function, read.field.as_ref().map(|field| field.name.as_str()), read.name.as_str());
            assert_eq!(found, (function, field, name), "{text}");
        }
    }

    #[test]
    fn mistakes_are_told_with_what_is_right() {
        let rows = [
            ("median(size)", "no function `median`"),
            ("sum", "`sum` names no field"),
            ("sum()", "`sum()` names no field"),
            ("sum(size", "`sum(size` is not a valid aggregate"),
            ("size", "no function `size`"),
            ("sum(a..b)", "`a..b` is not a valid field"),
            ("", "no function ``"),
        ];
        for (text, part) in rows {
            let error = Aggregate::read(text).unwrap_err();
            assert!(error.to_string().contains(part), "{text}: {error}");
            assert!(!error.hint().is_empty(), "{text}");
        }
    }
}
