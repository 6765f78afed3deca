//! Conditions on members of the elements of one list, which different elements may meet.

use serde_json::Value;

use super::conditions::said;
use super::sample::{MOST_FILTER_BYTES, Sample};
use super::trees;
use crate::extract::criteria::{Clause, Condition, Field, Operator};
use crate::payload::path::key;

/// The conditions that must all be met.
pub(super) fn joined(clauses: &[Clause]) -> Vec<Condition> {
    let conditions = clauses.iter().map(|clause| match clause {
        Clause::One(condition) => vec![condition.clone()],
        Clause::All(list) => joined(list),
        Clause::Any(_) | Clause::Not(_) => Vec::new(),
    });
    conditions.flatten().collect()
}

/// The pairs of conditions that may be about one list: their fields begin with the same key.
pub(super) fn pairs(conditions: &[Condition]) -> Vec<(&Condition, &Condition)> {
    let is_inner = |one: &&Condition| one.field.parts.len() > 1 && one.operator != Operator::Exists;
    let inner: Vec<&Condition> = conditions.iter().filter(is_inner).collect();
    let pair = |at: usize| {
        let first = inner[at];
        inner[at + 1..].iter().find(|other| other.field.parts[0] == first.field.parts[0]).map(|other| (first, *other))
    };
    (0..inner.len()).filter_map(pair).collect()
}

/// A remark on conditions that some records meet with several elements of a list, and with no single one.
pub(super) fn remark(sample: &Sample<'_>, conditions: &[Condition]) -> Option<String> {
    pairs(conditions).into_iter().find_map(|(first, second)| of_pair(sample, first, second))
}

fn of_pair(sample: &Sample<'_>, first: &Condition, second: &Condition) -> Option<String> {
    let shared = shared(&first.field, &second.field);
    let (list, length) = sample.records.iter().find_map(|record| list_on(record, shared))?;
    let inner = |one: &Condition| {
        let inner = Condition { field: Field::of_path(&one.field.parts[length..]), ..one.clone() };
        let filter = trees::filter(&inner);
        if filter.contains(" | ") || filter.contains(" or ") { format!("({filter})") } else { filter }
    };
    let filter = format!("select(any({list}; {} and {}))", inner(first), inner(second));
    let together = sample.count(&[first.clone(), second.clone()]);
    let found = sample.count_filter(&filter);
    (found < together && filter.len() <= MOST_FILTER_BYTES).then(|| {
        format!(
            "`{}` and `{}` may hold for different elements of `{list}`: together ({}), in one element ({}); for one \
             element, run the query `{filter}`",
            said(first),
            said(second),
            sample.times(together),
            sample.times(found)
        )
    })
}

/// The keys that both paths begin with, before their last ones.
fn shared<'f>(a: &'f Field, b: &Field) -> &'f [String] {
    let most = a.parts.len().min(b.parts.len()) - 1;
    let same = a.parts.iter().zip(&b.parts).take(most).take_while(|(a, b)| a == b).count();
    &a.parts[..same]
}

/// The elements of the last list on a path, as jq has them, and how many keys lead there.
pub(super) fn list_on(record: &Value, path: &[String]) -> Option<(String, usize)> {
    let (mut value, mut text, mut found) = (record, String::new(), None);
    for (at, part) in path.iter().enumerate() {
        value = value.get(part)?;
        text.push_str(&format!(".{}", key(part)));
        if let Value::Array(elements) = value {
            text.push_str("[]?");
            value = elements.iter().find(|element| element.is_object())?;
            found = Some((text.clone(), at + 1));
        }
    }
    found
}
