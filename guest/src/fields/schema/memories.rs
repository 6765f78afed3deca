//! The schema of memories: their fields in an order of their own.

use serde_json::{Map, Value, json};

use super::{DIALECT, KEY_CHARACTERS, types};
use crate::fields::survey::{MemoryField, Survey, Types};

/// The fields of a memory that a model asks for first, in the order in which a schema lists them.
const MEMORY_FIELDS: [&str; 12] = [
    "id",
    "title",
    "namespace",
    "memory_type",
    "tags",
    "created",
    "content",
    "confidence",
    "modified",
    "status",
    "summary",
    "provenance",
];

/// Fields that a memory may always lack (decision 15).
const NULLABLE: [&str; 3] = ["title", "namespace", "tags"];

/// Renders the schema, with at most `breadth` properties. Every record that was surveyed validates against it.
pub fn render(survey: &Survey, breadth: usize) -> Value {
    let mut fields: Vec<&MemoryField> =
        survey.fields.iter().filter(|field| field.key.chars().count() <= KEY_CHARACTERS).collect();
    let rank = |field: &&MemoryField| MEMORY_FIELDS.iter().position(|key| *key == field.key).unwrap_or(usize::MAX);
    fields.sort_by_key(rank);
    fields.truncate(breadth);
    let always = |field: &&&MemoryField| field.present == survey.count;
    let required: Vec<&str> = fields.iter().filter(always).map(|field| field.key.as_str()).collect();
    let properties: Map<String, Value> =
        fields.iter().map(|field| (field.key.clone(), property(field, survey))).collect();

    let mut schema = Map::new();
    schema.insert("$schema".into(), DIALECT.into());
    schema.insert("type".into(), types(survey.types));
    if !properties.is_empty() {
        schema.insert("properties".into(), properties.into());
    }
    if !required.is_empty() {
        schema.insert("required".into(), required.into());
    }
    schema.into()
}

fn property(field: &MemoryField, survey: &Survey) -> Value {
    let nullable = NULLABLE.contains(&field.key.as_str());
    let seen = if nullable { field.types.and(Types::NULL) } else { field.types };
    let mut property = json!({"type": types(seen)});
    if field.key == "provenance" && !survey.confidence.is_empty() {
        property["properties"] = json!({"confidence": {"type": types(survey.confidence)}});
    }
    property
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_memory_has_its_fields_in_order_and_may_lack_three() {
        let survey = Survey::of([r#"{"x":1,"title":"t","id":"1"}"#, r#"{"id":"2","provenance":{"confidence":1}}"#]);
        let expected = json!({
            "$schema": DIALECT,
            "type": "object",
            "properties": {
                "id": {"type": "string"},
                "title": {"type": ["string", "null"]},
                "provenance": {"type": "object", "properties": {"confidence": {"type": "number"}}},
                "x": {"type": "number"},
            },
            "required": ["id"],
        });
        let schema = render(&survey, 9);
        assert_eq!(schema, expected);
        assert_eq!(schema.to_string(), expected.to_string(), "the order counts too");
    }

    #[test]
    fn breadth_is_bounded_and_what_is_no_object_is_named_by_type() {
        let survey = Survey::of([r#"{"a":1,"b":2,"c":3}"#, "7", "null"]);
        let schema = render(&survey, 2);
        assert_eq!(schema["type"], json!(["number", "object", "null"]));
        assert_eq!(schema["properties"].as_object().unwrap().len(), 2);
        assert_eq!(schema.get("required"), None);
    }

    #[test]
    fn long_keys_are_left_out() {
        let record = format!(r#"{{"{}":1}}"#, "k".repeat(1000));
        assert_eq!(render(&Survey::of(&[record]), 9).get("properties"), None);
    }
}
