//! Texts that have another order than their letters: "9.5" is greater than "10", "96K" than "1.2M", "1.9.0" than "1.10.0".

mod measures;
mod notation;

use std::cmp::Ordering;

use lro_query::json::{cut, quote};
use serde_json::Value;

use super::conditions::SAID_CHARACTERS;
use super::sample::Sample;
use super::values::{FieldValues, shown};
use crate::extract::criteria::{Condition, Field, Order};

pub(super) use notation::Notation;

/// True for an order that a text with digits takes part in: it may be meant for a number, a size, a date.
pub(super) fn compares_digits(condition: &Condition) -> bool {
    let has_digits = |text: &str| text.bytes().any(|byte| byte.is_ascii_digit());
    condition.operator.is_order() && condition.values.iter().filter_map(Value::as_str).any(has_digits)
}

/// A remark for each condition that holds for other texts than for what they mean.
pub(super) fn remarks(sample: &Sample<'_>, conditions: &[Condition]) -> Vec<String> {
    conditions.iter().filter_map(|condition| of_condition(sample, condition)).collect()
}

/// A remark on a condition that compares the letters of texts.
pub(super) fn of_condition(sample: &Sample<'_>, condition: &Condition) -> Option<String> {
    let asked = condition.values.iter().find_map(Value::as_str).filter(|_| compares_digits(condition))?;
    let texts = FieldValues::of(sample, &condition.field.parts).all_texts();
    let notation = Notation::of(sample, &texts)?;
    let example = shown(&quote(&notation.example));
    let remark = |instead: &str| {
        let (name, noun) = (shown(&condition.field.name), notation.noun);
        let said = cut(&format!("{name}{}{asked}", condition.operator.sign()), SAID_CHARACTERS);
        format!("`{said}` compares letter by letter: `{name}` has {noun} like {example}{instead}")
    };
    let Some(term) = notation.term(&condition.field.jq()) else { return Some(remark("")) };
    let Some(wanted) = notation.value(sample, asked) else {
        // A number without the unit that the texts have.
        return measures::is_number(asked).then(|| remark(&format!("; `{term}` in a jq filter is what compares")));
    };
    let values = notation.values(sample, &texts);
    let differs = texts.iter().zip(&values).any(|(text, value)| {
        let of_value = value.as_ref().and_then(|value| compared(value, &wanted));
        let holds = |order| condition.operator.holds(order);
        holds(text.as_str().cmp(asked)) != of_value.is_some_and(holds)
    });
    let sign = condition.operator.sign();
    let what = notation.plural();
    differs.then(|| remark(&format!("; the jq condition `{term} {sign} {wanted}` compares {what}")))
}

/// A remark on records in the order of letters, which is not the one of what the texts mean.
pub(super) fn of_sorting(sample: &Sample<'_>, order: &Order) -> Option<String> {
    let (remark, term) = of_order(sample, &order.field, "the records are sorted")?;
    let descending = if order.descending { " | reverse" } else { "" };
    Some(match term {
        Some(term) => format!("{remark}; run the query `sort_by({term}){descending} | .[]` with `slurp`"),
        None => remark,
    })
}

/// The same for an aggregate that looks for the least or the greatest.
pub(super) fn of_aggregate(sample: &Sample<'_>, field: &Field, name: &str) -> Option<String> {
    let (remark, term) = of_order(sample, field, &format!("`{}` compares", shown(name)))?;
    Some(match term {
        Some(term) => format!("{remark}; `{term}` in a jq filter is what compares"),
        None => remark,
    })
}

/// What is said of an order of letters that is another one than that of the values, and the jq term of these.
fn of_order(sample: &Sample<'_>, field: &Field, what: &str) -> Option<(String, Option<String>)> {
    let texts = FieldValues::of(sample, &field.parts).all_texts();
    let notation = Notation::of(sample, &texts)?;
    let values = notation.values(sample, &texts);
    let known: Vec<(&String, &Value)> =
        texts.iter().zip(&values).filter_map(|(text, value)| Some((text, value.as_ref()?))).collect();
    let is_wrong = |pair: &&[(&String, &Value)]| compared(pair[0].1, pair[1].1).is_some_and(|order| order.is_gt());
    let example = match known.windows(2).find(is_wrong) {
        Some(pair) => pair[1].0,
        None if notation.is_only_told() => &notation.example,
        None => return None,
    };
    let here = field.jq();
    let remark = format!("{what} letter by letter: `{here}` has {} like {}", notation.noun, shown(&quote(example)));
    Some((remark, notation.term(&here)))
}

/// Numbers, texts and arrays of numbers in jq's order.
fn compared(a: &Value, b: &Value) -> Option<Ordering> {
    match (a, b) {
        (Value::Number(a), Value::Number(b)) => a.as_f64()?.partial_cmp(&b.as_f64()?),
        (Value::String(a), Value::String(b)) => Some(a.cmp(b)),
        (Value::Array(a), Value::Array(b)) => {
            let first = a.iter().zip(b).map(|(a, b)| compared(a, b)).find(|order| *order != Some(Ordering::Equal));
            first.unwrap_or_else(|| Some(a.len().cmp(&b.len())))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests;
