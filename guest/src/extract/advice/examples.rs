//! Hints show jq on the fields of memories; here they show it on the fields of the records that were asked.

use lro_query::json::quote;

use super::AskedFilter;
use super::fields::{Fields, jq};
use super::reading::FilterReading;
use crate::fields::survey::Types;
use crate::payload::path::key;

/// Fields in the examples of hints, the longer ones first, with what they hold.
const EXAMPLES: [(&str, Types); 6] = [
    (".provenance.confidence", Types::NUMBER),
    (".confidence", Types::NUMBER),
    (".title", Types::STRING),
    (".namespace", Types::STRING),
    (".memory_type", Types::STRING),
    (".tags", Types::ARRAY),
];

/// Texts in these examples, which other fields do not hold.
const VALUES: [&str; 2] = ["\"semantic\"", "\"_semantic\""];

/// Fields whose text people look at first.
const TEXTS: [&str; 9] = ["title", "name", "subject", "label", "message", "summary", "description", "status", "state"];

/// An example of what a record has.
const KEYS: &str = "{id, title}";

/// True for a hint with an example.
pub(super) fn has_one(hint: &str) -> bool {
    hint.contains(KEYS) || EXAMPLES.iter().any(|(example, _)| hint.contains(example))
}

/// A hint with its examples on fields that the filter reads, or else the records have. One that is true of these records, or in
/// the words of the filter, stays.
pub(super) fn of_records(hint: String, asked: AskedFilter<'_>, fields: &Fields) -> String {
    let (reading, filter) = (FilterReading::of(asked), asked.filter);
    let mut text = hint;
    for (example, types) in EXAMPLES {
        if !text.contains(example) || filter.contains(example) {
            continue;
        }
        let keys: Vec<&str> = example[1..].split('.').collect();
        let read = reading.paths.iter().find(|path| holds(path, types, fields)).filter(|path| path.len() >= keys.len());
        let is_had = fields.get(&keys).is_some();
        let other = || match keys.len() {
            _ if is_had => None,
            1 => first(types, fields),
            _ => nested(fields),
        };
        let Some(path) = read.cloned().or_else(other) else { continue };
        let path: Vec<&str> = path.iter().map(String::as_str).collect();
        let (shown, name) = (keys[keys.len() - 1], path.last().copied().unwrap_or_default());
        text = text.replace(&format!("{{{shown}: "), &format!("{{{}: ", key(name)));
        text = text.replace(&format!("has(\"{shown}\")"), &format!("has({})", quote(name)));
        text = text.replace(example, &jq(&path));
        for value in VALUES {
            text = text.replace(value, "\"…\"");
        }
    }
    with_keys(text, filter, fields)
}

/// `{id, title}`, of records that lack one of them: their first two fields.
fn with_keys(text: String, filter: &str, fields: &Fields) -> String {
    let mut top = fields.top().map(|field| key(field.key()));
    let has_both = ["id", "title"].iter().all(|name| fields.get(&[name]).is_some());
    match (top.next(), top.next()) {
        (Some(first), Some(second)) if text.contains(KEYS) && !has_both && !filter.contains("title") => {
            text.replace(KEYS, &format!("{{{first}, {second}}}"))
        }
        _ => text,
    }
}

fn holds(path: &[String], types: Types, fields: &Fields) -> bool {
    let path: Vec<&str> = path.iter().map(String::as_str).collect();
    !path.contains(&"[]") && fields.get(&path).is_some_and(|field| field.types.has(types))
}

/// The field of the records that an example of these types is shown on.
fn first(types: Types, fields: &Fields) -> Option<Vec<String>> {
    let fits = || fields.top().filter(|field| field.types.has(types));
    let by_name = || TEXTS.iter().find_map(|name| fits().find(|field| field.key() == *name));
    let is_id = |name: &str| name.to_ascii_lowercase().ends_with("id");
    let found = by_name().or_else(|| fits().find(|field| !is_id(field.key())))?;
    Some(vec![found.key().to_owned()])
}

/// A field of an object in the records.
fn nested(fields: &Fields) -> Option<Vec<String>> {
    fields.top().find_map(|field| {
        let outer = [field.key()];
        let inner = fields.below(&outer).next()?;
        Some(vec![field.key().to_owned(), inner.key().to_owned()])
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_example_is_on_the_fields_of_the_records() {
        let fields = Fields::sample(
            &br#"{"order_id":"o1","customer":{"name":"A","limit":5},"name":"Ann","net price":2.5,"flags":["x"]}"#[..],
        )
        .unwrap();
        let rows = [
            ("write `.title | ascii_downcase`", "lower(.customer.name)", "write `.customer.name | ascii_downcase`"),
            ("write `.title | ascii_downcase`", "lower", "write `.name | ascii_downcase`"),
            ("write `map(.confidence) | add` with slurp", "sum", "write `map(.\"net price\") | add` with slurp"),
            (
                "write `map(.confidence) | add` with slurp",
                "[.customer.limit] | sum",
                "write `map(.customer.limit) | add` with slurp",
            ),
            ("write `.tags | index(\"x\")`", "inarray", "write `.flags | index(\"x\")`"),
            ("`select(.memory_type == \"semantic\")`", "where(.name)", "`select(.name == \"…\")`"),
            ("`{namespace: .[0].namespace, n: length}`", "countby(.name)", "`{name: .[0].name, n: length}`"),
            (
                "write `has(\"title\")`, or `.title != null`",
                "exists(.name)",
                "write `has(\"name\")`, or `.name != null`",
            ),
            ("write `has(\"tags\")`, or `.tags`", "exists", "write `has(\"flags\")`, or `.flags`"),
            ("write `{confidence: .provenance.confidence}`", "{.id}", "write `{name: .customer.name}`"),
            ("write `{id, title}`", "pick", "write `{order_id, customer}`"),
            ("write `.title | trim`", ".title | strip", "write `.title | trim`"),
        ];
        for (hint, filter, expected) in rows {
            let asked = AskedFilter { filter, query: None, slurps: false, note: "" };
            assert!(has_one(hint), "{hint}");
            assert_eq!(of_records(hint.to_owned(), asked, &fields), expected, "{filter}");
        }
    }
}
