//! Lists of conditions and of fields, as a model writes them, and conditions as other query languages have them:
//! `{"state": "open"}`, `{"priority": {">=": 3}}`, `{"$or": […]}`.

use serde_json::{Value, json};

/// Conditions on a field as an object, `{"priority": {">=": 3}}`, by the signs and names that are used for them.
const OPERATORS: [(&str, &str); 24] = [
    ("=", "eq"),
    ("==", "eq"),
    ("$eq", "eq"),
    ("!=", "ne"),
    ("$ne", "ne"),
    ("<", "lt"),
    ("$lt", "lt"),
    ("<=", "le"),
    ("lte", "le"),
    ("$lte", "le"),
    (">", "gt"),
    ("$gt", "gt"),
    (">=", "ge"),
    ("gte", "ge"),
    ("$gte", "ge"),
    ("^=", "prefix"),
    ("~=", "contains"),
    ("=~", "matches"),
    ("$in", "in"),
    ("$nin", "not in"),
    ("!~=", "not contains"),
    ("!^=", "not prefix"),
    ("!=~", "not matches"),
    ("$between", "between"),
];

/// A list of conditions or fields.
pub(super) fn list(name: &str, value: Value) -> Result<Value, Value> {
    let is_where = name == "where";
    match value {
        Value::String(text) => match serde_json::from_str(&text) {
            Ok(value @ (Value::Array(_) | Value::Object(_))) => list(name, value),
            _ if is_where => Ok(json!([text])),
            _ => Ok(text.split(',').map(|field| Value::from(field.trim())).collect()),
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
                (None, one @ (Value::String(_) | Value::Object(_))) if matches!(key.as_str(), "not" | "$not") => {
                    Some(vec![json!({"not": one_of(one)?})])
                }
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

/// The single condition that a value means.
fn one_of(value: &Value) -> Option<Value> {
    let mut conditions = conditions(value.clone()).ok()?;
    Some(if conditions.len() == 1 { conditions.remove(0) } else { json!({"all": conditions}) })
}

/// Returns the conditions on a field: its value, one of several values, or an object with operators.
fn of_field(field: &str, value: &Value) -> Option<Vec<Value>> {
    let is_name = |sign: &str| OPERATORS.iter().any(|(_, operator)| *operator == sign);
    let condition = |operator: &str, value: &Value| json!({"field": field, "op": operator, "value": value});
    match value {
        Value::Array(_) => Some(vec![condition("in", value)]),
        Value::Object(compared) => compared
            .iter()
            .map(|(sign, value)| {
                let known = OPERATORS.iter().find(|(known, _)| known == sign).map(|(_, operator)| *operator);
                known.or(is_name(sign).then_some(sign.as_str())).map(|operator| condition(operator, value))
            })
            .collect(),
        value => Some(vec![condition("eq", value)]),
    }
}
