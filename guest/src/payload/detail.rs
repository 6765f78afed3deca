//! Detail levels: which fields of a memory a record has, and how a memory is brought to a level (decision 23).

use lro_query::json::Members;
use serde::{Deserialize, Serialize};

/// A level of detail (LRO-12).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Detail {
    /// The fields to browse by.
    Light,
    /// Light, with content and confidence.
    Medium,
    /// The memory as it is.
    Full,
}

/// The fields of a light record, always written, in this order.
pub const LIGHT: [&str; 6] = ["id", "title", "namespace", "memory_type", "tags", "created"];

/// What a medium record has besides, always written.
const MEDIUM: [&str; 2] = ["content", "confidence"];

/// What a medium record has where the memory has it.
const MEDIUM_WHERE_PRESENT: [&str; 3] = ["modified", "status", "summary"];

impl Detail {
    /// The level's name, as in a header.
    pub fn name(self) -> &'static str {
        match self {
            Self::Light => "light",
            Self::Medium => "medium",
            Self::Full => "full",
        }
    }

    /// The lowest level at which a field exists.
    pub fn of_field(key: &str) -> Self {
        if LIGHT.contains(&key) {
            Self::Light
        } else if MEDIUM.contains(&key) || MEDIUM_WHERE_PRESENT.contains(&key) {
            Self::Medium
        } else {
            Self::Full
        }
    }
}

/// Brings a memory to a level.
///
/// Returns `None` if the text stays unchanged: at full detail, or where it is not an object (decision 17).
pub fn project(memory: &str, detail: Detail) -> Option<String> {
    if detail == Detail::Full {
        return None;
    }
    let members = Members::of(memory)?;
    let mut record = String::with_capacity(256);
    let mut write = |key: &str, value: &str| {
        record.push(if record.is_empty() { '{' } else { ',' });
        record.push_str(&format!("\"{key}\":"));
        record.push_str(value);
    };
    for key in LIGHT {
        let missing = if key == "tags" { "[]" } else { "null" };
        write(key, members.get_some(key).unwrap_or(missing));
    }
    if detail == Detail::Medium {
        write("content", members.get("content").unwrap_or("null"));
        write("confidence", confidence(&members).unwrap_or("null"));
        for key in MEDIUM_WHERE_PRESENT {
            if let Some(value) = members.get(key) {
                write(key, value);
            }
        }
    }
    record.push('}');
    Some(record)
}

/// The confidence of a memory: flattened already, or in its provenance.
fn confidence<'a>(members: &Members<'a>) -> Option<&'a str> {
    let nested = || Members::of(members.get("provenance")?)?.get("confidence");
    members.get("confidence").or_else(nested)
}

#[cfg(test)]
mod tests {
    use super::*;

    const MEMORY: &str = r#"{"content":"c","id":"1","tags":["a", "b"],"created":"2026-01-01","status":"active","provenance":{"confidence":0.90},"x":1}"#;

    #[test]
    fn light_has_its_six_fields_always() {
        let record = project(MEMORY, Detail::Light).unwrap();
        assert_eq!(
            record,
            r#"{"id":"1","title":null,"namespace":null,"memory_type":null,"tags":["a", "b"],"created":"2026-01-01"}"#
        );
        assert!(project("{}", Detail::Light).unwrap().contains(r#""tags":[]"#));
    }

    #[test]
    fn medium_flattens_the_confidence_and_keeps_its_text() {
        let record = project(MEMORY, Detail::Medium).unwrap();
        assert!(
            record.ends_with(r#""created":"2026-01-01","content":"c","confidence":0.90,"status":"active"}"#),
            "{record}"
        );
        assert!(
            project(r#"{"confidence":1,"provenance":{"confidence":2}}"#, Detail::Medium)
                .unwrap()
                .contains(r#""confidence":1"#)
        );
    }

    #[test]
    fn full_and_other_values_stay_as_they_are() {
        assert_eq!(project(MEMORY, Detail::Full), None);
        assert_eq!(project("[1]", Detail::Light), None);
    }

    #[test]
    fn every_field_has_a_level() {
        let rows = [
            ("tags", Detail::Light),
            ("confidence", Detail::Medium),
            ("status", Detail::Medium),
            ("provenance", Detail::Full),
        ];
        for (key, detail) in rows {
            assert_eq!(Detail::of_field(key), detail, "{key}");
        }
    }
}
