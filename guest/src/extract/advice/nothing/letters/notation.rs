//! How the texts of a field write what they mean, and the jq term of it.

use serde_json::Value;

use super::measures;
use crate::extract::advice::nothing::dates;
use crate::extract::advice::nothing::sample::Sample;

/// So many texts decide on a notation: more cost time and say the same.
const MOST_TEXTS: usize = 200;

/// So many dates tell whether a format is worth a try.
const FIRST_DATES: usize = 3;

/// What texts with plain numbers are called.
const PLAIN: &str = "texts";

/// A notation of values in texts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Notation {
    /// What the texts are, in words.
    pub(super) noun: &'static str,
    /// A text of this notation.
    pub(super) example: String,
    /// The jq filter that turns a text into a value that compares; `None` if there is no short one.
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

/// Dates that do not compare as texts, in the format that reads most of them: a date may have a slip. Where a day and a
/// month can be taken for each other, there is none.
fn of_dates(sample: &Sample<'_>, texts: &[String]) -> Option<Notation> {
    let dates: Vec<String> = texts.iter().filter(|text| dates::is_of_another_notation(text)).cloned().collect();
    let with = |body: Option<String>| Notation { noun: "dates", example: dates[0].clone(), body, has_parts: false };
    let mut best: Option<(usize, Notation, Vec<Option<Value>>)> = None;
    let mut is_ambiguous = false;
    for format in dates::FORMATS {
        let time = if format.contains("%H") { "%FT%T" } else { "%F" };
        let notation = with(Some(format!("strptime(\"{format}\") | strftime(\"{time}\")")));
        // Most formats read none of the first ones.
        if count_dates(&notation.values(sample, &dates[..dates.len().min(FIRST_DATES)])) == 0 {
            continue;
        }
        let values = notation.values(sample, &dates);
        let read = count_dates(&values);
        match &best {
            // May is both short and long.
            Some((most, _, others)) if *most == read => is_ambiguous |= *others != values,
            Some((most, ..)) if *most > read => {}
            _ => {
                best = Some((read, notation, values));
                is_ambiguous = false;
            }
        }
    }
    let best = best.filter(|(read, ..)| read * 2 > dates.len() && !is_ambiguous);
    Some(best.map_or_else(|| with(None), |(_, notation, _)| notation))
}

/// How many dates there are; `%Y` takes two digits for a year of antiquity.
fn count_dates(values: &[Option<Value>]) -> usize {
    values.iter().flatten().filter_map(Value::as_str).filter(|date| !date.starts_with("00")).count()
}
