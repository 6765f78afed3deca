//! Dates that do not compare as texts: `Jun 12 1998` is greater than `2010-01-01`, because a letter is.

use std::ops::Range;

use lro_query::json::quote;
use serde_json::{Value, json};

use super::conditions::{said, written};
use super::dates;
use super::letters::Notation;
use super::route::Route;
use super::sample::Sample;
use super::values::{FieldValues, shown};
use crate::extract::criteria::{Condition, Operator};

/// A pattern of more years is not worth reading.
const MOST_YEARS: u32 = 10;

/// The length of a year, and of a day in ISO 8601.
const YEAR: usize = 4;
const DAY: usize = 10;

/// A remark for each field whose dates are written otherwise than those that it is compared with.
pub(super) fn remarks(sample: &Sample<'_>, conditions: &[Condition]) -> Vec<String> {
    let compared: Vec<&Condition> = conditions.iter().filter(|one| compares_a_date(one)).collect();
    let is_first = |at: usize| compared[..at].iter().all(|before| before.field != compared[at].field);
    let fields = (0..compared.len()).filter(|at| is_first(*at)).map(|at| &compared[at].field);
    fields
        .filter_map(|field| {
            let values = FieldValues::of(sample, &field.parts);
            let on_it: Vec<&Condition> = compared.iter().copied().filter(|one| one.field == *field).collect();
            if let Some(condition) = on_it.iter().find(|one| date(one).is_none()) {
                let (iso, _) = values.frequent_texts().find(|(text, _)| dates::year(text).is_some())?;
                return Some(of_iso(sample, condition, &iso));
            }
            let (other, _) = values.frequent_texts().find(|(text, _)| dates::is_other_notation(text))?;
            Some(remark(sample, &on_it, &other))
        })
        .collect()
}

/// True for a comparison with a date, in whatever notation.
pub(super) fn compares_a_date(condition: &Condition) -> bool {
    let is_other = || condition.values.iter().filter_map(Value::as_str).any(dates::is_other_notation);
    (condition.operator.is_order() || condition.operator == Operator::Eq) && (date(condition).is_some() || is_other())
}

/// A condition on a date as one on seconds or milliseconds since 1970, where a field has numbers up to `greatest`. A day,
/// a month and a year are whole, as in dates that are texts.
pub(super) fn in_numbers(condition: &Condition, greatest: f64) -> Option<Condition> {
    let with = |operator, value: Value| Some(Condition::new(condition.field.clone(), operator, vec![value]));
    if condition.operator == Operator::Between {
        let ends = condition.values.iter().find_map(Value::as_array)?;
        let end = |at: usize| dates::as_numbers(ends.get(at)?.as_str()?, greatest);
        return with(Operator::Between, json!([end(0)?.start, end(1)?.end - 1]));
    }
    let Range { start, end } = dates::as_numbers(date(condition)?, greatest)?;
    match condition.operator {
        Operator::Le => with(Operator::Lt, end.into()),
        Operator::Gt => with(Operator::Ge, end.into()),
        Operator::Eq => with(Operator::Between, json!([start, end - 1])),
        operator => with(operator, start.into()),
    }
}

/// On a condition whose date is written otherwise than those of its field, such as `iso`.
fn of_iso(sample: &Sample<'_>, condition: &Condition, iso: &str) -> String {
    let instead = Condition::new(condition.field.clone(), condition.operator, vec![iso.into()]);
    let found = sample.count(std::slice::from_ref(&instead));
    let example = if found > 0 {
        format!(", for example `{}` ({})", written(&instead), sample.times(found))
    } else {
        String::new()
    };
    format!(
        "`{}`: `{}` has dates like {}, which do not compare with this notation: write the date as the field has it{example}",
        said(condition),
        condition.field.name,
        shown(&quote(iso))
    )
}

fn date(condition: &Condition) -> Option<&str> {
    condition.values.iter().filter_map(Value::as_str).find(|text| dates::year(text).is_some())
}

