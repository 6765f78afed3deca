//! A recipe that finds nothing: its parameter was left out, or no record has the value.

use lro_query::Shape;
use lro_query::json::{cut, quote};
use serde_json::Value;

use super::Search;
use super::sample::Sample;
use super::values::{FieldValues, shown};
use super::{conditions, letters};
use crate::extract::criteria::{Condition, Field, Operator, Order, range};
use crate::file::header::Header;
use crate::file::kind::Kind;
use crate::recipes::{Parameter, Recipe};
use crate::settings::request::Extract;

/// Words of fewer letters say little of a text.
const LEAST_LETTERS: usize = 4;

/// At most this many values are tried as an example.
const MOST_TRIED: usize = 6;

/// A date without its time: `2026-11-25`.
const DAY_BYTES: usize = 10;

/// A longer value is not a good example.
const MOST_CHARACTERS: usize = 30;

/// A remark on a recipe with a parameter.
pub(super) fn remark(sample: &Sample<'_>, asked: &Extract, number: u32, recipe: &Recipe) -> Option<String> {
    let parameter = recipe.parameter.as_ref()?;
    let path = path_of(sample.header, parameter.name);
    let given = asked.params.as_ref().and_then(|params| params.values().next()).and_then(Value::as_str);
    match (given, path) {
        (None, path) => Some(of_placeholder(sample, number, parameter, path)),
        (Some(given), Some(path)) => of_value(sample, asked, number, parameter, &path, given),
        (Some(given), None) => {
            Some(format!("recipe {number} finds `{}` in {}", cut(given, MOST_CHARACTERS), sample.nobody()))
        }
    }
}

/// A remark on a recipe that found its own example because the parameter was left out. Programs know that it is the literal
/// of a recipe for memories (decision 20); a model forgets it.
pub(super) fn of_example(search: Search<'_>, number: u32, recipe: &Recipe) -> Option<String> {
    let is_told = search.asked.stubs || search.set.kind != Kind::Memories;
    let parameter = recipe.parameter.as_ref().filter(|_| is_told)?;
    let is_own = search.asked.params.as_ref().is_none_or(serde_json::Map::is_empty);
    is_own.then(|| {
        format!(
            "recipe {number} ran without `{}` and looked for `{}`, an example: pass your own as `params` {}",
            parameter.name,
            parameter.default,
            pair(parameter.name, "…")
        )
    })
}

/// A remark on a recipe that sorts by a field whose letters have another order.
pub(super) fn of_sorting<'a>(recipe: &Recipe, take: impl FnOnce() -> Option<Sample<'a>>) -> Option<String> {
    if recipe.native.filter == "sort" {
        return letters::of_lines(&take()?, false);
    }
    let Shape::Sort { descending } = recipe.native.shape else { return None };
    let role = recipe.sorts_by.as_ref()?;
    // Numbers do not compare letters, and dates without an offset stand in their order: no record has to be read.
    let has_offset = |date: &str| date.get(DAY_BYTES..).is_some_and(|time| time.contains(['+', '-']));
    let is_dated = |example: &str| range::is_date(example) && !has_offset(example);
    if role.mixed || role.example.as_deref().is_some_and(is_dated) {
        return None;
    }
    letters::of_sorting(&take()?, &Order { field: Field::of_path(&role.path.0), descending })
}

/// The parameter was left out.
fn of_placeholder(sample: &Sample<'_>, number: u32, parameter: &Parameter, path: Option<Vec<String>>) -> String {
    let examples = match path {
        Some(path) => examples(sample, parameter, &path),
        None => Examples { listed: String::new(), candidates: all_texts(sample) },
    };
    let found = examples.candidates.iter().take(MOST_TRIED).find(|value| passes(sample, number, parameter, value));
    let call = found.map(|value| format!("; for example, pass `params` {}", pair(parameter.name, value)));
    format!(
        "recipe {number} ran without `{}`: `{}` is a placeholder for what you look for{}{}",
        parameter.name,
        parameter.default,
        examples.listed,
        call.unwrap_or_default()
    )
}

/// No record has the value: suggests another spelling, or what advice says about the recipe's condition.
fn of_value(
    sample: &Sample<'_>,
    asked: &Extract,
    number: u32,
    parameter: &Parameter,
    path: &[String],
    given: &str,
) -> Option<String> {
    let plain = |text: &str| text.trim().to_lowercase();
    let values = FieldValues::of(sample, path);
    let alike = values.frequent_texts().map(|(text, _)| text).find(|text| plain(text) == plain(given));
    if let Some(alike) = alike.filter(|alike| passes(sample, number, parameter, alike)) {
        let name = crate::extract::advice::jq_path(path);
        let call = pair(parameter.name, &alike);
        return Some(format!("`{name}` has {}, not {}; pass `params` {call}", Value::from(alike), Value::from(given)));
    }
    let operator = match (parameter.name, sample.is_text()) {
        ("prefix" | "namespace", _) => Operator::Prefix,
        ("keyword" | "pattern", _) => Operator::Matches,
        (_, true) => Operator::Contains,
        (_, false) => Operator::Eq,
    };
    let field = if sample.is_text() { Field::line() } else { Field::of_path(path) };
    let condition = Condition::new(field, operator, vec![given.into()]);
    conditions::remark(sample, asked, &condition, true)
}

