//! Lists of conditions and of fields, as a model writes them, and conditions as other query languages have them:
//! `{"state": "open"}`, `{"priority": {">=": 3}}`, `{"$or": […]}`.

use serde_json::{Value, json};

use crate::calls::{names_at_commas, operator_name};

/// Operators as other query languages call them, in `{"priority": {"$gte": 3}}`, with the names that they have here.
const OPERATORS: [(&str, &str); 14] = [
    ("$eq", "eq"),
    ("$ne", "ne"),
    ("$lt", "lt"),
    ("lte", "le"),
    ("$lte", "le"),
    ("$gt", "gt"),
    ("gte", "ge"),
    ("$gte", "ge"),
    ("$in", "in"),
    ("$nin", "not in"),
    ("$between", "between"),
    ("$exists", "exists"),
    ("$regex", "matches"),
    ("regex", "matches"),
];

/// A list of conditions or fields.
pub(super) fn list(name: &str, value: Value) -> Result<Value, Value> {
    let is_where = name == "where";
    match value {
        Value::String(text) => match serde_json::from_str(&text) {
            Ok(value @ (Value::Array(_) | Value::Object(_))) => list(name, value),
            _ if is_where => Ok(json!([text])),
            _ => Ok(names_at_commas(&text).into_iter().map(Value::from).collect()),
        },
        Value::Array(values) if is_where => {
            let each = values.into_iter().map(conditions).collect::<Result<Vec<_>, _>>()?;
            Ok(each.into_iter().flatten().collect())
        }
        Value::Array(_) => Ok(value),
        Value::Object(_) if is_where => conditions(value).map(Value::Array),
        value => Err(value),
    }
}

/// Returns the conditions that an object means: one condition, or a value for each of several fields.
fn conditions(value: Value) -> Result<Vec<Value>, Value> {
    match value {
        Value::String(_) => Ok(vec![value]),
        Value::Object(ref fields) if fields.contains_key("field") => Ok(vec![value]),
        Value::Object(ref fields) => {
            let each = fields.iter().map(|(key, value)| match (joint(key), value) {
                (Some(joint), Value::Array(list)) => joined(joint, list).map(|joined| vec![joined]),
                (_, one) if NEGATIONS.contains(&key.as_str()) => negated(one).map(|negated| vec![negated]),
                _ => of_field(key, value),
            });
            let each = each.collect::<Option<Vec<_>>>();
            each.map(|each| each.into_iter().flatten().collect()).ok_or(value)
        }
        value => Err(value),
    }
}

/// What joins the conditions of a list, by the names that are used for it.
fn joint(key: &str) -> Option<&'static str> {
    match key {
        "any" | "$or" => Some("any"),
        "all" | "$and" => Some("all"),
        _ => None,
    }
}

/// Several conditions as one. An object with several fields is a condition on each of them.
fn joined(joint: &str, list: &[Value]) -> Option<Value> {
    Some(json!({joint: list.iter().map(one_of).collect::<Option<Vec<_>>>()?}))
}

/// What negates: one condition, or several of which none must be met.
const NEGATIONS: [&str; 3] = ["not", "$not", "$nor"];

fn negated(value: &Value) -> Option<Value> {
    let one = match value {
        Value::Array(list) => joined("any", list),
        one => one_of(one),
    };
    one.map(|one| json!({"not": one}))
}

/// The single condition that a value means.
fn one_of(value: &Value) -> Option<Value> {
    let mut conditions = conditions(value.clone()).ok()?;
    Some(if conditions.len() == 1 { conditions.remove(0) } else { json!({"all": conditions}) })
}

/// Returns the conditions on a field: its value, one of several values, or an object with operators.
fn of_field(field: &str, value: &Value) -> Option<Vec<Value>> {
    let condition = |operator: &str, value: &Value| json!({"field": field, "op": operator, "value": value});
    match value {
        Value::Array(_) => Some(vec![condition("in", value)]),
        Value::Object(compared) => compared
            .iter()
            .map(|(name, value)| {
                let alias =
                    OPERATORS.iter().find(|(alias, _)| alias == name).map(|(_, operator)| (*operator).to_owned());
                alias.or_else(|| operator_name(name)).map(|operator| condition(&operator, value))
            })
            .collect(),
        value => Some(vec![condition("eq", value)]),
    }
}
