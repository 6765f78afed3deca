//! The schema of records of any shape, by inference: types, nested objects, few values, formats, examples.

use serde_json::{Map, Value, json};

use super::{DIALECT, KEY_CHARACTERS, types};
use crate::fields::inference::{Field, Inference};
use crate::fields::survey::Types;

/// Longer values are not used as examples.
const EXAMPLE_BYTES: usize = 40;

/// At most this many values are listed, with this many bytes in total.
const MOST_ENUMERATED: usize = 8;
const ENUMERATED_BYTES: usize = 100;

/// Renders the schema with at most `breadth` properties in all, those of the records first. Every record that was
/// looked at validates against it.
pub fn render(inference: &Inference, breadth: usize, with_examples: bool) -> Value {
    let mut schema = Map::new();
    schema.insert("$schema".into(), DIALECT.into());
    let mut left = breadth;
    describe(&inference.root, &mut schema, &mut left, with_examples);
    schema.into()
}

/// Adds what is known of the values at one place.
fn describe(field: &Field, schema: &mut Map<String, Value>, left: &mut usize, with_examples: bool) {
    schema.insert("type".into(), types_of(field));
    if let Some(values) = enumeration(field) {
        schema.insert("enum".into(), values.into());
    } else if field.is_scalar() {
        if let Some(format) = field.strings.format() {
            schema.insert("format".into(), format.into());
        }
        if let Some(example) = example(field).filter(|_| with_examples) {
            schema.insert("examples".into(), json!([example]));
        }
    }
    let fields: Vec<&Field> =
        field.fields.iter().filter(|field| field.key.chars().count() <= KEY_CHARACTERS).take(*left).collect();
    *left -= fields.len();
    if !fields.is_empty() {
        let always = |inner: &&&Field| inner.present == field.present;
        let required: Vec<&str> = fields.iter().filter(always).map(|inner| inner.key.as_str()).collect();
        let mut properties = Map::new();
        for inner in &fields {
            let mut property = Map::new();
            describe(inner, &mut property, left, with_examples);
            properties.insert(inner.key.clone(), property.into());
        }
        schema.insert("properties".into(), properties.into());
        if !required.is_empty() {
            schema.insert("required".into(), required.into());
        }
    }
    if let Some(items) = field.items.as_deref().filter(|items| items.present > 0 && *left > 0) {
        *left -= 1;
        let mut inner = Map::new();
        describe(items, &mut inner, left, with_examples);
        schema.insert("items".into(), inner.into());
    }
}

/// Numbers without point and exponent are integers.
fn types_of(field: &Field) -> Value {
    let whole = field.numbers.are_whole();
    let integer = |name: Value| if whole && name == "number" { "integer".into() } else { name };
    match types(field.types) {
        Value::Array(names) => names.into_iter().map(integer).collect(),
        name => integer(name),
    }
}

/// All values of a field of strings that has few.
fn enumeration(field: &Field) -> Option<Vec<Value>> {
    let categories = field.categories()?;
    let bytes: usize = categories.iter().map(|(value, _)| value.len() + 1).sum();
    let listed = field.types.within(Types::STRING.and(Types::NULL))
        && categories.len() <= MOST_ENUMERATED
        && bytes <= ENUMERATED_BYTES;
    let mut values: Vec<Value> = Vec::new();
    if listed {
        for (value, _) in categories {
            let value: Value = serde_json::from_str(value).ok()?;
            if !values.contains(&value) {
                values.push(value);
            }
        }
    }
    listed.then_some(values)
}

/// The first value, if it is short and not null.
fn example(field: &Field) -> Option<Value> {
    let (value, _) = field.values.few.iter().find(|(value, _)| value != "null" && value.len() <= EXAMPLE_BYTES)?;
    serde_json::from_str(value).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_schema_says_what_the_records_are() {
        let record = |n: usize| {
            let state = if n.is_multiple_of(2) { "\"open\"" } else { "null" };
            format!(
                r#"{{"n":{n},"state":{state},"at":"2026-01-01T00:00:0{n}Z","user":{{"name":"u{n}"}},"tags":["a{n}"],"x":1.5}}"#
            )
        };
        let mut records: Vec<String> = (0..8).map(record).collect();
        records[3] = records[3].replace(r#","x":1.5"#, "");
        let schema = render(&Inference::of(&records), 40, true);
        let expected = json!({
            "$schema": DIALECT,
            "type": "object",
            "properties": {
                "n": {"type": "integer", "examples": [0]},
                "state": {"type": ["string", "null"], "enum": ["open", null]},
                "at": {"type": "string", "format": "date-time", "examples": ["2026-01-01T00:00:00Z"]},
                "user": {"type": "object", "properties": {"name": {"type": "string", "examples": ["u0"]}}, "required": ["name"]},
                "tags": {"type": "array", "items": {"type": "string", "examples": ["a0"]}},
                "x": {"type": "number", "examples": [1.5]},
            },
            "required": ["n", "state", "at", "user", "tags"],
        });
        assert_eq!(schema, expected);
        assert_eq!(schema.to_string(), expected.to_string(), "the order counts too");
        let narrow = render(&Inference::of(&records), 6, false);
        assert_eq!(narrow["properties"]["user"], json!({"type": "object"}));
        assert_eq!(narrow["properties"]["n"], json!({"type": "integer"}));
    }

    #[test]
    fn records_of_several_types_have_several() {
        let schema = render(&Inference::of(["1", "\"a\"", "[1,null]"]), 9, false);
        assert_eq!(schema["type"], json!(["string", "integer", "array"]));
        assert_eq!(schema["items"]["type"], json!(["integer", "null"]));
    }
}
