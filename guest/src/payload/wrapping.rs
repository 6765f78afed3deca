//! Texts in JSON: SDKs put what a function returns as text into an object, `{"result": "…"}`, and servers put a
//! document into a member of another one. The text is the result, and everything around it is kept.

use std::ops::Range;

use lro_query::json::{Scan, Type, Unquoted, is_json, unquote_checked};
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
    let levels = match Type::of(trimmed) {
        Type::String => vec![trimmed],
        Type::Object => bulk(trimmed, trimmed.len() * BULK_PERCENT / 100, DEEPEST)?,
        _ => return None,
    };
    let string = *levels.last()?;
    let Unquoted { text, is_exact } = unquote_checked(string)?;
    if !is_long(&text) && !is_document(&text) {
        return None;
    }
    let start = string.as_ptr() as usize - json.as_ptr() as usize;
    let around = Around { before: json[..start].to_owned(), after: json[start + string.len()..].to_owned() };
    // The string is JSON, so the whole is if it is with a short string in its place.
    serde_json::from_str::<&RawValue>(&around.wrapped("\"\"")).ok()?;
    Some(Wrapped { text: text.into_owned(), around, is_exact, inline: others(&levels) })
}

fn is_long(text: &str) -> bool {
    text.len() >= LEAST_BYTES || text.trim_end().lines().count() >= LEAST_LINES
}

/// True for a JSON array or object, or several.
fn is_document(text: &str) -> bool {
    text.trim_start().starts_with(['[', '{']) && is_json(text)
}

/// Finds the string of at least `least` bytes in an object or in an array of one element, or the only string. Returns the
/// value, what is the bulk of it, and so on; the string is the last.
fn bulk<'a>(value: &'a str, least: usize, depth: usize) -> Option<Vec<&'a str>> {
    let mut levels = vec![value];
    loop {
        let value = *levels.last()?;
        let (mut longest, mut count) = ("", 0);
        let mut take = |scan: &mut Scan<'a>| {
            let value = scan.value();
            count += 1;
            if value.len() > longest.len() {
                longest = value;
            }
        };
        match Type::of(value) {
            Type::String => return Some(levels),
            Type::Object if levels.len() <= depth => Scan::of(value).members(|scan, _| take(scan)),
            Type::Array if levels.len() <= depth => Scan::of(value).elements(take),
            _ => return None,
        }
        let is_bulk = count == 1 || (value.starts_with('{') && longest.len() >= least);
        levels.push(is_bulk.then_some(longest)?);
    }
}

/// An object without the string that is the last of its levels.
fn others(levels: &[&str]) -> Option<String> {
    let [object, inner @ ..] = levels else { return None };
    let bulk = inner.first()?;
    let mut members = Vec::new();
    if object.starts_with('{') {
        Scan::of(object).members(|scan, key| {
            scan.peek();
            // The end of the bulk is known.
            let value = if scan.eat(bulk) { others(inner) } else { Some(scan.value().to_owned()) };
            members.extend(value.map(|value| format!("{key}:{value}")));
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
    use lro_query::json::quote;

    use super::*;

    #[test]
    fn what_holds_a_text_is_json() {
        let lines = "a line \\u00e9\\n".repeat(30);
        let whole = format!(r#"{{"n": 1, "content":[{{"type":"text","text":"{lines}"}}],"isError":false}}"#);
        assert!(text_in(&whole).is_some());
        let is_json = |text: &str| serde_json::from_str::<&RawValue>(text).is_ok();
        for place in 0..whole.len() {
            for by in ["", "\"", "\\", "{", "}", "[", "]", ",", ":", "0", "\n", "\"\":"] {
                for rest in [place, place + 1] {
                    let changed = format!("{}{by}{}", &whole[..place], &whole[rest..]);
                    assert!(is_json(&changed) || text_in(&changed).is_none(), "{changed}");
                }
            }
        }
    }

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
            let string = bulk(value, least, depth).and_then(|levels| levels.last().copied());
            assert_eq!(string, expected, "{value} {least} {depth}");
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
