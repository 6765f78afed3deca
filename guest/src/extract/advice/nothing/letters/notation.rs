//! How the texts of a field write what they mean, and the jq term of it.

use std::collections::BTreeSet;

use lro_query::json::quote;
use serde_json::Value;

use super::measures;
use crate::extract::advice::nothing::dates;
use crate::extract::advice::nothing::route::Route;
use crate::extract::advice::nothing::sample::Sample;
use crate::extract::advice::nothing::values::{FieldValues, shown};

/// So many texts decide on a notation: more cost time and say the same.
const MOST_TEXTS: usize = 200;

/// So many dates tell whether a format is worth a try.
const FIRST_DATES: usize = 3;

/// What dates in another notation than ISO 8601 are called.
const DATES: &str = "dates";

/// A notation of values in texts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Notation {
    /// What the texts are, in words.
    pub(super) noun: &'static str,
    /// A text of this notation.
    pub(crate) example: String,
    /// The jq filter that turns a text into a value that compares; `None` if there is no short one.
    pub(super) body: Option<String>,
    /// The outputs of the filter are the parts of the value.
    pub(super) has_parts: bool,
    /// A date that is read by no format.
    pub(super) unread: Option<String>,
    /// Some texts with digits have no value, and would be left out without a word.
    pub(super) is_partial: bool,
}

impl Notation {
    /// The notation of most of these texts.
    pub(super) fn with(noun: &'static str, example: &str, body: Option<String>, has_parts: bool) -> Self {
        Self { noun, example: example.to_owned(), body, has_parts, unread: None, is_partial: false }
    }

    /// The notation of most texts of a field, and of what they are compared with; that of numbers if there is any.
    pub(crate) fn of(sample: &Sample<'_>, name: &str, values: &FieldValues, asked: Option<&str>) -> Option<Self> {
        let texts = values.all_texts();
        let mut notation = Self::of_texts(sample, name, &texts[..texts.len().min(MOST_TEXTS)], asked)?;
        let mut all: Vec<Value> = texts.into_iter().map(Value::from).collect();
        if values.numbers > 0 {
            notation.body = notation.body.map(|body| format!("tostring | {body}"));
            all.extend(values.some_number().map(Value::Number));
        }
        let is_told = |value: &Value| value.as_str().is_none_or(has_digits);
        let read = notation.values(sample, &all);
        let unread = all.iter().zip(read).find(|(value, read)| read.is_none() && is_told(value));
        if let Some((unread, _)) = unread {
            notation.unread = unread.as_str().filter(|_| notation.noun == DATES).map(str::to_owned);
            notation.is_partial = notation.unread.is_none();
        }
        Some(notation)
    }

    /// The notation of the words that lines begin with.
    pub(super) fn of_first_words(sample: &Sample<'_>, words: &[String]) -> Option<Self> {
        Self::of_texts(sample, "", &words[..words.len().min(MOST_TEXTS)], None)
    }

    fn of_texts(sample: &Sample<'_>, name: &str, texts: &[String], asked: Option<&str>) -> Option<Self> {
        if !texts.iter().any(|text| has_digits(text)) {
            return None;
        }
        if let Some(versions) = measures::of_version_field(name, texts) {
            return Some(versions);
        }
        if texts.iter().all(|text| measures::is_number(text)) {
            return measures::of_numbers(texts);
        }
        let are_most = |is_one: fn(&str) -> bool| texts.iter().filter(|text| is_one(text)).count() * 2 > texts.len();
        if are_most(|text| dates::year(text).is_some()) {
            return of_other_zones(texts, asked);
        }
        if are_most(dates::is_of_another_notation) {
            return of_dates(sample, texts);
        }
        measures::of(texts, asked).or_else(|| measures::of_numbers(texts))
    }

    /// The texts are dates, which the term writes in ISO 8601.
    pub(super) fn is_of_dates(&self) -> bool {
        self.noun == DATES
    }

