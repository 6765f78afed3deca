//! How the texts of a field write what they mean, and the jq term of it.

use serde_json::Value;

use super::measures;
use crate::extract::advice::nothing::dates;
use crate::extract::advice::nothing::sample::Sample;

/// So many texts decide on a notation: more cost time and say the same.
const MOST_TEXTS: usize = 200;

/// What texts with plain numbers are called.
const PLAIN: &str = "texts";

/// A notation of values in texts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Notation {
    /// What the texts are, in words.
    pub(super) noun: &'static str,
    /// A text of this notation.
    pub(super) example: String,
    /// What jq does with a text to get a value that compares; nothing if there is no short way.
    pub(super) body: Option<String>,
    /// The outputs of the filter are the parts of the value.
    pub(super) has_parts: bool,
}

impl Notation {
    /// The notation of most of these texts; that of numbers if there is any.
    pub(crate) fn of(sample: &Sample<'_>, texts: &[String]) -> Option<Self> {
        let texts = &texts[..texts.len().min(MOST_TEXTS)];
        let numbers = || {
            let example = texts.iter().find(|text| measures::is_number(text))?.clone();
            Some(Self { noun: PLAIN, example, body: Some("tonumber?".to_owned()), has_parts: false })
        };
        if !texts.iter().any(|text| text.bytes().any(|byte| byte.is_ascii_digit())) {
            return None;
        }
        if texts.iter().all(|text| measures::is_number(text)) {
            return numbers();
        }
        let are_most = |is_one: fn(&str) -> bool| texts.iter().filter(|text| is_one(text)).count() * 2 > texts.len();
        if are_most(|text| dates::year(text).is_some()) {
            return of_other_zones(texts);
        }
        if are_most(dates::is_of_another_notation) {
            return of_dates(sample, texts);
        }
        measures::of(texts).or_else(numbers)
    }

    /// Nothing is known of the values.
    pub(super) fn is_only_told(&self) -> bool {
        self.body.is_none()
    }

    /// What is compared, in words.
    pub(super) fn plural(&self) -> &'static str {
        if self.noun == PLAIN { "numbers" } else { self.noun }
    }

    /// The jq term of the value of a text at a path. It gives nothing for other texts.
    pub(crate) fn term(&self, path: &str) -> Option<String> {
        let body = self.body.as_ref()?;
        Some(match self.has_parts {
            true => format!("[{path} | {body}]?"),
            false if body.ends_with('?') => format!("({path} | {body})"),
            false => format!("({path} | {body})?"),
        })
    }

    /// The value of a text.
    pub(crate) fn value(&self, sample: &Sample<'_>, text: &str) -> Option<Value> {
        self.values(sample, &[text.to_owned()]).pop()?
    }

    /// The values of texts, as jq has them.
    pub(super) fn values(&self, sample: &Sample<'_>, texts: &[String]) -> Vec<Option<Value>> {
        self.term(".").and_then(|term| sample.each(&term, texts)).unwrap_or_else(|| vec![None; texts.len()])
    }
}

/// Dates in ISO 8601 compare as texts, unless they are of different zones.
fn of_other_zones(texts: &[String]) -> Option<Notation> {
    let zone =
        |text: &String| Some(text[text.find('T')?..].trim_start_matches(|c: char| !"Z+-".contains(c)).to_owned());
    let zones: std::collections::BTreeSet<String> =
        texts.iter().filter_map(zone).filter(|zone| !zone.is_empty()).collect();
    (zones.len() > 1).then(|| Notation {
        noun: "dates of different time zones",
        example: texts[0].clone(),
        body: Some("fromdate".to_owned()),
        has_parts: false,
    })
}

/// Dates that do not compare as texts, in the format that reads them all. Where a day and a month can be taken for each
/// other, there are two.
fn of_dates(sample: &Sample<'_>, texts: &[String]) -> Option<Notation> {
    let dates: Vec<String> = texts.iter().filter(|text| dates::is_of_another_notation(text)).cloned().collect();
    let with = |body: Option<String>| Notation { noun: "dates", example: dates[0].clone(), body, has_parts: false };
    let notations = dates::FORMATS.iter().map(|format| {
        let time = if format.contains("%H") { "%FT%T" } else { "%F" };
        with(Some(format!("strptime(\"{format}\") | strftime(\"{time}\")")))
    });
    // `%Y` takes two digits for a year of antiquity.
    let is_read =
        |value: &Option<Value>| value.as_ref().and_then(Value::as_str).is_some_and(|date| !date.starts_with("00"));
    // Most formats do not even read the first one.
    let reads = |notation: &Notation| {
        is_read(&notation.value(sample, &dates[0])) && notation.values(sample, &dates).iter().all(is_read)
    };
    let mut read = notations.filter(reads);
    let (one, other) = (read.next(), read.next());
    let is_same = |one: &Notation, other: &Notation| one.values(sample, &dates) == other.values(sample, &dates);
    // May is both short and long.
    Some(match (one, other) {
        (Some(one), None) => one,
        (Some(one), Some(other)) if is_same(&one, &other) => one,
        _ => with(None),
    })
}
