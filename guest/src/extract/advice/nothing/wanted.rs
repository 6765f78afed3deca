//! Fields that are grouped by, selected or sorted by, and that the records lack.

use serde_json::Value;

use super::conditions::occurs;
use super::sample::{Sample, first_value};
use super::{lengths, letters, plain, unknown};
use crate::extract::advice::nothing::values::{FieldValues, shown};
use crate::extract::criteria::{Aggregate, Criteria, Field, Order, Wanted};
use crate::extract::look::value_of;
use crate::extract::page::Page;
use crate::settings::request::Extract;

/// So much of a first page is searched for fields that are null everywhere.
const SEARCHED_BYTES: usize = 4096;

/// What looks wrong with the criteria, judging by the page of results.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct CriteriaCheck {
    /// One of the first groups is null.
    group: bool,
    /// Selected fields that are null in the first rows, by their places.
    selected: Vec<usize>,
}

impl CriteriaCheck {
    /// Reads the first results.
    pub(super) fn of(criteria: &Criteria, page: &Page) -> Self {
        let text = &page.text[..];
        let mut odd = Self::default();
        match &criteria.wanted {
            Wanted::Groups(groups) => {
                let is_null = |group: &Value| {
                    let group = group.as_object().filter(|group| !group.is_empty());
                    group.is_some_and(|group| group.values().take(groups.by.len()).any(Value::is_null))
                };
                odd.group = first_rows(text).iter().any(is_null);
            }
            Wanted::Fields(fields) => odd.selected = null_columns(text, fields),
            Wanted::Firsts { select: Some(fields), .. } => odd.selected = null_columns(text, fields),
            Wanted::Records | Wanted::Count | Wanted::Totals(_) | Wanted::Firsts { .. } => {}
        }
        odd
    }

    /// True if the records have to be read to explain what is odd.
    pub(super) fn is_any(&self) -> bool {
        *self != Self::default()
    }
}

/// True if nothing was computed of anything: then no record may meet the conditions.
pub(super) fn totals_are_empty(criteria: &Criteria, page: &Page) -> bool {
    let is_empty = |value: &Value| value.is_null() || value.as_u64() == Some(0);
    matches!(criteria.wanted, Wanted::Totals(_))
        && first_value(&page.text).is_some_and(|row| row.as_object().is_some_and(|row| row.values().all(is_empty)))
}

/// Remarks on aggregates of fields that no record has, and on texts where numbers are added.
pub(super) fn of_totals(sample: &Sample<'_>, criteria: &Criteria) -> Vec<String> {
    let totals = criteria.wanted.totals();
    let alone = criteria.clauses.is_empty() && matches!(criteria.wanted, Wanted::Totals(_));
    let is_first = |at: usize| totals[..at].iter().all(|before| before.field != totals[at].field);
    let of_one = |total: &Aggregate| {
        let field = total.field.as_ref()?;
        let found = |path: &[String]| FieldValues::of(sample, path);
        if let Some(told) = lengths::of_aggregate(sample, field, &total.name) {
            return Some(told);
        }
        if !sample.is_text() && !occurs(sample, &field.parts) {
            let function = total.name.split('(').next().unwrap_or_default();
            let instead =
                |path: &[String]| (!found(path).are_none()).then(|| format!("{function}({})", Field::typed(path)));
            return Some(unknown::remark(sample, field, "aggregate", instead));
        }
        if total.function.is_of_order() {
            return letters::of_aggregate(sample, field, &total.name, alone);
        }
        let values = found(&field.parts);
        let left_out = values.texts + values.objects;
        (total.function.is_of_numbers() && left_out > 0).then(|| {
            let noun = if values.texts > 0 { "texts" } else { "objects" };
            let instead = letters::sum_instead(sample, criteria, field, &total.name, &values).unwrap_or_default();
            format!(
                "`{}` leaves out what is not a number: `{}` has {noun} ({}){instead}",
                shown(&total.name),
                shown(&field.name),
                sample.times_in(usize::try_from(left_out).unwrap_or(usize::MAX))
            )
        })
    };
    (0..totals.len())
        .filter(|at| is_first(*at) || totals[*at].function.is_of_numbers())
        .filter_map(|at| of_one(&totals[at]))
        .collect()
}

