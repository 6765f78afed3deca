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
    let place = jq_path(&place);
    let filter = format!("select(any({place}[]?; {}))", trees::filter(&inner));
    let found = sample.count_filter(&filter);
    (found > 0 && filter.len() <= MOST_FILTER_BYTES).then(|| {
        format!(
            "{said}, but values of `{place}` do, whose keys are data: run the query `{filter}` ({})",
            sample.times(found)
        )
    })
}

/// True if the objects at a place have values under several keys that have something on the rest of a path.
fn has_many_keys(sample: &Sample<'_>, place: &[String], rest: &[String]) -> bool {
    let mut keys = BTreeSet::new();
    for record in &sample.records {
        reached(record, place, &mut |value| {
            let has_rest = |value: &Value| {
                let mut has = false;
                reached(value, rest, &mut |_| has = true);
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
