//! Lines of a text that begin with numbers or sizes, in the order of their letters: `9 a` after `10 b`.

use std::cmp::Ordering;
use std::collections::BTreeSet;

use serde_json::Value;

use super::notation::{Notation, has_digits};
use super::{compared, shown};
use crate::extract::advice::nothing::sample::Sample;

/// Fewer lines do not show that a text is a table.
const LEAST_LINES: usize = 3;

/// The first word of a line in jq; other programs write blanks before numbers.
const FIRST_WORD: &str = r#"capture("^\\s*(?<w>\\S+)").w"#;

/// A remark on lines that are sorted.
pub(crate) fn remark(sample: &Sample<'_>, descending: bool) -> Option<String> {
    let lines: Vec<&str> =
        sample.records.iter().filter_map(Value::as_str).filter(|line| !line.trim().is_empty()).collect();
    let words: Vec<&str> = lines.iter().filter_map(|line| line.split_whitespace().next()).collect();
    let begins = |word: &&&str| word.starts_with(|c: char| c.is_ascii_digit() || c == '-') && has_digits(word);
    if lines.len() < LEAST_LINES || words.iter().filter(begins).count() * 10 < words.len() * 9 {
        return None;
    }
    let distinct: BTreeSet<&str> = words.iter().copied().collect();
    let texts: Vec<String> = distinct.into_iter().map(str::to_owned).collect();
    let notation = Notation::of_first_words(sample, &texts)?;
    let body = notation.body()?;
    let all: Vec<Value> = words.iter().map(|word| (*word).into()).collect();
    let values = notation.values(sample, &all);
    let mut sorted: Vec<(&str, Value)> = lines.iter().copied().zip(values).filter_map(|(l, v)| Some((l, v?))).collect();
    sorted.sort_by_key(|(line, _)| *line);
    let is_wrong = |pair: &&[(&str, Value)]| compared(&pair[0].1, &pair[1].1).is_some_and(Ordering::is_gt);
    let wrong = sorted.windows(2).find(is_wrong)?;
    let reverse = if descending { " | reverse" } else { "" };
    Some(format!(
        "the lines are sorted letter by letter, and begin with {} like {}; run the query `sort_by([{FIRST_WORD} | \
         ({body})?]){reverse} | .[]` with `slurp`",
        if notation.noun == "texts" { "numbers" } else { notation.noun },
        shown(&Value::from(first(wrong[1].0)).to_string())
    ))
}

fn first(line: &str) -> &str {
    line.split_whitespace().next().unwrap_or_default()
}
