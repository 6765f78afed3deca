//! A field that no record has, and the one that was probably meant.

use serde_json::Value;

use super::columns;
use super::conditions::occurs;
use super::document;
use super::maps::Map;
use super::plain;
use super::sample::Sample;
use crate::extract::advice::fields::Fields;
use crate::extract::advice::functions::either;
use crate::extract::advice::reading::instead_of;
use crate::extract::criteria::Field;

/// More candidates are not a question any more.
const MOST_NAMED: usize = 4;

/// Says that no record has a field, suggests other fields, and says with `verb` what to do with the first of
/// them: `instead` makes a text of its path where that finds something.
pub(super) fn remark(
    sample: &Sample<'_>,
    field: &Field,
    verb: &str,
    instead: impl Fn(&[String]) -> Option<String>,
) -> String {
    let who = sample.nobody();
    let said = format!("{who} has `{}`", field.jq());
    let fields = sample.fields();
    let path: Vec<&str> = field.parts.iter().map(String::as_str).collect();
    if fields.get(&path).is_some() {
        let why = lists_in_lists(sample, field).unwrap_or_else(|| "it is null or empty".to_owned());
        return format!("{who} has a value at `{}`: {why}", field.jq());
    }
    if let Some(list) = field.list().filter(|list| occurs(sample, &list.parts)) {
        return format!("{said}: `{}` is not a list, or has fewer elements", list.jq());
    }
    let mut paths = candidates(field, &fields);
    if let Some(place) = document::place(sample.header)
        && let Some(rest) = field.parts.strip_prefix(place.0.as_slice()).filter(|rest| !rest.is_empty())
    {
        paths.insert(0, rest.to_vec());
    }
    if let Some(beside) = document::beside(sample.header, &field.parts) {
        return format!("{said}: {beside}");
    }
    let mut in_maps: Vec<(&[String], Map)> = Vec::new();
    for path in &paths {
        let map = Map::on(sample, path);
        // One key of a map is as good as the others.
        if map.as_ref().is_some_and(|map| in_maps.iter().any(|(_, known)| known.has(map))) {
            continue;
        }
        match (instead(path), map) {
            (Some(text), Some(map)) => return said + &map.advice(path, verb, Some(&text)),
            (Some(text), None) => {
                let also = |other: &&Vec<String>| {
                    *other != path
                        && other.last() == path.last()
                        && Map::on(sample, other).is_none()
                        && instead(other).is_some()
                };
                let others = paths.iter().filter(also).take(MOST_NAMED - 1);
                let near: Vec<String> =
                    std::iter::once(path).chain(others).map(|one| Field::of_path(one).jq()).collect();
                let first = if near.len() > 1 { "for the first, " } else { "" };
                return format!("{said}: did you mean {}? {first}{verb} `{text}`", either(&near));
            }
            (None, map) => in_maps.extend(map.map(|map| (path.as_slice(), map))),
        }
    }
    if let Some((path, map)) = in_maps.first() {
        return said + &map.advice(path, verb, None);
    }
    let near = paths.iter().filter(|path| occurs(sample, path)).take(MOST_NAMED);
    let near: Vec<String> = near.map(|path| Field::of_path(path).jq()).collect();
    match near.is_empty() {
        true if fields.is_empty() => columns::of_field(sample, field)
            .unwrap_or_else(|| said + &plain::explanation(sample, verb).unwrap_or_else(|| of_arrays(sample))),
        true => match fields.end_of(&path) {
            Some((length, instead)) => format!("{said}: `{}` {instead}", Field::of_path(&field.parts[..length]).jq()),
            None if fields.listed().is_empty() => said + &of_arrays(sample),
            None => format!("{said}; records have {}{}", fields.listed(), document::other_lists(sample.header)),
        },
        false => format!("{said}: did you mean {}?", either(&near)),
    }
}

