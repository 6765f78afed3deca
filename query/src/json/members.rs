//! The members of a JSON object as slices of its text, in order, duplicates included.

use std::borrow::Cow;
use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

use super::literal::unquote;
use super::scan::Scan;
use super::skip::{Cursor, DEEPEST};

/// Keys, unescaped, and the texts of their values.
#[derive(Debug, Default)]
pub struct Members<'a>(pub Vec<(Cow<'a, str>, &'a str)>);

impl<'a> Members<'a> {
    /// The members of an object; `None` for any other JSON text.
    pub fn of(text: &'a str) -> Option<Self> {
        // serde_json passes over control characters in the keys that it reads as bytes, not in a value that it keeps.
        let value = || serde_json::from_str::<&RawValue>(text).ok();
        Self::skipped(text).or_else(|| serde_json::from_str(value()?.get()).ok())
    }

    /// The same, but also `None` for an object that is nested too deep for the skipper, or has half of a surrogate pair.
    fn skipped(text: &'a str) -> Option<Self> {
        let mut cursor = Cursor::new(text.as_bytes());
        let mut members = Self::default();
        cursor.members(DEEPEST, |key, value| members.0.push((unquote(&text[key]), &text[value]))).ok()?;
        cursor.is_at_end().then_some(members)
    }

    /// The elements of an array that is known to be valid, and the members of those that are objects, in one walk.
    pub fn of_elements(array: &'a str) -> Vec<(&'a str, Option<Self>)> {
        let mut elements = Vec::new();
        Scan::of(array).elements(|scan| {
            let is_object = scan.peek() == b'{';
            elements.push(scan.walked(|scan| {
                if !is_object {
                    scan.value();
                    return None;
                }
                let mut members = Self::default();
                scan.members(|scan, key| members.0.push((unquote(key), scan.value())));
                Some(members)
            }));
        });
        elements
    }

    /// The text of the value that a key has; of duplicate keys the last one counts, as in jq.
    pub fn get(&self, key: &str) -> Option<&'a str> {
        self.0.iter().rev().find(|(name, _)| name == key).map(|(_, value)| *value)
    }

    /// The same, but nothing for null.
    pub fn get_some(&self, key: &str) -> Option<&'a str> {
        self.get(key).filter(|value| *value != "null")
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Members<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(Collect)
    }
}

struct Collect;

impl<'de> Visitor<'de> for Collect {
    type Value = Members<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<Self::Value, M::Error> {
        let mut members = Members::default();
        while let Some((Key(key), value)) = map.next_entry::<Key<'de>, &RawValue>()? {
            members.0.push((key, value.get()));
        }
        Ok(members)
    }
}

/// A key that is borrowed unless it has escapes. (serde's own `Cow` always owns.)
struct Key<'a>(Cow<'a, str>);

impl<'de: 'a, 'a> Deserialize<'de> for Key<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        // As bytes, because a key with half of a surrogate pair is no text, and must not hide the other keys.
        deserializer.deserialize_bytes(KeyVisitor).map(Key)
    }
}

struct KeyVisitor;

impl<'de> Visitor<'de> for KeyVisitor {
    type Value = Cow<'de, str>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a key")
    }

    fn visit_borrowed_bytes<E>(self, key: &'de [u8]) -> Result<Self::Value, E> {
        Ok(String::from_utf8_lossy(key))
    }

    fn visit_bytes<E>(self, key: &[u8]) -> Result<Self::Value, E> {
        Ok(Cow::Owned(String::from_utf8_lossy(key).into_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_keep_their_order_their_text_and_their_duplicates() {
        let members = Members::of(r#"{"b": 1.10, "\u0061":[ 1 ],"b":null}"#).unwrap();
        let seen: Vec<_> = members.0.iter().map(|(key, value)| (key.as_ref(), *value)).collect();
        assert_eq!(seen, [("b", "1.10"), ("a", "[ 1 ]"), ("b", "null")]);
        assert_eq!(members.get("b"), Some("null"));
        assert_eq!(members.get_some("b"), None);
    }

    #[test]
    fn both_parsers_find_the_same_members() {
        let deep = format!("{{\"a\":{}1{}}}", "[".repeat(200), "]".repeat(200));
        let long = format!(r#"{{"{}":"{}\"x"}}"#, "k".repeat(40), "é".repeat(40));
        for text in [r#"{"b": 1.10, "\u0061":[ 1 ],"b":null}"#, " { } ", r#"{"":{"":""}}"#, &long, &deep, "{\"a\":1} x"]
        {
            let slow: Option<Members<'_>> = serde_json::from_str(text).ok();
            assert_eq!(Members::of(text).map(|members| members.0), slow.map(|members| members.0), "{text:.40}");
        }
    }

    #[test]
    fn half_a_surrogate_pair_in_a_key_hides_no_other_key() {
        let members = Members::of(r#"{"\udc00":1,"a":2}"#).unwrap();
        assert_eq!((members.0.len(), members.get("a")), (2, Some("2")));
    }

    #[test]
    fn elements_have_their_members() {
        let array = r#"[ {"a":"x\"}]", "b":[{}]} , 1,"{",{}]"#;
        let elements = Members::of_elements(array);
        assert_eq!(
            elements.iter().map(|(text, _)| *text).collect::<Vec<_>>(),
            [r#"{"a":"x\"}]", "b":[{}]}"#, "1", r#""{""#, "{}"]
        );
        for (text, members) in elements {
            assert_eq!(members.map(|members| members.0), Members::of(text).map(|members| members.0), "{text}");
        }
    }

    #[test]
    fn only_objects_have_members() {
        for text in ["[]", "1", "\"a\"", "null", "{", "{} {}", "{\"a\u{1}\":1}"] {
            assert!(Members::of(text).is_none(), "{text}");
        }
    }
}
