//! Objects whose keys are data: a field of their values is in many places, and a condition names one of them.

use std::collections::BTreeSet;

use lro_query::json::quote;
use serde_json::Value;

use super::conditions::written;
use super::elsewhere::Places;
use super::matcher::Matcher;
use super::sample::{MOST_FILTER_BYTES, Sample};
use super::trees;
use super::values::{FieldValues, reached};
use crate::extract::advice::jq_path;
use crate::extract::criteria::{Condition, Field, Operator};
use crate::payload::keyed::{Look, NAMES, is_map};

/// Fewer keys of an object are fields: `author.name`, `committer.name`.
const LEAST_KEYS: usize = 3;

/// A remark on a condition whose field is in the values of an object: a filter that looks at all of them.
pub(super) fn remark(sample: &Sample<'_>, condition: &Condition, said: &str) -> Option<String> {
    let matcher = Matcher::new(condition)?;
    let parts = &condition.field.parts;
    // The condition's own keys, with others between them.
    let is_below = |path: &[&str]| {
        let is_split = |at: usize| {
            let (front, back) = parts.split_at(at);
            path.iter().zip(front).all(|(a, b)| a == b) && path.iter().rev().zip(back.iter().rev()).all(|(a, b)| a == b)
        };
        path.len() > parts.len() && (0..parts.len()).any(is_split)
    };
    let places = Places::of(sample, &|value| matcher.meets(value), &is_below);
    let map = places.paths().into_iter().find_map(|(path, _)| {
        let at = (1..path.len() - 1).find(|at| has_many_keys(sample, &path[..*at], &path[at + 1..]))?;
        Some((path[..at].to_vec(), path[at + 1..].to_vec()))
    });
    let (place, rest) = map?;
    let inner = Condition { field: Field::of_path(&rest), ..condition.clone() };
    let (place, condition) = (jq_path(&place), trees::filter(&inner));
    // The only record is not an answer by itself: what is in it is.
    let is_alone = sample.header.count == 1;
    // The values may be lists.
    ["[]?", "[]?[]?"].into_iter().find_map(|values| {
        let filter = match is_alone {
            true => format!("{place}{values} | select({condition})"),
            false => format!("select(any({place}{values}; {condition}))"),
        };
        let found = sample.count_filter(&filter);
        (found > 0 && filter.len() <= MOST_FILTER_BYTES).then(|| {
            let found = if is_alone { found.to_string() } else { sample.times(found) };
            format!("{said}, but values of `{place}` do, whose keys are data: run the query `{filter}` ({found})")
        })
    })
}

/// A remark on a condition that takes a key of the map, which the records were the values of, for a field or for the value
/// of one: `express.version=1`, `id=express`.
pub(super) fn of_key(sample: &Sample<'_>, condition: &Condition) -> Option<String> {
    let name = NAMES.into_iter().find(|name| sample.records.iter().all(|record| record.get(name).is_some()))?;
    let (first, rest) = condition.field.parts.split_first()?;
    let is = |key: &str| Condition::new(Field::of_path(&[name.to_owned()]), Operator::Eq, vec![key.into()]);
    let value = condition.values.iter().find_map(Value::as_str).filter(|_| condition.operator == Operator::Eq);
    let of_field = || {
        let inner = Condition { field: Field::of_path(rest), ..condition.clone() };
        (!rest.is_empty()).then(|| vec![is(first), inner])
    };
    let meant = match condition.operator {
        Operator::Exists if rest.is_empty() => vec![is(first)],
        _ => of_field().filter(|both| sample.count(both) > 0).or_else(|| Some(vec![is(value?)]))?,
    };
    let found = sample.count(&meant);
    let written: Vec<String> = meant.iter().map(|one| format!("`{}`", written(one))).collect();
    (found > 0).then(|| {
        let (nobody, field) = (sample.nobody(), condition.field.jq());
        format!(
            "{nobody} has `{field}`: `{name}` has the keys of the records; write {} ({})",
            written.join(" and "),
            sample.times(found)
        )
    })
}

