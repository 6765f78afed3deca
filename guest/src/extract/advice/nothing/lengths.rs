//! The length of a list, which conditions and orders cannot ask for: `len(tags)>20`, `tags.length>20`, `tags>20`.

use serde_json::Value;

use super::conditions::{occurs, said};
use super::route::Route;
use super::sample::Sample;
use super::values::{reached, shown};
use crate::extract::criteria::{Condition, Field, Operator, Order};

/// What other languages call it.
const NAMES: [&str; 5] = ["length", "len", "size", "count", "length()"];

/// A remark on a condition that asks for a length, or compares a list with a number.
pub(super) fn of_condition(sample: &Sample<'_>, condition: &Condition) -> Option<String> {
    let number = condition.values.iter().find(|value| value.is_number())?;
    if !condition.operator.is_order() && condition.operator != Operator::Eq {
        return None;
    }
    let named = named(sample, &condition.field);
    let field = match &named {
        Some(field) => field,
        None if condition.operator.is_order() && are_lists_of_others(sample, &condition.field) => &condition.field,
        None => return None,
    };
    let query = format!("select(({} | length) {} {number})", field.jq(), condition.operator.sign());
    let found = sample.count_filter(&query);
    let because =
        if named.is_some() { "a condition cannot ask for a length" } else { "it compares the elements of the list" };
    let told = format!("`{}`: {because}", said(condition));
    Some(match found {
        0 => format!("{told}; `{}` has {}", field.jq(), lengths(sample, field)),
        found => format!("{told}; for the length, run the query `{query}` ({})", sample.times(found)),
    })
}

/// A remark on records that are sorted by lists, or by a length.
pub(super) fn of_sorting(sample: &Sample<'_>, order: &Order) -> Option<String> {
    let named = named(sample, &order.field);
    let told = match &named {
        Some(_) => format!("`{}`: an order cannot ask for a length", order.field.name),
        None if has(sample, &order.field, Value::is_array) => {
            format!("`{}` has lists, which are ordered by their elements", order.field.name)
        }
        None => return of_several(sample, order),
    };
    let field = named.as_ref().unwrap_or(&order.field).jq();
    let descending = if order.descending { " | reverse" } else { "" };
    Some(format!("{told}; for the lengths, run the query `sort_by({field} | length){descending} | .[]` with `slurp`"))
}

/// A remark on an order by the values that a list has in each record.
fn of_several(sample: &Sample<'_>, order: &Order) -> Option<String> {
    let route = Route::to(sample, &order.field).filter(|route| route.has_lists)?;
    let has_several = |record| {
        let mut values = 0;
        reached(record, &order.field.parts, &mut |_| values += 1);
        values > 1
    };
    sample.records.iter().any(has_several).then(|| {
        let (which, end, descending) =
            if order.descending { ("greatest", "max", " | reverse") } else { ("least", "min", "") };
        format!(
            "a record has several values at `{}`, which are ordered by the first one that differs; for the {which} of each, run the query \
             `sort_by([{}] | {end}){descending} | .[]` with `slurp`",
            order.field.name,
            route.jq
        )
    })
}

/// A remark on the least, the greatest, the sum or the average of lengths.
pub(super) fn of_aggregate(sample: &Sample<'_>, field: &Field, name: &str) -> Option<String> {
    let what = match name.split('(').next()? {
        end @ ("min" | "max") => end,
        "sum" => "add",
        "avg" => "add / length",
        _ => return None,
    };
    let field = named(sample, field)?.jq();
    Some(format!(
        "`{}`: an aggregate cannot ask for a length; run the query `[.[] | {field} | length] | {what}` with `slurp`",
        shown(name)
    ))
}

/// The field whose length a name asks for.
fn named(sample: &Sample<'_>, field: &Field) -> Option<Field> {
    if sample.is_text() || occurs(sample, &field.parts) {
        return None;
    }
    let of_call = || {
        let (function, rest) = field.name.split_once('(')?;
        Some((function, rest.strip_suffix(')')?))
    };
    let of_pipe = || field.name.rsplit_once('|').map(|(path, function)| (function, path));
    let of_key = || field.name.rsplit_once('.').map(|(path, key)| (key, path));
    let (name, path) = of_call().or_else(of_pipe).or_else(of_key)?;
    let path: Vec<String> = path.trim().trim_start_matches('.').split('.').map(str::to_owned).collect();
    let inner = Field::of_path(&path);
    let has_length = |value: &Value| value.is_array() || value.is_string() || value.is_object();
    (NAMES.contains(&name.trim()) && has(sample, &inner, has_length)).then_some(inner)
}

/// True if some record has such a value there, with no list on the way.
fn has(sample: &Sample<'_>, field: &Field, is_one: impl Fn(&Value) -> bool) -> bool {
    sample.records.iter().filter_map(|record| straight(record, field)).any(is_one)
}

/// True for lists of texts and objects, which are not compared with numbers.
fn are_lists_of_others(sample: &Sample<'_>, field: &Field) -> bool {
    let values: Vec<&Value> = sample.records.iter().filter_map(|record| straight(record, field)).collect();
    let is_one = |value: &&Value| {
        value.is_null()
            || value.as_array().is_some_and(|list| !list.iter().any(|one| one.is_number() || one.is_array()))
    };
    values.iter().all(is_one) && values.iter().any(|value| value.as_array().is_some_and(|list| !list.is_empty()))
}

fn straight<'v>(record: &'v Value, field: &Field) -> Option<&'v Value> {
    field.parts.iter().try_fold(record, |value, part| value.get(part))
}

/// The lengths of a field, of which none holds; `None` where one does, or where there are lists on the way.
pub(super) fn other_than(sample: &Sample<'_>, path: &[String], holds: impl Fn(f64) -> bool) -> Option<String> {
    let field = Field::of_path(path);
    let length = |record| straight(record, &field).map_or(Some(0), length);
    let all: Option<Vec<usize>> = sample.records.iter().map(length).collect();
    let is_met = all?.iter().any(|length| u32::try_from(*length).is_ok_and(|length| holds(length.into())));
    (!is_met).then(|| format!("it has {}", lengths(sample, &field)))
}

/// The length of a value; of a number, it is something else.
fn length(value: &Value) -> Option<usize> {
    match value {
        Value::Array(list) => Some(list.len()),
        Value::String(text) => Some(text.chars().count()),
        Value::Object(members) => Some(members.len()),
        Value::Null => Some(0),
        _ => None,
    }
}

/// The least and the greatest length in words.
fn lengths(sample: &Sample<'_>, field: &Field) -> String {
    let lengths: Vec<usize> =
        sample.records.iter().filter_map(|record| straight(record, field)).filter_map(length).collect();
    let (least, most) = (lengths.iter().min().unwrap_or(&0), lengths.iter().max().unwrap_or(&0));
    format!("lengths from {least} to {most}")
}
