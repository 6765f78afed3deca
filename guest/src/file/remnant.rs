//! The part of a file that cleanup reads: enough of its first line to tell whether it is offloaded and when it expires.
//!
//! The line is read as a stream and not kept. Reading ends as soon as it cannot be a header any more: at the first
//! byte of a sparse file, for one.

use std::fmt;
use std::io::{self, BufRead, Read};

use serde::Deserialize;
use serde::de::{DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, Visitor};

use crate::file::header::MOST_BYTES;
use crate::file::instant;

/// What a file is by its first line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lead {
    /// It begins with a header.
    Header {
        /// When it was written, in milliseconds since 1970, if the header says so.
        created: Option<u64>,
        /// Its own TTL.
        ttl_seconds: Option<u32>,
        /// It was put aside, and does not expire.
        kept: bool,
        /// How many lines follow.
        count: u32,
        /// Estimated tokens of these lines.
        estimated_tokens: u32,
    },
    /// Nothing, zeros, or part of a header: what a power failure leaves of a file.
    Remnant,
    /// Anything else.
    Foreign,
}

impl Lead {
    /// Looks at a file from its beginning.
    pub fn of(mut input: impl BufRead, header_type: &str) -> io::Result<Self> {
        if input.fill_buf()?.iter().all(|byte| *byte == 0) {
            return Ok(Self::Remnant);
        }
        let mut line = FirstLine { input: input.take(MOST_BYTES as u64), has_ended: false };
        let mut seen = Seen { header_type, ..Seen::default() };
        let mut json = serde_json::Deserializer::from_reader(&mut line);
        let read = seen.deserialize(&mut json).and_then(|()| json.end());
        drop(json);
        let is_whole = seen.is_ours && (seen.is_enough || read.is_ok()) && seen.others == OTHERS.len();
        Ok(match read {
            _ if is_whole && seen.timestamp.is_some() => Self::Header {
                created: seen.timestamp.as_deref().and_then(instant::milliseconds),
                ttl_seconds: seen.ttl_seconds,
                kept: seen.kept,
                count: seen.count,
                estimated_tokens: seen.estimated_tokens,
            },
            Err(error) if error.is_eof() && seen.is_ours && !line.has_ended => Self::Remnant,
            _ => Self::Foreign,
        })
    }
}

/// Keys that every header has in addition to its type and timestamp.
const OTHERS: [&str; 6] = ["operation", "query", "count", "schema_version", "estimated_tokens", "detail"];

/// What has been read of a header so far.
#[derive(Default)]
struct Seen<'a> {
    header_type: &'a str,
    is_ours: bool,
    timestamp: Option<String>,
    /// How many of the other keys.
    others: usize,
    ttl_seconds: Option<u32>,
    kept: bool,
    count: u32,
    estimated_tokens: u32,
    /// What follows does not matter.
    is_enough: bool,
}

impl<'de> DeserializeSeed<'de> for &mut Seen<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for &mut Seen<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a header")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(key) = map.next_key::<String>()? {
            match key.as_str() {
                "type" => {
                    self.is_ours = map.next_value::<String>()? == self.header_type;
                    if !self.is_ours {
                        return Err(A::Error::custom("another type"));
                    }
                }
                "timestamp" => self.timestamp = Some(map.next_value()?),
                "lro" => {
                    let LeadDeviations { ttl_seconds, kept } = map.next_value()?;
                    (self.ttl_seconds, self.kept, self.is_enough) = (ttl_seconds, kept, true);
                    return Err(A::Error::custom("enough"));
                }
                key => {
                    self.others += usize::from(OTHERS.contains(&key));
                    match key {
                        "count" => self.count = map.next_value()?,
                        "estimated_tokens" => self.estimated_tokens = map.next_value()?,
                        _ => _ = map.next_value::<IgnoredAny>()?,
                    }
                }
            }
        }
        Ok(())
    }
}

/// The part of a header's ninth key that matters.
#[derive(Deserialize)]
struct LeadDeviations {
    ttl_seconds: Option<u32>,
    #[serde(default)]
    kept: bool,
}

/// Ends with the first line.
struct FirstLine<R> {
    input: R,
    has_ended: bool,
}

impl<R: BufRead> Read for FirstLine<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.has_ended {
            return Ok(0);
        }
        let block = self.input.fill_buf()?;
        let most = block.len().min(buffer.len());
        let end = memchr::memchr(b'\n', &block[..most]);
        let bytes = end.unwrap_or(most);
        buffer[..bytes].copy_from_slice(&block[..bytes]);
        self.has_ended = end.is_some();
        self.input.consume(bytes + usize::from(self.has_ended));
        Ok(bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::HEADER_TYPE;

    const HEADER: &str = r#"{"type":"lro_header","operation":"recall","query":null,"count":1,"schema_version":"1.0.0","timestamp":"2026-09-21T14:13:20.123Z","estimated_tokens":3,"detail":"light"}"#;

    fn lead(text: &str) -> Lead {
        Lead::of(text.as_bytes(), HEADER_TYPE).unwrap()
    }

    fn header(created: Option<u64>, ttl_seconds: Option<u32>) -> Lead {
        Lead::Header { created, ttl_seconds, kept: false, count: 1, estimated_tokens: 3 }
    }

    #[test]
    fn a_header_says_when_and_how_long() {
        let created = Some(1_790_000_000_123);
        assert_eq!(lead(&format!("{HEADER}\n{{}}\n")), header(created, None));
        let own = HEADER.replace("\"light\"", r#""light","lro":{"ttl_seconds":60,"kind":"records"}"#);
        assert_eq!(lead(&format!("{own}\n")), header(created, Some(60)));
        let long = HEADER.replace("null", &format!("\"{}\"", "q".repeat(200_000)));
        assert_eq!(lead(&format!("{long}\n")), header(created, None));
        let undated = HEADER.replace("2026-09-21T14:13:20.123Z", "yesterday");
        assert_eq!(lead(&format!("{undated}\n")), header(None, None));
    }

    #[test]
    fn what_a_loss_of_power_leaves_is_a_remnant() {
        for text in ["", &"\0".repeat(5000), &HEADER[..30], &HEADER[..HEADER.len() - 1]] {
            assert_eq!(lead(text), Lead::Remnant, "{text}");
        }
    }

    #[test]
    fn other_first_lines_are_foreign() {
        let with_zeros = format!("{}{}", &HEADER[..60], "\0".repeat(5000));
        let without_count = format!("{}\n", HEADER.replace(r#""count":1,"#, ""));
        let rows = [
            "\n",
            "\n{}",
            "{}",
            "[1]\n",
            "notes",
            r#"{"id":"m1"}"#,
            r#"{"type":"header","operation":"recall"}"#,
            &with_zeros,
            &without_count,
            &format!("{}\n", &HEADER[..60]),
            &format!("{HEADER} x\n"),
        ];
        for text in rows {
            assert_eq!(lead(text), Lead::Foreign, "{text}");
        }
    }
}
