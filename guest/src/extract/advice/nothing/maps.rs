//! Objects whose keys are data: a field of their values is in many places, and a condition names one of them.

use std::collections::BTreeSet;

use serde_json::Value;

use super::elsewhere::Places;
use super::matcher::Matcher;
use super::sample::{MOST_FILTER_BYTES, Sample};
use super::trees;
use super::values::reached;
use crate::extract::advice::jq_path;
use crate::extract::criteria::{Condition, Field};

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
    let places = Places::of(sample, &matcher, &is_below);
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
