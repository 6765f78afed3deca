//! Values as JSON.

use std::io::Write as _;

use super::Value;
use crate::budget;
use crate::json::{Lanes, plain_bytes};

/// Deeper values are printed as a remark, as in jq; a result cannot be that deep, a computed text can.
const MOST_NESTING: u32 = 10_000;

/// Appends a value as JSON, without a newline: strict JSON whatever the value.
pub(crate) fn print(out: &mut Vec<u8>, value: &Value) {
    print_nested(out, value, 0);
}

/// Appends a text as JSON.
pub(crate) fn print_key(out: &mut Vec<u8>, text: &str) {
    if !budget::room(text.len()) {
        return out.extend(b"\"\"");
    }
    out.push(b'"');
    let mut rest = text.as_bytes();
    loop {
        let plain = plain_bytes(rest, Lanes::stops, |byte| byte < 0x20 || matches!(byte, b'"' | b'\\' | 0x7f));
        out.extend_from_slice(&rest[..plain]);
        let Some(stop) = rest.get(plain) else { break };
        match stop {
            b'"' => out.extend(b"\\\""),
            b'\\' => out.extend(b"\\\\"),
            b'\n' => out.extend(b"\\n"),
            b'\r' => out.extend(b"\\r"),
            b'\t' => out.extend(b"\\t"),
            0x08 => out.extend(b"\\b"),
            0x0c => out.extend(b"\\f"),
            other => write!(out, "\\u{other:04x}").expect("memory takes everything"),
        }
        rest = &rest[plain + 1..];
    }
    out.push(b'"');
}

fn print_nested(out: &mut Vec<u8>, value: &Value, depth: u32) {
    match value {
        Value::Array(_) | Value::Object(_) if !budget::level(depth) => out.extend(b"null"),
        Value::Array(_) | Value::Object(_) if depth > MOST_NESTING => out.extend(b"\"<skipped: too deep>\""),
        Value::Null => out.extend(b"null"),
        Value::Bool(true) => out.extend(b"true"),
        Value::Bool(false) => out.extend(b"false"),
        Value::Number(number) => number.print(out),
        Value::Text(text) => print_key(out, text),
        Value::Array(values) => {
            out.push(b'[');
            for (i, value) in values.iter().enumerate() {
                if !budget::steps(1) {
                    break;
                }
                if i > 0 {
                    out.push(b',');
                }
                print_nested(out, value, depth + 1);
            }
            out.push(b']');
        }
        Value::Object(members) => {
            out.push(b'{');
            for (i, (key, value)) in members.iter().enumerate() {
                if !budget::steps(1) {
                    break;
                }
                if i > 0 {
                    out.push(b',');
                }
                print_key(out, key);
                out.push(b':');
                print_nested(out, value, depth + 1);
            }
            out.push(b'}');
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_quotes_and_delete_are_escaped() {
        let text = Value::from("a\u{0}\u{8}\t\n\u{c}\r\u{1f}\"\\\u{7f}é☆");
        assert_eq!(text.to_json(), "\"a\\u0000\\b\\t\\n\\f\\r\\u001f\\\"\\\\\\u007fé☆\"");
        assert_eq!(serde_json::from_str::<String>(&text.to_json()).unwrap(), text.as_str().unwrap());
    }
}
