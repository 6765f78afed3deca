//! Expected values against found ones:
//!
//! 1. An object matches when each expected key matches; other keys may be there. A key whose expected value is
//!    `"{{absent}}"` must be missing.
//! 2. An array matches element by element, and has as many.
//! 3. A string is literal but for `{{…}}`: `{{any}}` is any text, and as a whole string any value; `{{ulid}}` and
//!    `{{timestamp}}` are what their names say; other names stand for the values of [`Names`].
//! 4. Numbers are equal by value; everything else is equal.

use serde_json::Value;

use crate::names::Names;

/// What a whole expected string says about a key.
const ABSENT: &str = "{{absent}}";
const ANY: &str = "{{any}}";

/// Says where and how `found` differs from `expected`, the first time that it does.
pub fn mismatch(expected: &Value, found: &Value, names: &Names) -> Option<String> {
    at(String::new(), expected, found, names)
}

fn at(path: String, expected: &Value, found: &Value, names: &Names) -> Option<String> {
    let differs = || {
        Some(format!("{path}: expected {expected}, found {found}", path = if path.is_empty() { "." } else { &path }))
    };
    match (expected, found) {
        (Value::String(any), _) if any == ANY => None,
        (Value::Object(expected), Value::Object(found)) => expected.iter().find_map(|(key, expected)| {
            let path = format!("{path}.{key}");
            match found.get(key) {
                None if expected == ABSENT => None,
                None => Some(format!("{path}: expected {expected}, found nothing")),
                Some(found) if expected == ABSENT => Some(format!("{path}: expected nothing, found {found}")),
                Some(found) => at(path, expected, found, names),
            }
        }),
        (Value::Array(expected), Value::Array(found)) if expected.len() == found.len() => {
            let pairs = expected.iter().zip(found).enumerate();
            pairs.into_iter().find_map(|(i, (expected, found))| at(format!("{path}[{i}]"), expected, found, names))
        }
        (Value::String(expected), Value::String(found)) => {
            if names.matches(expected, found) {
                None
            } else {
                differs()
            }
        }
        (Value::Number(expected), Value::Number(found)) => {
            if expected.as_f64() == found.as_f64() {
                None
            } else {
                differs()
            }
        }
        _ if expected == found => None,
        _ => differs(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn the_four_rules() {
        let mut names = Names::default();
        names.set("directory", "/out");
        let rows = [
            (json!({"a": 1}), json!({"a": 1.0, "b": 2}), true),
            (json!({"a": 1}), json!({}), false),
            (json!({"a": "{{absent}}"}), json!({}), true),
            (json!({"a": "{{absent}}"}), json!({"a": null}), false),
            (json!([1, "{{any}}"]), json!([1, {"x": 2}]), true),
            (json!([1]), json!([1, 2]), false),
            (json!("{{directory}}/atlatl-{{ulid}}.jsonl"), json!("/out/atlatl-01ARZ3NDEKTSV4RRFFQ69G5FAV.jsonl"), true),
            (json!("a.c"), json!("abc"), false),
            (json!("a{{any}}c"), json!("a\nc"), true),
            (json!("{{timestamp}}"), json!("2026-01-02T03:04:05.678Z"), true),
            (json!("{{timestamp}}"), json!("yesterday"), false),
            (json!(null), json!(false), false),
        ];
        for (expected, found, matches) in rows {
            assert_eq!(mismatch(&expected, &found, &names).is_none(), matches, "{expected} {found}");
        }
    }
}
