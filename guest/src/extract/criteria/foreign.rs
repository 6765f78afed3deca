//! Texts that are no conditions, and what they are: a jq filter, an object as text.

use serde_json::Value;

use crate::error::Error;

/// How filters of records begin.
const FILTERS: [&str; 4] = ["select(", "map(", ".[]", "[.[]"];

/// The error of what is no condition; `None` for any other text.
pub(super) fn refused(text: &str) -> Option<Error> {
    let text = text.trim();
    if FILTERS.iter().any(|filter| text.starts_with(filter)) {
        return Some(super::refused(&format!("`{text}` is a jq filter, not a condition"), "pass it as `query`"));
    }
    let object: Value = text.starts_with('{').then(|| serde_json::from_str(text).ok())??;
    let conditions: Option<Vec<String>> =
        object.as_object()?.iter().map(|(field, value)| equal(field, value)).collect();
    let conditions = conditions.filter(|all| !all.is_empty())?;
    let hint = format!("write {}", conditions.join(" and "));
    Some(super::refused(&format!("`{text}` is an object as text, not a condition"), &hint))
}

/// The condition that a field equals a value.
fn equal(field: &str, value: &Value) -> Option<String> {
    let value = match value {
        Value::String(text) => text.clone(),
        Value::Number(_) | Value::Bool(_) => value.to_string(),
        _ => return None,
    };
    Some(format!("`{field}={value}`"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_condition_is_told_apart() {
        for (text, hint) in [
            ("select(.a == \"b\")", Some("pass it as `query`")),
            (".[] | select(.a)", Some("pass it as `query`")),
            (r#"{"city": "Boston", "n": 3}"#, Some("write `city=Boston` and `n=3`")),
            (r#"{"a": {"b": 1}}"#, None),
            ("{}", None),
            ("{city", None),
            ("selected", None),
            ("a=b", None),
        ] {
            let error = refused(text);
            assert_eq!(error.as_ref().map(Error::hint), hint, "{text}");
        }
    }
}
