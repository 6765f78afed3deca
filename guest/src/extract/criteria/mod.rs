//! Extraction without jq: conditions, and what is wanted of the records that meet them (EXTRACT-23).
//!
//! Criteria become a filter of the same engine. Names of fields and values to compare with are bound as variables, so
//! no text of a caller is ever part of the filter (EXTRACT-07), and the filters are such as plans know.
//!
//! Criteria never fail on a record. A field that a record lacks is null. An array on the way of a condition is looked
//! into: the condition is met if one of the elements meets it.
//!
//! A line of a text is a record without fields: the field `line` is the line itself.

mod aggregate;
mod clause;
mod condition;
mod connected;
mod filter;
mod groups;
mod lines;
mod range;
mod typed;
mod wanted;
mod written;

use std::borrow::Cow;

use lro_query::Shape;
use serde_json::Value;

use crate::error::Error;
use crate::file::kind::Kind;
use crate::settings::request;

pub(crate) use aggregate::Aggregate;
pub use clause::Clause;
pub use condition::{Condition, Operator};
pub(crate) use wanted::Wanted;

/// A request of more is written by a program, which can write jq.
const MOST_CONDITIONS: usize = 20;

/// Fields of a projection, for the same reason.
const MOST_FIELDS: usize = 40;

/// Deeper paths make filters that are too long.
const MOST_PARTS: usize = 5;

/// A field by its path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Field {
    /// As the caller wrote it, less a leading dot.
    pub(crate) name: String,
    /// The keys that lead to it; none for the record itself.
    pub(crate) parts: Vec<String>,
}

/// What is asked for.
#[derive(Debug, Clone, PartialEq)]
pub struct Criteria {
    /// All of these must be met.
    pub(crate) clauses: Vec<Clause>,
    pub(crate) wanted: Wanted,
    pub(crate) sort_by: Option<Order>,
    /// The records are lines of text, which results contain without quotes.
    are_lines: bool,
}

/// A field to sort by.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Order {
    pub(crate) field: Field,
    pub(crate) descending: bool,
}

/// A filter that criteria became.
#[derive(Debug)]
pub struct Compiled {
    /// Its text, which holds no text of the caller.
    pub filter: String,
    /// How it is run.
    pub shape: Shape,
    /// The caller's texts and values.
    pub variables: Vec<(String, lro_query::Value)>,
}

impl Criteria {
    /// The criteria of a request on records of this kind; `None` if it has none.
    pub fn of(request: &request::Extract, kind: Kind) -> Result<Option<Self>, Error> {
        let request::Extract { conditions, select, count, group_by, aggregate, per_group, sort_by, .. } = request;
        let counts = *count == Some(true) && !request.counts_results();
        let groups = group_by.is_some() || aggregate.is_some() || per_group.is_some();
        if conditions.is_none() && select.is_none() && !counts && !groups && sort_by.is_none() {
            return Ok(None);
        }
        let are_lines = kind == Kind::Text;
        let clauses = clause::read_all(conditions.as_deref().unwrap_or_default(), MOST_CONDITIONS, are_lines)?;
        let (wanted, sort_by) = Wanted::of(request, counts)?;
        let criteria = Self { clauses, wanted, sort_by, are_lines };
        Ok(Some(if are_lines { criteria.of_lines()? } else { criteria }))
    }

    /// The conditions that stand alone, each of which a record must meet.
    pub(crate) fn single_conditions(&self) -> impl Iterator<Item = &Condition> {
        self.clauses.iter().filter_map(|clause| match clause {
            Clause::One(condition) => Some(condition),
            Clause::Any(_) | Clause::All(_) => None,
        })
    }

    /// The fields that are named, as jq writes them, with what they are compared with: what advice looks at.
    pub fn as_read(&self) -> String {
        let compared = self.clauses.iter().flat_map(Clause::conditions).map(Condition::as_read);
        let wanted = self.wanted.fields().into_iter().map(Field::jq);
        let order = self.sort_by.iter().map(|order| order.field.jq());
        compared.chain(wanted).chain(order).collect::<Vec<_>>().join(", ")
    }
}

fn fields(names: &[Value]) -> Result<Vec<Field>, Error> {
    if names.is_empty() || names.len() > MOST_FIELDS {
        return Err(refused("`select` names no field, or too many", &format!("name 1 to {MOST_FIELDS} fields")));
    }
    names.iter().map(Field::read).collect()
}

impl Field {
    /// The field that these keys lead to.
    pub(crate) fn of_path(path: &[String]) -> Self {
        Self { name: path.join("."), parts: path.to_vec() }
    }

    /// A dotted path, or an array of keys.
    pub(crate) fn read(value: &Value) -> Result<Self, Error> {
        match value {
            Value::String(text) => Self::of(text),
            Value::Array(parts) if parts.iter().all(Value::is_string) => {
                let parts: Vec<String> = parts.iter().filter_map(Value::as_str).map(str::to_owned).collect();
                Self { name: parts.join("."), parts }.checked()
            }
            other => Err(refused(&format!("{other} is not a valid field"), FIELD_HINT)),
        }
    }

    fn of(text: &str) -> Result<Self, Error> {
        let name = text.trim().trim_start_matches('.').trim_end_matches("[]");
        let parts = name.split('.').map(|part| part.trim_end_matches("[]").to_owned()).collect();
        Self { name: name.to_owned(), parts }.checked()
    }

    fn checked(self) -> Result<Self, Error> {
        let fits = (1..=MOST_PARTS).contains(&self.parts.len()) && self.parts.iter().all(|part| !part.is_empty());
        if fits { Ok(self) } else { Err(refused(&format!("`{}` is not a valid field", self.name), FIELD_HINT)) }
    }

    /// As jq writes it.
    pub(crate) fn jq(&self) -> String {
        crate::extract::advice::jq_path(&self.parts)
    }
}

const FIELD_HINT: &str = "name a field by its path, `provenance.confidence`, or as an array of at most 5 keys";

impl Order {
    fn read(text: &str) -> Result<Self, Error> {
        let (name, descending) = text.trim().strip_prefix('-').map_or((text, false), |name| (name, true));
        Ok(Self { field: Field::of(name)?, descending })
    }
}

fn refused(reason: &str, hint: &str) -> Error {
    Error::invalid_argument(format!("cannot extract: {reason}"), hint)
}

/// A condition as an object with `field`, `op` and `value`, or as a text such as `namespace=_semantic`.
fn read_condition(value: &Value, are_lines: bool) -> Result<Condition, Error> {
    let named = if are_lines { lines::named(value) } else { Cow::Borrowed(value) };
    match &*named {
        Value::String(text) => typed::read(text)?,
        Value::Object(members) => condition::of_members(members)?,
        other => return Err(refused(&format!("{other} is not a valid condition"), condition::HINT)),
    }
    .checked()
}
