//! Objects whose keys are data: a map of records becomes a list, and each record gets its key (`packages` of a lock
//! file, users by name).

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use lro_query::json::{Scan, Type, unquote};

/// An object of fewer objects is a record with named parts.
const LEAST_OBJECTS: usize = 5;

/// So many objects are no named parts of one record, whatever they hold.
const MANY_OBJECTS: usize = 50;

/// Where no list is found, so few objects that are alike are records too, if they are large: versions of a package.
const LEAST_LARGE_OBJECTS: usize = 2;
const LARGE_BYTES: usize = 4096;

/// For each value of another type, a map has at least so many objects.
const OBJECTS_FOR_ANOTHER: usize = 10;

/// With this many keys, plain values are a table of two columns; with fewer they are the fields of one record.
const LEAST_VALUES: usize = 20;

/// This many objects are compared to see whether they are alike.
const SAMPLE: usize = 20;

/// The field for the key: the first of these that no record has.
pub const NAMES: [&str; 3] = ["key", "map_key", "member_key"];

/// The field that has a value which is not an object.
const VALUE: &str = "value";

/// How an object is looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Look {
    /// As one of many values of a document.
    First,
    /// Once more, since the document has no lists: a few large records are better than a single one.
    Again,
    /// As what a caller asks for records of: many lists by their names are records as well, such as the files of each release.
    Named,
}

/// True for an object whose members are records: objects with the same fields, or many plain values of one type.
pub fn is_map(object: &str, look: Look) -> bool {
    let (mut objects, mut nulls, mut others, mut bytes) = (0, 0, 0, 0);
    let mut first = None;
    let takes_lists = look == Look::Named;
    let (mut is_table, mut alike) = (true, FieldCounts::default());
    Scan::of(object).members(|scan, _| {
        let value = scan.value();
        match Type::of(value) {
            Type::Object => {
                if objects < SAMPLE {
                    alike.add(value);
                }
                objects += 1;
                bytes += value.len();
            }
            // A value that is missing fits everywhere.
            Type::Null => nulls += 1,
            kind => {
                others += 1;
                is_table &= (takes_lists || kind != Type::Array) && *first.get_or_insert(kind) == kind;
            }
        }
    });
    if objects == 0 {
        return is_table && others > 0 && others + nulls >= LEAST_VALUES;
    }
    let is_large = look == Look::Again && objects >= LEAST_LARGE_OBJECTS && bytes >= LARGE_BYTES * objects;
    let are_enough = objects + nulls >= LEAST_OBJECTS || is_large;
    are_enough && others * OBJECTS_FOR_ANOTHER <= objects && (objects >= MANY_OBJECTS || alike.holds())
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
    let name = free_name(object);
    let mut records = Vec::new();
    Scan::of(object).members(|scan, key| {
        let value = scan.value();
        records.push(Cow::Owned(record(&name, key, value)));
    });
    records
}

/// A name for the key that no record has.
fn free_name(object: &str) -> Cow<'static, str> {
    let may_be_taken = |name: &&str| object.contains(&format!("\"{name}\"")) || object.contains("\\u");
    if !may_be_taken(&NAMES[0]) {
        return NAMES[0].into();
    }
    let mut taken = BTreeSet::new();
    Scan::of(object).members(|scan, _| {
        let value = scan.value();
        if Type::of(value) == Type::Object {
            Scan::of(value).members(|scan, key| {
                scan.value();
                let key = unquote(key);
                if NAMES.iter().any(|name| key.starts_with(name)) {
                    taken.insert(key.into_owned());
                }
            });
        }
    });
    let numbered = (2..).map(|number| Cow::Owned(format!("{}_{number}", NAMES[0])));
    let mut names = NAMES.into_iter().map(Cow::Borrowed).chain(numbered);
    names.find(|name| !taken.contains(&**name)).expect("there is a number that no record has")
}

/// The key of a record that was a member of a map.
pub fn key_of(record: &[u8]) -> Option<String> {
    let (name, rest) = record.split_at(memchr::memchr(b':', record)? + 1);
    name_of_key(name)?;
    serde_json::Deserializer::from_slice(rest).into_iter().next()?.ok()
}