/// What is there where lists have lists for elements, which no condition looks into.
fn lists_in_lists(sample: &Sample<'_>, field: &Field) -> Option<String> {
    let value = |record| field.parts.iter().try_fold(record, |value: &Value, part| value.get(part));
    let mut lists = sample.records.iter().filter_map(value).filter_map(Value::as_array);
    lists.any(|list| list.iter().any(Value::is_array)).then(|| {
        format!("it has lists in a list, which a `query` looks into, the first elements with `{}[][0]`", field.jq())
    })
}

/// What to do about records that are arrays.
fn of_arrays(sample: &Sample<'_>) -> String {
    let object = sample.records.iter().filter_map(Value::as_array).flatten().find_map(Value::as_object);
    if let Some(key) = object.and_then(|object| object.keys().next()) {
        let path = Field::of_path(std::slice::from_ref(key)).jq();
        return format!(
            "; records are arrays of objects: a `query` looks into them, `select(any(.[]; {path} == \"…\"))`"
        );
    }
    match sample.records.iter().find_map(Value::as_array) {
        Some(cells) => format!(
            "; records are arrays of {} values without names: a `query` reads them by their places, the first with `.[0]`",
            cells.len()
        ),
        None => String::new(),
    }
}

/// Paths that could have been meant: the same name deeper, nearer ones.
fn candidates(field: &Field, fields: &Fields) -> Vec<Vec<String>> {
    let last = field.parts.last().map(String::as_str).unwrap_or_default();
    let first = field.parts.first().map(String::as_str).unwrap_or_default();
    // A key with dots in it, which a path divides.
    let mut paths: Vec<Vec<String>> = fields.dotted(&field.parts.join(".")).into_iter().collect();
    paths.extend(fields.paths_to(last));
    for key in [last, first] {
        for text in instead_of(key, fields) {
            paths.extend(fields.keys_of(&text));
        }
    }
    // What is on the way to the field is not what was meant.
    paths.retain(|path| !field.parts.starts_with(path));
    let mut seen = std::collections::BTreeSet::new();
    paths.retain(|path| seen.insert(path.clone()));
    paths
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::tests::remarks;

    #[test]
    fn the_part_of_a_path_that_is_there_is_named() {
        let record = |n: u32| json!({"id": n, "a": {"b": {"d": n}, "l": [{"x": 1}]}, "void": null}).to_string();
        let records: Vec<String> = (1..9).map(record).collect();
        let rows = [
            (json!({"where": ["a.b.c=1"]}), "no record has `.a.b.c`: `.a.b` has d (number)"),
            (json!({"select": ["a.b.c"]}), "no record has `.a.b.c`: `.a.b` has d (number)"),
            (json!({"sort_by": "-a.b.d.e"}), "no record has `.a.b.d.e`: `.a.b.d` is a number"),
            (json!({"group_by": "a.l.y"}), "no record has `.a.l.y`: `.a.l` has x (number)"),
            (json!({"group_by": "void.y"}), "no record has `.void.y`: `.void` is null"),
            (json!({"query": ".a.b.c"}), "no record has `.a.b.c`: `.a.b` has d (number)"),
            (json!({"query": "select(.a.x.c > 1)"}), "no record has `.a.x`: `.a` has b (object), l (array)"),
            (json!({"query": "map(.a.b.c) | add", "slurp": true}), "no record has `.a.b.c`: `.a.b` has d (number)"),
            (json!({"query": ".void"}), "`.void` is null in every record"),
            (json!({"query": "select(.void > 3) | .id"}), "`.void` is null in every record"),
            (json!({"query": ".a | .b.d | select(. > 10)"}), "no record has `.a.b.d` > 10: it has numbers from 1 to 8"),
            // Not all elements are known.
            (json!({"query": ".a.l[].y"}), ""),
        ];
        for (asked, expected) in rows {
            assert_eq!(remarks("records", &records, &asked).concat(), expected, "{asked}");
        }
    }
}
