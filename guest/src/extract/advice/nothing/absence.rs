//! A condition that asks for nothing by a word: `assignee=null`, `labels=[]`, `state=none`.

use serde_json::Value;

use super::conditions::written;
use super::sample::Sample;
use super::values::FieldValues;
use crate::extract::criteria::{Condition, Operator};

/// What other languages call it.
const WORDS: [&str; 10] = ["null", "none", "nil", "empty", "undefined", "missing", "[]", "{}", "\"\"", "''"];

/// A remark on a condition whose value stands for a missing one, and matches no record. Another field is never meant.
pub(super) fn remark(sample: &Sample<'_>, condition: &Condition, said: &str, values: &FieldValues) -> Option<String> {
    let is_known = |word: &str| values.frequent_texts().any(|(text, _)| text.trim().eq_ignore_ascii_case(word));
    let asks_for_nothing = condition.values.iter().any(is_nothing);
    let word = condition.values.iter().find_map(Value::as_str).unwrap_or_default().trim();
    if condition.operator != Operator::Eq || sample.is_text() || !asks_for_nothing || is_known(word) {
        return None;
    }
    let instead = Condition::new(condition.field.clone(), Operator::Exists, vec![false.into()]);
    let found = sample.count(std::slice::from_ref(&instead));
    let here = written(&instead);
    Some(match found {
        0 => format!("{said}: each has a value, {}", values.listed()),
        _ if values.are_none() => {
            format!("{} has a value at `{}`: `{here}` matches all", sample.nobody(), condition.field.jq())
        }
        found => format!("{said}: write `{here}` ({})", sample.times(found)),
    })
}

fn is_nothing(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::String(text) => WORDS.contains(&&*text.trim().to_lowercase()) || text.trim().is_empty(),
        Value::Array(list) => list.is_empty(),
        Value::Object(members) => members.is_empty(),
        _ => false,
    }
}
