//! The values of a JSON text, as slices of it.

use std::borrow::Cow;
use std::ops::Range;

use serde_json::Deserializer;
use serde_json::value::RawValue;

use super::gathered;
use super::scan::Scan;
use super::skip::{Cursor, DEEPEST};

/// True for a text that is JSON, or JSON Lines.
pub fn is_json(text: &str) -> bool {
    values(text).is_some()
}

/// The JSON values of a text; `None` when there is none, or something else.
pub fn values(text: &str) -> Option<Vec<&str>> {
    let text = without_mark(text);
    if let Some(values) = skipped(text) {
        return Some(values);
    }
    let mut values = Vec::new();
    for value in Deserializer::from_str(text).into_iter::<&RawValue>() {
        gathered::push(&mut values, text, value.ok()?.get());
    }
    Some(values).filter(|values| !values.is_empty())
}

/// The elements of a text that is one array, checked and found in one pass. `None` for other text, and for arrays that only
/// [`values`] takes: those nested too deep, and those with half of a surrogate pair in them.
pub fn array_elements(text: &str) -> Option<Vec<Cow<'_, str>>> {
    let text = without_mark(text);
    let mut cursor = Cursor::new(text.as_bytes());
    let mut elements = Vec::new();
    cursor
        .elements(DEEPEST, |range| gathered::push(&mut elements, text, &text[range]))
        .is_ok_and(|()| cursor.is_at_end())
        .then_some(elements)
}

/// The arrays and objects that a text consists of, checked and found in one pass. `None` when there is anything else.
fn skipped(text: &str) -> Option<Vec<&str>> {
    let mut cursor = Cursor::new(text.as_bytes());
    let mut values = Vec::new();
    while !cursor.is_at_end() {
        let range = cursor.container(DEEPEST).ok()?;
        gathered::push(&mut values, text, &text[range]);
    }
    Some(values).filter(|values| !values.is_empty())
}

/// A byte order mark is not JSON, but some servers send one.
fn without_mark(text: &str) -> &str {
    text.strip_prefix('\u{feff}').unwrap_or(text)
}

/// Where a slice of a text stands in it.
pub fn place(text: &str, slice: &str) -> Range<usize> {
    let start = slice.as_ptr() as usize - text.as_ptr() as usize;
    start..start + slice.len()
}

/// The elements of an array.
pub fn elements(array: &str) -> Vec<Cow<'_, str>> {
    let mut elements = Vec::new();
    Scan::of(array).elements(|scan| gathered::push(&mut elements, array, scan.value()));
    elements
}

/// A record as one line: raw newlines, which JSON allows between tokens, are taken out with the space around them.
pub fn on_one_line(record: &str) -> Cow<'_, str> {
    if !record.contains(['\n', '\r']) {
        return Cow::Borrowed(record);
    }
    let mut line = String::with_capacity(record.len());
    let (mut in_string, mut escaped) = (false, false);
    for character in record.chars() {
        if in_string {
            in_string = escaped || character != '"';
            escaped = !escaped && character == '\\';
        } else if character.is_ascii_whitespace() {
            continue;
        } else {
            in_string = character == '"';
        }
        line.push(character);
    }
    Cow::Owned(line)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_pass_finds_what_two_find() {
        let deep = |levels: usize| format!("[{}1{}]", "[".repeat(levels), "]".repeat(levels));
        let taken = [
            "[]",
            " [ ] ",
            "\u{feff}[1,\"a\\\"]\", {\"x\":[{}]} ,null\n]\n",
            "[1.50,-0,1e999,\"\u{7f}é\"]",
            &deep(DEEPEST as usize),
        ];
        let left = ["[\"\\ud800\"]", &deep(DEEPEST as usize + 1)];
        let refused = ["", "[", "[1", "[1,]", "[1 2]", "[1]]", "[1] x", "[\"\t\"]", "[01]", "{}", "7", "[1]\n[2]"];
        for text in taken.into_iter().chain(left) {
            let slow: Vec<_> = Deserializer::from_str(without_mark(text)).into_iter::<&RawValue>().collect();
            let [Ok(only)] = &slow[..] else { panic!("{text:.40}") };
            assert_eq!(values(text).unwrap(), [only.get()], "{text:.40}");
            let found = array_elements(text);
            assert_eq!(found.is_some(), taken.contains(&text), "{text:.40}");
            assert!(found.is_none_or(|found| found == elements(only.get())), "{text:.40}");
        }
        refused.iter().for_each(|text| assert_eq!(array_elements(text), None, "{text}"));
    }

    #[test]
    fn several_values_are_found_by_either_parser() {
        let rows: [(&str, &[&str]); 6] = [
            ("{\"a\":1}\n{\"b\":[2]}\n", &["{\"a\":1}", "{\"b\":[2]}"]),
            ("{}[] {}", &["{}", "[]", "{}"]),
            ("{} 7 \"x\"", &["{}", "7", "\"x\""]),
            ("{\"\\udc00\":1}[1]", &["{\"\\udc00\":1}", "[1]"]),
            ("{}x", &[]),
            (" \n", &[]),
        ];
        for (text, expected) in rows {
            assert_eq!(values(text).unwrap_or_default(), expected, "{text}");
        }
    }

    #[test]
    fn a_record_on_several_lines_becomes_one() {
        let rows = [
            ("{\n  \"a\": [1,\r\n 2.0]\n}", r#"{"a":[1,2.0]}"#),
            (r#"{"a": 1}"#, r#"{"a": 1}"#),
            ("{\n\"a\\\" b\": \" \\\\\" }", r#"{"a\" b":" \\"}"#),
        ];
        for (record, line) in rows {
            assert_eq!(on_one_line(record), line);
        }
    }
}
