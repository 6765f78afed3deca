//! Formats: `@csv`, `@tsv`, `@html`, `@uri`, `@sh`, `@base64` and their kin.

use super::{Call, Fast, Row, native};
use crate::json::Type;
use crate::value::{Result, Value, print, unfit};

pub(super) fn rows() -> Vec<Row> {
    vec![
        native!("@text", |value: Value| Ok(Value::Text(value.to_text()))).fast(Fast::Call(Call::ToString)),
        native!("@json", |value: Value| Ok(Value::from(value.to_json()))).fast(Fast::Call(Call::ToJson)),
        native!("@tsv", |value| row(&value, b'\t', push_tsv)).fast(Fast::Call(Call::Tsv)),
        native!("@csv", |value| row(&value, b',', push_csv)).fast(Fast::Call(Call::Csv)),
        native!("@html", |value: Value| Ok(Value::from(html(&value.to_text())))),
        native!("@uri", |value: Value| Ok(Value::from(uri(&value.to_text())))),
        native!("@urid", |value: Value| from_uri(&value)),
        native!("@sh", |value: Value| shell(&value)),
        native!("@base64", |value: Value| Ok(Value::from(encode(value.to_text().as_bytes(), BASE64, 6, 4)))),
        native!("@base64d", |value: Value| decode(&value, BASE64, 6, "base64")),
        native!("@base32", |value: Value| Ok(Value::from(encode(value.to_text().as_bytes(), BASE32, 5, 8)))),
        native!("@base32d", |value: Value| decode(&value, BASE32, 5, "base32")),
    ]
}

const BASE64: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const BASE32: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

/// A row of fields. Like jq's, but an array or object stands as JSON instead of failing the record.
fn row(value: &Value, separator: u8, push_text: fn(&mut Vec<u8>, &[u8])) -> Result {
    let Value::Array(fields) = value else {
        return unfit(
            value,
            Type::Array,
            if separator == b',' {
                "cannot be csv-formatted, only an array can be"
            } else {
                "cannot be tsv-formatted, only an array can be"
            },
        );
    };
    let mut row = Vec::with_capacity(64);
    for (i, field) in fields.iter().enumerate() {
        if i > 0 {
            row.push(separator);
        }
        match field {
            Value::Null => {}
            Value::Text(text) => push_text(&mut row, text.as_bytes()),
            Value::Array(_) | Value::Object(_) => push_text(&mut row, field.to_json().as_bytes()),
            scalar => print(&mut row, scalar),
        }
    }
    Ok(Value::from(String::from_utf8(row).expect("fields are texts and separators are ASCII")))
}

/// Adds a text to a row of tab-separated fields: tabs, line ends, backslashes and NUL are escaped.
pub(crate) fn push_tsv(row: &mut Vec<u8>, text: &[u8]) {
    let mut rest = text;
    while let Some(special) = rest.iter().position(|byte| matches!(byte, 0 | b'\t' | b'\n' | b'\r' | b'\\')) {
        row.extend_from_slice(&rest[..special]);
        row.push(b'\\');
        row.push(match rest[special] {
            0 => b'0',
            b'\t' => b't',
            b'\n' => b'n',
            b'\r' => b'r',
            backslash => backslash,
        });
        rest = &rest[special + 1..];
    }
    row.extend_from_slice(rest);
}

/// Adds a text to a row of comma-separated fields: it stands in quotes, and quotes in it are doubled.
pub(crate) fn push_csv(row: &mut Vec<u8>, text: &[u8]) {
    row.push(b'"');
    for byte in text {
        if *byte == b'"' {
            row.push(b'"');
        }
        row.push(*byte);
    }
    row.push(b'"');
}

fn html(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 16);
    for character in text.chars() {
        match character {
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '&' => out.push_str("&amp;"),
            '\'' => out.push_str("&apos;"),
            '"' => out.push_str("&quot;"),
            other => out.push(other),
        }
    }
    out
}

fn uri(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 16);
    for byte in text.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'~' => out.push(char::from(byte)),
            other => out.push_str(&format!("%{other:02X}")),
        }
    }
    out
}

fn from_uri(value: &Value) -> Result {
    let text = value.to_text();
    let (mut out, mut rest) = (Vec::with_capacity(text.len()), text.as_bytes());
    while let Some((byte, after)) = rest.split_first() {
        rest = after;
        if *byte != b'%' {
            out.push(*byte);
            continue;
        }
        let digits = after.get(..2).and_then(|digits| std::str::from_utf8(digits).ok());
        let Some(byte) = digits.and_then(|digits| u8::from_str_radix(digits, 16).ok()) else {
            return unfit(value, Type::String, "is not a valid uri encoding");
        };
        out.push(byte);
        rest = &after[2..];
    }
    match String::from_utf8(out) {
        Ok(text) => Ok(Value::from(text)),
        Err(_) => unfit(value, Type::String, "is not a valid uri encoding"),
    }
}

fn shell(value: &Value) -> Result {
    let quoted = |value: &Value| match value {
        Value::Text(text) => Ok(format!("'{}'", text.replace('\'', r"'\''"))),
        Value::Array(_) | Value::Object(_) => unfit(value, Type::String, "can not be escaped for shell"),
        scalar => Ok(scalar.to_json()),
    };
    match value {
        Value::Array(values) => Ok(Value::from(values.iter().map(quoted).collect::<Result<Vec<String>>>()?.join(" "))),
        other => quoted(other).map(Value::from),
    }
}

/// Bytes in groups of so many bits, filled up with `=` to so many letters.
fn encode(bytes: &[u8], letters: &[u8], bits: u32, block: usize) -> String {
    let (mut out, mut held, mut count) = (String::with_capacity(bytes.len() * 8 / bits as usize + block), 0_u32, 0);
    let letter = |group: u32| char::from(letters[(group & ((1 << bits) - 1)) as usize]);
    for byte in bytes {
        held = (held << 8 | u32::from(*byte)) & 0xFFFF;
        count += 8;
        while count >= bits {
            count -= bits;
            out.push(letter(held >> count));
        }
    }
    if count > 0 {
        out.push(letter(held << (bits - count)));
    }
    while out.len() % block != 0 {
        out.push('=');
    }
    out
}

fn decode(value: &Value, letters: &[u8], bits: u32, name: &str) -> Result {
    let text = value.to_text();
    let body = text.trim_end_matches('=');
    let (mut out, mut held, mut count) = (Vec::with_capacity(body.len()), 0_u32, 0);
    for byte in body.bytes() {
        let Some(group) = letters.iter().position(|letter| *letter == byte) else {
            return unfit(value, Type::String, format!("is not valid {name} data"));
        };
        held = (held << bits | group as u32) & 0xFFFF;
        count += bits;
        if count >= 8 {
            count -= 8;
            out.push((held >> count) as u8);
        }
    }
    // A single letter left over holds no byte.
    if out.is_empty() && !text.is_empty() || (bits == 6 && body.len() % 4 == 1) {
        return unfit(value, Type::String, format!("is not valid {name} data"));
    }
    Ok(Value::from(String::from_utf8_lossy(&out).into_owned()))
}
