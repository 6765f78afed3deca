//! JSON text made of JSON texts.

use super::literal::{push_quoted, quote};
use super::members::Members;

/// An array of JSON texts.
pub fn array<T: AsRef<str>>(elements: &[T]) -> String {
    let parts: Vec<&str> = elements.iter().map(AsRef::as_ref).collect();
    format!("[{}]", parts.join(","))
}

/// An object of keys and JSON texts, in this order.
pub fn object<'a>(members: impl IntoIterator<Item = (&'a str, &'a str)>) -> String {
    let members: Vec<String> = members.into_iter().map(|(key, value)| format!("{}:{value}", quote(key))).collect();
    format!("{{{}}}", members.join(","))
}

/// The object with some of its members replaced, or added where it lacks them; all others keep their bytes.
pub fn object_with(members: &Members<'_>, replaced: &[(&str, &str)]) -> String {
    let replacement = |key: &str| replaced.iter().find(|(replaced, _)| *replaced == key).map(|(_, value)| *value);
    let kept = members.0.iter().map(|(key, value)| (key.as_ref(), replacement(key).unwrap_or(value)));
    let added = replaced.iter().filter(|(key, _)| members.get(key).is_none()).copied();
    object(kept.chain(added))
}

/// A JSON object that grows.
#[derive(Debug, Default)]
pub struct Object(String);

impl Object {
    /// Adds a member whose value is JSON text.
    pub fn json(&mut self, key: &str, value: impl AsRef<str>) {
        self.key(key);
        self.0.push_str(value.as_ref());
    }

    /// Adds a member whose value is a string.
    pub fn text(&mut self, key: &str, value: &str) {
        self.key(key);
        push_quoted(&mut self.0, value);
    }

    /// Adds a member whose value is a number.
    pub fn count(&mut self, key: &str, value: usize) {
        self.json(key, value.to_string());
    }

    /// The object's text.
    pub fn finish(mut self) -> String {
        if self.0.is_empty() {
            self.0.push('{');
        }
        self.0.push('}');
        self.0
    }

    fn key(&mut self, key: &str) {
        self.0.push(if self.0.is_empty() { '{' } else { ',' });
        push_quoted(&mut self.0, key);
        self.0.push(':');
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_keep_their_order() {
        assert_eq!(Object::default().finish(), "{}");
        let mut object = Object::default();
        object.count("b", 1);
        object.text("a\"", "x");
        assert_eq!(object.finish(), r#"{"b":1,"a\"":"x"}"#);
    }
}
