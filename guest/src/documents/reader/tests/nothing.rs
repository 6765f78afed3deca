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

/// The pattern that a remark proposes, which has to find as many lines as it says.
fn proposed(file: &str, request: &Value) -> Option<String> {
    let remarks = advice(file, request);
    let remark = remarks.iter().find(|remark| remark.contains(" `"))?;
    let pattern = remark.split('`').nth(1)?.to_owned();
    let mut again = request.clone();
    again["pattern"] = pattern.as_str().into();
    let found = search(file, again).unwrap().matching_lines.unwrap();
    assert!(remark.starts_with(&format!("{found} line")), "{remark}: {found}");
    Some(pattern)
}

#[test]
fn a_pattern_becomes_one_of_json() {
    let records = |text: &str| file(text).replace(r#""kind":"text""#, r#""kind":"records""#);
    let compact = r#"{"name":"caf\u00e9","path":"a\/b","text":"one\ntwo","emoji":"\ud83d\ude00","say":"a \"b\""}"#;
    let spaced = r#"{"name": "x"}"#;
    let rows = [
        (compact, "café", r"caf\\u00e9"),
        (compact, r#""name": "c"#, r#""name":"c"#),
        (compact, r#""name": "café""#, r#""name":"caf\\u00e9""#),
        (compact, "a/b", r"a\\/b"),
        (compact, r"one\ntwo", r"one\\ntwo"),
        (compact, "one\ntwo", r"one\\ntwo"),
        (compact, "😀", r"\\ud83d\\ude00"),
        (compact, r#"a "b""#, r#"a \\"b\\""#),
        (spaced, r#""name":"x""#, r#""name": "x""#),
    ];
    for (line, pattern, expected) in rows {
        let file = records(&format!("{line}\n"));
        assert_eq!(proposed(&file, &json!({"pattern": pattern})).as_deref(), Some(expected), "{pattern}");
    }
    let literal = json!({"pattern": "café (", "literal": true});
    let file = records("{\"a\":\"caf\\u00e9 (\"}\n");
    assert_eq!(proposed(&file, &literal).as_deref(), Some(r"caf\u00e9 ("));
    assert_eq!(advice(&file, &json!({"pattern": "thé"})), [""; 0]);
}

#[test]
fn a_pattern_goes_past_the_escapes_of_a_terminal() {
    let file = file("\x1b[1;31mERROR\x1b[0m: disk full\nplain\n");
    let rows = [
        ("^ERROR", Some(r"^(\x1b\[[\d;]*m)*ERROR")),
        ("ERROR: disk", Some(r"ERROR(\x1b\[[\d;]*m)*: disk")),
        ("^ERROR: disk full$", Some(r"^(\x1b\[[\d;]*m)*ERROR(\x1b\[[\d;]*m)*: disk full(\x1b\[[\d;]*m)*$")),
        ("^WARN", None),
    ];
    for (pattern, expected) in rows {
        assert_eq!(proposed(&file, &json!({"pattern": pattern})).as_deref(), expected, "{pattern}");
    }
}

#[test]
fn a_glob_gets_the_expression_that_it_means() {
    let text = file("src/a.rs\nsrc/x/b.rs\nREADME.md\n");
    assert_eq!(proposed(&text, &json!({"pattern": "src/**/*.rs"})).as_deref(), Some(r"src/(.*/)?[^/]*\.rs$"));
    let hint = |file: &str| match search(file, json!({"pattern": "*.rs"})) {
        Err(Error::InvalidArgument(problem)) => problem.hint,
        found => panic!("{found:?}"),
    };
    assert!(hint(&text).ends_with(r"for the glob, write `\.rs$`"), "{}", hint(&text));
    let records = text.replace(r#""kind":"text""#, r#""kind":"records""#);
    assert!(hint(&records).ends_with(r#"for the glob, write `\.rs"`"#), "{}", hint(&records));
}

#[test]
fn a_word_in_brackets_is_a_class_and_not_in_silence() {
    let text = file("[ERROR] a\n[INFO] END\nplain more\n[main] x\n");
    let remarks = |pattern: &str| search(&text, json!({"pattern": pattern})).unwrap().remarks;
    let said = |word: &str, found: &str, escaped: &str| {
        vec![format!("`{word}` matches any one of its letters; {found} the word in brackets: write `{escaped}`")]
    };
    assert_eq!(remarks("[ERROR]"), said("[ERROR]", "1 line has", r"\[ERROR\]"));
    assert_eq!(remarks("[main]"), said("[main]", "1 line has", r"\[main\]"));
    assert_eq!(remarks("[WARN]"), said("[WARN]", "0 lines have", r"\[WARN\]"));
    let other_case = "in other letter case: pass ignore_case: true, and write";
    let expected =
        format!(r"`[error]` matches any one of its letters; 1 line has the word in brackets {other_case} `\[error\]`");
    assert_eq!(remarks("[error]"), [expected.as_str()]);
    // The class finds nothing.
    let capitals = file("[ERROR] A\n[INFO] END\n");
    let nothing = search(&capitals, json!({"pattern": "[error]"})).unwrap().remarks;
    assert_eq!(nothing, ["no matches: none of the 2 lines matches `[error]`", &expected]);
    let ignoring = search(&text, json!({"pattern": "[error]", "ignore_case": true})).unwrap().remarks;
    assert_eq!(ignoring, said("[error]", "1 line has", r"\[error\]"));
    for pattern in ["[abc]", r"\[ERROR\]", "[a-z]"] {
        assert_eq!(remarks(pattern), [""; 0], "{pattern}");
    }
}
