//! Words that have an order of their own: `low` is less than `high`, and greater by its letters.

use serde_json::{Value, json};

use crate::extract::advice::nothing::conditions::{said, written};
use crate::extract::advice::nothing::route::Route;
use crate::extract::advice::nothing::sample::Sample;
use crate::extract::advice::nothing::values::{FieldValues, shown};
use crate::extract::criteria::{Condition, Field, Operator};

/// Words from the least to the greatest. Of several lists that fit, the first one is meant.
const LADDERS: [&[&str]; 5] = [
    &[
        "none",
        "negligible",
        "trivial",
        "info",
        "informational",
        "lowest",
        "low",
        "minor",
        "normal",
        "moderate",
        "medium",
        "major",
        "important",
        "high",
        "serious",
        "severe",
        "highest",
        "urgent",
        "critical",
        "blocker",
    ],
    &[
        "trace",
        "debug",
        "verbose",
        "info",
        "information",
        "notice",
        "warn",
        "warning",
        "error",
        "err",
        "severe",
        "fatal",
        "critical",
        "crit",
        "alert",
        "emerg",
        "emergency",
        "panic",
    ],
    &["small", "medium", "large"],
    &["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"],
    &[
        "january",
        "february",
        "march",
        "april",
        "may",
        "june",
        "july",
        "august",
        "september",
        "october",
        "november",
        "december",
    ],
];

/// More values are listed by no remark.
const MOST_VALUES: usize = 12;

/// True for a word that may be meant by its rank.
pub(super) fn is_word(text: &str) -> bool {
    LADDERS.iter().any(|ladder| place(ladder, text).is_some())
}

/// A remark on a condition that compares the letters of such words.
pub(super) fn of_condition(sample: &Sample<'_>, condition: &Condition) -> Option<String> {
    let asked = condition.values.iter().find_map(Value::as_str).filter(|_| condition.operator.is_order())?;
    let values = FieldValues::of(sample, &condition.field.parts);
    let least = place(ladder(&values, asked)?, asked)?;
    let holds = |order| condition.operator.holds(order);
    let ranked = ranked(&values, asked)?.into_iter();
    let wanted: Vec<String> = ranked.filter(|(_, rank)| holds(rank.cmp(&least))).map(|(text, _)| text).collect();
    let by_letters = |text: &String| holds(text.as_str().cmp(asked));
    if values.all_texts().iter().all(|text| by_letters(text) == wanted.contains(text)) {
        return None;
    }
    let instead: Vec<Value> = wanted.iter().map(|text| text.as_str().into()).collect();
    let instead = Condition::new(condition.field.clone(), Operator::In, instead);
    let told = format!("`{}` compares letter by letter", said(condition));
    let found = if wanted.is_empty() { 0 } else { sample.count(std::slice::from_ref(&instead)) };
    Some(match found {
        0 => format!("{told}: `{}` has {}", shown(&condition.field.name), values.listed()),
        found => format!("{told}; write `{}` ({})", written(&instead), sample.times(found)),
    })
}

/// What is told of records in the order of such letters, and the query that sorts by rank.
pub(super) fn of_sorting(sample: &Sample<'_>, field: &Field, descending: bool) -> Option<String> {
    let rank = rank(sample, field)?;
    let route = Route::to(sample, field).filter(|route| !route.has_lists)?;
    let reverse = if descending { " | reverse" } else { "" };
    Some(format!(
        "the records are sorted letter by letter; run the query `sort_by({} as $s | {rank}){reverse} | .[]` with `slurp`",
        route.jq
    ))
}

/// The same for the least or the greatest: of all records, if it is `alone`.
pub(super) fn of_aggregate(sample: &Sample<'_>, field: &Field, name: &str, alone: bool) -> Option<String> {
    let rank = rank(sample, field)?;
    let route = Route::to(sample, field)?;
    let by = if name.starts_with("min") { "min_by" } else { "max_by" };
    let by = format!("{by}(. as $s | {rank})");
    let told = format!("`{}` compares letter by letter", shown(name));
    Some(match alone {
        true => format!("{told}; run the query `[.[] | {} | strings] | {by}` with `slurp`", route.jq),
        false => format!("{told}; `{by}` in a query compares ranks"),
    })
}

/// The jq term of the rank of `$s`, where it differs from the order of letters.
fn rank(sample: &Sample<'_>, field: &Field) -> Option<String> {
    let values = FieldValues::of(sample, &field.parts);
    let ranked: Vec<String> = ranked(&values, "")?.into_iter().map(|(text, _)| text).collect();
    (!ranked.is_sorted()).then(|| format!("{} | index($s)", json!(ranked)))
}

/// The texts of a field from the least to the greatest, with their ranks; `None` if most are not words of one list.
fn ranked(values: &FieldValues, asked: &str) -> Option<Vec<(String, usize)>> {
    let ladder = ladder(values, asked)?;
    let known = values.all_texts().into_iter().filter_map(|text| Some((place(ladder, &text)?, text)));
    let mut known: Vec<(usize, String)> = known.collect();
    known.sort();
    Some(known.into_iter().map(|(rank, text)| (text, rank)).collect())
}

/// The list that most texts of a field are in, and the word that they are compared with.
fn ladder(values: &FieldValues, asked: &str) -> Option<&'static [&'static str]> {
    let texts = values.all_texts();
    if texts.len() > MOST_VALUES {
        return None;
    }
    let count = |ladder: &&[&str]| texts.iter().filter(|text| place(ladder, text).is_some()).count();
    let fits = |ladder: &&&'static [&'static str]| {
        let known = count(ladder);
        known > 1 && known * 2 > texts.len() && (asked.is_empty() || place(ladder, asked).is_some())
    };
    let mut best: Option<&'static [&'static str]> = None;
    for ladder in LADDERS.iter().filter(fits) {
        best = best.filter(|best| count(best) >= count(ladder)).or(Some(ladder));
    }
    best
}

fn place(ladder: &[&str], text: &str) -> Option<usize> {
    ladder.iter().position(|word| word.eq_ignore_ascii_case(text.trim()))
}
