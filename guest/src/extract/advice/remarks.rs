//! What looks wrong in a filter that ran: a field that no record has, types that never meet.

use super::AskedFilter;
use super::alike::Alike;
use super::fields::{Fields, SeenField, jq};
use super::functions::either;
use super::nothing::year;
use super::parents;
use super::reading::{FilterReading, Literal, instead_of};
use crate::fields::survey::Types;

/// More remarks than this are not worth reading.
const MOST_REMARKS: usize = 3;

/// A number in a comparison may be a year of these, and from the first on a date.
const YEARS: std::ops::Range<f64> = 1900.0..2200.0;

/// Remarks on a filter, the most specific first.
pub(super) fn of(asked: AskedFilter<'_>, fields: &Fields, lacks_something: bool) -> Vec<String> {
    if fields.is_empty() {
        return Vec::new();
    }
    let reading = FilterReading::of(asked);
    let gathered = reading.gathered_by_unknown(fields).filter_map(|key| missing(key, fields, true));
    let assigns = reading.assigns_in_select.then(|| "`=` assigns; `select` compares with `==`".to_owned());
    let unknown = reading.unknown(fields).filter_map(|key| missing(key, fields, lacks_something));
    let compared = reading.compared.iter().filter_map(|(path, literal)| never_equal(path, literal, fields));
    let lost = parents::lost(asked, &reading.inner, fields);
    let nulls = nulls(asked, &reading, fields);
    let deeper = reading.paths.iter().filter_map(|path| at_depth(path, fields));
    let mut all: Vec<String> = Vec::new();
    for told in
        assigns.into_iter().chain(gathered).chain(lost).chain(unknown).chain(deeper).chain(compared).chain(nulls)
    {
        if all.len() < MOST_REMARKS && !all.contains(&told) {
            all.push(told);
        }
    }
    all
}

/// Remarks on a filter whose results look as they should: on what it gathers all records by.
pub(super) fn of_gathering(asked: AskedFilter<'_>, fields: &Fields) -> Vec<String> {
    let reading = FilterReading::of(asked);
    let unknown = reading.gathered_by_unknown(fields).filter(|_| !fields.is_empty());
    unknown.filter_map(|key| missing(key, fields, true)).take(MOST_REMARKS).collect()
}

/// True for a filter that gathers by a field: by one that no record has, all records are alike, and the results look as ever.
pub(super) fn may_gather_by_nothing(asked: AskedFilter<'_>) -> bool {
    // Most filters gather nothing, and are not parsed for it.
    asked.filter.contains("_by(") && FilterReading::of(asked).gathers()
}

/// A deeper field that no record has, or a field that is null in all of them. Not all elements of lists are known.
fn at_depth(path: &[String], fields: &Fields) -> Option<String> {
    let path: Vec<&str> = path.iter().map(String::as_str).collect();
    if path.contains(&"[]") {
        return None;
    }
    if let Some(told) = fields.only_null(&path) {
        return Some(told);
    }
    if path.len() < 2 || fields.has_end(&path) {
        return None;
    }
    let (length, instead) = fields.end_of(&path)?;
    // What else it may be cannot have a field, and fails.
    fields.get(&path[..length]).filter(|field| field.types.has(Types::OBJECT))?;
    let lack = format!("{}: `{}` {instead}", fields.lack(&jq(&path[..=length])), jq(&path[..length]));
    // The last key, deeper in the same object.
    let deeper = fields.deeper(path[length]).map(SeenField::jq).filter(|_| path.len() == length + 1);
    let meant: Vec<String> = deeper.filter(|place| place.starts_with(&jq(&path[..length]))).take(2).collect();
    Some(if meant.is_empty() { lack } else { format!("{lack}; did you mean {}?", either(&meant)) })
}

/// What a filter says where it has thought of null.
const GUARDS: [&str; 7] = ["null", "numbers", "//", "type", "has(", "values", "isnumber"];

