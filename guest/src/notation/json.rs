//! JSON as it is written: strings, and objects member by member.

use std::fmt::Write;

/// Appends a text as a JSON string.
pub(super) fn push_string(json: &mut String, text: &str) {
    json.push('"');
    let mut rest = text;
    while let Some(place) = rest.bytes().position(|byte| byte < b' ' || byte == b'"' || byte == b'\\') {
        json.push_str(&rest[..place]);
        match rest.as_bytes()[place] {
            b'\n' => json.push_str("\\n"),
            b'\r' => json.push_str("\\r"),
            b'\t' => json.push_str("\\t"),
            byte @ (b'"' | b'\\') => json.extend(['\\', char::from(byte)]),
            // Writing to a string cannot fail.
            byte => drop(write!(json, "\\u{byte:04x}")),
        }
        rest = &rest[place + 1..];
    }
    json.push_str(rest);
    json.push('"');
}

/// A JSON object that grows.
#[derive(Debug, Default)]
pub(super) struct Object(String);

impl Object {
    /// Adds a member whose value is JSON text.
    pub(super) fn json(&mut self, key: &str, value: impl AsRef<str>) {
        self.key(key);
        self.0.push_str(value.as_ref());
    }

    /// Adds a member whose value is a string.
    pub(super) fn text(&mut self, key: &str, value: &str) {
        self.key(key);
        push_string(&mut self.0, value);
    }

    /// Adds a member whose value is a number.
    pub(super) fn count(&mut self, key: &str, value: usize) {
        self.json(key, value.to_string());
    }

    /// The object's text.
    pub(super) fn finish(mut self) -> String {
        if self.0.is_empty() {
            self.0.push('{');
        }
        self.0.push('}');
        self.0
    }

    fn key(&mut self, key: &str) {
        self.0.push(if self.0.is_empty() { '{' } else { ',' });
        push_string(&mut self.0, key);
        self.0.push(':');
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_are_written_as_serde_writes_them() {
        for text in ["", "plain", "é\u{1F600}", "a\"b\\c", "\n\r\t\u{0}\u{1f}\u{7f}", "\u{2028}"] {
            let mut json = String::new();
            push_string(&mut json, text);
            assert_eq!(serde_json::from_str::<String>(&json).unwrap(), text);
        }
    }

    #[test]
    fn members_keep_their_order() {
        assert_eq!(Object::default().finish(), "{}");
        let mut object = Object::default();
        object.count("b", 1);
        object.text("a\"", "x");
        assert_eq!(object.finish(), r#"{"b":1,"a\"":"x"}"#);
    }
}
