//! Extraction without jq: conditions, and what is wanted of the records that meet them (EXTRACT-23).
//!
//! Criteria become a filter of the same engine. Names of fields and values to compare with are bound as variables, so
//! no text of a caller is ever part of the filter (EXTRACT-07), and the filters are such as plans know.
//!
//! Criteria never fail on a record. A field that a record lacks is null. An array on the way of a condition is looked
//! into: the condition is met if one of the elements meets it.
//!
//! A line of a text is a record without fields: the field `line` is the line itself.

mod condition;
mod filter;
mod lines;
mod typed;
mod written;

use lro_query::Shape;
use serde_json::Value;

use crate::error::Error;
use crate::file::kind::Kind;
use crate::settings::request;

pub use condition::{Condition, Operator};

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
    pub(crate) conditions: Vec<Condition>,
    pub(crate) wanted: Wanted,
    pub(crate) sort_by: Option<Order>,
    /// The records are lines of text, which results contain without quotes.
    are_lines: bool,
}

/// What is wanted of the records that meet the conditions.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Wanted {
    /// The records themselves.
    Records,
    /// These fields of them.
    Fields(Vec<Field>),
    /// How many there are.
    Count,
    /// How many there are for each value of a field.
    Groups(Field),
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
        let request::Extract { conditions, select, count, group_by, sort_by, .. } = request;
        let counts = *count == Some(true) && !request.counts_results();
        if conditions.is_none() && select.is_none() && !counts && group_by.is_none() && sort_by.is_none() {
            return Ok(None);
        }
        let conditions = conditions.as_deref().unwrap_or_default();
        if conditions.len() > MOST_CONDITIONS {
            return Err(refused(
                &format!("`where` has more than {MOST_CONDITIONS} conditions"),
                "write a jq filter as `query`",
            ));
        }
        let is_text = kind == Kind::Text;
        let read = |value: &Value| match is_text {
            true => read_condition(&lines::named(value)),
            false => read_condition(value),
        };
        let conditions = conditions.iter().map(read).collect::<Result<Vec<_>, _>>()?;
        let wanted = match (select, group_by) {
            (Some(_), Some(_)) => {
                return Err(refused("both `select` and `group_by` are given", "groups have the field and its count"));
            }
            (Some(_), None) if counts => {
                return Err(refused("both `select` and `count` are given", "a count has no fields"));
            }
            (Some(names), None) => Wanted::Fields(fields(names)?),
            (None, Some(name)) => Wanted::Groups(Field::read(name)?),
            (None, None) if counts => Wanted::Count,
            (None, None) => Wanted::Records,
        };
        let sort_by = sort_by.as_deref().map(Order::read).transpose()?;
        match (&wanted, &sort_by) {
            (Wanted::Count, Some(_)) => {
                return Err(refused("both `count` and `sort_by` are given", "a count has no order"));
            }
            (Wanted::Groups(field), Some(order)) if order.field != *field && order.field.name != "count" => {
                return Err(refused(
                    &format!("groups cannot be sorted by `{}`", order.field.name),
                    &format!(
                        "sort groups by `count` or `{}`, with a hyphen before it for descending order",
                        field.name
                    ),
                ));
            }
            _ => {}
        }
        let criteria = Self { conditions, wanted, sort_by, are_lines: is_text };
        Ok(Some(if is_text { criteria.of_lines()? } else { criteria }))
    }

    /// The fields that are named, as jq writes them, with what they are compared with: what advice looks at.
    pub fn as_read(&self) -> String {
        let compared = self.conditions.iter().map(Condition::as_read);
        let wanted = match &self.wanted {
            Wanted::Fields(fields) => fields.iter().map(Field::jq).collect(),
            Wanted::Groups(field) => vec![field.jq()],
            Wanted::Records | Wanted::Count => Vec::new(),
        };
        let order = self.sort_by.iter().filter(|order| order.field.name != "count").map(|order| order.field.jq());
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
fn read_condition(value: &Value) -> Result<Condition, Error> {
    match value {
        Value::String(text) => typed::read(text)?,
        Value::Object(members) => condition::of_members(members)?,
        other => return Err(refused(&format!("{other} is not a valid condition"), condition::HINT)),
    }
    .checked()
}