/// A remark on a condition that looks for a key of an object as if it were its value: `dependencies=zod`.
pub(super) fn of_member(
    sample: &Sample<'_>,
    condition: &Condition,
    said: &str,
    values: &FieldValues,
) -> Option<String> {
    if values.objects == 0 {
        return None;
    }
    let key = condition.values.iter().find_map(Value::as_str)?;
    let path: Vec<String> = condition.field.parts.iter().cloned().chain([key.to_owned()]).collect();
    let meant = Condition::new(Field::of_path(&path), Operator::Exists, vec![true.into()]);
    let is_equal = matches!(condition.operator, Operator::Eq | Operator::Contains | Operator::In);
    let found = if is_equal { sample.count(std::slice::from_ref(&meant)) } else { 0 };
    (found > 0).then(|| {
        let (name, written) = (&condition.field.name, written(&meant));
        format!("{said}: `{name}` has it as a key; write `{written}` ({})", sample.times(found))
    })
}

/// A map in the only record of a file, in whose values a path leads to something.
pub(super) struct Map {
    /// Where it is, as jq has it.
    place: String,
    /// The address that reads its values as records.
    address: String,
    /// The path in each of them.
    rest: Vec<String>,
}

impl Map {
    /// The map on a path. Nothing where an address was given.
    pub(super) fn on(sample: &Sample<'_>, path: &[String]) -> Option<Self> {
        // Only what is in a record that is alone has an address of its own.
        if sample.address.is_some() || sample.header.count != 1 {
            return None;
        }
        let is_map = |at: &usize| has_many_keys(sample, &path[..*at], &path[at + 1..]);
        let at = (1..path.len().saturating_sub(1)).find(is_map)?;
        let address = address_of(sample.records.first()?, &path[..at])?;
        Some(Self { place: jq_path(&path[..at]), address, rest: path[at + 1..].to_vec() })
    }

    /// True if other keys of the same map lead to this path.
    pub(super) fn has(&self, other: &Self) -> bool {
        (&self.address, &self.rest) == (&other.address, &other.rest)
    }

    /// What to do instead of asking for a field that no record has: `text` says it of a path to one of the values.
    pub(super) fn advice(&self, path: &[String], verb: &str, text: Option<&str>) -> String {
        let with = text.map(|text| text.replace(&Field::typed(path), &Field::typed(&self.rest)));
        let with = with.map_or_else(String::new, |text| format!(" and {verb} `{text}`"));
        let (place, address) = (&self.place, quote(&self.address));
        format!(", but values of `{place}` do, whose keys are data: pass `records` {address}{with}")
    }
}

/// The address that reads the values of a map as records: those of lists, or objects.
fn address_of(record: &Value, place: &[String]) -> Option<String> {
    let map = place.iter().try_fold(record, |value, key| value.get(key))?;
    let are_lists = map.as_object()?.values().all(|value| value.is_array() || value.is_null());
    let address = jq_path(place);
    match are_lists {
        true => Some(address + "[]"),
        false => is_map(&map.to_string(), Look::Named).then_some(address),
    }
}

