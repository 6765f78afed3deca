//! Values in the texts of errors.

use super::Value;

/// So many bytes of a value stand in an error, as in jq.
const MOST_BYTES: usize = 29;

/// A value with its type, cut short: `number (1)`, `string ("very-long-long-long-long...")`.
pub(in crate::query) fn described(value: &Value) -> String {
    format!("{} ({})", value.type_name(), cut(value.to_json()))
}

fn cut(json: String) -> String {
    if json.len() <= MOST_BYTES {
        return json;
    }
    let end = if json.starts_with('"') { "...\"" } else { "..." };
    let mut keep = MOST_BYTES - end.len();
    while !json.is_char_boundary(keep) {
        keep -= 1;
    }
    format!("{}{end}", &json[..keep])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_values_are_cut_between_characters() {
        let rows = [
            (Value::Null, "null (null)"),
            (Value::from("a"), "string (\"a\")"),
            (Value::from("very-long-long-long-long-string"), "string (\"very-long-long-long-long...\")"),
            (Value::from("xxxx☆☆☆☆☆☆☆☆"), "string (\"xxxx☆☆☆☆☆☆...\")"),
        ];
        for (value, expected) in rows {
            assert_eq!(described(&value), expected);
        }
    }
}
