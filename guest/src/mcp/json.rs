//! JSON text from texts, without trees.

use serde_json::Value;

use crate::members::Members;

/// A JSON string.
pub(super) fn string(text: &str) -> String {
    Value::from(text).to_string()
}

/// An array of JSON texts.
pub(super) fn array<T: AsRef<str>>(elements: &[T]) -> String {
    let parts: Vec<&str> = elements.iter().map(AsRef::as_ref).collect();
    format!("[{}]", parts.join(","))
}

/// An object of keys and JSON texts, in this order.
pub(super) fn object<'a>(members: impl IntoIterator<Item = (&'a str, &'a str)>) -> String {
    let members: Vec<String> = members.into_iter().map(|(key, value)| format!("{}:{value}", string(key))).collect();
    format!("{{{}}}", members.join(","))
}

/// A text block of a CallToolResult.
pub(super) fn text_block(text: &str) -> String {
    object([("type", "\"text\""), ("text", &string(text))])
}

/// The object with some of its members replaced, or added where it lacks them; all others keep their bytes.
pub(super) fn object_with(members: &Members<'_>, replaced: &[(&str, &str)]) -> String {
    let replacement = |key: &str| replaced.iter().find(|(replaced, _)| *replaced == key).map(|(_, value)| *value);
    let kept = members.0.iter().map(|(key, value)| (key.as_ref(), replacement(key).unwrap_or(value)));
    let added = replaced.iter().filter(|(key, _)| members.get(key).is_none()).copied();
    object(kept.chain(added))
}
