//! Texts in JSON: SDKs put what a function returns as text into an object, `{"result": "…"}`, and servers put a document
//! into a member of another one. The text is the result, and what stands around it is kept.

use std::ops::Range;

use serde_json::value::RawValue;

use crate::document::is_json;
use crate::frame::{Around, quoted};
use crate::path::Path;
use crate::scan::{Scan, unquoted};

/// A text is the bulk of an object when it has at least so many percent of it.
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
    /// Where it is in the object; the root for a string alone.
    pub path: Path,
    /// What stands around it.
    pub around: Around,
    /// Escaping it again gives the very same string.
    pub is_exact: bool,
    /// The object's other members, as the text of an object; `None` without any.
    pub inline: Option<String>,
}

/// The text that is the bulk of a JSON string or object; `None` where there is none, and for one that is short.
pub fn text_in(json: &str) -> Option<Wrapped> {
    let trimmed = json.trim();
    let (path, string) = match trimmed.as_bytes().first()? {
        b'"' => (Path::default(), trimmed),
        b'{' => bulk(trimmed, trimmed.len() * BULK_PERCENT / 100, Path::default())?,
        _ => return None,
    };
    serde_json::from_str::<&RawValue>(json).ok()?;
    let text = unquoted(string).into_owned();
    if !is_long(&text) && !is_document(&text) {
        return None;
    }
    let start = string.as_ptr() as usize - json.as_ptr() as usize;
    let place = start..start + string.len();
    Some(Wrapped {
        is_exact: quoted(&text) == string,
        inline: others(trimmed, string),
        around: Around { before: json[..place.start].to_owned(), after: json[place.end..].to_owned() },
        text,
        path,
    })
}

fn is_long(text: &str) -> bool {
    text.len() >= LEAST_BYTES || text.trim_end().lines().count() >= LEAST_LINES
}

/// True for a JSON array or object, or several.
fn is_document(text: &str) -> bool {
    text.trim_start().starts_with(['[', '{']) && is_json(text)
}

/// The string of at least so many bytes in an object, or the only one, and where it is.
fn bulk(object: &str, least: usize, path: Path) -> Option<(Path, &str)> {
    let (mut longest, mut count) = (("", ""), 0);
    Scan::of(object).members(|scan, key| {
        let value = scan.value();
        count += 1;
        if value.len() > longest.1.len() {
            longest = (key, value);
        }
    });
    let (key, value) = Some(longest).filter(|(_, value)| value.len() >= least || count == 1)?;
    let path = path.then(&unquoted(key));
    match value.as_bytes().first()? {
        b'"' => Some((path, value)),
        b'{' if path.0.len() < DEEPEST => bulk(value, least, path),
        _ => None,
    }
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
    fn a_text_is_found_and_put_back() {
        let lines = "one\\ntwo\\nthree\\nfour".repeat(9);
        let rows = [
            (format!(r#"{{"content":"{lines}"}}"#), ".content", None),
            (
                format!(r#" {{"url":"u","page":{{"n":1,"t": "{lines}"}}}} "#),
                ".page.t",
                Some(r#"{"url":"u","page":{"n":1}}"#),
            ),
            (format!("\"{lines}\""), ".", None),
            (r#"{"r":"[1,2,3,4,5,6,7,8,9,10,11,12,13]"}"#.to_owned(), ".r", None),
        ];
        for (json, path, inline) in rows {
            let wrapped = text_in(&json).unwrap();
            assert_eq!((wrapped.path.to_string().as_str(), wrapped.inline.as_deref()), (path, inline), "{json}");
            assert!(wrapped.is_exact);
            assert_eq!(wrapped.around.wrapped(&quoted(&wrapped.text)), json);
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
