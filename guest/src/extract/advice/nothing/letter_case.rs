//! A jq filter that finds nothing because the records have its texts in other letters: `bug` for `Bug`.

use std::ops::Range;

use lro_query::json::quote;
use serde_json::Value;

use super::sample::{MOST_FILTER_BYTES, Sample};
use super::values::shown;
use crate::settings::request::Extract;

/// At most this many filters are tried: each is a run over the sample.
const MOST_TRIED: usize = 8;

/// At most so many texts of a filter are looked for: each is a walk through the sample. A list of keys may have thousands.
const MOST_TEXTS: usize = 8;

/// A text has at most so many spellings that are tried.
const MOST_SPELLINGS: usize = 3;

/// Functions of a pattern, which take flags, and of a text, which take none.
const OF_PATTERNS: [&str; 4] = ["test", "match", "capture", "scan"];
const OF_TEXTS: [&str; 4] = ["contains", "startswith", "endswith", "index"];

/// A text in a filter, and where it stands, quotes included.
struct Text {
    place: Range<usize>,
    text: String,
}

/// A change of a filter: what stands instead at a place, and what it is about.
struct Change {
    place: Range<usize>,
    instead: String,
    told: String,
}

/// A filter that finds something with its texts in other letters.
pub(super) fn remark(sample: &Sample<'_>, asked: &Extract, filter: &str) -> Option<String> {
    let finds = |query: &String| sample.finds_by(asked, query);
    let texts: Vec<Text> = texts_in(filter).into_iter().filter(|one| has_letters(&one.text)).take(MOST_TEXTS).collect();
    let folded: Vec<Change> = texts.iter().filter_map(|one| folded(filter, one)).collect();
    let respelled: Vec<Vec<Change>> = texts.iter().map(|one| respelled(sample, one)).collect();
    // Each text as it is spelled first.
    let firsts: Vec<&Change> = respelled.iter().filter_map(|spellings| spellings.first()).collect();
    let several = |changes: Vec<_>| (changes.len() > 1).then_some(changes);
    let single = respelled.iter().flatten().chain(&folded).map(|change| vec![change]);
    let tried = several(firsts).into_iter().chain(single).chain(several(folded.iter().collect()));
    tried.take(MOST_TRIED).find_map(|changes| {
        let query = changed(filter, &changes);
        let told = &changes.first()?.told;
        (query.len() <= MOST_FILTER_BYTES && finds(&query)).then(|| format!("{told}: write `{query}`"))
    })
}

/// The texts of a filter. One with an interpolation is none.
fn texts_in(filter: &str) -> Vec<Text> {
    let (mut texts, mut at) = (Vec::new(), 0);
    while let Some(start) = filter[at..].find('"').map(|quote| at + quote) {
        let mut end = start + 1;
        while filter.as_bytes().get(end).is_some_and(|byte| *byte != b'"') {
            end += if filter.as_bytes()[end] == b'\\' { 2 } else { 1 };
        }
        let Some(written) = filter.get(start..=end) else { break };
        at = end + 1;
        texts.extend(serde_json::from_str(written).ok().map(|text| Text { place: start..at, text }));
    }
    texts
}

/// True for a text that has letters of two cases.
fn has_letters(text: &str) -> bool {
    text.bytes().any(|byte| byte.is_ascii_alphabetic())
}

/// The text as values of the records spell it.
fn respelled(sample: &Sample<'_>, Text { place, text }: &Text) -> Vec<Change> {
    let mut spellings = Vec::new();
    for record in &sample.records {
        collect(record, text, &mut spellings);
    }
    let change = |known: &str| Change {
        place: place.clone(),
        instead: quote(known),
        told: format!("the records have {}, not {}", shown(&quote(known)), shown(&quote(text))),
    };
    spellings.into_iter().map(change).collect()
}

/// Finds the spellings of a text among the values at any depth.
fn collect<'a>(value: &'a Value, text: &str, spellings: &mut Vec<&'a str>) {
    match value {
        Value::String(known) if known.len() == text.len() => {
            let is_new = spellings.len() < MOST_SPELLINGS && !spellings.contains(&known.as_str());
            if is_new && known != text && known.eq_ignore_ascii_case(text) {
                spellings.push(known);
            }
        }
        Value::Array(elements) => elements.iter().for_each(|element| collect(element, text, spellings)),
        Value::Object(members) => members.values().for_each(|member| collect(member, text, spellings)),
        _ => {}
    }
}

/// The function that looks for a text, with letters that make no difference.
fn folded(filter: &str, Text { place, text }: &Text) -> Option<Change> {
    let before = filter[..place.start].trim_end().strip_suffix('(')?.trim_end();
    let after = filter[place.end..].trim_start().strip_prefix(')')?.trim_start();
    let is_whole = |name: &str| {
        let rest = before.strip_suffix(name);
        rest.is_some_and(|rest| !rest.ends_with(|c: char| c.is_alphanumeric() || "_.$".contains(c)))
    };
    let name = OF_PATTERNS.into_iter().chain(OF_TEXTS).find(|name| is_whole(name))?;
    let told = format!("`{name}` tells large letters from small ones");
    if OF_PATTERNS.contains(&name) {
        if text.contains("(?i") {
            return None;
        }
        let instead = format!("{}; \"i\"", quote(text));
        return Some(Change { place: place.clone(), instead, told });
    }
    let start = before.len() - name.len();
    let end = place.end + filter[place.end..].find(')')? + 1;
    let call = format!("ascii_downcase | {name}({})", quote(&text.to_ascii_lowercase()));
    // Beside `and` and `or`, a pipe needs parentheses.
    let is_alone =
        filter[..start].trim_end().ends_with(['|', ';', '(']) && (after.is_empty() || after.starts_with([')', '|']));
    let instead = if is_alone { call } else { format!("({call})") };
    Some(Change { place: start..end, instead, told })
}

/// The filter with these changes, which stand in their order.
fn changed(filter: &str, changes: &[&Change]) -> String {
    let mut query = filter.to_owned();
    for change in changes.iter().rev() {
        query.replace_range(change.place.clone(), &change.instead);
    }
    query
}
