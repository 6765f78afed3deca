//! Results as text: strict JSON, whatever values the engine can have.

use jaq_json::{Num, Val};

/// What stands for the infinities, as in jq's output.
const LARGEST: &[u8] = b"1.7976931348623157e+308";
const SMALLEST: &[u8] = b"-1.7976931348623157e+308";

/// Writes a value as JSON, without a newline. NaN becomes null, infinities the largest number of their sign, byte
/// strings text, and keys strings, as jq does.
pub(super) fn write_json(out: &mut Vec<u8>, value: &Val) {
    match value {
        Val::Null => out.extend(b"null"),
        Val::Bool(true) => out.extend(b"true"),
        Val::Bool(false) => out.extend(b"false"),
        Val::Num(Num::Float(number)) if number.is_nan() => out.extend(b"null"),
        Val::Num(Num::Float(number)) if number.is_infinite() => {
            out.extend(if *number > 0.0 { LARGEST } else { SMALLEST });
        }
        Val::Num(number) => out.extend(number.to_string().bytes()),
        Val::TStr(bytes) | Val::BStr(bytes) => write_text(out, bytes),
        Val::Arr(values) => {
            out.push(b'[');
            for (i, value) in values.iter().enumerate() {
                if i > 0 {
                    out.push(b',');
                }
                write_json(out, value);
            }
            out.push(b']');
        }
        Val::Obj(members) => {
            out.push(b'{');
            for (i, (key, value)) in members.iter().enumerate() {
                if i > 0 {
                    out.push(b',');
                }
                write_key(out, key);
                out.push(b':');
                write_json(out, value);
            }
            out.push(b'}');
        }
    }
}

/// Writes a result: a string bare when that is asked for, else JSON.
pub(super) fn write_result(out: &mut Vec<u8>, value: &Val, raw: bool) {
    match value {
        Val::TStr(bytes) | Val::BStr(bytes) if raw => out.extend(String::from_utf8_lossy(bytes).bytes()),
        _ => write_json(out, value),
    }
}

/// Writes an object of the given keys, in their order, from the texts of a record's members; null where there is none.
pub(super) fn write_projection(out: &mut Vec<u8>, keys: &[&str], members: &[(&str, &str)]) {
    out.push(b'{');
    for (i, key) in keys.iter().enumerate() {
        if i > 0 {
            out.push(b',');
        }
        write_text(out, key.as_bytes());
        out.push(b':');
        let member = members.iter().find(|(known, _)| known == key);
        out.extend(member.map_or("null", |(_, value)| value).bytes());
    }
    out.push(b'}');
}

fn write_key(out: &mut Vec<u8>, key: &Val) {
    match key {
        Val::TStr(bytes) | Val::BStr(bytes) => write_text(out, bytes),
        _ => {
            let mut text = Vec::new();
            write_json(&mut text, key);
            write_text(out, &text);
        }
    }
}

fn write_text(out: &mut Vec<u8>, bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    serde_json::to_writer(&mut *out, text.as_ref()).expect("text is written to memory as JSON");
}

#[cfg(test)]
mod tests {
    use super::super::filter::compile;
    use super::*;
    use crate::settings::Settings;

    #[test]
    fn results_are_json_always() {
        let rows = [
            ("nan", "null"),
            ("[infinite, -infinite] | map(. > 1e308 or . < -1e308)", "[true,true]"),
            (r#"{"a": [1, 2.50, "\u0001\"é"], "b": null}"#, r#"{"a":[1,2.50,"\u0001\"é"],"b":null}"#),
            (r#""é" | tobytes"#, r#""é""#),
            ("12345678901234567890123", "12345678901234567890123"),
        ];
        for (filter, expected) in rows {
            let filter = compile(filter, &[], &Settings::default()).unwrap();
            let value = filter.run(Val::Null).next().unwrap().unwrap();
            let mut out = Vec::new();
            write_json(&mut out, &value);
            assert_eq!(String::from_utf8(out).unwrap(), expected);
        }
    }

    #[test]
    fn infinities_are_valid_numbers() {
        let mut out = Vec::new();
        write_json(&mut out, &Val::from(f64::INFINITY));
        assert_eq!(serde_json::from_slice::<f64>(&out).unwrap(), f64::MAX);
    }
}
