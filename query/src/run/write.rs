//! Results as text: strict JSON, whatever values the engine can have.

use crate::value::{Value, print, print_key};

/// Writes a value as JSON, without a newline. NaN becomes null, infinities the largest number of their sign.
pub(crate) fn write_json(out: &mut Vec<u8>, value: &Value) {
    print(out, value);
}

/// Writes a result: a string bare when that is asked for, else JSON.
pub(crate) fn write_result(out: &mut Vec<u8>, value: &Value, raw: bool) {
    match value {
        Value::Text(text) if raw => out.extend(text.bytes()),
        _ => write_json(out, value),
    }
}

/// Writes an object of the given keys, in their order, from the texts of a record's members; null where there is none.
pub(crate) fn write_projection(out: &mut Vec<u8>, keys: &[&str], members: &[(&str, &str)]) {
    out.push(b'{');
    for (i, key) in keys.iter().enumerate() {
        if i > 0 {
            out.push(b',');
        }
        print_key(out, key);
        out.push(b':');
        let member = members.iter().find(|(known, _)| known == key);
        out.extend(member.map_or("null", |(_, value)| value).bytes());
    }
    out.push(b'}');
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::compiled;

    #[test]
    fn results_are_json_always() {
        let rows = [
            ("nan", "null"),
            ("[infinite, -infinite] | map(. > 1e308 or . < -1e308)", "[true,true]"),
            (r#"{"a": [1, 2.50, "\u0001\"é"], "b": null}"#, r#"{"a":[1,2.50,"\u0001\"é"],"b":null}"#),
            ("12345678901234567890123", "12345678901234567890123"),
        ];
        for (filter, expected) in rows {
            let filter = compiled(filter, &[]).unwrap();
            let value = filter.run(Value::Null).next().unwrap().unwrap();
            let mut out = Vec::new();
            write_json(&mut out, &value);
            assert_eq!(String::from_utf8(out).unwrap(), expected);
        }
    }

    #[test]
    fn infinities_are_valid_numbers() {
        let mut out = Vec::new();
        write_json(&mut out, &Value::from(f64::INFINITY));
        assert_eq!(serde_json::from_slice::<f64>(&out).unwrap(), f64::MAX);
    }
}
