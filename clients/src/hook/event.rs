//! The event of a client as text, what it holds for the component, and what the component made of it.
//!
//! Values stay slices of the event's text, so that members unknown here keep their bytes and 60 MB are not copied twice.

use std::borrow::Cow;
use std::fmt;
use std::path::PathBuf;

use indexmap::IndexMap;
use serde::de::{Deserializer, Visitor};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

/// A JSON object whose values are as they are written.
#[derive(Debug)]
pub struct Object<'a>(IndexMap<String, &'a RawValue>);

impl<'a> Object<'a> {
    /// The object that a text is.
    pub fn of(text: &'a str) -> Option<Self> {
        text.trim_start().starts_with('{').then(|| serde_json::from_str(text).ok().map(Self))?
    }

    /// A member as it is written.
    pub fn raw(&self, name: &str) -> Option<&'a str> {
        self.0.get(name).map(|value| value.get()).filter(|text| *text != "null")
    }

    /// A member that is a string, as it is written.
    pub fn raw_text(&self, name: &str) -> Option<&'a str> {
        self.raw(name).filter(|text| text.starts_with('"'))
    }

    /// A member that is a string.
    pub fn text(&self, name: &str) -> Option<String> {
        decoded(self.raw(name)?)
    }

    /// A member that is an object.
    pub fn object(&self, name: &str) -> Option<Self> {
        Self::of(self.raw(name)?)
    }

    /// A member that is a whole number.
    pub fn number(&self, name: &str) -> Option<u64> {
        self.raw(name)?.parse().ok()
    }

    /// True if a member is `true`.
    pub fn is_true(&self, name: &str) -> bool {
        self.raw(name) == Some("true")
    }

    /// True if there is such a member, and it is not null.
    pub fn has(&self, name: &str) -> bool {
        self.raw(name).is_some()
    }

    /// The text of the object with other values, given as JSON, or without them.
    pub fn with(&self, changes: &[(&str, Option<&str>)]) -> String {
        let change = |name: &str| changes.iter().find(|(changed, _)| *changed == name).map(|(_, value)| *value);
        let kept =
            self.0.iter().filter_map(|(name, value)| Some((name.as_str(), change(name).unwrap_or(Some(value.get()))?)));
        let new = changes.iter().filter(|(name, _)| !self.0.contains_key(*name));
        let new = new.filter_map(|(name, value)| Some((*name, (*value)?)));
        let members: Vec<String> = kept.chain(new).map(|(name, value)| format!("{}:{value}", quoted(name))).collect();
        format!("{{{}}}", members.join(","))
    }
}

/// The elements of a JSON array as they are written.
pub fn elements(array: &str) -> Option<Vec<&str>> {
    let elements: Vec<&RawValue> = serde_json::from_str(array).ok()?;
    Some(elements.into_iter().map(RawValue::get).collect())
}

/// A text as a JSON string.
pub fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// The text of a JSON string. Half of a surrogate pair, which a client leaves where it cuts a text, is replaced.
pub fn decoded(string: &str) -> Option<String> {
    struct Bytes;
    impl Visitor<'_> for Bytes {
        type Value = String;
        fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
            formatter.write_str("a string")
        }
        fn visit_bytes<E>(self, bytes: &[u8]) -> Result<String, E> {
            Ok(String::from_utf8_lossy(bytes).into_owned())
        }
        fn visit_str<E>(self, text: &str) -> Result<String, E> {
            Ok(text.to_owned())
        }
    }
    string.starts_with('"').then(|| serde_json::Deserializer::from_str(string).deserialize_bytes(Bytes).ok())?
}

/// What an event holds for the component.
#[derive(Debug)]
pub struct Held<'a> {
    /// The tool by the name that the client has for it.
    pub tool: String,
    /// The arguments of the call, as JSON.
    pub arguments: &'a str,
    /// Its result.
    pub result: Holding<'a>,
    /// True if it is a data file that the client's own tool read: it may be about to be edited.
    pub is_file: bool,
    /// True if a shell printed files that are not data, judging by its command line.
    pub is_printed: bool,
}

/// Where the result is.
#[derive(Debug)]
pub enum Holding<'a> {
    /// Here, as the text of a CallToolResult.
    Here(Cow<'a, str>),
    /// In a file that the client has written.
    Saved(Saved),
}

/// A file that an event names.
#[derive(Debug, Deserialize, Serialize)]
pub struct Saved {
    /// The file, as the event names it.
    pub path: PathBuf,
    /// The only folder in which it may be.
    pub place: Place,
    /// What its content must be.
    pub check: Check,
    /// True if it may be the array of content blocks instead of a text.
    pub may_be_blocks: bool,
}