/// True if the recipe finds something with this value.
fn passes(sample: &Sample<'_>, number: u32, parameter: &Parameter, value: &str) -> bool {
    let params = [(parameter.name.to_owned(), Value::from(value))].into_iter().collect();
    sample.finds(&Extract { recipe: Some(number), params: Some(params), ..Extract::default() })
}

/// `{"value": "open"}` as a call has it.
fn pair(name: &str, value: &str) -> String {
    format!("{{{}: {}}}", Value::from(name), Value::from(value))
}

/// What could be passed.
struct Examples {
    /// In words, after a colon.
    listed: String,
    candidates: Vec<String>,
}

fn examples(sample: &Sample<'_>, parameter: &Parameter, path: &[String]) -> Examples {
    let values = FieldValues::of(sample, path);
    let is_value = matches!(parameter.name, "value" | "member" | "memory_type" | "tag") && !sample.is_text();
    let texts = || values.frequent_texts().map(|(text, _)| text);
    let mut candidates: Vec<String> = match parameter.name {
        _ if is_value => values.frequent().into_iter().map(|(text, _)| text_of(text)).take(MOST_TRIED).collect(),
        "prefix" | "namespace" => texts().map(|text| front(&text)).take(MOST_TRIED).collect(),
        _ => texts().filter_map(|text| word(&text)).take(MOST_TRIED).collect(),
    };
    candidates.retain(|value| !value.is_empty() && value.chars().count() <= MOST_CHARACTERS);
    let name =
        if sample.is_text() { "the text".to_owned() } else { format!("`{}`", crate::extract::advice::jq_path(path)) };
    let listed = match is_value && !values.are_none() {
        true => format!("; {name} has {}", values.listed()),
        false if sample.is_text() => format!("; there are lines like {}", few_of(&values)),
        false => format!("; {name} has texts like {}", few_of(&values)),
    };
    Examples { listed: if values.are_none() { String::new() } else { listed }, candidates }
}

fn few_of(values: &FieldValues) -> String {
    let first = values.frequent_texts().next().map(|(text, _)| quote(&text));
    first.map_or_else(String::new, |text| shown(&text))
}

/// The field that a recipe's parameter is compared with; `None` if it is any field.
fn path_of(header: &Header, parameter: &str) -> Option<Vec<String>> {
    if header.lro.kind == Kind::Text {
        return Some(Vec::new());
    }
    let roles = &header.lro.roles;
    let role = match (header.lro.kind, parameter) {
        (Kind::Memories, "namespace") => return Some(vec!["namespace".to_owned()]),
        (Kind::Memories, "keyword") => return Some(vec!["title".to_owned()]),
        (Kind::Memories, "memory_type") => return Some(vec!["memory_type".to_owned()]),
        (Kind::Memories, "tag") => return Some(vec!["tags".to_owned()]),
        (Kind::Memories, "pattern") => return Some(vec!["content".to_owned()]),
        (Kind::Records, "prefix") => &roles.prefix,
        (Kind::Records, "keyword") => &roles.title,
        (Kind::Records, "value") => &roles.category,
        (Kind::Records, "member") => &roles.member,
        (Kind::Records, "pattern") => &roles.text,
        _ => &None,
    };
    let role = role.as_ref()?;
    let below = role.of.iter().flat_map(|of| of.0.iter());
    Some(role.path.0.iter().chain(below).cloned().collect())
}

/// Texts of any field, for a recipe that searches all of them.
fn all_texts(sample: &Sample<'_>) -> Vec<String> {
    let members = sample.records.iter().filter_map(Value::as_object).flat_map(|members| members.values());
    members.filter_map(Value::as_str).map(str::to_owned).take(MOST_TRIED).collect()
}

fn text_of(json: &str) -> String {
    serde_json::from_str(json).unwrap_or_else(|_| json.to_owned())
}

/// The beginning of a text that others may share: up to its first sign.
fn front(text: &str) -> String {
    let end = text.char_indices().find(|(at, c)| *at > 0 && !c.is_alphanumeric() && *c != '_').map(|(at, _)| at);
    text[..end.unwrap_or(text.len())].to_owned()
}

/// The first meaningful word of a text.
fn word(text: &str) -> Option<String> {
    let words = text.split(|c: char| !c.is_alphanumeric());
    words.filter(|word| word.chars().count() >= LEAST_LETTERS).map(str::to_owned).next()
}
