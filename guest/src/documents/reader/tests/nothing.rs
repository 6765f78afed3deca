//! What is said where nothing is found.

use super::*;

/// What is said after the first remark.
fn advice(file: &str, request: &Value) -> Vec<String> {
    let found = search(file, request.clone()).unwrap();
    assert!(found.hits.is_empty(), "{request}: {found:?}");
    assert!(found.remarks[0].starts_with("no matches: none of the "), "{found:?}");
    found.remarks[1..].to_vec()
}

#[test]
fn only_what_would_find_something_is_told() {
    let file = file("One error\nTwo (2)\nTwo FAILED\n");
    let none: [&str; 0] = [];
    let rows = [
        (json!({"pattern": "four"}), &none[..]),
        (json!({"pattern": "four (4)"}), &none),
        (json!({"pattern": "Two (2)", "literal": true, "header": true}), &none),
        (
            json!({"pattern": "two"}),
            &["2 lines match if small and capital letters are the same: pass ignore_case: true"],
        ),
        (
            json!({"pattern": "one"}),
            &["1 line matches if small and capital letters are the same: pass ignore_case: true"],
        ),
        (json!({"pattern": "Two (2)"}), &["1 line has the pattern as a plain text: pass literal: true"]),
        (
            json!({"pattern": "One|Two", "literal": true}),
            &["3 lines match the pattern as a regular expression: leave out `literal`"],
        ),
        (json!({"pattern": r"error\|FAILED"}), &["2 lines match `error|FAILED`, without the backslashes of grep"]),
        (
            json!({"pattern": r"zero\|failed"}),
            &["1 line matches `zero|failed`, without the backslashes of grep, if you pass ignore_case: true"],
        ),
        (json!({"pattern": "/FAILED/"}), &["1 line matches `FAILED`, without the slashes"]),
        (
            json!({"pattern": "/failed/i"}),
            &["1 line matches `failed`, without the slashes, if you pass ignore_case: true"],
        ),
        (json!({"pattern": "1\\n2"}), &["each line is searched by itself: no match goes beyond its line"]),
    ];
    for (request, expected) in rows {
        if request["header"] == true {
            assert_eq!(search(&file, request).unwrap().hits.len(), 1);
            continue;
        }
        assert_eq!(advice(&file, &request)[..expected.len()], *expected, "{request}");
        assert!(!expected.is_empty() || advice(&file, &request).is_empty(), "{request}");
    }
}

#[test]
fn records_have_their_quotes_escaped() {
    let text = "{\"a\":\"say \\\"5\\\"\"}\n";
    for (kind, count) in [("text", 0), ("records", 1)] {
        let file = file(text).replace(r#""kind":"text""#, &format!("\"kind\":\"{kind}\""));
        let remarks = advice(&file, &json!({"pattern": "say \"5\""}));
        assert_eq!(remarks.iter().filter(|remark| remark.contains("for each quote")).count(), count, "{kind}");
    }
}

#[test]
fn the_front_of_a_large_file_is_tried() {
    let file = file(&format!("Two\n{}two\n", "none\n".repeat(300_000)));
    let expected = "1 line in the first MiB matches if small and capital letters are the same: pass ignore_case: true";
    assert_eq!(advice(&file, &json!({"pattern": "tWO"})), [expected]);
    assert_eq!(search(&file, json!({"pattern": "tWO", "ignore_case": true})).unwrap().total, Some(2));
}
