//! The values that a field has in the records that were looked at.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use lro_query::json::{cut, escape_hidden};
use serde_json::Value;

use super::sample::Sample;
use crate::extract::advice::nearest::respelled;
use crate::extract::criteria::places;

/// A sentence lists at most this many values.
const MOST_NAMED: usize = 5;

/// Their text has at most this many bytes in total: an answer over MCP has room for 500 bytes of remarks.
const NAMED_BYTES: usize = 160;

/// A sentence quotes at most this much of a value.
const VALUE_CHARACTERS: usize = 40;

/// More distinct values are not counted: they are not a small set, and would fill memory.
const MOST_DISTINCT: usize = 5_000;

/// Longer text is prose, and is not counted.
const MOST_VALUE_BYTES: usize = 200;

/// A text is compared with so many of the most frequent values, letter by letter: 2,000 of this length take 10 ms.
const MOST_RESPELLED: usize = 2_000;

/// A longer text is a sentence.
const MOST_RESPELLED_CHARACTERS: usize = 40;

/// More different values that have an order are said by their ends.
const FEW_VALUES: usize = 5;

/// So many different values are a small set, which is listed rather than guessed at.
const FEW: usize = 12;

/// And all of them have at most this many bytes.
const FEW_BYTES: usize = 300;

/// The values of a field, elements of arrays for themselves.
#[derive(Debug, Default)]
pub(super) struct FieldValues {
    /// Texts, numbers and booleans as JSON, and how often they occur.
    by_text: BTreeMap<String, u32>,
    /// There are texts.
    pub(super) texts: u32,
    /// There are numbers.
    pub(super) numbers: u32,
    /// There are objects.
    pub(super) objects: u32,
    least: Option<f64>,
    /// The largest number.
    pub(super) greatest: Option<f64>,
    /// Some were not counted.
    is_cut: bool,
}

impl FieldValues {
    /// The values at a path.
    pub(super) fn of(sample: &Sample<'_>, path: &[String]) -> Self {
        let mut values = Self::default();
        for record in &sample.records {
            reached(record, path, &mut |value| values.note(value));
        }
        values
    }

    /// The keys of the objects at a path, as texts.
    pub(super) fn of_keys(sample: &Sample<'_>, path: &[String]) -> Self {
        let mut values = Self::default();
        for record in &sample.records {
            reached(record, path, &mut |value| {
                let keys = value.as_object().into_iter().flat_map(|members| members.keys());
                keys.for_each(|key| values.note(&Value::from(key.as_str())));
            });
        }
        values
    }

    fn note(&mut self, value: &Value) {
        match value {
            Value::Null | Value::Array(_) => return,
            Value::Object(_) => {
                self.objects += 1;
                return;
            }
            Value::String(text) => {
                self.texts += 1;
                if text.len() > MOST_VALUE_BYTES {
                    self.is_cut = true;
                    return;
                }
            }
            Value::Number(number) => {
                self.numbers += 1;
                if let Some(number) = number.as_f64() {
                    self.least = Some(self.least.map_or(number, |least| least.min(number)));
                    self.greatest = Some(self.greatest.map_or(number, |greatest| greatest.max(number)));
                }
            }
            Value::Bool(_) => {}
        }
        let text = value.to_string();
        if let Some(times) = self.by_text.get_mut(&text) {
            *times += 1;
        } else if self.by_text.len() < MOST_DISTINCT {
            self.by_text.insert(text, 1);
        } else {
            self.is_cut = true;
        }
    }

    /// True if no record has anything there.
    pub(super) fn are_none(&self) -> bool {
        self.by_text.is_empty() && self.objects == 0 && self.texts == 0
    }

    /// True if a number or a boolean is written so.
    pub(super) fn has_json(&self, text: &str) -> bool {
        !text.starts_with('"') && self.by_text.contains_key(text)
    }

    /// True for a small set of values.
    pub(super) fn are_few(&self) -> bool {
        (1..=FEW).contains(&self.by_text.len()) && !self.is_cut && self.objects == 0
    }

    /// True for a field that is true or false.
    pub(super) fn are_truths(&self) -> bool {
        !self.by_text.is_empty() && self.by_text.keys().all(|text| matches!(&**text, "true" | "false"))
    }

    /// The values, the most frequent first.
    pub(super) fn frequent(&self) -> Vec<(&str, u32)> {
        let mut all: Vec<(&str, u32)> = self.by_text.iter().map(|(text, times)| (text.as_str(), *times)).collect();
        all.sort_by_key(|(text, times)| (Reverse(*times), *text));
        all
    }

    /// The texts, the most frequent first, with how often they occur.
    pub(super) fn frequent_texts(&self) -> impl Iterator<Item = (String, u32)> {
        self.frequent().into_iter().filter_map(|(text, times)| Some((serde_json::from_str(text).ok()?, times)))
    }

