//! Objects whose keys are data: a map of records becomes a list, and each record gets its key (`packages` of a lock
//! file, users by name).

use std::borrow::Cow;
use std::collections::BTreeMap;

use lro_query::json::{Scan, Type};

/// An object of fewer objects is a record with named parts.
const LEAST_OBJECTS: usize = 5;

/// With this many keys, plain values are a table of two columns; with fewer they are the fields of one record.
const LEAST_VALUES: usize = 20;

/// This many objects are compared to see whether they are alike.
const SAMPLE: usize = 20;

/// The field for the key: the first of these that no record has.
const NAMES: [&str; 3] = ["key", "map_key", "member_key"];

/// The field that has a value which is not an object.
const VALUE: &str = "value";

/// True for an object whose members are records: objects with the same fields, or many plain values of one type.
pub fn is_map(object: &str) -> bool {
    let (mut first, mut count) = (Type::Null, 0);
    let (mut is_map, mut alike) = (true, FieldCounts::default());
    Scan::of(object).members(|scan, _| {
        let value = scan.value();
        let kind = Type::of(value);
        if count == 0 {
            first = kind;
        }
        // A value that is missing fits everywhere.
        is_map &= kind == first || (kind == Type::Null && first != Type::Array);
        if kind == Type::Object && count < SAMPLE {
            alike.add(value);
        }
        count += 1;
    });
    let least = if first == Type::Object { LEAST_OBJECTS } else { LEAST_VALUES };
    is_map && count >= least && !matches!(first, Type::Null | Type::Array) && (first != Type::Object || alike.holds())
}

/// How often the fields of some objects occur.
#[derive(Default)]
struct FieldCounts<'a> {
    objects: usize,
    fields: BTreeMap<&'a str, usize>,
}

impl<'a> FieldCounts<'a> {
    fn add(&mut self, object: &'a str) {
        self.objects += 1;
        Scan::of(object).members(|scan, key| {
            scan.value();
            *self.fields.entry(key).or_default() += 1;
        });
    }

    /// Objects are alike when at least half of what they have is in most of them.
    fn holds(&self) -> bool {
        let all: usize = self.fields.values().sum();
        let common: usize = self.fields.values().filter(|count| 2 * **count > self.objects).sum();
        all > 0 && 2 * common >= all
    }
}

/// The records of a map, in its order.
pub fn records(object: &str) -> Vec<Cow<'static, str>> {
    let taken = |name: &&str| !object.contains(&format!("\"{name}\""));
    let name = NAMES.into_iter().find(taken).unwrap_or(NAMES[0]);
    let mut records = Vec::new();
    Scan::of(object).members(|scan, key| {
        let value = scan.value();
        records.push(Cow::Owned(record(name, key, value)));
    });
    records
}

/// A member as a record; the bytes of its value are kept.
fn record(name: &str, key: &str, value: &str) -> String {
    match value.strip_prefix('{') {
        Some(rest) if rest.trim_start().starts_with('}') => format!("{{\"{name}\":{key}}}"),
        Some(rest) => format!("{{\"{name}\":{key},{rest}"),
        None => format!("{{\"{name}\":{key},\"{VALUE}\":{value}}}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(count: usize, value: impl Fn(usize) -> String) -> String {
        let members: Vec<String> = (0..count).map(|n| format!("\"k{n}\":{}", value(n))).collect();
        format!("{{{}}}", members.join(","))
    }

    #[test]
    fn objects_that_are_alike_are_a_map() {
        let alike = |n| format!(r#"{{"id":{n},"name":"x","only{n}":1}}"#);
        let rows = [
            (of(5, alike), true),
            (of(4, alike), false),
            (of(9, |n| format!(r#"{{"a{n}":1}}"#)), false),
            (of(9, |n| if n == 3 { "7".into() } else { alike(n) }), false),
            (of(9, |n| if n == 3 { "null".into() } else { alike(n) }), true),
            (of(20, |n| n.to_string()), true),
            (of(19, |n| n.to_string()), false),
            (of(20, |n| if n == 3 { "true".into() } else { n.to_string() }), false),
            (of(20, |_| "[1]".into()), false),
            ("{}".into(), false),
        ];
        for (object, expected) in rows {
            assert_eq!(is_map(&object), expected, "{object}");
        }
    }

    #[test]
    fn a_record_has_its_key_and_the_bytes_of_its_value() {
        let rows = [
            (r#"{"a":{ "x": 1.0 },"b":{ }}"#, vec![r#"{"key":"a", "x": 1.0 }"#, r#"{"key":"b"}"#]),
            (r#"{"a":{"key":1}}"#, vec![r#"{"map_key":"a","key":1}"#]),
            (r#"{"a\"":7}"#, vec![r#"{"key":"a\"","value":7}"#]),
        ];
        for (object, expected) in rows {
            assert_eq!(records(object), expected);
        }
    }
}
