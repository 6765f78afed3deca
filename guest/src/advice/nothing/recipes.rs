//! A recipe that finds nothing: its parameter was left out, or no record has the value.

use serde_json::Value;

use super::look::Look;
use super::values::{Values, shown};
use crate::header::Header;
use crate::recipes::{Kind, Parameter, Recipe};
use crate::request::Extract;
use crate::text::cut;

/// Words of fewer letters say little of a text.
const LEAST_LETTERS: usize = 4;

/// So many values are tried as an example.
const MOST_TRIED: usize = 6;

/// A longer value is no example.
const MOST_CHARACTERS: usize = 30;

/// A remark on a recipe with a parameter.
pub(super) fn remark(
    look: &Look<'_>,
    asked: &Extract,
    header: &Header,
    number: u32,
    recipe: &Recipe,
) -> Option<String> {
    let parameter = recipe.parameter.as_ref()?;
    let given = asked.params.as_ref().and_then(|params| params.values().next()).and_then(Value::as_str);
    let examples = examples(look, header, parameter, given);
    let passes = |value: &str| {
        let params = [(parameter.name.to_owned(), Value::from(value))].into_iter().collect();
        look.finds(&Extract { recipe: Some(number), params: Some(params), ..Extract::default() })
    };
    let found = examples.candidates.iter().take(MOST_TRIED).find(|value| passes(value));
    let call = found.map(|value| format!("; pass `params` {}", pair(parameter.name, value)));
    let said = match given {
        None => format!(
            "recipe {number} ran without `{}`: `{}` is a placeholder for what you look for",
            parameter.name, parameter.default
        ),
        Some(given) => format!("recipe {number} finds `{}` in {}", cut(given, MOST_CHARACTERS), look.nobody()),
    };
    Some(format!("{said}{}{}", examples.listed, call.unwrap_or_default()))
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

fn examples(look: &Look<'_>, header: &Header, parameter: &Parameter, given: Option<&str>) -> Examples {
    let is_text = look.is_text();
    let path = if is_text { Some(Vec::new()) } else { path_of(header, parameter.name) };
    let Some(path) = path else { return Examples { listed: String::new(), candidates: all_texts(look) } };
    let values = Values::of(look, &path);
    let name = if is_text { "lines".to_owned() } else { crate::advice::jq_path(&path) };
    // A value that differs in its letters only is what was meant.
    let plain = |text: &str| text.trim().to_lowercase();
    let alike = values.frequent().into_iter().map(|(text, _)| unquoted(text));
    let alike = alike.filter(|text| given.is_some_and(|given| plain(text) == plain(given)));
    let is_value = matches!(parameter.name, "value" | "member" | "memory_type" | "tag") && !is_text;
    let mut candidates: Vec<String> = alike.take(1).collect();
    match is_value {
        true => candidates.extend(values.frequent().into_iter().map(|(text, _)| unquoted(text)).take(MOST_TRIED)),
        false if matches!(parameter.name, "prefix" | "namespace") => {
            candidates.extend(values.frequent_texts().map(|(text, _)| front(&text)).take(MOST_TRIED));
        }
        false => candidates.extend(values.frequent_texts().filter_map(|(text, _)| word(&text)).take(MOST_TRIED)),
    }
    candidates.retain(|value| !value.is_empty() && value.chars().count() <= MOST_CHARACTERS);
    let listed = match is_value && !values.are_none() {
        true => format!("; `{name}` has {}", values.listed()),
        false => {
            candidates.first().map_or_else(String::new, |_| format!("; `{name}` has texts like {}", sample(&values)))
        }
    };
    Examples { listed, candidates }
}

fn sample(values: &Values) -> String {
    let first = values.frequent_texts().next().map(|(text, _)| Value::from(text).to_string());
    first.map_or_else(String::new, |text| shown(&text))
}

/// The field that a recipe's parameter is compared with; `None` where it is any field.
fn path_of(header: &Header, parameter: &str) -> Option<Vec<String>> {
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

/// Texts of any field, for a recipe that looks at all.
fn all_texts(look: &Look<'_>) -> Vec<String> {
    let members = look.records.iter().filter_map(Value::as_object).flat_map(|members| members.values());
    members.filter_map(Value::as_str).map(str::to_owned).take(MOST_TRIED).collect()
}

fn unquoted(json: &str) -> String {
    serde_json::from_str(json).unwrap_or_else(|_| json.to_owned())
}

/// The beginning of a text that others may share: up to its first sign.
fn front(text: &str) -> String {
    let end = text.char_indices().find(|(at, c)| *at > 0 && !c.is_alphanumeric() && *c != '_').map(|(at, _)| at);
    text[..end.unwrap_or(text.len())].to_owned()
}

/// The first word of a text that says something.
fn word(text: &str) -> Option<String> {
    let words = text.split(|c: char| !c.is_alphanumeric());
    words.filter(|word| word.chars().count() >= LEAST_LETTERS).map(str::to_owned).next()
}
