//! One element of `where`: a condition, or conditions of which one or all must be met.

use serde_json::{Map, Value, json};

use super::condition::{Condition, Operator};
use super::{Field, MOST_CONDITIONS, connected, read_condition, refused, too_many_conditions};
use crate::error::Error;

/// Conditions that are joined by `and` and `or`.
#[derive(Debug, Clone, PartialEq)]
pub enum Clause {
    /// A single one.
    One(Condition),
    /// One that must not be met.
    Not(Condition),
    /// One of several is enough.
    Any(Vec<Clause>),
    /// All of several.
    All(Vec<Clause>),
}

/// What an object says that joins several, or negates one.
const ANY: &str = "any";
const ALL: &str = "all";
const NOT: &str = "not";

impl Clause {
    /// A condition as an object or a text, several that a text joins with `and` and `or`, or an object with `any`,
    /// `all` or `not`.
    pub(super) fn read(value: &Value, are_lines: bool) -> Result<Self, Error> {
        match value {
            Value::String(text) => connected::read(text, are_lines),
            Value::Object(members) if members.contains_key(ANY) || members.contains_key(ALL) => {
                Self::of_members(members, are_lines)
            }
            Value::Object(members) if members.contains_key(NOT) => match (members.len(), &members[NOT]) {
                (1, one @ (Value::String(_) | Value::Object(_))) => Self::read(one, are_lines).map(Self::negated),
                _ => Err(refused("`not` stands alone and takes one condition", r#"write {"not": "state=open"}"#)),
            },
            other => read_condition(other, are_lines),
        }
    }

    fn of_members(members: &Map<String, Value>, are_lines: bool) -> Result<Self, Error> {
        let hint = r#"write {"any": ["state=open", "priority>=3"]}"#;
        let mut members = members.iter();
        let (Some((key, Value::Array(list))), None) = (members.next(), members.next()) else {
            return Err(refused("`any` and `all` each stand alone and take a list of conditions", hint));
        };
        if list.len() > MOST_CONDITIONS {
            return Err(too_many_conditions());
        }
        let list = list.iter().map(|one| Self::read(one, are_lines)).collect::<Result<Vec<_>, _>>()?;
        if list.is_empty() {
            return Err(refused(&format!("`{key}` lists no condition"), hint));
        }
        Ok(if key == ANY { Self::any(list) } else { Self::all(list) })
    }

    /// One of several; a single one is itself.
    pub(crate) fn any(mut list: Vec<Self>) -> Self {
        if list.len() == 1 { list.remove(0) } else { Self::Any(list) }
    }

    /// All of several; a single one is itself.
    pub(super) fn all(mut list: Vec<Self>) -> Self {
        if list.len() == 1 { list.remove(0) } else { Self::All(list) }
    }

    /// The conditions in it, in their order.
    pub(crate) fn conditions(&self) -> Vec<&Condition> {
        match self {
            Self::One(condition) | Self::Not(condition) => vec![condition],
            Self::Any(list) | Self::All(list) => list.iter().flat_map(Self::conditions).collect(),
        }
    }

    /// The same, to be changed.
    pub(super) fn conditions_mut(&mut self) -> Vec<&mut Condition> {
        match self {
            Self::One(condition) | Self::Not(condition) => vec![condition],
            Self::Any(list) | Self::All(list) => list.iter_mut().flat_map(Self::conditions_mut).collect(),
        }
    }

    /// The single conditions in it that hold for records without their field.
    pub(crate) fn holding_without_their_field(&self) -> Vec<&Self> {
        match self {
            Self::One(condition) => match condition.operator {
                Operator::Ne => vec![self],
                Operator::Exists if condition.values[0] == Value::Bool(false) => vec![self],
                _ => Vec::new(),
            },
            Self::Not(_) => vec![self],
            Self::Any(list) | Self::All(list) => list.iter().flat_map(Self::holding_without_their_field).collect(),
        }
    }

    /// The same on another field.
    pub(crate) fn with_field(&self, field: &Field) -> Self {
        let mut clause = self.clone();
        clause.conditions_mut().into_iter().for_each(|condition| condition.field = field.clone());
        clause
    }

    /// As a request has it, no more and no less.
    pub(crate) fn exact(&self) -> Value {
        let exact = |list: &[Self]| list.iter().map(Self::exact).collect::<Vec<_>>();
        match self {
            Self::One(condition) => condition.exact(),
            Self::Not(condition) => match condition.exact() {
                Value::String(text) => format!("!{text}").into(),
                object => json!({NOT: object}),
            },
            Self::Any(list) => json!({ANY: exact(list)}),
            Self::All(list) => json!({ALL: exact(list)}),
        }
    }
}

/// The elements of `where`, all of which must be met: what one of them joins with `and` are several.
pub(super) fn read_all(values: &[Value], are_lines: bool) -> Result<Vec<Clause>, Error> {
    let mut clauses = Vec::new();
    let mut count = 0;
    for value in values {
        let clause = Clause::read(value, are_lines)?;
        count += clause.conditions().len();
        if count > MOST_CONDITIONS {
            return Err(too_many_conditions());
        }
        match clause {
            Clause::All(list) => clauses.extend(list),
            clause => clauses.push(clause),
        }
    }
    Ok(clauses)
}

impl From<Condition> for Clause {
    fn from(condition: Condition) -> Self {
        Self::One(condition)
    }
}