/// The name of the field for the key, from the front of a record.
pub fn name_of_key(front: &[u8]) -> Option<&str> {
    let name = front.trim_ascii().strip_prefix(b"{\"")?.strip_suffix(b"\":")?;
    std::str::from_utf8(name).ok().filter(|name| name.starts_with(NAMES[0]) || NAMES.contains(name))
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
    fn a_record_is_known_by_its_key() {
        let records = records(r#"{"a:b":{"key":1},"c\u0064":{"key":2},"":{"x":":"}}"#);
        let keys: Vec<_> = records.iter().map(|record| key_of(record.as_bytes()).unwrap()).collect();
        assert_eq!(keys, ["a:b", "cd", ""]);
        assert_eq!(
            [&b"{\"map_key\":"[..], b"{\"id\":", b"[\"key\":", b""].map(name_of_key),
            [Some("map_key"), None, None, None]
        );
        assert_eq!(
            ["not JSON: a", r#"{"key": 7}"#, r#"{"id":"a"}"#].map(|line| key_of(line.as_bytes())),
            [const { None }; 3]
        );
    }

    #[test]
    fn objects_that_are_alike_are_a_map() {
        let alike = |n| format!(r#"{{"id":{n},"name":"x","only{n}":1}}"#);
        let large = |n| format!(r#"{{"id":{n},"name":"{}"}}"#, "x".repeat(LARGE_BYTES));
        let unlike = |n| format!(r#"{{"a{n}":1}}"#);
        let another = |n, other: &str| if n == 3 { other.to_owned() } else { alike(n) };
        let rows = [
            (of(5, alike), true, true),
            (of(4, alike), false, false),
            (of(2, large), false, true),
            (of(1, large), false, false),
            (of(9, unlike), false, false),
            (of(50, unlike), true, true),
            (of(9, |n| another(n, "7")), false, false),
            (of(40, |n| another(n, "7")), true, true),
            (of(9, |n| another(n, "null")), true, true),
            (of(5, |n| another(n, "null")), true, true),
            (of(3, |n| if n == 1 { "7".into() } else { large(n) }), false, false),
            (of(3, |n| large(n).replace("name", &format!("{n}")).replace("id", &format!("id{n}"))), false, false),
            (of(20, |n| n.to_string()), true, true),
            (of(19, |n| n.to_string()), false, false),
            (of(20, |n| if n == 3 { "true".into() } else { n.to_string() }), false, false),
            (of(20, |_| "[1]".into()), false, false),
            (of(20, |_| "null".into()), false, false),
            ("{}".into(), false, false),
        ];
        for (object, first, again) in rows {
            assert_eq!((is_map(&object, Look::First), is_map(&object, Look::Again)), (first, again), "{object:.200}");
        }
    }

    #[test]
    fn many_lists_by_their_names_are_records_where_they_are_asked_for() {
        let rows = [
            (of(20, |_| "[1]".into()), true),
            (of(19, |_| "[1]".into()), false),
            (of(5, |n| format!("{{\"id\":{n}}}")), true),
        ];
        for (object, expected) in rows {
            assert_eq!(is_map(&object, Look::Named), expected, "{object:.200}");
        }
    }

    #[test]
    fn a_record_has_its_key_and_the_bytes_of_its_value() {
        let rows = [
            (r#"{"a":{ "x": 1.0 },"b":{ }}"#, vec![r#"{"key":"a", "x": 1.0 }"#, r#"{"key":"b"}"#]),
            (r#"{"a":{"key":1}}"#, vec![r#"{"map_key":"a","key":1}"#]),
            (r#"{"a":{"k\u0065y":1}}"#, vec![r#"{"map_key":"a","k\u0065y":1}"#]),
            (r#"{"a":{"of":{"key":1}},"key":{}}"#, vec![r#"{"key":"a","of":{"key":1}}"#, r#"{"key":"key"}"#]),
            (
                r#"{"a":{"key":1,"map_key":2,"member_key":3,"key_2":4}}"#,
                vec![r#"{"key_3":"a","key":1,"map_key":2,"member_key":3,"key_2":4}"#],
            ),
            (r#"{"a\"":7}"#, vec![r#"{"key":"a\"","value":7}"#]),
        ];
        for (object, expected) in rows {
            assert_eq!(records(object), expected);
        }
    }
}
