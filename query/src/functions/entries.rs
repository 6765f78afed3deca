//! Objects as arrays of their members, and back.

use std::rc::Rc;

use super::{Call, Fast, Row, native};
use crate::failure::Shown;
use crate::json::Type;
use crate::value::{Map, Result, Text, Value, failure, not_indexable_with, not_iterable, unfit};

pub(super) fn rows() -> Vec<Row> {
    vec![
        native!("to_entries", to_entries).fast(Fast::Call(Call::ToEntries)),
        native!("from_entries", from_entries).fast(Fast::Call(Call::FromEntries)),
    ]
}

/// The names are made once and shared: making one takes as long as the rest of an entry.
fn entries(members: impl Iterator<Item = (Value, Value)>) -> Value {
    let (key, value) = (Text::from("key"), Text::from("value"));
    let entry = |(name, member): (Value, Value)| {
        let mut entry = Map::with_capacity(2);
        entry.push(key.clone(), name);
        entry.push(value.clone(), member);
        Value::object(entry)
    };
    members.map(entry).collect()
}

fn to_entries(value: Value) -> Result {
    match value {
        Value::Object(members) => {
            Ok(entries(members.iter().map(|(key, value)| (Value::Text(key.clone()), value.clone()))))
        }
        Value::Array(values) => Ok(entries(values.iter().enumerate().map(|(i, value)| (i.into(), value.clone())))),
        other => unfit(&other, Type::Object, "has no keys"),
    }
}

fn from_entries(value: Value) -> Result {
    let entries: Vec<Value> = match value {
        Value::Array(entries) => Rc::unwrap_or_clone(entries).into_vec(),
        Value::Object(entries) => entries.iter().map(|(_, entry)| entry.clone()).collect(),
        other => return not_iterable(&other),
    };
    let mut members = Vec::with_capacity(entries.len());
    for entry in entries {
        let Value::Object(entry) = entry else {
            return not_indexable_with(&entry, "string (\"key\")");
        };
        let first = |names: &[&str]| {
            names.iter().filter_map(|name| entry.get(name)).find(|value| !matches!(value, Value::Null)).cloned()
        };
        let present = |names: &[&str]| names.iter().find_map(|name| entry.get(name)).cloned();
        // A key of false counts, one of null is passed over for the next name.
        let key = match first(&["key", "k", "name", "Name", "Key", "K"]) {
            Some(Value::Text(key)) => key,
            Some(scalar @ (Value::Bool(_) | Value::Number(_))) => scalar.to_text(),
            None => "null".into(),
            Some(other) => return failure(format!("Cannot use {} as object key", Shown::of(&other))),
        };
        members.push((key, present(&["value", "v", "Value", "V"]).unwrap_or_default()));
    }
    Ok(Value::object(Map::of(members)))
}