    /// Nothing is known of the values.
    pub(super) fn is_only_told(&self) -> bool {
        self.body.is_none()
    }

    /// The jq term of the values at a path, for a remark; `None` if it would leave records out without a word.
    pub(crate) fn offered(&self, route: &Route) -> Option<String> {
        if self.is_partial { None } else { self.term(route) }
    }

    /// What is said of texts that a query leaves out; empty if there are none.
    pub(crate) fn left_out(&self) -> String {
        let unread = self.unread.as_ref().map(|text| format!(", which leaves out {}", shown(&quote(text))));
        unread.unwrap_or_default()
    }

    /// The jq filter of the value of a text.
    pub(crate) fn body(&self) -> Option<String> {
        let body = self.body.as_ref()?;
        Some(if self.has_parts { format!("[{body}]") } else { body.clone() })
    }

    /// The jq term of the values at a path. It gives nothing for other texts.
    fn term(&self, route: &Route) -> Option<String> {
        let (body, path) = (self.body()?, &route.jq);
        Some(match route.has_lists {
            true => format!("({path} | ({body})?)"),
            false => format!("({path} | {body})?"),
        })
    }

    /// The value of a text.
    pub(crate) fn value(&self, sample: &Sample<'_>, text: &str) -> Option<Value> {
        self.values(sample, &[text.into()]).pop()?
    }

    /// The values of texts, as jq has them.
    pub(crate) fn values(&self, sample: &Sample<'_>, texts: &[Value]) -> Vec<Option<Value>> {
        let read = self.body().and_then(|body| sample.each(&format!("({body})?"), texts));
        read.unwrap_or_else(|| vec![None; texts.len()])
    }
}

/// True for a text that may be a number.
pub(super) fn has_digits(text: &str) -> bool {
    text.bytes().any(|byte| byte.is_ascii_digit())
}

/// Dates in ISO 8601 compare as texts, unless they are of different zones. Before the time is a `T` or a blank.
fn of_other_zones(texts: &[String], asked: Option<&str>) -> Option<Notation> {
    let zone = |text: &str| Some(text[text.find(['T', ' '])?..].trim_start_matches(|c| !"Z+-".contains(c)).to_owned());
    let all = texts.iter().map(String::as_str).chain(asked.filter(|asked| dates::year(asked).is_some()));
    let zones: BTreeSet<String> = all.filter_map(zone).filter(|zone| !zone.is_empty()).collect();
    let has_blanks = texts.iter().any(|text| text.contains(' '));
    let body = if has_blanks { "sub(\" \"; \"T\") | fromdate" } else { "fromdate" };
    let noun = "dates of different time zones";
    (zones.len() > 1).then(|| Notation::with(noun, &texts[0], Some(body.to_owned()), false))
}

/// Dates that do not compare as texts, in the format that reads most of them: a date may have a slip. Where a day and a
/// month can be taken for each other, there is none.
fn of_dates(sample: &Sample<'_>, texts: &[String]) -> Option<Notation> {
    let dates: Vec<String> = texts.iter().filter(|text| dates::is_of_another_notation(text)).cloned().collect();
    let with = |body: Option<String>| Notation::with(DATES, &dates[0], body, false);
    let values_of: Vec<Value> = dates.iter().map(|date| date.as_str().into()).collect();
    let mut best: Option<(usize, Notation, Vec<Option<Value>>)> = None;
    let mut is_ambiguous = false;
    for format in dates::FORMATS {
        let time = if format.contains("%H") { "%FT%T" } else { "%F" };
        let notation = with(Some(format!("strptime(\"{format}\") | strftime(\"{time}\")")));
        // Most formats read none of the first ones.
        if count_dates(&notation.values(sample, &values_of[..dates.len().min(FIRST_DATES)])) == 0 {
            continue;
        }
        let values = notation.values(sample, &values_of);
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
