//! Records that have records like themselves inside, as folders have files: a condition looks at the outer ones only.

use serde_json::{Value, json};

use super::matcher::Matcher;
use super::sample::Sample;
use super::values::reached;
use crate::extract::criteria::{Condition, Field, Operator, range};
use crate::payload::path::key;
use crate::settings::request::Extract;

/// How often a condition holds for objects inside of the records, and what to run to find these; `None` if the
/// records are not trees, or it does not hold anywhere.
pub(super) fn deeper(
    sample: &Sample<'_>,
    asked: &Extract,
    condition: &Condition,
    matcher: &Matcher<'_>,
) -> Option<(u32, String)> {
    let branch = branch(sample)?;
    let mut times = 0;
    for record in &sample.records {
        count(record, &condition.field.parts, matcher, &mut times);
    }
    let select = format!(".. | objects | select({})", filter(condition));
    let counts = asked.count == Some(true);
    let query = match (counts, &asked.select) {
        (true, _) => format!("[.[] | {select}] | length"),
        (false, Some(fields)) => format!("{select} | {}", projected(fields)?),
        (false, None) => format!("{select} | del(.{})", key(&branch)),
    };
    let run = Extract { query: Some(query.clone()), slurp: Some(counts), ..Extract::default() };
    let slurping = if counts { " with `slurp`" } else { "" };
    (times > 0 && sample.finds(&run)).then(|| (times, format!("run the query `{query}`{slurping}")))
}

/// The field of a record that has records with the same field again.
fn branch(sample: &Sample<'_>) -> Option<String> {
    sample.records.iter().find_map(|record| {
        record.as_object()?.iter().find_map(|(key, value)| {
            let elements = value.as_array()?;
            elements.iter().any(|element| element.get(key).is_some_and(Value::is_array)).then(|| key.clone())
        })
    })
}

fn count(value: &Value, path: &[String], matcher: &Matcher<'_>, times: &mut u32) {
    match value {
        Value::Object(members) => {
            let mut meets = false;
            reached(value, path, &mut |value| meets |= matcher.meets(value));
            *times += u32::from(meets);
            members.values().for_each(|value| count(value, path, matcher, times));
        }
        Value::Array(elements) => elements.iter().for_each(|value| count(value, path, matcher, times)),
        _ => {}
    }
}

/// A condition in jq.
pub(super) fn filter(condition: &Condition) -> String {
    let path = path(&condition.field);
    let value = condition.values.last().cloned().unwrap_or_default();
    let text = value.as_str().unwrap_or_default();
    let any =
        |values: &[Value]| values.iter().map(|value| format!("{path} == {value}")).collect::<Vec<_>>().join(" or ");
    match condition.operator {
        Operator::Eq | Operator::In => {
            let days = condition.values.iter().filter_map(Value::as_str).filter_map(range::days_of);
            let days = days.map(|days| format!(" or ({path} | strings | test({}))", json!(days)));
            any(&condition.values) + &days.collect::<String>()
        }
        Operator::Prefix => format!("{path} | strings | startswith({value})"),
        Operator::Contains => format!("{path} | strings | test({}; \"i\")", json!(regex::escape(text))),
        Operator::Matches => format!("{path} | strings | test({value}; \"i\")"),
        operator => {
            let value = condition.values.first().cloned().unwrap_or_default();
            let kind = if value.is_number() { "numbers" } else { "strings" };
            format!("{path} | {kind} | . {} {value}", operator.sign())
        }
    }
}

fn path(field: &Field) -> String {
    match field.parts.is_empty() {
        true => ".".to_owned(),
        false => field.parts.iter().map(|part| format!(".{}?", key(part))).collect(),
    }
}

fn projected(fields: &[Value]) -> Option<String> {
    let members = fields.iter().map(|field| {
        let field = Field::read(field).ok()?;
        Some(format!("{}: {}", json!(field.name), path(&field)))
    });
    Some(format!("{{{}}}", members.collect::<Option<Vec<_>>>()?.join(", ")))
}
