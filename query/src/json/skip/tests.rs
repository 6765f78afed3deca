use super::*;

fn skipped(line: &str) -> Option<Vec<(String, String)>> {
    let mut skipper = Skipper::new(128);
    skipper.skip(line.as_bytes()).ok()?;
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
    let members = skipper.members().iter();
    Some(members.map(|m| (text(m.key(line.as_bytes())), text(m.value(line.as_bytes())))).collect())
}

#[test]
fn members_are_found_as_they_stand() {
    let row = |pairs: &[(&str, &str)]| Some(pairs.iter().map(|(k, v)| ((*k).into(), (*v).into())).collect());
    assert_eq!(
        skipped(r#" {"a" : [1, {"b":"]}"}] ,"é\n":"x\"y"} "#),
        row(&[("a", r#"[1, {"b":"]}"}]"#), (r"é\n", r#""x\"y""#)])
    );
    assert_eq!(skipped("{}"), row(&[]));
    assert_eq!(skipped("[1]"), row(&[]));
}

#[test]
fn what_serde_json_refuses_is_refused() {
    let long = "x".repeat(40);
    let rows = [
        "",
        "{",
        "}",
        "[",
        "[1,]",
        "{\"a\":1,}",
        "{\"a\"}",
        "{a:1}",
        "01",
        "1.",
        ".5",
        "+1",
        "-",
        "1e",
        "1e+",
        "NaN",
        "nul",
        "truee",
        "\"",
        "\"\\\"",
        "\"\\x\"",
        "\"\\u12\"",
        "\"\\ud800\"",
        "\"\\udc00\"",
        "\"\\ud800\\u0041\"",
        "\"\t\"",
        "1 2",
        "[1}",
        "{\"a\":1]",
        "[\"a\" \"b\"]",
        "[1 2]",
        "{\"a\":1 \"b\":2}",
    ];
    for line in rows.iter().map(|row| (*row).to_owned()).chain([format!("\"{long}"), format!("\"{long}\n\"")]) {
        assert!(serde_json::from_str::<serde_json::Value>(&line).is_err(), "{line}");
        assert!(skipped(&line).is_none(), "{line}");
    }
    assert_eq!(Skipper::new(128).skip(b"\"\xff\""), Err(Refused));
    assert_eq!(Skipper::new(2).skip(b"[[1]]"), Ok(Kind::Other));
    assert_eq!(Skipper::new(2).skip(b"[[[1]]]"), Err(Refused));
    assert_eq!(Skipper::new(2).skip(b"{\"a\":{\"b\":[]}}"), Err(Refused));
}

#[test]
fn what_is_out_of_the_ordinary_is_marked() {
    let marks = |line: &str| {
        let mut skipper = Skipper::new(128);
        skipper.skip(line.as_bytes()).unwrap();
        let Marks { spaced, odd, beyond_ascii } = skipper.marks();
        [(spaced, 's'), (odd, 'o'), (beyond_ascii, 'b')]
            .iter()
            .filter_map(|(is, letter)| is.then_some(*letter))
            .collect::<String>()
    };
    let rows = [
        (r#"{"a":"b\n","c":[1.50,-2,true]}"#, ""),
        (r#"{"a": 1}"#, "s"),
        (r#"{"a":1}  "#, "s"),
        (r#"{"a":"\/"}"#, "o"),
        (r#"{"a":"\u0041"}"#, "o"),
        ("{\"a\":\"\u{7f}\"}", "o"),
        (r#"{"\u0061":1}"#, "o"),
        ("1e3", "o"),
        ("-0", "o"),
        ("12345678901234567", "o"),
        (r#"{"é":"é"}"#, "b"),
    ];
    for (line, expected) in rows {
        assert_eq!(marks(line), expected, "{line}");
    }
}

#[test]
fn keys_that_are_data_are_found_and_forgotten() {
    let mut skipper = Skipper::new(128);
    let long = "k".repeat(300);
    for n in 0..5000 {
        let line = format!(r#"{{"id":1,"{n}":2,"{long}":3,"y{n}":4,"z{n}":5}}"#);
        assert_eq!(skipper.skip(line.as_bytes()), Ok(Kind::Object));
        let member = |key: &str| skipper.member(key.as_bytes(), skipper.place(key.as_bytes()), line.as_bytes());
        assert_eq!([member("id"), member(&long), member("y")], [Some(0), Some(2), None], "{n}");
        assert!(skipper.has_clear_keys() && !skipper.has_same_keys());
    }
    assert!(skipper.heads.version() < 5000 && skipper.place(long.as_bytes()).is_none());
}

#[test]
fn keys_are_compared_with_the_line_before_and_with_each_other() {
    let mut skipper = Skipper::new(128);
    let rows = [
        (r#"{"a":1,"b":2}"#, false, true),
        (r#"{"a":3,"b":4}"#, true, true),
        (r#"{"a":3}"#, false, true),
        (r#"{"a":3,"b":4,"a":5}"#, false, false),
        (r#"{"a":3,"b":4,"a":5}"#, true, false),
        (r#"{"a":3,"b":4,"c":5}"#, false, true),
        (r#"{"a":3,"b":4,"\u0061":5}"#, false, false),
        (r#"{}"#, false, true),
        (r#"{}"#, true, true),
        (r#"{"a":1}"#, false, true),
        (r#"{"a": 1}"#, true, true),
    ];
    for (line, same, clear) in rows {
        assert_eq!(skipper.skip(line.as_bytes()), Ok(Kind::Object));
        assert_eq!((skipper.has_same_keys(), skipper.has_clear_keys()), (same, clear), "{line}");
    }
    assert_eq!(skipper.skip(br#"{"a":1}x"#), Err(Refused));
    assert_eq!(skipper.skip(br#"{"a":1}"#), Ok(Kind::Object));
    assert!(!skipper.has_same_keys(), "nothing is known after a line that was refused");
}
