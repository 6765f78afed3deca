//! Records that are texts or numbers: they have no fields, and a query reads each of them as it is.

use serde_json::{Value, json};

use super::sample::{MOST_FILTER_BYTES, Sample};
use super::trees;
use crate::extract::criteria::{Condition, Field, Operator, Order};

/// So much of a record is enough for an example.
const EXAMPLE_CHARACTERS: usize = 20;

/// A remark on a condition that no record meets because none has fields, with a query that compares the records themselves.
pub(super) fn of_condition(sample: &Sample<'_>, condition: &Condition) -> Option<String> {
    let nouns = nouns(sample)?;
    let whole = |operator| Condition { field: Field::of_path(&[]), operator, ..condition.clone() };
    let tried = match condition.operator {
        Operator::Exists | Operator::Ne | Operator::Between => vec![],
        Operator::Eq => vec![whole(Operator::Eq), whole(Operator::Contains)],
        Operator::Contains => vec![whole(Operator::Contains), whole(Operator::Matches)],
        operator => vec![whole(operator)],
    };
    let is_text = |one: &Condition| one.operator != Operator::Contains || one.values.iter().all(Value::is_string);
    let found = tried.iter().filter(|one| is_text(one)).find_map(|one| {
        let compared = trees::filter(one);
        let filter = format!("select({})", compared.strip_prefix(". | ").unwrap_or(&compared));
        let found = if filter.len() <= MOST_FILTER_BYTES { sample.count_filter(&filter) } else { 0 };
        (found > 0).then(|| format!("run the query `{filter}` ({})", sample.times(found)))
    });
    let run = found.or_else(|| example(sample)).map_or(String::new(), |run| format!("; {run}"));
    Some(format!("{}: {nouns} have no fields{run}", lacks(sample, &condition.field)))
}

/// A remark on an order by a field.
pub(super) fn of_order(sample: &Sample<'_>, order: &Order) -> Option<String> {
    let nouns = nouns(sample)?;
    let reversed = if order.descending { " | reverse" } else { "" };
    let lacks = lacks(sample, &order.field);
    Some(format!("{lacks}: {nouns} have no fields; run the query `sort{reversed} | .[]` with `slurp`"))
}

/// What to say behind the words that no record has a field, and what to do instead of what a verb says.
pub(super) fn explanation(sample: &Sample<'_>, verb: &str) -> Option<String> {
    let nouns = nouns(sample)?;
    let run = match verb {
        "select" => Some("leave out `select`".to_owned()),
        "group by" => {
            Some("run the query `group_by(.) | map({value: .[0], count: length}) | .[]` with `slurp`".to_owned())
        }
        "aggregate" if nouns == NUMBERS => {
            Some("run the query `{count: length, sum: add, min: min, max: max}` with `slurp`".to_owned())
        }
        "aggregate" => Some("run the query `length` with `slurp`".to_owned()),
        _ => example(sample),
    };
    Some(format!(": {nouns} have no fields{}", run.map_or(String::new(), |run| format!("; {run}"))))
}

const NUMBERS: &str = "the records are numbers, which";

/// What the records are, where none of them can have fields.
fn nouns(sample: &Sample<'_>) -> Option<&'static str> {
    let all = |is: fn(&Value) -> bool| sample.records.iter().all(is);
    match () {
        () if sample.is_text() || sample.records.is_empty() => None,
        () if all(Value::is_string) => Some("the records are texts, which"),
        () if all(Value::is_number) => Some(NUMBERS),
        () if all(|record| record.is_string() || record.is_number() || record.is_boolean()) => {
            Some("the records are plain values, which")
        }
        () => None,
    }
}

fn lacks(sample: &Sample<'_>, field: &Field) -> String {
    format!("{} has `{}`", sample.nobody(), field.jq())
}

/// A query that finds the first record at least.
fn example(sample: &Sample<'_>) -> Option<String> {
    let filter = match sample.records.first()? {
        Value::String(text) => {
            let front: String = text.chars().take(EXAMPLE_CHARACTERS).collect();
            format!("select(startswith({}))", json!(front))
        }
        other => format!("select(. == {other})"),
    };
    let found = sample.count_filter(&filter);
    (found > 0).then(|| format!("to look into them, run the query `{filter}` ({})", sample.times(found)))
}
