//! The values of a JSON text, as slices of it.

use std::borrow::Cow;
use std::ops::Range;

use serde_json::Deserializer;
use serde_json::value::RawValue;

use super::gathered;
use super::scan::Scan;
use super::skip::Cursor;

/// Text that is nested deeper is left to the slower parser, which has no such limit.
const DEEPEST: u32 = 128;

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