/// True if the objects at a place have values under several keys that have something on the rest of a path.
fn has_many_keys(sample: &Sample<'_>, place: &[String], rest: &[String]) -> bool {
    let mut keys = BTreeSet::new();
    for record in &sample.records {
        reached(record, place, &mut |value| {
            let has_rest = |value: &Value| {
                let mut has = false;
                let values = value.as_array().map_or(std::slice::from_ref(value), Vec::as_slice);
                values.iter().for_each(|value| reached(value, rest, &mut |_| has = true));
                has
            };
            let members = value.as_object().into_iter().flatten();
            keys.extend(members.filter(|(_, value)| has_rest(value)).map(|(key, _)| key).take(LEAST_KEYS));
        });
        if keys.len() >= LEAST_KEYS {
            return true;
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::tests::remarks;

    #[test]
    fn values_of_a_map_in_a_record_that_is_alone_are_its_answer() {
        let lists: Vec<String> = (0..9).map(|n| format!(r#""v{n}":[{{"kind":"x"}},{{"kind":"y"}}]"#)).collect();
        let record = format!(r#"{{"name":"a","releases":{{{}}}}}"#, lists.join(","));
        let said = |lines: &[String]| remarks("records", lines, &json!({"where": ["kind=x"]})).concat();
        let one = said(std::slice::from_ref(&record));
        assert!(one.ends_with("run the query `.releases[]?[]? | select(.kind? == \"x\")` (9)"), "{one}");
        let two = said(&[record.clone(), record]);
        assert!(two.ends_with("run the query `select(any(.releases[]?[]?; .kind? == \"x\"))` (2)"), "{two}");
    }

    #[test]
    fn values_of_a_map_are_read_as_records_where_a_field_is_wanted() {
        let lists: Vec<String> = (0..9).map(|n| format!(r#""{n}.0":[{{"kind":"x","size":{n}}}]"#)).collect();
        let lists = format!(r#"{{"name":"a","releases":{{{}}}}}"#, lists.join(","));
        let objects: Vec<String> = (0..9).map(|n| format!(r#""a/{n}.rs":{{"kind":"x","size":{n}}}"#)).collect();
        let objects = format!(r#"{{"name":"a","files":{{{}}}}}"#, objects.join(","));
        let rows = [
            (
                &lists,
                json!({"sort_by": "-size"}),
                r#"releases` do, whose keys are data: pass `records` ".releases[]" and sort by `-size`"#,
            ),
            (&lists, json!({"group_by": "kind"}), r#"pass `records` ".releases[]" and group by `kind`"#),
            (&lists, json!({"aggregate": ["sum(size)"]}), r#"pass `records` ".releases[]" and aggregate `sum(size)`"#),
            (&lists, json!({"select": ["size"]}), r#"pass `records` ".releases[]" and select `size`"#),
            (
                &lists,
                json!({"where": ["!size"], "count": true}),
                r#"whose keys are data: pass `records` ".releases[]""#,
            ),
            (&objects, json!({"group_by": "kind"}), r#"pass `records` ".files" and group by `kind`"#),
        ];
        for (record, asked, expected) in rows {
            let said = remarks("records", std::slice::from_ref(record), &asked).concat();
            assert!(said.ends_with(expected), "{asked}: {said}");
        }
        // A record of several has no address of its own.
        let two = remarks("records", &[lists.clone(), lists], &json!({"group_by": "kind"})).concat();
        assert!(two.ends_with(r#"group by `releases."0.0".kind`"#), "{two}");
    }

    #[test]
    fn a_key_is_no_value() {
        let record = |n: u32| json!({"id": n, "deps": {"zod": "^1", format!("a.{n}"): "^2"}}).to_string();
        let records: Vec<String> = (0..9).map(record).collect();
        let said = |condition: &str| remarks("records", &records, &json!({"where": [condition]})).concat();
        assert_eq!(said("deps=zod"), "`deps=zod` matches no record: `deps` has it as a key; write `deps.zod` (9)");
        assert!(said("deps~=zod").ends_with("write `deps.zod` (9)"), "{}", said("deps~=zod"));
        assert!(said("deps=a.3").ends_with("write `deps.\"a.3\"` (1)"), "{}", said("deps=a.3"));
        assert!(!said("deps=lodash").contains("as a key"), "{}", said("deps=lodash"));
    }

    #[test]
    fn a_record_larger_than_a_sample_is_looked_at() {
        let large = |bytes: usize| json!({"text": "x".repeat(bytes), "name": "a"}).to_string();
        let said = |bytes: usize| remarks("records", &[large(bytes)], &json!({"where": ["nam=a"]})).concat();
        let expected = "no record has `.nam`: did you mean `.name`? write `name=a`";
        assert_eq!([said(200 << 10), said(3 << 20)], [expected; 2]);
        assert!(said(9 << 20).contains("too large for a remark on why: the query `keys`"), "{}", said(9 << 20));
        let query = |bytes: usize| remarks("records", &[large(bytes)], &json!({"query": ".nam"})).concat();
        assert_eq!(query(3 << 20), "no record has `.nam`: did you mean `.name`?");
    }
}
