//! Texts in JSON: SDKs put what a function returns as text into an object, `{"result": "…"}`, and servers put a
//! document into a member of another one. The text is the result, and everything around it is kept.

use std::ops::Range;

use lro_query::json::{Scan, Type, is_json, quote, unquote};
use serde_json::value::RawValue;

use crate::payload::frame::Around;

/// Text is the bulk of an object if it has at least this percentage of it.
const BULK_PERCENT: usize = 80;

/// A text of fewer lines and fewer bytes is the value of a field.
const LEAST_LINES: usize = 4;
const LEAST_BYTES: usize = 2048;

/// A text is looked for this deep in objects.
const DEEPEST: usize = 4;

/// The text that a JSON value holds as a string.
#[derive(Debug, PartialEq, Eq)]
pub struct Wrapped {
    /// It, unescaped.
    pub text: String,
    /// The text around it.
    pub around: Around,
    /// Escaping it again gives the very same string.
    pub is_exact: bool,
    /// The object's other members, as the text of an object; `None` without any.
    pub inline: Option<String>,
}

/// The text that is the bulk of a JSON string or object; `None` if there is none, or if it is short.
pub fn text_in(json: &str) -> Option<Wrapped> {
    let trimmed = json.trim();
    let string = match Type::of(trimmed) {
        Type::String => trimmed,
        Type::Object => bulk(trimmed, trimmed.len() * BULK_PERCENT / 100, DEEPEST)?,
        _ => return None,
    };
    serde_json::from_str::<&RawValue>(json).ok()?;
    let text = unquote(string).into_owned();
    if !is_long(&text) && !is_document(&text) {
        return None;
    }
    let start = string.as_ptr() as usize - json.as_ptr() as usize;
    let place = start..start + string.len();
    Some(Wrapped {
        is_exact: quote(&text) == string,
        inline: others(trimmed, string),
        around: Around { before: json[..place.start].to_owned(), after: json[place.end..].to_owned() },
        text,
    })
}

fn is_long(text: &str) -> bool {
    text.len() >= LEAST_BYTES || text.trim_end().lines().count() >= LEAST_LINES
}

/// True for a JSON array or object, or several.
fn is_document(text: &str) -> bool {
    text.trim_start().starts_with(['[', '{']) && is_json(text)
}

/// Returns the string of at least `least` bytes in an object or in an array of one element, or the only string.
fn bulk<'a>(value: &'a str, least: usize, depth: usize) -> Option<&'a str> {
    let (mut longest, mut count) = ("", 0);
    let mut take = |scan: &mut Scan<'a>| {
        let value = scan.value();
        count += 1;
        if value.len() > longest.len() {
            longest = value;
        }
    };
    match Type::of(value) {
        Type::String => return Some(value),
        Type::Object if depth > 0 => Scan::of(value).members(|scan, _| take(scan)),
        Type::Array if depth > 0 => Scan::of(value).elements(take),
        _ => return None,
    }
    let is_bulk = count == 1 || (value.starts_with('{') && longest.len() >= least);
    is_bulk.then(|| bulk(longest, least, depth - 1))?
}

/// An object without one of its strings, wherever that is.
fn others(object: &str, string: &str) -> Option<String> {
    let holds = |value: &str| value.as_bytes().as_ptr_range().contains(&string.as_ptr());
    let mut members = Vec::new();
    if object.starts_with('{') {
        Scan::of(object).members(|scan, key| {
            let value = scan.value();
            if !holds(value) {
                members.push(format!("{key}:{value}"));
            } else if let Some(inner) = others(value, string) {
                members.push(format!("{key}:{inner}"));
            }
        });
    }
    (!members.is_empty()).then(|| format!("{{{}}}", members.join(",")))
}