/// A folder of a client.
#[derive(Debug, PartialEq, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Place {
    /// A folder that the event names.
    Folder(PathBuf),
    /// This path below the user's folder for data of programs.
    BelowData(Cow<'static, str>),
}

/// What the event says of the file's content.
#[derive(Debug, PartialEq, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Check {
    /// So many bytes.
    Bytes(u64),
    /// As JavaScript counts the characters of a text.
    Utf16(u64),
    /// This is its beginning.
    StartsWith(String),
    /// This is its end.
    EndsWith(String),
}

impl<'h> Held<'h> {
    /// The result of a tool that reads no file.
    pub(super) fn of(tool: String, arguments: &'h str, result: Holding<'h>) -> Self {
        Self { tool, arguments, result, is_file: false, is_printed: false }
    }

    /// What a tool returned as one text, given as a JSON string.
    pub(super) fn text<'a>(tool: String, arguments: &'a str, string: &str) -> Held<'a> {
        Held::of(tool, arguments, Holding::Here(result_of_text(string).into()))
    }

    /// What a tool returned as an array of content blocks, given as JSON. `None` where not all of them are text.
    pub(super) fn blocks<'a>(tool: String, arguments: &'a str, array: &str) -> Option<Held<'a>> {
        let result = are_texts(array).then(|| result_of_blocks(array))?;
        Some(Held::of(tool, arguments, Holding::Here(result.into())))
    }
}

/// The CallToolResult with one text, given as a JSON string.
pub(super) fn result_of_text(string: &str) -> String {
    result_of_blocks(&format!(r#"[{{"type":"text","text":{string}}}]"#))
}

/// The CallToolResult with these content blocks, given as a JSON array.
pub(super) fn result_of_blocks(array: &str) -> String {
    format!(r#"{{"content":{array}}}"#)
}

/// True for an array of text blocks and nothing else.
pub(super) fn are_texts(array: &str) -> bool {
    let is_text = |block: &str| {
        Object::of(block).is_some_and(|block| block.raw("type") == Some("\"text\"") && block.raw_text("text").is_some())
    };
    elements(array).is_some_and(|blocks| !blocks.is_empty() && blocks.into_iter().all(is_text))
}

/// The CallToolResult that the component has put in the place of another one.
#[derive(Debug)]
pub struct Rewritten {
    /// Its content blocks, as a JSON array.
    pub(super) content: String,
    /// The texts of these blocks.
    pub text: String,
}

impl Rewritten {
    /// What a CallToolResult holds, if all of its content is text.
    pub fn of(result: &str) -> Option<Self> {
        let content = Object::of(result)?.raw("content")?.to_owned();
        let texts: Option<Vec<String>> =
            elements(&content)?.iter().map(|block| Object::of(block)?.text("text")).collect();
        Some(Self { text: texts?.join("\n"), content })
    }

    /// The text as a JSON string.
    pub(super) fn string(&self) -> String {
        quoted(&self.text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changed_members_keep_their_place_and_others_their_bytes() {
        let object = Object::of(r#"{"a": 1.0,"b":[1, 2],"c":null}"#).unwrap();
        assert_eq!(object.with(&[("b", None), ("d", Some("2"))]), r#"{"a":1.0,"c":null,"d":2}"#);
        assert_eq!(object.with(&[("a", Some("\"x\"")), ("e", None)]), r#"{"a":"x","b":[1, 2],"c":null}"#);
        assert!(object.has("b") && !object.has("c") && !object.has("d"));
        assert!(Object::of("[1]").is_none() && Object::of("{").is_none() && Object::of("").is_none());
    }

    #[test]
    fn half_of_a_pair_is_replaced() {
        assert_eq!(decoded(r#""a\u00e9\ud83d\ude00""#).unwrap(), "aé😀");
        assert!(decoded(r#""a\ud83d""#).unwrap().starts_with("a\u{fffd}"));
        assert_eq!(decoded("7"), None);
    }

    #[test]
    fn only_text_blocks_are_held() {
        assert!(are_texts(r#"[{"type":"text","text":"a"},{"text":"b","type":"text"}]"#));
        for other in ["[]", "7", r#"[{"type":"image","text":"a"}]"#, r#"[{"type":"text","text":7}]"#, r#"["a"]"#] {
            assert!(!are_texts(other), "{other}");
        }
    }

    #[test]
    fn what_the_component_returns_is_text() {
        let rewritten =
            Rewritten::of(r#"{"content":[{"type":"text","text":"a"},{"type":"text","text":"b"}],"_meta":{}}"#);
        let rewritten = rewritten.unwrap();
        assert_eq!((&*rewritten.text, &*rewritten.string()), ("a\nb", r#""a\nb""#));
        assert!(Rewritten::of(r#"{"content":[{"type":"image"}]}"#).is_none());
    }
}
