//! The fields of records in the shortest notation that needs no manual:
//! `{id: int, title: string|null, state: 'open'|'closed', labels: [{name: string}], milestone?: {…}}`.

use lro_query::json::quote;

use super::KEY_CHARACTERS;
use crate::fields::inference::{Field, Inference};
use crate::fields::survey::{Survey, Types};
use crate::payload::shown::is_word;

/// Up to this many values, of up to this many bytes in total, are listed: they say more than their type.
const MOST_VALUES: usize = 6;
const VALUE_BYTES: usize = 60;

/// How much is said.
#[derive(Debug, Clone, Copy)]
pub struct Breadth {
    /// Fields in all, those of the records first.
    pub fields: usize,
    /// Whether the values of a field with few are listed.
    pub values: bool,
}

/// The fields of records.
pub fn of_records(inference: &Inference, breadth: Breadth) -> String {
    let mut left = breadth.fields;
    typed(&inference.root, &mut left, breadth.values)
}

/// The fields of memories.
pub fn of_memories(survey: &Survey, breadth: Breadth) -> String {
    let fields: Vec<String> = survey
        .fields
        .iter()
        .filter(|field| field.key.chars().count() <= KEY_CHARACTERS)
        .take(breadth.fields)
        .map(|field| {
            let types = match field.key.as_str() {
                "provenance" if !survey.confidence.is_empty() => {
                    format!("{{confidence: {}, …}}", names(survey.confidence, false).join("|"))
                }
                _ => names(field.types, false).join("|"),
            };
            member(&field.key, field.present == survey.objects, &types)
        })
        .collect();
    object(fields, survey.fields.len())
}

fn typed(field: &Field, left: &mut usize, values: bool) -> String {
    if let Some(values) = listed(field).filter(|_| values) {
        return values;
    }
    let mut types = names(field.types, field.numbers.are_whole());
    for name in &mut types {
        match name.as_str() {
            "string" => match field.strings.format() {
                Some("date-time") => *name = "datetime".into(),
                Some("uri") => *name = "url".into(),
                _ => {}
            },
            "object" => *name = fields(field, left, values),
            "array" => *name = items(field, left, values),
            _ => {}
        }
    }
    types.join("|")
}

/// The names of types, as programs have them.
fn names(types: Types, whole: bool) -> Vec<String> {
    let short = |name| match name {
        "boolean" => "bool",
        "number" if whole => "int",
        name => name,
    };
    types.names().map(|name| short(name).to_owned()).collect()
}

fn fields(field: &Field, left: &mut usize, values: bool) -> String {
    let known: Vec<&Field> =
        field.fields.iter().filter(|inner| inner.key.chars().count() <= KEY_CHARACTERS).take(*left).collect();
    *left -= known.len();
    let shown = known
        .iter()
        .map(|inner| member(&inner.key, inner.present == field.objects, &typed(inner, left, values)))
        .collect();
    object(shown, if field.is_open { usize::MAX } else { field.fields.len() })
}

fn items(field: &Field, left: &mut usize, values: bool) -> String {
    let Some(items) = field.items.as_deref().filter(|items| items.present > 0) else { return "[]".into() };
    if *left == 0 {
        return "[…]".into();
    }
    *left -= 1;
    format!("[{}]", typed(items, left, values))
}

/// `name: type`; a question mark tells that some records lack the field.
fn member(key: &str, always: bool, types: &str) -> String {
    let key = if is_word(key) { key.to_owned() } else { quote(key) };
    format!("{key}{}: {types}", if always { "" } else { "?" })
}

/// The members in braces, and that there are more.
fn object(mut members: Vec<String>, all: usize) -> String {
    if all > members.len() {
        members.push("…".into());
    }
    format!("{{{}}}", members.join(", "))
}

/// All values of a field of strings that has few: in single quotes, which JSON need not escape.
fn listed(field: &Field) -> Option<String> {
    let values = field.categories().filter(|values| values.len() <= MOST_VALUES)?;
    let bytes: usize = values.iter().map(|(value, _)| value.len() + 1).sum();
    let are_plain = field.types.within(Types::STRING.and(Types::NULL))
        && values.iter().all(|(value, _)| !value.contains(['\\', '\'']) && value.is_ascii());
    let name = |(value, _): &(String, u32)| match value.strip_prefix('"').and_then(|text| text.strip_suffix('"')) {
        Some(text) => format!("'{text}'"),
        None => value.clone(),
    };
    (are_plain && bytes <= VALUE_BYTES).then(|| values.iter().map(name).collect::<Vec<_>>().join("|"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const WHOLE: Breadth = Breadth { fields: 40, values: true };

    fn inference(records: &[String]) -> Inference {
        Inference::of(records)
    }

    #[test]
    fn types_are_written_as_programs_have_them() {
        let record = |n: usize| {
            let state = if n.is_multiple_of(2) { "\"open\"" } else { "null" };
            let extra = if n == 3 { "" } else { r#","x":1.5"# };
            format!(
                r#"{{"n":{n},"state":{state},"at":"2026-01-01T00:00:0{n}Z","user":{{"name":"u{n}","ok":true}},"tags":["a{n}"],"odd key":[],"url":"https://x.example/{n}"{extra}}}"#
            )
        };
        let records: Vec<String> = (0..8).map(record).collect();
        let inference = inference(&records);
        assert_eq!(
            of_records(&inference, WHOLE),
            "{n: int, state: 'open'|null, at: datetime, user: {name: string, ok: bool}, tags: [string], \
             \"odd key\": [], url: url, x?: number}"
        );
        assert_eq!(
            of_records(&inference, Breadth { fields: 5, values: false }),
            "{n: int, state: string|null, at: datetime, user: {…}, tags: […], …}"
        );
        assert_eq!(of_records(&inference, Breadth { fields: 0, values: false }), "{…}");
    }

    #[test]
    fn records_of_several_types_have_several() {
        let records = ["1", "\"a\"", "[1,null]", "{}"].map(str::to_owned);
        assert_eq!(of_records(&inference(&records), WHOLE), "string|int|[int|null]|{}");
    }

    #[test]
    fn memories_have_their_fields() {
        let survey =
            Survey::of([r#"{"id":"1","title":null,"provenance":{"confidence":0.5}}"#, r#"{"id":"2","title":"t"}"#]);
        assert_eq!(
            of_memories(&survey, WHOLE),
            "{id: string, title: string|null, provenance?: {confidence: number, …}}"
        );
        assert_eq!(of_memories(&survey, Breadth { fields: 1, values: true }), "{id: string, …}");
    }
}
