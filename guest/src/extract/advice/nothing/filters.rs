//! A jq filter that runs and finds nothing: the texts that it compares, and trees that it looks at from outside.

use lro_query::json::quote;
use lro_query::{Arena, Limits, Query};

use super::sample::{MOST_FILTER_BYTES, Sample};
use super::values::shown;
use super::{document, in_jq, letter_case, looked_for};
use crate::extract::advice::AskedFilter;
use crate::extract::advice::fields::jq;
use crate::extract::advice::reading::{FilterReading, Literal};
use crate::extract::advice::sought::sought;
use crate::fields::survey::Types;
use crate::settings::request::Extract;

/// At most this many filters are tried: each is a run over the sample.
const MOST_TRIED: usize = 8;

/// A remark on a filter. Where `is_told` what is wrong with it, only what is known better.
pub(super) fn remark(sample: &Sample<'_>, asked: &Extract, filter: &str, is_told: bool) -> Option<String> {
    let slurps = asked.slurp == Some(true);
    if sample.has_returns() && !slurps {
        return without_returns(sample, asked, filter);
    }
    let (arena, limits) = (Arena::default(), Limits::default());
    let query = Query::parse(filter, &arena, &limits).ok()?;
    let reading = FilterReading::of(AskedFilter { filter, query: Some(&query), slurps, note: "" });
    let fields = sample.fields();
    let is_nowhere = |key: &str| fields.get(&[key]).is_none() && fields.places_of(key).is_empty();
    let absent = reading.paths.iter().filter(|path| is_nowhere(&path[0]));
    if let Some(beside) = absent.filter_map(|path| beside(sample, path)).next() {
        return Some(beside);
    }
    let compared = reading.compared.iter().filter_map(|(path, literal)| match literal {
        Literal::Text(text) => Some((path.as_slice(), text.as_str())),
        Literal::Number(_) => None,
    });
    let compared: Vec<(&[String], &str)> = compared.collect();
    let in_jq =
        in_jq::of_digits(sample, asked, filter).or_else(|| in_jq::of_texts(sample, asked, filter, query.tree()));
    if in_jq.is_some() {
        return in_jq;
    }
    if let Some(told) = of_any(sample, asked, filter) {
        return Some(told);
    }
    let list = compared.iter().find_map(|(path, text)| of_list(sample, asked, filter, path, text));
    let list = list.or_else(|| of_index(sample, asked, filter));
    if list.is_some() || is_told {
        return list;
    }
    let other_letters = || letter_case::remark(sample, asked, filter);
    looked_for::remark(sample, asked, filter, &sought(query.tree()))
        .or_else(other_letters)
        .or_else(|| inside_of_trees(sample, asked, filter))
}

/// A remark on a path that leads to something in the document, or on what its first key leads to.
fn beside(sample: &Sample<'_>, path: &[String]) -> Option<String> {
    document::beside(sample.header, path).or_else(|| document::beside(sample.header, &path[..1]))
}

/// A filter that finds something in lines without the carriage return at their end.
fn without_returns(sample: &Sample<'_>, asked: &Extract, filter: &str) -> Option<String> {
    let query = format!("rtrimstr(\"\\r\") | {}", filter.trim());
    let finds = sample.finds_by(asked, &query);
    (finds && query.len() <= MOST_FILTER_BYTES)
        .then(|| format!("lines end with a carriage return: run the query `{query}`"))
}

/// A text that is compared with a list, which has it as an element or in one of its elements.
fn of_list(sample: &Sample<'_>, asked: &Extract, filter: &str, path: &[String], text: &str) -> Option<String> {
    let keys: Vec<&str> = path.iter().map(String::as_str).collect();
    let (here, written) = (jq(&keys), quote(text));
    let fields = sample.fields();
    if !fields.get(&keys)?.types.has(Types::ARRAY) {
        return None;
    }
    let compared = [format!("{here} == {written}"), format!("{here}=={written}")];
    let there = compared.iter().find(|compared| filter.contains(*compared))?;
    let query = holding(sample, asked, filter, there, &keys, &written)?;
    Some(format!("`{here}` is an array: write `{query}`"))
}

