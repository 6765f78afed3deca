//! What is known of fields after a look at records.

use super::structures::MOST_FIELDS;
use super::*;

#[test]
fn fields_are_found_at_any_depth() {
    let records = [
        r#"{"a":1,"user":{"name":"x","tags":["p","q"]}}"#,
        r#"{"user":{"name":null,"tags":[]},"a":2.5,"\u0061":3}"#,
        "7",
    ];
    let inference = Inference::of(records);
    let root = &inference.root;
    assert_eq!(
        (inference.count, root.objects, root.types.names().collect::<Vec<_>>()),
        (3, 2, vec!["number", "object"])
    );
    let user = root.field("user").unwrap();
    let name = user.field("name").unwrap();
    assert_eq!((user.present, name.present, name.strings.count), (2, 2, 1));
    assert_eq!(user.field("tags").unwrap().items.as_ref().unwrap().strings.count, 2);
    let a = root.field("a").unwrap();
    assert_eq!((a.present, a.numbers.count, a.numbers.are_whole()), (2, 3, false));
}

#[test]
fn few_values_that_repeat_are_categories() {
    let records: Vec<String> = (0..100).map(|n| format!(r#"{{"n":{n},"s":"{}","b":{}}}"#, n % 3, n > 5)).collect();
    let root = Inference::of(&records).root;
    assert_eq!(root.field("n").unwrap().categories(), None);
    assert_eq!(root.field("s").unwrap().categories().unwrap().len(), 3);
    assert_eq!(root.field("b").unwrap().categories().unwrap()[1], ("true".into(), 94));
}

#[test]
fn formats_are_what_all_strings_have() {
    let rows = [
        ("2026-01-31T12:00:00Z", Some("date-time")),
        ("2026-01-31T12:00:00.123+01:00", Some("date-time")),
        ("2026-01-31T12:00:00", None),
        ("2026-01-31", None),
        ("https://example.org/a", Some("uri")),
        ("https:// no", None),
        ("2026-01-31X12:00:00Z", None),
        ("2026-01-31t12:00:00z", None),
        ("2026-01-31T12:00:00.5", None),
        ("2026-01-31T12:00:00-05", Some("date-time")),
        ("2026-01-31T12:00:00+02:00 somewhere in Europe", None),
        ("a 2026-01-31T12:00:00 by +1", None),
    ];
    for (text, format) in rows {
        let root = Inference::of(&[serde_json::Value::from(text).to_string()]).root;
        assert_eq!(root.strings.format(), format, "{text}");
    }
}

#[test]
fn memory_is_bounded() {
    let wide: Vec<String> = (0..1000).map(|n| format!(r#"{{"key{n}":{{"inner{n}":{n}}}}}"#)).collect();
    let inference = Inference::of(&wide);
    assert!(inference.root.is_open && inference.structures.fields() <= MOST_FIELDS);
    assert_eq!(inference.root.fields.len(), MOST_KEYS);
    let deep = format!("{}1{}", r#"{"a":"#.repeat(100), "}".repeat(100));
    assert!(Inference::of(&[deep]).structures.fields() <= DEEPEST);
}

#[test]
fn values_are_categories_if_each_comes_twice_and_none_is_long() {
    let long = |bytes: usize| serde_json::Value::from("v".repeat(bytes - 2)).to_string();
    let is_category = |values: &[&str]| {
        let records: Vec<String> = values.iter().map(|value| format!(r#"{{"f":{value}}}"#)).collect();
        Inference::of(&records).root.field("f").unwrap().categories().is_some()
    };
    let (most, more) = (long(VALUE_BYTES), long(VALUE_BYTES + 1));
    let rows: [(&[&str], bool); 7] = [
        (&["1", "2", "1", "2"], true),
        (&["1", "2", "1"], false),
        (&["1", "1", "1"], false),
        (&["1", "2", "1", "2", "[]"], false),
        (&["1", "2", "1", "2", "{}"], false),
        (&["1", "1", &most, &most], true),
        (&["1", "1", &more, &more], false),
    ];
    for (values, expected) in rows {
        assert_eq!(is_category(values), expected, "{values:?}");
    }
}

#[test]
fn a_text_that_begins_with_a_word_is_the_example() {
    let strings = |texts: &[&str]| {
        let records: Vec<String> = texts.iter().map(|text| serde_json::Value::from(*text).to_string()).collect();
        let strings = Inference::of(&records).root.strings;
        (strings.example.clone(), strings.average())
    };
    assert_eq!(strings(&["1 2", "a-b", "plain words\nmore", "others"]), ("plain words".into(), 7));
    assert_eq!(strings(&["été words", "\n words"]).0, "");
    assert_eq!(strings(&["words, été"]).0, "words, ");
}

#[test]
fn a_key_is_found_at_any_depth() {
    let has_space = |record: &str| Inference::of([record]).root.any_key(&|key| key.contains(' '));
    let rows = [
        (r#"{"a":{"b":[1,{"c":2}]}}"#, false),
        (r#"{"a b":1}"#, true),
        (r#"{"a":{"b c":1}}"#, true),
        (r#"{"a":[[{"b c":1}]]}"#, true),
        (r#"[{"b c":1}]"#, true),
        (r#"["b c"]"#, false),
        (r#"{"a\u0020b":1,"a":2}"#, true),
    ];
    for (record, expected) in rows {
        assert_eq!(has_space(record), expected, "{record}");
    }
}
