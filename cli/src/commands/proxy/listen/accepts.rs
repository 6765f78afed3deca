//! What headers say: the forms of an answer that a client takes, the form of its body, and its name for what it asks about.

use hyper::http::{HeaderMap, StatusCode, header};
use serde_json::Value;

/// The forms that a client takes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Accepts {
    pub(super) json: bool,
    pub(super) events: bool,
}

impl Accepts {
    /// Whoever says nothing takes both.
    pub(super) fn of(headers: &HeaderMap) -> Self {
        let mut said = Vec::new();
        for value in headers.get_all(header::ACCEPT) {
            let kinds = value.to_str().unwrap_or_default().split(',');
            said.extend(kinds.map(|kind| kind.split(';').next().unwrap_or_default().trim().to_ascii_lowercase()));
        }
        let takes = |kinds: [&str; 3]| said.is_empty() || said.iter().any(|said| kinds.contains(&said.as_str()));
        Self {
            json: takes(["application/json", "application/*", "*/*"]),
            events: takes(["text/event-stream", "text/*", "*/*"]),
        }
    }
}

/// True if the body is said to be JSON. A page can send nothing that says so without asking first.
pub(super) fn is_json(headers: &HeaderMap) -> bool {
    let kind = header(headers, "content-type").unwrap_or_default();
    kind.split(';').next().unwrap_or_default().trim().eq_ignore_ascii_case("application/json")
}

/// The header of this name, if there is exactly one.
pub(super) fn header(headers: &HeaderMap, name: &str) -> Option<String> {
    let mut values = headers.get_all(name).iter();
    let (first, second) = (values.next()?, values.next());
    second.is_none().then(|| first.to_str().ok().map(|value| value.trim().to_owned()))?
}

/// The same with a value that may be encoded, because headers take few characters: `=?base64?…?=`.
pub(super) fn decoded(headers: &HeaderMap, name: &str) -> Option<String> {
    let value = header(headers, name)?;
    match value.strip_prefix("=?base64?").and_then(|rest| rest.strip_suffix("?=")) {
        Some(encoded) => String::from_utf8(base64(encoded)?).ok(),
        None => Some(value),
    }
}

/// Decodes Base64 with padding.
fn base64(text: &str) -> Option<Vec<u8>> {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let digits = text.trim_end_matches('=');
    if !text.len().is_multiple_of(4) || text.len() - digits.len() > 2 {
        return None;
    }
    let mut bytes = Vec::new();
    let (mut held, mut bits) = (0_u32, 0);
    for digit in digits.bytes() {
        let value = LETTERS.iter().position(|letter| *letter == digit)?;
        held = held << 6 | u32::try_from(value).ok()?;
        bits += 6;
        if bits >= 8 {
            bits -= 8;
            bytes.push(u8::try_from(held >> bits & 0xff).ok()?);
        }
        held &= 0xff;
    }
    Some(bytes)
}

/// The status that the protocol without sessions has for an answer.
pub(super) fn status_of(line: &[u8]) -> StatusCode {
    #[derive(serde::Deserialize)]
    struct Failed {
        error: Option<Value>,
    }
    let failed = serde_json::from_slice::<Failed>(line).ok().and_then(|failed| failed.error);
    match failed.as_ref().and_then(|error| error["code"].as_i64()) {
        Some(-32601) => StatusCode::NOT_FOUND,
        Some(-32700 | -32600 | -32602 | -32022..=-32020) => StatusCode::BAD_REQUEST,
        _ => StatusCode::OK,
    }
}

#[cfg(test)]
mod tests {
    use super::{Accepts, HeaderMap, decoded, header, is_json, status_of};

    fn headers(name: &'static str, value: &str) -> HeaderMap {
        let mut headers = HeaderMap::new();
        headers.insert(name, value.parse().unwrap());
        headers
    }

    #[test]
    fn clients_say_what_they_take() {
        for (value, json, events) in [
            ("application/json, text/event-stream", true, true),
            ("Application/JSON;q=0.9", true, false),
            ("text/event-stream", false, true),
            ("*/*", true, true),
            ("text/html", false, false),
        ] {
            assert_eq!(Accepts::of(&headers("accept", value)), Accepts { json, events }, "{value}");
        }
        assert_eq!(Accepts::of(&HeaderMap::new()), Accepts { json: true, events: true });
        assert!(is_json(&headers("content-type", "application/json; charset=utf-8")));
        assert!(!is_json(&headers("content-type", "text/plain")) && !is_json(&HeaderMap::new()));
    }

    #[test]
    fn values_may_be_encoded() {
        for (value, expected) in [
            ("plain", Some("plain")),
            ("=?base64?w6k=?=", Some("é")),
            ("=?base64?YWJj?=", Some("abc")),
            ("=?base64?YWJjZA==?=", Some("abcd")),
            ("=?base64?!?=", None),
            ("=?base64?/w==?=", None),
        ] {
            assert_eq!(decoded(&headers("mcp-name", value), "Mcp-Name").as_deref(), expected, "{value}");
        }
        let mut twice = headers("mcp-name", "a");
        twice.append("mcp-name", "a".parse().unwrap());
        assert_eq!(header(&twice, "mcp-name"), None);
    }

    #[test]
    fn errors_have_a_status() {
        assert_eq!(status_of(br#"{"id":1,"result":{"error":{"code":-32601}}}"#), 200);
        assert_eq!(status_of(br#"{"id":1,"error":{"code":-32601}}"#), 404);
        assert_eq!(status_of(br#"{"id":1,"error":{"code":-32022}}"#), 400);
        assert_eq!(status_of(br#"{"id":1,"error":{"code":1}}"#), 200);
    }
}
