//! Arguments that a search takes though its definition does not name them, which would cost tokens in each request: those of
//! grep, whose tools models know.

use super::ArgumentKind;

/// Flags of grep, and the arguments that they mean.
pub(super) const FLAGS: [(&str, &str); 5] =
    [("-A", "after"), ("-B", "before"), ("-C", "context"), ("-i", "ignore_case"), ("-c", "count")];

/// What an argument is that the definition does not have.
pub(super) fn kind_of(name: &str) -> Option<ArgumentKind> {
    match name {
        "before" | "after" => Some(ArgumentKind::Number),
        "count" => Some(ArgumentKind::Switch),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::read;

    #[test]
    fn a_search_takes_what_grep_takes() {
        let rows = [
            (json!({"before": "1", "after": 2}), Ok(json!({"before": 1, "after": 2}))),
            (json!({"-A": 3, "-B": 1, "-i": true}), Ok(json!({"after": 3, "before": 1, "ignore_case": true}))),
            (json!({"-C": 0, "-c": "true"}), Ok(json!({"context": 0, "count": true}))),
            (json!({"count": false}), Ok(json!({"count": false}))),
            (json!({"before": "x"}), Err("`before` is \"x\", and not a whole number")),
            (json!({"-n": true}), Err("it has no argument `-n`")),
            (json!({"-A": 3, "after": 2}), Err("it has no argument `-A`")),
        ];
        for (given, expected) in rows {
            let mut arguments = given.as_object().unwrap().clone();
            arguments.insert("file_path".to_owned(), "f".into());
            let found = read("lro_search", include_str!("../search.json"), arguments);
            match (found, expected) {
                (Ok(mut found), Ok(expected)) => {
                    found.remove("file_path");
                    assert_eq!(serde_json::Value::Object(found), expected, "{given}");
                }
                (Err(error), Err(part)) => assert!(error.message().contains(part), "{error}"),
                (found, _) => panic!("{given}: {found:?}"),
            }
        }
    }
}
