//! Tokens of pages, and what they belong to.

use super::*;
use crate::file::header::Header;

#[test]
fn a_token_needs_no_range_and_no_other_token_will_do() {
    let file = file("日本語\nb\nc\n");
    let first = read(&file, json!({"lines": "1-2", "max_bytes": 10})).unwrap();
    let second = read(&file, json!({"next": first.next})).unwrap();
    assert_eq!((second.text.as_str(), second.next), ("b\n", None));
    let header = file.find('\n').unwrap() as u64 + 1;
    for token in [
        "x".to_owned(),
        owned(&file, 'l', &[1, 0, 0]),
        owned(&file, 'l', &[0, header, 0]),
        owned(&file, 'l', &[3, header, 2]),
        owned(&file, 'l', &[1, header + 1, 0]),
        owned(&self::file("another\n"), 'l', &[1, header, 0]),
        format!("l1.{header}.0"),
    ] {
        let error = read(&file, json!({"next": token})).unwrap_err();
        assert_eq!(error.case(), "invalid-argument", "{token}");
    }
    for token in [
        searching(&file, ".", &[0, header, 0, 0, 0]),
        searching(&file, ".", &[1, header - 1, 0, 0, 0]),
        searching(&file, ".", &[1, header + 3, 0, 0, 0]),
        searching(&file, ".", &[1, header, 1, 0, 0]),
        searching(&file, "..", &[1, header, 0, 0, 0]),
        searching(&self::file("another\n"), ".", &[1, header, 0, 0, 0]),
        owned(&file, 's', &[1, header, 0, 0, 0]),
    ] {
        let error = search(&file, json!({"pattern": ".", "next": token})).unwrap_err();
        assert_eq!(error.case(), "invalid-argument", "{token}");
    }
    let next = searching(&file, ".", &[2, header + 10, 0, 1, 4]);
    let found = search(&file, json!({"pattern": ".", "next": next})).unwrap();
    assert_eq!((found.hits[0].line, found.hits.len(), found.total), (2, 2, Some(3)));
    let page = read(&file, json!({"next": owned(&file, 'l', &[9, 99_999, 0])})).unwrap();
    assert_eq!((page.text.as_str(), page.next), ("", None));
}

/// What tokens of the file belong to.
fn owner(file: &str) -> token::Owner {
    let line = file.lines().next().unwrap();
    token::Owner::of("file", &Header::parse(line.as_bytes(), &Settings::default().header_type).unwrap())
}

/// A token of `read`.
fn owned(file: &str, kind: char, numbers: &[u64]) -> String {
    token::write(kind, numbers, &owner(file))
}

/// A token of a search without switches.
pub(super) fn searching(file: &str, pattern: &str, numbers: &[u64]) -> String {
    token::write('s', numbers, &owner(file).and(pattern).and(""))
}

#[test]
fn a_token_of_a_search_belongs_to_its_pattern_and_switches() {
    let file = file(&"a.b\nA.B\n".repeat(9));
    let first = json!({"pattern": "a.b", "limit": 1});
    let next = search(&file, first.clone()).unwrap().next.unwrap();
    let goes_on = |pattern: &str, more: Value| {
        let mut request = json!({"pattern": pattern, "next": next});
        request.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        search(&file, request)
    };
    for same in [json!({}), json!({"context": 0, "limit": 3, "max_bytes": 99}), json!({"literal": false})] {
        assert_eq!(goes_on("a.b", same).unwrap().hits[0].line, 3);
    }
    for (pattern, more) in [
        ("a.B", json!({})),
        ("a.b", json!({"ignore_case": true})),
        ("a.b", json!({"literal": true})),
        ("a.b", json!({"literal": true, "ignore_case": true})),
    ] {
        let error = goes_on(pattern, more).unwrap_err();
        assert!(error.message().contains("is not one of this call and this file"), "{error}");
        assert!(error.hint().contains("with the same file and pattern; or leave it out"), "{}", error.hint());
    }
}