/// Where the JSON document is that a text consists of, but for a few words around it.
pub fn embedded(text: &str) -> Option<Range<usize>> {
    let mut start = 0;
    for line in text.split_inclusive('\n').take(LEAST_LINES) {
        if line.starts_with(['[', '{']) {
            let mut values = serde_json::Deserializer::from_str(&text[start..]).into_iter::<&RawValue>();
            let value = values.next()?.ok()?.get();
            let is_bulk = value.len() >= text.len() * BULK_PERCENT / 100;
            return is_bulk.then(|| start..start + value.len());
        }
        start += line.len();
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_that_is_nearly_json_ends() {
        for text in [r#"{"a":[}"#, r#"{"a":[1}"#, r#"{"a":[[:]}"#, r#"{"a":["#] {
            assert_eq!(text_in(text), None, "{text}");
        }
    }

    #[test]
    fn the_bulk_is_the_only_string_or_a_long_one() {
        let rows = [
            (r#""x""#, 0, 0, Some(r#""x""#)),
            (r#"{"a":"x"}"#, 9, 0, None),
            (r#"{"a":"x"}"#, 9, 1, Some(r#""x""#)),
            (r#"{"a":{"b":"x"}}"#, 9, 1, None),
            (r#"{"a":{"b":"x"}}"#, 9, 2, Some(r#""x""#)),
            (r#"["x"]"#, 9, 0, None),
            (r#"["x"]"#, 9, 1, Some(r#""x""#)),
            (r#"["xx","y"]"#, 1, 1, None),
            (r#"{"a":"xxxx","b":1}"#, 6, 1, Some(r#""xxxx""#)),
            (r#"{"a":"xxxx","b":1}"#, 7, 1, None),
            (r#"{"a":"xx","b":"yy"}"#, 4, 1, Some(r#""xx""#)),
            (r#"{"a":7}"#, 0, 1, None),
        ];
        for (value, least, depth, expected) in rows {
            assert_eq!(bulk(value, least, depth), expected, "{value} {least} {depth}");
        }
        for (text, expected) in [("[1]", true), (" {}", true), ("7", false), ("\"x\"", false), ("[broken", false)] {
            assert_eq!(is_document(text), expected, "{text}");
        }
    }

    #[test]
    fn a_text_is_found_and_put_back() {
        let lines = "one\\ntwo\\nthree\\nfour".repeat(40);
        let rows = [
            (format!(r#"{{"content":"{lines}"}}"#), None),
            (
                format!(r#"{{"content":[{{"type":"text","text":"{lines}"}}],"isError":false}}"#),
                Some(r#"{"isError":false}"#),
            ),
            (format!(r#" {{"url":"u","page":{{"n":1,"t": "{lines}"}}}} "#), Some(r#"{"url":"u","page":{"n":1}}"#)),
            (format!("\"{lines}\""), None),
            (r#"{"r":"[1,2,3,4,5,6,7,8,9,10,11,12,13]"}"#.to_owned(), None),
        ];
        for (json, inline) in rows {
            let wrapped = text_in(&json).unwrap();
            assert_eq!(wrapped.inline.as_deref(), inline, "{json}");
            assert!(wrapped.is_exact);
            assert_eq!(wrapped.around.wrapped(&quote(&wrapped.text)), json);
        }
    }

    #[test]
    fn short_texts_and_small_parts_are_values() {
        for json in [
            r#"{"title":"a text that is the bulk of it"}"#,
            r#"{"a":"x\ny\nz\nw","b":[1,2,3,4,5,6,7,8]}"#,
            "{\"a\":\"",
            "7",
            "",
        ] {
            assert_eq!(text_in(json), None, "{json}");
        }
    }

    #[test]
    fn a_document_may_stand_behind_a_sentence() {
        let list = format!("[{}1]", "1,".repeat(99));
        let rows = [
            (format!("Found 20:\n{list}"), Some(10..10 + list.len())),
            (format!("Found 20:\n{list}\nDone."), Some(10..10 + list.len())),
            (format!("{}\n{list}", "x".repeat(999)), None),
            ("plain\ntext".to_owned(), None),
            ("[broken".to_owned(), None),
        ];
        for (text, expected) in rows {
            assert_eq!(embedded(&text), expected, "{text}");
        }
    }
}