/// On the conditions of one field, which has dates like `other`.
fn remark(sample: &Sample<'_>, conditions: &[&Condition], other: &str) -> String {
    let asked: Vec<String> = conditions.iter().map(|one| format!("`{}`", said(one))).collect();
    let asked_for = format!(
        "{}: `{}` has dates like {}, which do not compare with this notation",
        asked.join(" and "),
        conditions[0].field.name,
        shown(&quote(other))
    );
    if let Some(sign) = dates::sign_after_year(other)
        && let Some(instead) = conditions.iter().map(|one| with_sign(one, sign)).collect::<Option<Vec<_>>>()
        && let found @ 1.. = sample.count(&instead)
    {
        let written: Vec<String> = instead.iter().map(|one| format!("`{}`", written(one))).collect();
        return format!("{asked_for}; write {} ({})", written.join(" and "), sample.times(found));
    }
    let instead = instead(conditions).map(|instead| (sample.count(std::slice::from_ref(&instead)), instead));
    match instead {
        Some((found, instead)) if found > 0 => {
            format!("{asked_for}; write `{}` ({})", written(&instead), sample.times(found))
        }
        _ => match in_jq(sample, conditions) {
            Some(query) => format!("{asked_for}; run the query {query}"),
            None => format!("{asked_for}: look for a part of such a date with `~=`"),
        },
    }
}

/// A condition on dates with the year first and another sign between their numbers. A day, a month and a year are whole.
fn with_sign(condition: &Condition, sign: char) -> Option<Condition> {
    let date = date(condition)?;
    let is_whole = date.len() <= DAY;
    let (operator, date) = match condition.operator {
        Operator::Le if is_whole => (Operator::Lt, dates::after(date)?),
        Operator::Gt if is_whole => (Operator::Ge, dates::after(date)?),
        Operator::Eq if is_whole => (Operator::Prefix, date.to_owned()),
        operator => (operator, date.to_owned()),
    };
    let value = date.replace('-', &sign.to_string()).replace('T', " ");
    Some(Condition::new(condition.field.clone(), operator, vec![value.trim_end_matches('Z').into()]))
}

/// The conditions in jq, on dates that are read and written in ISO 8601, and what they leave out.
fn in_jq(sample: &Sample<'_>, conditions: &[&Condition]) -> Option<String> {
    let field = &conditions[0].field;
    let values = FieldValues::of(sample, &field.parts);
    let notation = Notation::of(sample, &field.name, &values, None)?;
    let route = Route::to(sample, field)?;
    let term = notation.offered(&route)?;
    let compared = |one: &&Condition| {
        let date = quote(date(one)?);
        Some(match one.operator {
            Operator::Eq => format!("startswith({date})"),
            // A day, a month and a year are whole.
            Operator::Le | Operator::Gt => format!(".[:{}] {} {date}", date.len() - 2, one.operator.sign()),
            operator => format!(". {} {date}", operator.sign()),
        })
    };
    let compared: Option<Vec<String>> = conditions.iter().map(compared).collect();
    let compared = compared?.join(" and ");
    let condition = match route.has_lists {
        true => format!("any({term}; {compared})"),
        false => format!("{term} | {compared}"),
    };
    Some(format!("`select({condition})`{}", notation.left_out()))
}

/// A condition on the years between. There are none where an end is open.
fn instead(conditions: &[&Condition]) -> Option<Condition> {
    let of = |year: fn(&Condition) -> Option<u32>, operators: [Operator; 3]| {
        let on_it = conditions.iter().filter(|one| operators.contains(&one.operator));
        on_it.map(|one| year(one)).reduce(Option::and)?
    };
    let from = of(first_year, [Operator::Eq, Operator::Ge, Operator::Gt])?;
    let until = of(last_year, [Operator::Eq, Operator::Le, Operator::Lt])?;
    let years: Vec<String> = (from..=until).take(MOST_YEARS as usize + 1).map(|year| year.to_string()).collect();
    let field = conditions[0].field.clone();
    match &years[..] {
        [] => None,
        [year] => Some(Condition::new(field, Operator::Contains, vec![year.as_str().into()])),
        years if years.len() > MOST_YEARS as usize => None,
        years => Some(Condition::new(field, Operator::Matches, vec![years.join("|").into()])),
    }
}

/// The first year that a condition allows; `None` if it begins within one.
fn first_year(condition: &Condition) -> Option<u32> {
    let date = date(condition)?;
    let year: u32 = dates::year(date)?.parse().ok()?;
    match condition.operator {
        Operator::Eq | Operator::Gt if date.len() > YEAR => None,
        Operator::Gt => Some(year + 1),
        _ => dates::begins_a_year(date).then_some(year),
    }
}

/// The last year that a condition allows; `None` if it ends within one. What is before the first day of a year is in the
/// year before.
fn last_year(condition: &Condition) -> Option<u32> {
    let date = date(condition)?;
    let year: u32 = dates::year(date)?.parse().ok()?;
    match condition.operator {
        Operator::Lt => dates::begins_a_year(date).then(|| year - 1),
        Operator::Le if date.ends_with("-12-31") || date.ends_with("-12") => Some(year),
        _ => (date.len() == YEAR).then_some(year),
    }
}
