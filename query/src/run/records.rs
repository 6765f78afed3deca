//! Records as values of the engine: checked to be JSON, and parsed as far as a program reads them.

use std::fmt;

use serde::de::{Deserializer as _, IgnoredAny, MapAccess, Visitor};
use serde_json::Deserializer;
use serde_json::value::RawValue;

use crate::failure::Failure;
use crate::fast::Reader;
use crate::run::input::Form;
use crate::value::Value;
use crate::value::{Map, Text};

/// What a caller passes is nested this deep at most.
const MOST_NESTING: u32 = 512;

/// Parses a JSON text.
pub fn from_json(text: &str) -> Result<Value, Failure> {
    Value::parse(text, MOST_NESTING)
}

/// Makes values of records: of all that is in them, or of an object just the keys that are read.
pub(crate) struct Records {
    read: Option<(Vec<Text>, Reader)>,
    most_nesting: u32,
}

impl Records {
    /// Values with these keys of an object; with all of them when they are not known.
    pub(crate) fn new(reads: Option<Vec<String>>, most_nesting: u32) -> Self {
        let read = reads.map(|keys| {
            let reader =
                Reader::new(keys.iter().map(|key| key.clone().into_bytes()).collect(), most_nesting, Form::Json);
            (keys.into_iter().map(Text::from).collect(), reader)
        });
        Self { read, most_nesting }
    }

    /// The value of a line. The whole line is checked in both cases; errors say why it is not a record.
    pub(crate) fn value(&mut self, line: &[u8]) -> Result<Value, Failure> {
        let most_nesting = self.most_nesting;
        let Some((keys, reader)) = &mut self.read else { return Value::parse(text(line)?, most_nesting) };
        match reader.read(line) {
            Ok(record) if record.is_object() => {
                let mut object = Map::with_capacity(keys.len());
                for (slot, key) in keys.iter().enumerate() {
                    if let Some(value) = record.member(slot) {
                        object.insert(key.clone(), Value::parse(text(value)?, most_nesting)?);
                    }
                }
                Ok(Value::object(object))
            }
            Ok(_) => Value::parse(text(line)?, most_nesting),
            // It may have a key twice or one with escapes; if it is no JSON, this says why.
            Err(_) => {
                let (line, keys) = (text(line)?, keys.iter().map(|key| &**key).collect::<Vec<_>>());
                match line.trim_start().starts_with('{') {
                    true => picked(line, &keys, most_nesting),
                    false => Value::parse(line, most_nesting),
                }
            }
        }
    }
}

/// A line as text.
pub(crate) fn text(bytes: &[u8]) -> Result<&str, Failure> {
    // What is not text is looked at again, for the place.
    simdutf8::basic::from_utf8(bytes)
        .or_else(|_| std::str::from_utf8(bytes))
        .map_err(|error| Failure::NotUtf8(error.to_string()))
}

/// The members of an object that have one of these keys, as texts; the whole line is checked. Null has none, as in jq.
/// `None` when it is JSON but neither.
pub(crate) fn members<'a>(line: &'a str, keys: &'a [&'a str]) -> Result<Option<Vec<(&'a str, &'a str)>>, Failure> {
    if !line.trim_start().starts_with('{') {
        let members = (line.trim() == "null").then(Vec::new);
        return serde_json::from_str::<IgnoredAny>(line).map(|_| members).map_err(not_json);
    }
    let mut deserializer = Deserializer::from_str(line);
    let members = deserializer.deserialize_map(Pick(keys)).map_err(not_json)?;
    deserializer.end().map_err(not_json)?;
    Ok(Some(members))
}

fn picked(line: &str, keys: &[&str], most_nesting: u32) -> Result<Value, Failure> {
    let mut object = Map::default();
    for (key, value) in members(line, keys)?.unwrap_or_default() {
        object.insert(Text::from(key), Value::parse(value, most_nesting)?);
    }
    Ok(Value::object(object))
}

fn not_json(error: serde_json::Error) -> Failure {
    Failure::NotJson(error.to_string())
}

/// Collects the members with certain keys; of duplicate keys the last one counts, as in jq.
struct Pick<'k>(&'k [&'k str]);

impl<'de: 'k, 'k> Visitor<'de> for Pick<'k> {
    type Value = Vec<(&'k str, &'de str)>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<Self::Value, M::Error> {
        let mut picked: Self::Value = Vec::with_capacity(self.0.len());
        while let Some(key) = map.next_key_seed(OneOf(self.0))? {
            let Some(key) = key else {
                map.next_value::<IgnoredAny>()?;
                continue;
            };
            let value = map.next_value::<&RawValue>()?.get();
            match picked.iter_mut().find(|(known, _)| *known == key) {
                Some(known) => known.1 = value,
                None => picked.push((key, value)),
            }
        }
        Ok(picked)
    }
}

/// Reads a key without keeping it: which of the known ones is it?
struct OneOf<'k>(&'k [&'k str]);

impl<'de, 'k> serde::de::DeserializeSeed<'de> for OneOf<'k> {
    type Value = Option<&'k str>;

    fn deserialize<D: serde::Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl<'k> Visitor<'_> for OneOf<'k> {
    type Value = Option<&'k str>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a key")
    }

    fn visit_str<E>(self, key: &str) -> Result<Self::Value, E> {
        Ok(self.0.iter().copied().find(|known| *known == key))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(line: &str, reads: Option<&[&str]>) -> String {
        let reads = reads.map(|keys| keys.iter().map(|key| (*key).to_owned()).collect());
        Records::new(reads, 128)
            .value(line.as_bytes())
            .map_or_else(|error| error.to_string(), |value| value.to_string())
    }

    #[test]
    fn only_the_keys_that_are_read_are_parsed() {
        let rows = [
            (r#"{"a":1,"b":[2],"c":"\u0041"}"#, r#"{"c":"A","b":[2]}"#),
            (r#"{"b":1,"b":2}"#, r#"{"b":2}"#),
            (r#"{"\u0062":3}"#, r#"{"b":3}"#),
            (r#"[1]"#, "[1]"),
            ("{}", "{}"),
        ];
        for (line, expected) in rows {
            let seen: serde_json::Value = serde_json::from_str(&parsed(line, Some(&["b", "c"]))).unwrap();
            assert_eq!(seen, serde_json::from_str::<serde_json::Value>(expected).unwrap(), "{line}");
        }
    }

    #[test]
    fn what_is_not_json_is_refused_read_or_not() {
        for line in ["", "{", "NaN", "{\"a\":1} 2", "{\"a\":01}", "# comment", "b\"x\"", "{\"a\":nul}"] {
            assert!(parsed(line, None).starts_with("not valid JSON"), "{line}");
            assert!(parsed(line, Some(&["b"])).starts_with("not valid JSON"), "{line}");
        }
    }

    #[test]
    fn deep_records_are_refused_unless_nobody_reads_them() {
        let deep = format!(r#"{{"a":{}{}}}"#, "[".repeat(5000), "]".repeat(5000));
        assert!(parsed(&deep, None).contains("nested deeper than 128 levels"));
        assert!(parsed(&deep, Some(&["a"])).contains("nested deeper than 128 levels"));
        assert_eq!(parsed(&deep, Some(&["b"])), "{}");
        assert!(Records::new(None, 2).value(br#"{"a":"[[[[[[["}"#).is_ok());
    }
}
