//! Numbers in texts, which compare letter by letter: "9.5" is greater than "10", and so is "N/A".

use lro_query::json::quote;
use serde_json::Value;

use super::conditions::said;
use super::sample::Sample;
use super::values::{FieldValues, shown};
use crate::extract::criteria::{Condition, Field, Operator};

/// True for a comparison with a number that was written without quotes: it is compared with texts, too.
pub(super) fn compares_a_number(condition: &Condition) -> bool {
    condition.operator.is_order() && number_and_text(condition).is_some()
}

/// A remark for each condition that holds for other texts than for their numbers.
pub(super) fn remarks(sample: &Sample<'_>, conditions: &[Condition]) -> Vec<String> {
    conditions.iter().filter_map(|condition| of_condition(sample, condition)).collect()
}

fn of_condition(sample: &Sample<'_>, condition: &Condition) -> Option<String> {
    let (number, asked) = number_and_text(condition).filter(|_| condition.operator.is_order())?;
    let values = FieldValues::of(sample, &condition.field.parts);
    let texts: Vec<String> = values.frequent_texts().map(|(text, _)| text).collect();
    let example = texts.iter().find(|text| number_in(text).is_some())?;
    let holds = |order: Option<std::cmp::Ordering>| match condition.operator {
        Operator::Lt => order.is_some_and(|order| order.is_lt()),
        Operator::Le => order.is_some_and(|order| order.is_le()),
        Operator::Gt => order.is_some_and(|order| order.is_gt()),
        _ => order.is_some_and(|order| order.is_ge()),
    };
    let of_letters = |text: &String| holds(Some(text.as_str().cmp(asked)));
    let of_numbers = |text: &String| holds(number_in(text).and_then(|found| found.partial_cmp(&number)));
    texts.iter().any(|text| of_letters(text) != of_numbers(text)).then(|| {
        format!(
            "`{}` compares letter by letter: `{}` has texts like {}; the jq condition `({} | tonumber?) {} {}` compares \
             numbers",
            said(condition),
            shown(&condition.field.name),
            shown(&quote(example)),
            condition.field.jq(),
            condition.operator.sign(),
            asked
        )
    })
}

/// A remark on an order of letters that is none of the numbers in the texts. `what` is sorted or looked for so.
pub(super) fn of_order(sample: &Sample<'_>, field: &Field, what: &str) -> Option<String> {
    let values = FieldValues::of(sample, &field.parts);
    // Those of a set are in the order of their letters.
    let texts: std::collections::BTreeSet<String> = values.frequent_texts().map(|(text, _)| text).collect();
    let numbers: Vec<(&String, f64)> = texts.iter().filter_map(|text| Some((text, number_in(text)?))).collect();
    let (example, _) = numbers.windows(2).find(|pair| pair[0].1 > pair[1].1)?[1];
    Some(format!(
        "{what} letter by letter: `{}` has texts like {}; `{} | tonumber?` in a jq filter is the number",
        field.jq(),
        shown(&quote(example)),
        field.jq()
    ))
}

/// The number of a condition, and the same as it was written.
fn number_and_text(condition: &Condition) -> Option<(f64, &str)> {
    let number = condition.values.iter().find_map(Value::as_f64)?;
    Some((number, condition.values.iter().find_map(Value::as_str)?))
}

fn number_in(text: &str) -> Option<f64> {
    let is_plain = text.starts_with(|first: char| first.is_ascii_digit() || "-+.".contains(first));
    text.parse().ok().filter(|_| is_plain)
}
