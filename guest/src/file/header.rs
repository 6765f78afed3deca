//! The first line of an offloaded file (LRO-10).

use serde::{Deserialize, Serialize};

use crate::fields::roles::Roles;
use crate::file::instant;
use crate::file::kind::Kind;
use crate::payload::detail::Detail;
use crate::payload::frame::Frame;
use crate::payload::memories::TakenScores;
use crate::payload::path::Path;
use crate::settings::Profile;
use crate::settings::sections::GivenRecipe;

/// A longer first line is not looked at. A query may be long, but not as long as a result.
pub const MOST_BYTES: usize = 64 * 1024 * 1024;

/// The eight fields, and a ninth where something deviates from the specification.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Header {
    /// That of the settings.
    #[serde(rename = "type")]
    pub header_type: String,
    /// The operation that produced the records.
    pub operation: String,
    /// What was asked; null where nothing was.
    pub query: Option<String>,
    /// Lines that follow.
    pub count: u32,
    /// MIF schema version of the records.
    pub schema_version: String,
    /// When the file was written, ISO 8601: its created_at (LRO-35).
    pub timestamp: String,
    /// Estimated tokens of the records.
    pub estimated_tokens: u32,
    /// Detail of the records.
    pub detail: Detail,
    /// What deviates; absent where nothing does.
    #[serde(default, skip_serializing_if = "Deviations::is_empty")]
    pub lro: Deviations,
}

/// What a stateless reader must know of a file that is not simply the specification's.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Deviations {
    /// The file's own TTL, where it is not the default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ttl_seconds: Option<u32>,
    /// It was put aside, and does not expire.
    #[serde(default, skip_serializing_if = "is_default")]
    pub kept: bool,
    /// The kind of its records, where they are not memories.
    #[serde(default, skip_serializing_if = "is_default")]
    pub kind: Kind,
    /// The version of the specification whose recipes its response had.
    #[serde(default, skip_serializing_if = "is_default")]
    pub profile: Profile,
    /// What the fields of its records are good for, where they are not memories, and what occurs in a text.
    #[serde(default, skip_serializing_if = "is_default")]
    pub roles: Roles,
    /// Recipes that the caller gave, in place of the generated ones.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub recipes: Vec<GivenRecipe>,
    /// What was taken from its records, where they are memories with scores.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub taken: Option<TakenScores>,
    /// The text around the records, if the document was not simply an array.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub document: Option<Frame>,
    /// The document that these records were a list of, if another file has the text around it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub section: Option<Section>,
}

/// A list of a document that has several.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Section {
    /// The file that has the document, below the output directory.
    pub of: String,
    /// Where the list was in the document.
    pub path: Path,
}

impl Deviations {
    fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

impl Header {
    /// The line, without its newline.
    pub fn to_line(&self) -> String {
        serde_json::to_string(self).expect("a header of strings and numbers is written as JSON")
    }

    /// When cleanup may delete the file, ISO 8601 to the second, unless it has a TTL of its own than this one.
    pub fn expires_at(&self, ttl_seconds: u32) -> String {
        let ttl = u64::from(self.lro.ttl_seconds.unwrap_or(ttl_seconds));
        let created = instant::milliseconds(&self.timestamp).unwrap_or_default();
        instant::timestamp_to_the_second(created.saturating_add(1000 * ttl))
    }

    /// When the file expires, in milliseconds since 1970; `None` if it was put aside, or does not say when it was written.
    pub fn expires(&self, ttl_seconds: u32) -> Option<u64> {
        let created = instant::milliseconds(&self.timestamp).filter(|_| !self.lro.kept)?;
        Some(instant::expiry(created, self.lro.ttl_seconds.unwrap_or(ttl_seconds)))
    }

    /// Reads a first line; `None` if it is not a header of the given type.
    pub fn parse(line: &[u8], header_type: &str) -> Option<Self> {
        serde_json::from_slice(line)
            .ok()
            .filter(|header: &Self| header.header_type == header_type && header.lro.roles.are_safe())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::HEADER_TYPE;

    fn header() -> Header {
        Header {
            header_type: HEADER_TYPE.into(),
            operation: "recall".into(),
            query: None,
            count: 2,
            schema_version: "1.0.0".into(),
            timestamp: "2026-01-01T00:00:00.000Z".into(),
            estimated_tokens: 1601,
            detail: Detail::Light,
            lro: Deviations::default(),
        }
    }

    #[test]
    fn a_plain_header_has_exactly_the_eight_fields_in_order() {
        let line = r#"{"type":"lro_header","operation":"recall","query":null,"count":2,"schema_version":"1.0.0","timestamp":"2026-01-01T00:00:00.000Z","estimated_tokens":1601,"detail":"light"}"#;
        assert_eq!(header().to_line(), line);
        assert_eq!(Header::parse(line.as_bytes(), HEADER_TYPE), Some(header()));
    }

    #[test]
    fn deviations_stand_in_a_ninth_field() {
        let deviations =
            Deviations { ttl_seconds: Some(60), kind: Kind::Records, profile: Profile::Early, ..Deviations::default() };
        let header = Header { lro: deviations, ..header() };
        assert!(header.to_line().ends_with(r#""lro":{"ttl_seconds":60,"kind":"records","profile":"early"}}"#));
        assert_eq!(Header::parse(header.to_line().as_bytes(), HEADER_TYPE), Some(header));
    }

    #[test]
    fn a_header_of_another_type_is_not_ours() {
        let mine = Header { header_type: "my_header".into(), ..header() };
        assert_eq!(Header::parse(mine.to_line().as_bytes(), "my_header"), Some(mine.clone()));
        assert_eq!(Header::parse(mine.to_line().as_bytes(), HEADER_TYPE), None);
        assert_eq!(Header::parse(header().to_line().as_bytes(), "my_header"), None);
    }

    #[test]
    fn other_lines_are_no_header() {
        for line in ["", "{}", r#"{"type":"lro_header"}"#, "not json", "[1]"] {
            assert_eq!(Header::parse(line.as_bytes(), HEADER_TYPE), None, "{line}");
        }
    }

    #[test]
    fn a_file_expires_its_ttl_after_it_was_written() {
        let own =
            |ttl_seconds, kept| Header { lro: Deviations { ttl_seconds, kept, ..Deviations::default() }, ..header() };
        let written = 1_767_225_600_000;
        let rows = [
            (own(None, false), "2026-01-01T01:00:00Z", Some(written + 3_600_000)),
            (own(Some(61), false), "2026-01-01T00:01:01Z", Some(written + 61_000)),
            (own(None, true), "2026-01-01T01:00:00Z", None),
        ];
        for (header, shown, milliseconds) in rows {
            assert_eq!((header.expires_at(3600).as_str(), header.expires(3600)), (shown, milliseconds), "{header:?}");
        }
    }
}