/// The places of the fields that are null in each of the first rows.
fn null_columns(text: &[u8], fields: &[Field]) -> Vec<usize> {
    let rows = first_rows(text);
    let is_null = |field: &Field| rows.iter().all(|row| row.get(&field.name).is_none_or(is_nothing));
    (0..fields.len()).filter(|place| !rows.is_empty() && is_null(&fields[*place])).collect()
}

/// The first results as values.
fn first_rows(text: &[u8]) -> Vec<Value> {
    let end = text[..text.len().min(SEARCHED_BYTES)].iter().rposition(|byte| *byte == b'\n').unwrap_or(0);
    let lines = text[..end].split(|byte| *byte == b'\n');
    lines.filter_map(value_of).collect()
}

/// Null, or for each element of an array.
fn is_nothing(value: &Value) -> bool {
    match value {
        Value::Array(elements) => elements.iter().all(is_nothing),
        value => value.is_null(),
    }
}

/// Remarks on the fields that are wanted and missing.
pub(super) fn remarks(sample: &Sample<'_>, asked: &Extract, criteria: &Criteria, odd: &CriteriaCheck) -> Vec<String> {
    let mut remarks = Vec::new();
    match &criteria.wanted {
        Wanted::Groups(groups) if odd.group => {
            let is_one = groups.by.len() == 1;
            remarks.extend(groups.by.iter().filter_map(|field| of_groups(sample, asked, field, is_one)));
        }
        Wanted::Fields(fields) | Wanted::Firsts { select: Some(fields), .. } => {
            for field in odd.selected.iter().filter_map(|place| fields.get(*place)) {
                let request =
                    |path: &[String]| Extract { select: Some(vec![Field::typed(path).into()]), ..Extract::default() };
                remarks.extend(missing(sample, field, "select", "", request));
            }
        }
        _ => {}
    }
    remarks
}

/// A remark on a field to sort by that no record has.
pub(super) fn missing_order(sample: &Sample<'_>, order: &Order) -> Option<String> {
    let sign = if order.descending { "-" } else { "" };
    let request = |path: &[String]| {
        let name = Field::typed(path);
        Extract { sort_by: Some(format!("{sign}{name}")), select: Some(vec![name.into()]), ..Extract::default() }
    };
    let missing = || missing(sample, &order.field, "sort by", sign, request);
    plain::of_order(sample, order).or_else(missing)
}

/// A remark on a field that no record has, with another one that this request finds values of. It is written behind `sign`.
fn missing(
    sample: &Sample<'_>,
    field: &Field,
    verb: &str,
    sign: &str,
    request: impl Fn(&[String]) -> Extract,
) -> Option<String> {
    let instead = |path: &[String]| sample.finds(&request(path)).then(|| format!("{sign}{}", Field::typed(path)));
    (!sample.is_text() && !occurs(sample, &field.parts)).then(|| unknown::remark(sample, field, verb, instead))
}

/// A remark on groups of which one is null.
fn of_groups(sample: &Sample<'_>, asked: &Extract, field: &Field, is_one: bool) -> Option<String> {
    let request = |path: &[String]| Extract { group_by: Some(Field::typed(path).into()), ..Extract::default() };
    if let Some(remark) = missing(sample, field, "group by", "", request) {
        return Some(remark);
    }
    let values = FieldValues::of(sample, &field.parts);
    let shows_all = asked.limit.is_none() && is_one;
    (!values.are_none() && shows_all).then(|| {
        format!(
            "the group null counts the records without a value at `{}`; others have {}",
            field.jq(),
            values.listed()
        )
    })
}
