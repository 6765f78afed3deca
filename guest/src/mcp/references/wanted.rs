//! Which types a value may have at a place of a tool's arguments, by the tool's input schema.

use lro_query::json::Type;
use serde_json::{Map, Value};

/// Schemas refer to each other, in circles too. A place of a real schema has fewer alternatives.
const MOST_SCHEMAS: usize = 64;

/// The schema of a place; `None` where there is none, which wants nothing.
#[derive(Debug, Clone, Copy)]
pub(super) struct Wanted<'a> {
    root: Option<&'a Map<String, Value>>,
    schema: Option<&'a Map<String, Value>>,
}

impl<'a> Wanted<'a> {
    /// The schema of all arguments.
    pub(super) fn of(root: Option<&'a Map<String, Value>>) -> Self {
        Self { root, schema: root }
    }

    fn at(&self, schema: Option<&'a Value>) -> Self {
        Self { root: self.root, schema: schema.and_then(Value::as_object) }
    }

    /// What is wanted of a member.
    pub(super) fn member(&self, key: &str) -> Self {
        self.find(&|schema| {
            let named = schema.get("properties").and_then(|properties| properties.get(key));
            named.or_else(|| schema.get("additionalProperties"))
        })
    }

    /// What is wanted of an element.
    pub(super) fn element(&self, number: usize) -> Self {
        self.find(&|schema| {
            let first = ["prefixItems", "items"].iter().filter_map(|key| schema.get(*key)?.get(number));
            first.chain(schema.get("items")).next()
        })
    }

    /// The first place below that one of the schemas for this place leads to.
    fn find(&self, below: &impl Fn(&'a Map<String, Value>) -> Option<&'a Value>) -> Self {
        let all = self.alternatives(|_| true);
        let found = all.iter().map(|schema| self.at(below(schema))).find(|found| found.schema.is_some());
        found.unwrap_or(self.at(None))
    }

    /// The schema, and those that it refers to or is made of, as far as `goes_on` says so.
    fn alternatives(&self, goes_on: impl Fn(&Map<String, Value>) -> bool) -> Vec<&'a Map<String, Value>> {
        let mut all: Vec<_> = self.schema.into_iter().collect();
        let mut turn = 0;
        while let Some(schema) = all.get(turn).copied().filter(|_| all.len() < MOST_SCHEMAS) {
            turn += 1;
            if !goes_on(schema) {
                continue;
            }
            let referred = schema.get("$ref").and_then(Value::as_str).and_then(|place| self.referred(place));
            let combined = ["anyOf", "oneOf", "allOf"].iter().filter_map(|key| schema.get(*key)?.as_array()).flatten();
            all.extend(referred.into_iter().chain(combined).filter_map(Value::as_object).take(MOST_SCHEMAS));
        }
        all
    }

    /// The schema at a place of the document, `#/$defs/name`.
    fn referred(&self, place: &str) -> Option<&'a Value> {
        let mut steps = place.strip_prefix("#/")?.split('/');
        let unescaped = |step: &str| step.replace("~1", "/").replace("~0", "~");
        let first = self.root?.get(&unescaped(steps.next()?))?;
        steps.try_fold(first, |value, step| value.get(unescaped(step)))
    }

    /// The names of the types that a value may have; empty where it may have any.
    pub(super) fn types(&self) -> Vec<&'a str> {
        let mut types = Vec::new();
        for schema in self.alternatives(|schema| own_types(schema).is_empty()) {
            for name in own_types(schema) {
                if !types.contains(&name) {
                    types.push(name);
                }
            }
        }
        types
    }
}

/// The types that a schema itself names.
fn own_types(schema: &Map<String, Value>) -> Vec<&str> {
    match (schema.get("type"), schema.get("const"), schema.get("enum")) {
        (Some(Value::String(name)), ..) => vec![name],
        (Some(Value::Array(names)), ..) => names.iter().filter_map(Value::as_str).collect(),
        (_, Some(constant), _) => vec![type_of(constant)],
        (_, _, Some(Value::Array(values))) => values.iter().map(type_of).collect(),
        _ => Vec::new(),
    }
}

fn type_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

/// True if one of these types is that of a JSON text.
pub(super) fn allows(types: &[&str], json: &str) -> bool {
    let found = Type::of(json).name();
    let is_whole = || !json.contains(['.', 'e', 'E']);
    types.is_empty()
        || types.iter().any(|name| *name == found || (*name == "integer" && found == "number" && is_whole()))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn types(wanted: &Wanted<'_>) -> String {
        wanted.types().join(",")
    }

    #[test]
    fn types_are_read_wherever_a_schema_has_them() {
        let schema = json!({
            "properties": {
                "a": {"type": "string"},
                "b": {"type": ["array", "null"], "items": {"type": "object", "properties": {"c": {"type": "number"}}}},
                "d": {"$ref": "#/$defs/d~1d"},
                "e": {"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "integer"}}]},
                "f": {"enum": ["x", 1]},
                "g": {"$ref": "#/properties/g"},
                "h": {"prefixItems": [{"type": "string"}], "items": {"type": "boolean"}},
                "i": true,
            },
            "additionalProperties": {"type": "object"},
            "$defs": {"d/d": {"oneOf": [{"$ref": "#/properties/a"}, {"type": "object", "properties": {"n": {"const": null}}}]}},
        });
        let root = Wanted::of(schema.as_object());
        let rows = [
            (root.member("a"), "string"),
            (root.member("b"), "array,null"),
            (root.member("b").element(3), "object"),
            (root.member("b").element(3).member("c"), "number"),
            (root.member("d"), "object,string"),
            (root.member("d").member("n"), "null"),
            (root.member("e"), "string,array"),
            (root.member("e").element(0), "integer"),
            (root.member("f"), "string,number"),
            (root.member("g"), ""),
            (root.member("g").member("x"), ""),
            (root.member("h").element(0), "string"),
            (root.member("h").element(1), "boolean"),
            (root.member("i"), ""),
            (root.member("unknown"), "object"),
            (Wanted::of(None).member("a").element(1), ""),
        ];
        for (number, (wanted, expected)) in rows.iter().enumerate() {
            assert_eq!(types(wanted), *expected, "row {number}");
        }
    }

    #[test]
    fn a_schema_may_be_as_hostile_as_it_likes() {
        let circle =
            json!({"allOf": [{"$ref": "#"}, {"$ref": "#/allOf/0"}, {"$ref": "#/allOf"}, {"$ref": 7}], "type": {}});
        let root = Wanted::of(circle.as_object());
        assert_eq!(types(&root.member("a").element(0)), "");
        let text = r#"{"type":["array",7],"items":[],"properties":[]}"#;
        let schema = serde_json::from_str::<Map<String, Value>>(text).unwrap();
        assert_eq!(types(&Wanted::of(Some(&schema)).element(0)), "");
        assert_eq!(types(&Wanted::of(Some(&schema))), "array");
    }

    #[test]
    fn a_whole_number_is_an_integer() {
        let rows =
            [("7", "integer", true), ("7.5", "integer", false), ("7", "number", true), ("\"7\"", "integer", false)];
        for (json, name, expected) in rows {
            assert_eq!(allows(&[name], json), expected, "{json} {name}");
        }
        assert!(allows(&[], "[]"));
    }
}
