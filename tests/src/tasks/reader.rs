//! A reader who makes no mistakes: which records a task needs, and when two answers are the same.

use serde_json::Value;

use super::task::{Condition, Get, Operator, Want};

/// The places of the records that a task needs.
pub fn needed(want: &Want, records: &[Value]) -> Vec<usize> {
    let meets = |record: &Value| want.conditions.iter().all(|condition| condition.is_met_by(record));
    let found: Vec<usize> = (0..records.len()).filter(|&place| meets(&records[place])).collect();
    match want.get {
        Get::Around(lines) => {
            let around = |&place: &usize| place.saturating_sub(lines)..(place + lines + 1).min(records.len());
            found.first().map(around).into_iter().flatten().collect()
        }
        Get::Values { limit: Some(limit), .. } => found.into_iter().take(limit).collect(),
        Get::Overview => (0..records.len()).collect(),
        _ => found,
    }
}

impl Condition {
    /// True when a record meets the condition.
    pub fn is_met_by(&self, record: &Value) -> bool {
        let Self(field, operator, wanted) = self;
        let values = values(record, field);
        match operator {
            Operator::Differs => !values.iter().any(|value| same(wanted, value)),
            _ => values.iter().any(|value| compares(value, *operator, wanted)),
        }
    }
}

/// The values at a path; the elements of arrays are searched.
fn values<'a>(record: &'a Value, path: &str) -> Vec<&'a Value> {
    let mut found = vec![record];
    if path != "line" || !record.is_string() {
        for name in path.split('.') {
            found = found.into_iter().flat_map(elements).filter_map(|value| value.get(name)).collect();
        }
    }
    found.into_iter().flat_map(elements).collect()
}

fn elements(value: &Value) -> Vec<&Value> {
    value.as_array().map_or_else(|| vec![value], |elements| elements.iter().collect())
}

fn compares(value: &Value, operator: Operator, wanted: &Value) -> bool {
    use std::cmp::Ordering::{Equal, Greater, Less};
    let order = match (number(value), number(wanted)) {
        (Some(value), Some(wanted)) => value.partial_cmp(&wanted),
        _ => value.as_str().zip(wanted.as_str()).map(|(value, wanted)| value.cmp(wanted)),
    };
    let texts = || Some((value.as_str()?.to_lowercase(), wanted.as_str()?.to_lowercase()));
    match operator {
        Operator::Equal => same(wanted, value),
        Operator::Differs => !same(wanted, value),
        Operator::Less => order == Some(Less),
        Operator::AtMost => matches!(order, Some(Less | Equal)),
        Operator::Greater => order == Some(Greater),
        Operator::AtLeast => matches!(order, Some(Greater | Equal)),
        Operator::Begins => {
            value.as_str().zip(wanted.as_str()).is_some_and(|(value, wanted)| value.starts_with(wanted))
        }
        Operator::Contains => texts().is_some_and(|(value, wanted)| value.contains(&wanted)),
    }
}

/// A number, also one that is written as a text, as cells of tables are.
fn number(value: &Value) -> Option<f64> {
    value.as_f64().or_else(|| value.as_str()?.trim().parse().ok())
}

/// True when an answer is the expected one: numbers by their value, objects by the members that are expected.
pub fn same(expected: &Value, answer: &Value) -> bool {
    match (expected, answer) {
        (Value::Array(expected), Value::Array(answer)) => {
            expected.len() == answer.len()
                && expected.iter().zip(answer).all(|(expected, answer)| same(expected, answer))
        }
        (Value::Object(expected), Value::Object(answer)) => {
            expected.iter().all(|(name, value)| answer.get(name).is_some_and(|answer| same(value, answer)))
        }
        _ => match (number(expected), number(answer)) {
            (Some(expected), Some(answer)) => (expected - answer).abs() <= 1e-9 * expected.abs().max(1.0),
            _ => expected == answer,
        },
    }
}

/// A list in an order of its own, for questions that do not ask for one.
pub fn sorted(mut values: Vec<Value>) -> Value {
    values.sort_by_key(|value| (number(value).map_or(i64::MAX, |number| (number * 1000.0) as i64), value.to_string()));
    Value::Array(values)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn meets(field: &str, operator: Operator, value: Value) -> bool {
        let record =
            json!({"id": 7, "size": "12.5", "labels": [{"name": "bug"}, {"name": "p1"}], "title": "Redis cache"});
        Condition(field.into(), operator, value).is_met_by(&record)
    }

    #[test]
    fn conditions_are_met_as_a_person_reads_them() {
        assert!(meets("id", Operator::Equal, json!(7)) && !meets("id", Operator::Greater, json!(7)));
        assert!(meets("size", Operator::AtLeast, json!(12.5)) && meets("size", Operator::Less, json!(100)));
        assert!(meets("labels.name", Operator::Equal, json!("p1")));
        assert!(!meets("labels.name", Operator::Differs, json!("p1")) && meets("none", Operator::Differs, json!(1)));
        assert!(meets("title", Operator::Contains, json!("CACHE")) && meets("title", Operator::Begins, json!("Redis")));
    }

    #[test]
    fn answers_are_the_same_by_what_they_mean() {
        assert!(same(&json!([1, "2.50"]), &json!(["1", 2.5])) && !same(&json!([1]), &json!([1, 2])));
        assert!(same(&json!({"id": 1}), &json!({"id": 1, "path": "a"})) && !same(&json!({"id": 1}), &json!({})));
        assert!(!same(&json!(null), &json!(0)));
    }
}
