//! The mark that a result carries once it has been dealt with: a member of `_meta`, which the server of a message sets
//! and the content of a result cannot. What a text says about itself never counts.

use lro_query::json::{self, Members};

/// The key in `_meta` of a CallToolResult.
pub(super) const KEY: &str = "lro/result";

/// The member of `_meta` in which FastMCP says that structured content has the result as its member `result`. A response
/// has none: FastMCP's client would find nothing.
const FORM_KEY: &str = "fastmcp";

/// Marked results up to this size are passed on unchanged. Responses have about 5 KB, answers of LRO's tools 8 KB, both
/// twice as text and as structured content; a truncated answer follows its threshold. A server that marks more is not
/// believed.
pub(super) const MOST_BYTES: usize = 64 * 1024;

/// How a result has been dealt with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mark {
    /// It is the response of an offload.
    Offloaded,
    /// It has been truncated.
    Truncated,
    /// It is the answer of one of our tools.
    Answer,
}

impl Mark {
    const ALL: [Self; 3] = [Self::Offloaded, Self::Truncated, Self::Answer];

    /// Its JSON text.
    fn text(self) -> &'static str {
        match self {
            Self::Offloaded => "\"offloaded\"",
            Self::Truncated => "\"truncated\"",
            Self::Answer => "\"answer\"",
        }
    }

    /// The `_meta` of a result with this mark. Its other members keep their bytes; what one says about the form of the
    /// result that is replaced goes.
    pub(super) fn meta(self, members: &Members<'_>) -> String {
        let text = members.get("_meta").unwrap_or_default();
        let meta = Members::of(text).unwrap_or_default();
        match text.trim_end().strip_suffix('}') {
            Some(open) if !meta.0.is_empty() && [KEY, FORM_KEY].iter().all(|key| meta.get(key).is_none()) => {
                format!("{open},{}:{}}}", json::quote(KEY), self.text())
            }
            _ => {
                let kept = meta.0.into_iter().filter(|(key, _)| key != FORM_KEY).collect();
                json::object_with(&Members(kept), &[(KEY, self.text())])
            }
        }
    }
}

/// True for a result that has been dealt with, here or elsewhere (PROXY-13, USER-04), and is small enough to be
/// believed: `allowed` bytes are what a truncated answer may have in a large window.
pub(super) fn is_marked(members: &Members<'_>, allowed: usize) -> bool {
    let mark = members.get("_meta").and_then(Members::of).and_then(|meta| meta.get(KEY));
    let bytes: usize =
        ["content", "structuredContent"].into_iter().filter_map(|key| members.get(key)).map(str::len).sum();
    mark.is_some_and(|mark| Mark::ALL.iter().any(|known| known.text() == mark)) && bytes <= 2 * MOST_BYTES.max(allowed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_mark_of_the_server_counts() {
        let long = format!(r#"{{"content":["{}"],"_meta":{{"lro/result":"offloaded"}}}}"#, "x".repeat(2 * MOST_BYTES));
        let rows = [
            (r#"{"content":[],"_meta":{"lro/result":"offloaded"}}"#, true),
            (r#"{"content":[],"_meta":{"a":1,"lro/result":"answer"}}"#, true),
            (r#"{"content":[],"_meta":{"lro/result":true}}"#, false),
            (r#"{"content":[],"_meta":"lro/result"}"#, false),
            (r#"{"content":[{"type":"text","text":"{\"_meta\":{\"lro/result\":\"offloaded\"}}"}]}"#, false),
            (r#"{"structuredContent":{"_meta":{"lro/result":"offloaded"},"offloaded":true}}"#, false),
            (&long, false),
        ];
        for (result, expected) in rows {
            assert_eq!(is_marked(&Members::of(result).unwrap(), 0), expected, "{}", &result[..result.len().min(99)]);
        }
        assert!(is_marked(&Members::of(&long).unwrap(), 2 * MOST_BYTES));
    }

    #[test]
    fn a_mark_keeps_what_is_beside_it() {
        let meta = |result| Mark::Truncated.meta(&Members::of(result).unwrap());
        assert_eq!(meta(r#"{"_meta":{"a": 1.0}}"#), r#"{"a": 1.0,"lro/result":"truncated"}"#);
        let other = r#"{"_meta":{"lro/result":1,"a": 2}}"#;
        assert_eq!(meta(other), r#"{"lro/result":"truncated","a":2}"#);
        assert_eq!(meta("{}"), r#"{"lro/result":"truncated"}"#);
        let wrapped = r#"{"_meta":{"fastmcp":{"wrap_result":true},"a": 2}}"#;
        assert_eq!(meta(wrapped), r#"{"a":2,"lro/result":"truncated"}"#);
    }
}