/// A field that is less than a number, and null in some records: null is less than every number.
fn nulls(asked: AskedFilter<'_>, reading: &FilterReading, fields: &Fields) -> Option<String> {
    let path = reading.less_with_null().find(|path| {
        let keys: Vec<&str> = path.iter().map(String::as_str).collect();
        let has_numbers = |field: &SeenField| field.types.has(Types::NUMBER);
        let may_be_null = || match keys.contains(&"[]") {
            // An element that is not there is not null.
            true => fields.get(&keys).is_some_and(|field| field.types.has(Types::NULL)),
            false => fields.may_be_null(&keys),
        };
        fields.get(&keys).is_some_and(has_numbers) && may_be_null()
    })?;
    let here = jq(&path.iter().map(String::as_str).collect::<Vec<_>>());
    let is_guarded = GUARDS.iter().any(|guard| asked.filter.contains(guard))
        || [format!("{here} and"), format!("select({here})")].iter().any(|guard| asked.filter.contains(guard));
    (!is_guarded).then(|| {
        format!(
            "`{here}` is null or missing in some records, and null is less than every number: add `{here} != null and`"
        )
    })
}

/// True for a filter that assigns in a condition, or compares with a number that may be meant as a date, or that null is
/// less than: such a filter has results, and they are wrong.
pub(super) fn may_never_meet(asked: AskedFilter<'_>) -> bool {
    // Most filters have neither sign, and are not parsed for it.
    if !asked.filter.contains(['<', '>', '=']) {
        return false;
    }
    let reading = FilterReading::of(asked);
    let is_date = |literal: &Literal| matches!(literal, Literal::Number(number) if *number >= YEARS.start);
    let may_take_null = reading.less_with_null().next().is_some();
    reading.assigns_in_select || may_take_null || reading.compared.iter().any(|(_, literal)| is_date(literal))
}

/// A field that was asked for and that no record has. Where the results lack nothing, only if another one was probably meant.
fn missing(key: &str, fields: &Fields, lacks_something: bool) -> Option<String> {
    let instead = instead_of(key, fields);
    let lack = fields.lack(&jq(&[key]));
    match instead.is_empty() {
        false => Some(format!("{lack}: did you mean {}?", either(&instead))),
        true => lacks_something.then(|| format!("{lack}; {}", fields.have())),
    }
}

/// A comparison of a text with a number: jq orders by type first, so it is always or never true.
fn never_equal(path: &[String], literal: &Literal, fields: &Fields) -> Option<String> {
    let path: Vec<&str> = path.iter().map(String::as_str).collect();
    let field = fields.get(&path)?;
    let here = jq(&path);
    let types = field.type_names();
    let are_times = field.alike.are(Alike::MILLISECONDS) && field.types.has(Types::NUMBER);
    if let Some(date) = date_of(literal).filter(|_| are_times) {
        return Some(format!(
            "`{here}` is milliseconds since 1970: compare `({here} / 1000 | todate)` with text, `\"{date}\"`"
        ));
    }
    match literal {
        Literal::Number(number) if field.types.has(Types::STRING) && !field.types.has(Types::NUMBER) => {
            let instead = match field.alike.are(Alike::DIGITS) {
                true if fields.may_be_null(&path) => format!("write `({here} | tonumber?)` for it"),
                true => format!("write `({here} | tonumber)` for it"),
                false => format!("compare it with text, `\"{}\"`", as_date(*number).unwrap_or(number.to_string())),
            };
            Some(format!("`{here}` is a {types}, and text is greater than every number: {instead}"))
        }
        Literal::Text(text) if field.types.has(Types::NUMBER) && !field.types.has(Types::STRING) => {
            let number = text.parse::<f64>().ok()?;
            Some(format!(
                "`{here}` is a {types}, and a number is less than all text: compare it with a number, `{number}`"
            ))
        }
        Literal::Text(text) if field.types.has(Types::ARRAY) && !field.types.has(Types::STRING) => {
            Some(format!("`{here}` is an array: write `{here} | index(\"{text}\")`"))
        }
        _ => None,
    }
}

/// A year or a date that something is compared with.
fn date_of(literal: &Literal) -> Option<String> {
    match literal {
        Literal::Number(year) if YEARS.contains(year) => Some(year.to_string()),
        Literal::Number(number) => as_date(*number),
        Literal::Text(text) => year(text).map(|_| text.clone()),
    }
}

/// The date that eight digits stand for: `2026-01-31` for 20260131. Only ISO dates are in the order of their text.
fn as_date(number: f64) -> Option<String> {
    let digits = number.to_string();
    let (year, month, day) = (digits.get(..4)?, digits.get(4..6)?, digits.get(6..)?);
    let is_date = YEARS.contains(&year.parse().ok()?) && ("01"..="12").contains(&month) && ("01"..="31").contains(&day);
    (digits.len() == 8 && is_date).then(|| format!("{year}-{month}-{day}"))
}
