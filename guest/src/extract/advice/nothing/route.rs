//! How jq reads a field of these records: with `[]?` where a list is on the way.

use serde_json::Value;

use super::sample::Sample;
use crate::extract::criteria::Field;
use crate::payload::path::key;

/// The way to the values of a field.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Route {
    /// A jq path.
    pub(super) jq: String,
    /// It may give several values of a record.
    pub(super) has_lists: bool,
}

impl Route {
    /// The way to a field; `None` if a value on it is a list in some records and something else in others.
    pub(crate) fn to(sample: &Sample<'_>, field: &Field) -> Option<Self> {
        let straight = Self { jq: field.jq(), has_lists: false };
        // A place in a list leads to one value.
        if field.list().is_some() {
            return Some(straight);
        }
        let mut values: Vec<&Value> = sample.records.iter().collect();
        let (mut jq, mut has_lists) = (String::new(), false);
        for part in &field.parts {
            values = values.into_iter().filter_map(|value| value.get(part)).filter(|value| !value.is_null()).collect();
            jq.push_str(&format!(".{}", key(part)));
            let lists = values.iter().filter(|value| value.is_array()).count();
            if lists > 0 && lists < values.len() {
                return None;
            }
            if lists > 0 {
                has_lists = true;
                values = values.into_iter().filter_map(Value::as_array).flatten().collect();
                jq.push_str("[]?");
            } else if has_lists {
                jq.push('?');
            }
        }
        Some(if has_lists { Self { jq, has_lists } } else { straight })
    }

    /// A condition of jq on what a term gives: `comparison` begins with a sign.
    pub(super) fn condition(&self, term: &str, comparison: &str) -> String {
        match self.has_lists {
            true => format!("any({term}; . {comparison})"),
            false => format!("{term} {comparison}"),
        }
    }
}
