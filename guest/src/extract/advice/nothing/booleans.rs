//! A field alone as a condition, which asks whether the field is there, while its values are true and false.

use serde_json::Value;

use super::conditions::said;
use super::sample::Sample;
use crate::extract::criteria::{Condition, Operator};

/// True for a field alone.
pub(super) fn is_field_alone(condition: &Condition) -> bool {
    condition.operator == Operator::Exists
}

/// A remark for each condition that may be meant for the value of its field.
pub(super) fn remarks(sample: &Sample<'_>, conditions: &[Condition]) -> Vec<String> {
    conditions.iter().filter(|condition| is_field_alone(condition)).filter_map(|one| of_field(sample, one)).collect()
}

fn of_field(sample: &Sample<'_>, condition: &Condition) -> Option<String> {
    let with = |value: bool| {
        let condition = Condition { operator: Operator::Eq, values: vec![value.into()], ..condition.clone() };
        let count = sample.count(std::slice::from_ref(&condition));
        (condition, count)
    };
    let (is_false, falses) = with(false);
    // Where nothing is false, those that are there are true.
    if falses == 0 {
        return None;
    }
    let asks_for_true = condition.values == [Value::Bool(true)];
    let (meant, count) = if asks_for_true { with(true) } else { (is_false, falses) };
    let asked = if asks_for_true { "there, with true or false" } else { "missing" };
    Some(format!(
        "`{}` finds records in which it is {asked}; for its value, write `{}` ({})",
        said(condition),
        said(&meant),
        sample.times(count)
    ))
}
