//! A condition that compares a field with the name of another one.

use serde_json::Value;

use super::sample::Sample;
use super::values::FieldValues;
use crate::extract::advice::fields::jq;
use crate::extract::criteria::{Condition, Operator};

/// A remark on a condition whose value is the name of a field, with a filter that compares both.
pub(super) fn with_a_field(sample: &Sample<'_>, condition: &Condition, said: &str) -> Option<String> {
    let is_compared = condition.operator.is_order() || condition.operator == Operator::Eq;
    let name = condition.values.last().and_then(Value::as_str).filter(|_| is_compared && !sample.is_text())?;
    let other = sample.fields().named(name)?;
    let values = FieldValues::of(sample, &condition.field.parts);
    let kind = if values.numbers > 0 { "numbers" } else { "strings" };
    let (here, there) = (condition.field.jq(), jq(&other.iter().map(String::as_str).collect::<Vec<_>>()));
    let filter = format!("select(({here} | {kind}) {} ({there} | {kind}))", condition.operator.sign());
    let found = sample.count_filter(&filter);
    (found > 0).then(|| {
        format!(
            "{said}: `{name}` is taken for a text, not for the field; run the query `{filter}` ({})",
            sample.times(found)
        )
    })
}
