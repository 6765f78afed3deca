//! A field alone as a condition, which asks whether the field is there, while its values are true and false, or
//! counts.

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
    let with = |operator: Operator, value: Value| {
        let condition = Condition { operator, values: vec![value], ..condition.clone() };
        let count = sample.count(std::slice::from_ref(&condition));
        (condition, count)
    };
    let asks_for_true = condition.values == [Value::Bool(true)];
    let (is_false, falses) = with(Operator::Eq, false.into());
    let (meant, count, values) = if falses > 0 {
        // Where nothing is false, those that are there are true.
        let (meant, count) = if asks_for_true { with(Operator::Eq, true.into()) } else { (is_false, falses) };
        (meant, count, "with true or false")
    } else {
        // A count that all records have: of children, of comments.
        let (is_none, zeros) = with(Operator::Eq, 0.into());
        if zeros == 0 || with(Operator::Ge, 0.into()).1 < sample.records.len() {
            return None;
        }
        let (meant, count) = if asks_for_true { with(Operator::Gt, 0.into()) } else { (is_none, zeros) };
        (meant, count, "with 0 or more")
    };
    let asked = if asks_for_true { format!("there, {values}") } else { "missing".to_owned() };
    Some(format!(
        "`{}` finds records in which it is {asked}; for its value, write `{}` ({})",
        said(condition),
        said(&meant),
        sample.times(count)
    ))
}