    /// The text that was probably meant by one that is not there.
    pub(super) fn respelled(&self, wrong: &str) -> Option<String> {
        if wrong.chars().count() > MOST_RESPELLED_CHARACTERS {
            return None;
        }
        let texts: Vec<String> = self.frequent_texts().take(MOST_RESPELLED).map(|(text, _)| text).collect();
        respelled(wrong, texts.iter().map(String::as_str)).map(str::to_owned)
    }

    /// One of the numbers.
    pub(super) fn some_number(&self) -> Option<serde_json::Number> {
        self.by_text.keys().find_map(|text| serde_json::from_str(text).ok())
    }

    /// The texts in the order of their letters.
    pub(super) fn all_texts(&self) -> Vec<String> {
        let mut texts: Vec<String> = self.frequent_texts().map(|(text, _)| text).collect();
        texts.sort_unstable();
        texts
    }

    /// A value in the middle: of the numbers, or of the texts where there are none.
    pub(super) fn middle(&self) -> Option<Value> {
        if self.numbers == 0 {
            let texts: Vec<&String> = self.by_text.keys().filter(|text| text.starts_with('"')).collect();
            return serde_json::from_str(texts.get(texts.len() / 2)?).ok();
        }
        let numbers = self.by_text.keys().filter_map(|text| serde_json::from_str::<serde_json::Number>(text).ok());
        let mut numbers: Vec<_> = numbers.collect();
        numbers.sort_by(|a, b| a.as_f64().partial_cmp(&b.as_f64()).unwrap_or(std::cmp::Ordering::Equal));
        (!numbers.is_empty()).then(|| Value::Number(numbers.swap_remove(numbers.len() / 2)))
    }

    /// What there is, in words: `"open" (12), "closed" (3)`, `numbers from 1 to 9`.
    pub(super) fn listed(&self) -> String {
        match (self.least, self.greatest) {
            (Some(least), Some(greatest)) if self.texts == 0 && self.by_text.len() > FEW_VALUES => {
                format!("numbers from {least} to {greatest}")
            }
            _ if self.by_text.is_empty() && self.texts > 0 => "long texts".to_owned(),
            _ if self.by_text.is_empty() && self.objects > 0 => "objects".to_owned(),
            _ => self.named(MOST_NAMED, NAMED_BYTES),
        }
    }

    /// All values of a small set, and some of others.
    pub(super) fn listed_if_few(&self) -> String {
        if self.are_few() && self.numbers == 0 { self.named(FEW, FEW_BYTES) } else { self.listed() }
    }

    /// The same where values are put in an order.
    pub(super) fn ranged(&self) -> String {
        let mut texts = self.by_text.keys().filter(|text| text.starts_with('"'));
        match (texts.next(), texts.next_back()) {
            (Some(first), Some(last)) if self.numbers == 0 && self.by_text.len() > FEW_VALUES => {
                format!("texts from {} to {}", shown(first), shown(last))
            }
            _ => self.listed(),
        }
    }

    fn named(&self, most: usize, most_bytes: usize) -> String {
        let all = self.frequent();
        let mut named: Vec<String> = Vec::new();
        let mut bytes = 0;
        for (text, times) in all.iter().take(most) {
            let value = format!("{} ({times})", shown(text));
            // Long texts may begin alike.
            if named.contains(&value) {
                continue;
            }
            bytes += value.len();
            if bytes > most_bytes && !named.is_empty() {
                break;
            }
            named.push(value);
        }
        match (all.len() - named.len(), self.is_cut) {
            (0, false) => named.join(", "),
            (0, true) => format!("{}, and others", named.join(", ")),
            (more, false) => format!("{}, and {more} more", named.join(", ")),
            (_, true) => format!("{}, and many more", named.join(", ")),
        }
    }
}

/// JSON text shortened for use in a sentence.
pub(super) fn shown(json: &str) -> String {
    let text = escape_hidden(cut(json, VALUE_CHARACTERS));
    if text.ends_with('…') && json.starts_with('"') { format!("{text}\"") } else { text }
}

/// Passes on every value at a path. Arrays along it and at its end are searched, as in criteria.
pub(super) fn reached<'v>(value: &'v Value, path: &[String], take: &mut impl FnMut(&'v Value)) {
    let Some((first, rest)) = path.split_first() else {
        match value {
            Value::Array(elements) => elements.iter().for_each(take),
            value => take(value),
        }
        return;
    };
    match value.get(first).or_else(|| element(value, first)) {
        Some(Value::Array(elements)) if !rest.is_empty() => {
            elements.iter().for_each(|element| reached(element, rest, take));
        }
        Some(value) => reached(value, rest, take),
        None => {}
    }
}

/// The element that a key with places leads to: `coordinates[2]`.
fn element<'v>(value: &'v Value, part: &str) -> Option<&'v Value> {
    let (key, places) = places(part)?;
    places.into_iter().try_fold(value.get(key)?, |list, place| {
        let elements = list.as_array()?;
        let place = usize::try_from(place).or_else(|_| {
            let from_end = usize::try_from(place.unsigned_abs()).unwrap_or(usize::MAX);
            elements.len().checked_sub(from_end).ok_or(())
        });
        elements.get(place.ok()?)
    })
}
