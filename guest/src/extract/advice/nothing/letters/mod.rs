//! Texts that have another order than their letters: "9.5" is greater than "10", "96K" than "1.2M", "1.9.0" than "1.10.0".

mod lines;
mod measures;
mod notation;
mod ranges;
mod ranks;
mod sums;

use std::cmp::Ordering;

use lro_query::json::{cut, quote};
use serde_json::Value;

use super::conditions::SAID_CHARACTERS;
use super::route::Route;
use super::sample::Sample;
use super::values::{FieldValues, shown};
use crate::extract::criteria::{Condition, Field, Operator, Order};

pub(super) use lines::remark as of_lines;
pub(super) use notation::Notation;
pub(super) use sums::instead as sum_instead;

/// True for an order that a text with digits takes part in, or a word with a rank: it may be meant for a number, a size, a
/// date, a level.
pub(super) fn may_compare_meanings(condition: &Condition) -> bool {
    let means = |text: &str| notation::has_digits(text) || ranks::is_word(text);
    condition.operator.is_order() && condition.values.iter().filter_map(Value::as_str).any(means)
}

/// A remark for each condition that holds for other texts than for what they mean.
pub(super) fn remarks(sample: &Sample<'_>, conditions: &[Condition]) -> Vec<String> {
    conditions.iter().filter_map(|condition| of_condition(sample, condition)).collect()
}

/// A remark on a condition that compares the letters of texts.
pub(super) fn of_condition(sample: &Sample<'_>, condition: &Condition) -> Option<String> {
    if condition.operator == Operator::Between {
        return ranges::remark(sample, condition);
    }
    let asked = condition.values.iter().find_map(Value::as_str).filter(|_| condition.operator.is_order())?;
    if !notation::has_digits(asked) {
        return ranks::of_condition(sample, condition);
    }
    let field = &condition.field;
    let values = FieldValues::of(sample, &field.parts);
    let notation = Notation::of(sample, &field.name, &values, Some(asked))?;
    let sign = condition.operator.sign();
    let told = |wanted: &Value, unit: &str| {
        let name = shown(&field.name);
        let said = cut(&format!("{name}{sign}{asked}"), SAID_CHARACTERS);
        let example = shown(&quote(&notation.example));
        let route = Route::to(sample, field);
        let way = route.and_then(|route| Some((notation.offered(&route)?, route))).map(|(term, route)| {
            let query = format!("select({})", route.condition(&term, &format!("{sign} {wanted}")));
            format!("; run the query `{query}`{unit}{}", notation.left_out())
        });
        let way = way.unwrap_or_default();
        format!("`{said}` compares letter by letter: `{name}` has {} like {example}{way}", notation.noun)
    };
    if notation.is_only_told() {
        return Some(told(&Value::Null, ""));
    }
    let texts: Vec<Value> = values.all_texts().into_iter().map(Value::from).collect();
    let Some(wanted) = notation.value(sample, asked) else {
        // A number without the unit that the texts have.
        let wanted = measures::is_number(asked).then(|| serde_json::from_str(asked).ok())??;
        return Some(told(&wanted, ", which counts seconds"));
    };
    let read = notation.values(sample, &texts);
    let differs = texts.iter().zip(&read).any(|(text, value)| {
        let of_value = value.as_ref().and_then(|value| compared(value, &wanted));
        let holds = |order| condition.operator.holds(order);
        text.as_str().is_some_and(|text| holds(text.cmp(asked))) != of_value.is_some_and(holds)
    });
    differs.then(|| told(&wanted, ""))
}

/// A remark on records in the order of letters, which is not the one of what the texts mean.
pub(super) fn of_sorting(sample: &Sample<'_>, order: &Order) -> Option<String> {
    if sample.is_text() {
        return lines::remark(sample, order.descending);
    }
    if let Some(told) = ranks::of_sorting(sample, &order.field, order.descending) {
        return Some(told);
    }
    let (told, notation) = of_order(sample, &order.field, "the records are sorted")?;
    let descending = if order.descending { " | reverse" } else { "" };
    let route = Route::to(sample, &order.field).filter(|route| !route.has_lists);
    Some(match route.and_then(|route| notation.offered(&route)) {
        Some(term) => format!("{told}; run the query `sort_by({term}){descending} | .[]` with `slurp`"),
        None => told,
    })
}

/// The same for an aggregate that looks for the least or the greatest: of all records, if it is `alone`.
pub(super) fn of_aggregate(sample: &Sample<'_>, field: &Field, name: &str, alone: bool) -> Option<String> {
    if let Some(told) = ranks::of_aggregate(sample, field, name, alone) {
        return Some(told);
    }
    let (told, notation) = of_order(sample, field, &format!("`{}` compares", shown(name)))?;
    let route = Route::to(sample, field);
    let Some((term, route)) = route.and_then(|route| Some((notation.offered(&route)?, route))) else {
        return Some(told);
    };
    let by = if name.starts_with("min") { "min_by" } else { "max_by" };
    Some(match notation.body().filter(|_| alone) {
        Some(body) => {
            let query = format!("[.[] | {} | {{v: ({body})?, t: .}}] | {by}(.v) | .t", route.jq);
            format!("{told}; run the query `{query}` with `slurp`")
        }
        None => format!("{told}; `{by}({term})` in a query compares what they mean"),
    })
}

/// What is said of an order of letters that is another one than that of the values, and how these are written.
pub(super) fn of_order(sample: &Sample<'_>, field: &Field, what: &str) -> Option<(String, Notation)> {
    let values = FieldValues::of(sample, &field.parts);
    let notation = Notation::of(sample, &field.name, &values, None)?;
    let texts: Vec<Value> = values.all_texts().into_iter().map(Value::from).collect();
    let read = notation.values(sample, &texts);
    let known: Vec<(&Value, &Value)> =
        texts.iter().zip(&read).filter_map(|(text, value)| Some((text, value.as_ref()?))).collect();
    let is_wrong = |pair: &&[(&Value, &Value)]| compared(pair[0].1, pair[1].1).is_some_and(|order| order.is_gt());
    let example = match known.windows(2).find(is_wrong) {
        Some(pair) => pair[1].0.to_string(),
        None if notation.is_only_told() => quote(&notation.example),
        None => return None,
    };
    let told = format!("{what} letter by letter: `{}` has {} like {}", field.jq(), notation.noun, shown(&example));
    Some((told, notation))
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