/// Elements that are asked for as if they were one value: `any(.tags; . == "vip")`.
fn of_any(sample: &Sample<'_>, asked: &Extract, filter: &str) -> Option<String> {
    let (begin, rest) = ["any(.", "all(."].into_iter().find_map(|begin| {
        let (_, rest) = filter.split_once(begin)?;
        Some((begin, rest))
    })?;
    let (path, _) = rest.split_once(';')?;
    let keys: Vec<&str> = path.trim().split('.').collect();
    if !sample.fields().get(&keys)?.types.has(Types::ARRAY) {
        return None;
    }
    let query = filter.replacen(&format!("{begin}{path};"), &format!("{begin}{}[];", path.trim()), 1);
    let finds = query.len() <= MOST_FILTER_BYTES && sample.finds_by(asked, &query);
    finds.then(|| format!("`.{}` is an array: write `{query}`", path.trim()))
}

/// A text whose place is asked for in an array of objects: `.labels | index("bug")`.
fn of_index(sample: &Sample<'_>, asked: &Extract, filter: &str) -> Option<String> {
    let (before, after) = filter.split_once("index(")?;
    let written = after.split_once(')')?.0.trim();
    serde_json::from_str::<String>(written).ok()?;
    let path = before.trim_end().strip_suffix('|')?.trim_end();
    let is_path = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '.';
    let here = &path[path.trim_end_matches(is_path).len()..];
    let keys: Vec<&str> = here.strip_prefix('.')?.split('.').collect();
    let start = path.len() - here.len();
    let there = &filter[start..before.len() + "index(".len() + after.find(')')? + 1];
    let query = holding(sample, asked, filter, there, &keys, written)?;
    Some(format!("`{here}` has no element {}: write `{query}`", shown(written)))
}

/// The filter with a condition that holds where a list has a text, as an element or in one, in the place of `there`.
fn holding(
    sample: &Sample<'_>,
    asked: &Extract,
    filter: &str,
    there: &str,
    keys: &[&str],
    written: &str,
) -> Option<String> {
    let (here, fields) = (jq(keys), sample.fields());
    let elements: Vec<&str> = keys.iter().copied().chain(["[]"]).collect();
    let of_objects = fields.below(&elements).filter(|field| field.types.has(Types::STRING));
    let of_objects = of_objects.map(|field| format!("any({here}[]?; {} == {written})", jq(&[field.key()])));
    let conditions = std::iter::once(format!("any({here}[]?; . == {written})")).chain(of_objects);
    let queries = conditions.map(|condition| filter.replace(there, &condition));
    let finds = |query: &String| sample.finds_by(asked, query);
    queries.take(MOST_TRIED).find(finds).filter(|query| query.len() <= MOST_FILTER_BYTES)
}

/// A filter that holds for objects inside of the records.
fn inside_of_trees(sample: &Sample<'_>, asked: &Extract, filter: &str) -> Option<String> {
    if !filter.trim_start().starts_with("select(") || asked.slurp == Some(true) {
        return None;
    }
    let query = format!(".. | objects | {}", filter.trim());
    let finds = sample.finds_by(asked, &query);
    let call = match query.len() <= MOST_FILTER_BYTES {
        true => format!("run the query `{query}`"),
        false => "let it begin with `.. | objects | `".to_owned(),
    };
    finds.then(|| format!("the filter finds something deeper inside the records: {call}"))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::tests::remarks;

    #[test]
    fn elements_are_asked_for_one_by_one() {
        let records: Vec<String> = (0..9).map(|n| json!({"id": n, "tags": ["vip", "eu"]}).to_string()).collect();
        let said = remarks("records", &records, &json!({"query": "select(any(.tags; . == \"vip\"))"}));
        assert_eq!(said, ["`.tags` is an array: write `select(any(.tags[]; . == \"vip\"))`"]);
    }
}
