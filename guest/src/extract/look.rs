//! A record as a value, to look at its fields. What serde_json refuses is read as well: half of a surrogate pair, and a
//! number beyond all floats. Records may have them, and a filter reads them.

use lro_query::json::{Members, unquote};
use serde_json::value::RawValue;
use serde_json::{Map, Number, Value};

/// What is deeper is not looked at.
const MOST_DEPTH: u32 = 100;

/// The value of a JSON text; `None` if it is none.
pub(super) fn value_of(json: &[u8]) -> Option<Value> {
    serde_json::from_slice(json).ok().or_else(|| {
        let raw: &RawValue = serde_json::from_slice(json).ok()?;
        Some(read(raw.get(), 0))
    })
}

fn read(json: &str, depth: u32) -> Value {
    match json.as_bytes().first() {
        _ if depth == MOST_DEPTH => Value::Null,
        Some(b'{') => {
            let members = Members::of(json).unwrap_or_default();
            let read = |(key, value): (_, &str)| (String::from(key), read(value, depth + 1));
            Value::Object(members.0.into_iter().map(read).collect::<Map<_, _>>())
        }
        Some(b'[') => {
            let elements: Vec<&RawValue> = serde_json::from_str(json).unwrap_or_default();
            Value::Array(elements.into_iter().map(|element| read(element.get(), depth + 1)).collect())
        }
        Some(b'"') => Value::String(unquote(json).into_owned()),
        first => serde_json::from_str(json).unwrap_or_else(|_| {
            let end = if first == Some(&b'-') { f64::MIN } else { f64::MAX };
            Number::from_f64(end).map_or(Value::Null, Value::Number)
        }),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_a_filter_reads_can_be_looked_at() {
        for (text, expected) in [
            (r#"{"a": [1, "x", null]}"#, Some(json!({"a": [1, "x", null]}))),
            (
                r#"{"a": "cut \ud83d", "b": [1e400, -1e400, {"c": true}]}"#,
                Some(json!({"a": "cut \u{fffd}", "b": [f64::MAX, f64::MIN, {"c": true}]})),
            ),
            (r#"{"a": "cut \ud83d"#, None),
            ("x", None),
            ("", None),
        ] {
            assert_eq!(value_of(text.as_bytes()), expected, "{text}");
        }
        let deep = format!("{}1e400{}", "[".repeat(100_000), "]".repeat(100_000));
        assert!(value_of(deep.as_bytes()).is_none_or(|value| value.is_array()));
    }
}
