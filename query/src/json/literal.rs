//! Strings: text as a JSON literal, and the text that a literal stands for.

use std::borrow::Cow;
use std::fmt::Write;

use memchr::memchr;

use crate::json::simd::Lanes;

/// Bytes of a literal that one character takes at most: two escaped halves of a surrogate pair.
const CHARACTER_BYTES: usize = 12;

/// A text as a JSON string.
pub fn quote(text: &str) -> String {
    let mut json = String::with_capacity(text.len() + 2);
    push_quoted(&mut json, text);
    json
}

/// Appends a text as a JSON string.
pub fn push_quoted(json: &mut String, text: &str) {
    json.push('"');
    let mut rest = text;
    while let Some(place) = first_escaped(rest.as_bytes()) {
        json.push_str(&rest[..place]);
        match rest.as_bytes()[place] {
            b'\x08' => json.push_str("\\b"),
            b'\x0c' => json.push_str("\\f"),
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

/// The first byte that JSON escapes.
fn first_escaped(bytes: &[u8]) -> Option<usize> {
    let mut at = 0;
    while let Some(chunk) = bytes[at..].first_chunk() {
        let lanes = Lanes::load(chunk);
        let stops = lanes.equal(b'"').or(lanes.equal(b'\\')).or(lanes.below(b' ')).bits();
        if stops != 0 {
            return Some(at + stops.trailing_zeros() as usize);
        }
        at += chunk.len();
    }
    let is_escaped = |byte: &u8| *byte < b' ' || *byte == b'"' || *byte == b'\\';
    bytes[at..].iter().position(is_escaped).map(|place| at + place)
}

/// The text that a JSON string stands for; half a surrogate pair is replaced.
pub fn unquote(string: &str) -> Cow<'_, str> {
    let inner = inner(string);
    if memchr(b'\\', inner.as_bytes()).is_none() {
        return inner.into();
    }
    // The parser of bytes takes half of a pair, which that of texts refuses.
    let bytes: Result<Bytes, _> = serde_json::from_str(string);
    bytes.map(|Bytes(bytes)| String::from_utf8_lossy(&bytes).into_owned()).unwrap_or_default().into()
}

/// The text of the beginning of a JSON string, with so many characters at least where it has them.
pub fn start_of_literal(literal: &str, characters: usize) -> String {
    let inner = inner(literal);
    let most = inner.floor_char_boundary(characters.saturating_mul(CHARACTER_BYTES));
    unquote_part(&inner[..end_of_escapes(inner, most)])
}

/// The text of the end of a JSON string, with so many characters at least where it has them.
pub fn end_of_literal(literal: &str, characters: usize) -> String {
    let inner = inner(literal);
    let from = inner.len().saturating_sub(characters.saturating_mul(CHARACTER_BYTES));
    let mut from = inner.ceil_char_boundary(from);
    let backslashes = inner.as_bytes()[..from].iter().rev().take_while(|byte| **byte == b'\\').count();
    if backslashes % 2 == 1 {
        // The backslash before it belongs to this character. Digits of a cut `\uXXXX` are harmless.
        from = inner.ceil_char_boundary(from + 1);
    }
    unquote_part(&inner[from..])
}

/// A JSON string without its quotes.
fn inner(literal: &str) -> &str {
    literal.get(1..literal.len().saturating_sub(1)).unwrap_or_default()
}

/// The text of a part of a JSON string.
fn unquote_part(part: &str) -> String {
    unquote(&format!("\"{part}\"")).into_owned()
}

/// The last place up to `most` that is not inside of an escape.
fn end_of_escapes(inner: &str, most: usize) -> usize {
    let bytes = inner.as_bytes();
    let mut at = 0;
    while at < most {
        let length = match (bytes[at], bytes.get(at + 1)) {
            (b'\\', Some(b'u')) => 6,
            (b'\\', _) => 2,
            _ => 1,
        };
        if at + length > most {
            break;
        }
        at += length;
    }
    inner.floor_char_boundary(at)
}

struct Bytes(Vec<u8>);

impl<'de> serde::Deserialize<'de> for Bytes {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Visitor;
        impl serde::de::Visitor<'_> for Visitor {
            type Value = Bytes;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("a string")
            }

            fn visit_bytes<E>(self, bytes: &[u8]) -> Result<Bytes, E> {
                Ok(Bytes(bytes.to_vec()))
            }
        }
        deserializer.deserialize_bytes(Visitor)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_are_written_as_serde_writes_them() {
        let ascii: String = (0..=127_u8).map(char::from).collect();
        for text in ["", "plain", "é\u{1F600}", "a\"b\\c", "\u{2028}", &ascii] {
            assert_eq!(quote(text), serde_json::Value::from(text).to_string());
            assert_eq!(unquote(&quote(text)), text);
        }
    }

    #[test]
    fn strings_are_unquote() {
        for (json, text) in [(r#""a""#, "a"), (r#""\u00e9\n""#, "é\n"), (r#""\ud800x""#, "\u{fffd}\u{fffd}\u{fffd}x")]
        {
            assert_eq!(unquote(json), text);
        }
    }
}
