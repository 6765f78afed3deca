//! Parts of a JSON text, one at a time. Nothing is kept of the others: a hostile message of 60 MB may have millions of them,
//! which would take gigabytes together.

use std::fmt;

use serde::de::{Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;

/// A member of the text of an object, as it is written; the last one of this name.
pub(super) fn member<'a>(object: &'a str, name: &str) -> Option<&'a str> {
    let mut text = serde_json::Deserializer::from_str(object);
    let found = text.deserialize_map(Wanted(name)).ok()?;
    text.end().ok()?;
    found.map(RawValue::get)
}

/// Passes the elements of the text of a list to `take`, as they are written. `None` if it is not such a text.
pub(super) fn each(list: &str, take: impl FnMut(&str)) -> Option<()> {
    let mut text = serde_json::Deserializer::from_str(list);
    text.deserialize_seq(Elements(take)).and_then(|()| text.end()).ok()
}

struct Wanted<'n>(&'n str);

impl<'de> Visitor<'de> for Wanted<'_> {
    type Value = Option<&'de RawValue>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Self::Value, A::Error> {
        let mut found = None;
        while let Some(name) = members.next_key::<String>()? {
            if name == self.0 {
                found = Some(members.next_value()?);
            } else {
                members.next_value::<IgnoredAny>()?;
            }
        }
        Ok(found)
    }
}

struct Elements<F>(F);

impl<'de, F: FnMut(&str)> Visitor<'de> for Elements<F> {
    type Value = ();

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a list")
    }

    fn visit_seq<A: SeqAccess<'de>>(mut self, mut elements: A) -> Result<(), A::Error> {
        while let Some(element) = elements.next_element::<&RawValue>()? {
            (self.0)(element.get());
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::{each, member};

    #[test]
    fn a_member_is_as_it_is_written() {
        for (object, expected) in [
            (r#"{"b":1,"a": [1.0, {"a":2}] }"#, Some(r#"[1.0, {"a":2}]"#)),
            (r#"{"a":1,"\u0061":2}"#, Some("2")),
            (r#"{"b":{"a":1}}"#, None),
            (r#"{"a":1"#, None),
            (r#"{"a":1} x"#, None),
            ("[1]", None),
            ("", None),
        ] {
            assert_eq!(member(object, "a"), expected, "{object}");
        }
    }

    #[test]
    fn elements_are_as_they_are_written() {
        let elements = |list: &str| {
            let mut found = Vec::new();
            each(list, |element| found.push(element.to_owned())).map(|()| found)
        };
        assert_eq!(elements(r#"[1.0, {"a" :2},"x"]"#), Some(vec!["1.0".into(), r#"{"a" :2}"#.into(), "\"x\"".into()]));
        assert_eq!((elements("{}"), elements("[1"), elements("[]")), (None, None, Some(Vec::new())));
    }
}
