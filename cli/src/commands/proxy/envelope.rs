//! The parts of a JSON-RPC message that the proxy reads: its id, its method, and the place of its result. Everything else
//! stays text, and a changed message is the original with one slice replaced.

use std::borrow::Cow;
use std::fmt;
use std::ops::Range;

use indexmap::IndexMap;
use serde::de::{IgnoredAny, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::Value;
use serde_json::value::RawValue;

use super::parts::member;

/// The members of an object in their order, with their values as they are written.
type Members = IndexMap<String, Box<RawValue>>;

/// The parts of a message that are read.
#[derive(Debug, Default)]
pub(super) struct Envelope<'a> {
    id: Option<&'a RawValue>,
    pub(super) method: Option<Cow<'a, str>>,
    pub(super) params: Option<&'a RawValue>,
    pub(super) result: Option<&'a RawValue>,
    #[cfg(feature = "http")]
    error: Option<&'a RawValue>,
    #[cfg(feature = "http")]
    error_description: Option<&'a RawValue>,
}

/// The names of those parts.
#[derive(Deserialize)]
#[serde(field_identifier, rename_all = "snake_case")]
enum Part {
    Id,
    Method,
    Params,
    Result,
    Error,
    ErrorDescription,
    #[serde(other)]
    Other,
}

/// A text, which is a slice of the message where it has no escapes.
#[derive(Deserialize)]
struct Text<'a>(#[serde(borrow)] Cow<'a, str>);

/// Of members with one name, the last one counts, as for the parsers of clients.
impl<'de: 'a, 'a> Deserialize<'de> for Envelope<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Members;
        impl<'de> Visitor<'de> for Members {
            type Value = Envelope<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a JSON-RPC message")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Envelope<'de>, A::Error> {
                let mut read = Envelope::default();
                while let Some(part) = members.next_key()? {
                    match part {
                        Part::Id => read.id = members.next_value()?,
                        Part::Method => read.method = members.next_value::<Option<Text<'_>>>()?.map(|text| text.0),
                        Part::Params => read.params = members.next_value()?,
                        Part::Result => read.result = members.next_value()?,
                        #[cfg(feature = "http")]
                        Part::Error => read.error = members.next_value()?,
                        #[cfg(feature = "http")]
                        Part::ErrorDescription => read.error_description = members.next_value()?,
                        _ => _ = members.next_value::<IgnoredAny>()?,
                    }
                }
                Ok(read)
            }
        }
        deserializer.deserialize_map(Members)
    }
}

impl<'a> Envelope<'a> {
    /// The envelope of a line; `None` for anything that is not a message: garbage, batches, empty lines.
    pub(super) fn of(line: &'a [u8]) -> Option<Self> {
        let line = std::str::from_utf8(line).ok()?;
        line.trim_start().starts_with('{').then(|| serde_json::from_str(line).ok())?
    }

    /// The key of the id: equal ids have the same key, however they are escaped. Answers of ours use [`Self::id_text`].
    pub(super) fn id(&self) -> Option<String> {
        key(self.id?.get())
    }

    /// The id as it is written.
    pub(super) fn id_text(&self) -> Option<&'a str> {
        self.id.map(RawValue::get).filter(|text| *text != "null")
    }

    /// True for the answer to a request.
    #[cfg(feature = "http")]
    pub(super) fn is_response(&self) -> bool {
        self.result.is_some() || self.error.is_some()
    }

    /// A text in the result.
    #[cfg(feature = "http")]
    pub(super) fn result_text(&self, name: &str) -> Option<String> {
        serde_json::from_str(member(self.result?.get(), name)?).ok()
    }

    /// The message of an error. What guards a server by tokens has errors of its own: a code, and a description beside it
    /// (<https://www.rfc-editor.org/rfc/rfc6749#section-5.2>).
    #[cfg(feature = "http")]
    pub(super) fn error_text(&self) -> Option<String> {
        let error = self.error?.get();
        let text = |text| serde_json::from_str::<String>(text).ok();
        let Some(code) = text(error) else { return text(member(error, "message")?) };
        let description = self.error_description.and_then(|description| text(description.get()));
        Some(description.map_or_else(|| code.clone(), |description| format!("{code}: {description}")))
    }

    /// A member of the parameters.
    pub(super) fn param(&self, name: &str) -> Option<Value> {
        serde_json::from_str(self.param_text(name)?).ok()
    }

    /// A member of the parameters, as it is written.
    pub(super) fn param_text(&self, name: &str) -> Option<&'a str> {
        member(self.params?.get(), name)
    }
}

/// The message that lenient clients read in a line that is not valid: null for the NaN and the infinities of Python, and U+FFFD
/// for bytes that are not UTF-8. `None` if that makes no message of it.
pub(super) fn mended(line: &[u8]) -> Option<Vec<u8>> {
    let text = String::from_utf8_lossy(line);
    let (mut mended, mut in_string) = (String::with_capacity(text.len()), false);
    for piece in text.split_inclusive('"') {
        let is_escaped = piece.trim_end_matches('"').bytes().rev().take_while(|byte| *byte == b'\\').count() % 2 == 1;
        match in_string {
            true => mended.push_str(piece),
            false => mended.push_str(&NO_JSON.iter().fold(piece.to_owned(), |piece, name| piece.replace(name, "null"))),
        }
        in_string ^= !(in_string && is_escaped);
    }
    Envelope::of(mended.as_bytes()).is_some().then(|| mended.into_bytes())
}

/// Numbers that Python writes and JSON does not have.
const NO_JSON: [&str; 3] = ["-Infinity", "Infinity", "NaN"];

/// Whole numbers up to here are exact, however they are written.
const MOST_EXACT: f64 = 9_007_199_254_740_991.0;

/// Returns the key of an id. Numbers that are equal have the same key, because servers in JavaScript answer `1e2` with `100`
/// and `-0` with `0`. A whole number that is too large for the usual types keeps its text: rounded, it would equal others.
pub(super) fn key(id: &str) -> Option<String> {
    match serde_json::from_str(id) {
        Ok(Value::Null) => None,
        Ok(Value::Number(number)) if is_whole(number.as_f64()) && number.is_f64() => {
            // Zero has no sign then.
            number.as_f64().map(|number| format!("{:.0}", number + 0.0))
        }
        Ok(Value::Number(number)) if number.is_f64() && !id.contains(['.', 'e', 'E']) => Some(id.to_owned()),
        Ok(id) => Some(id.to_string()),
        Err(_) => Some(id.to_owned()),
    }
}

fn is_whole(number: Option<f64>) -> bool {
    number.is_some_and(|number| number.fract() == 0.0 && number.abs() <= MOST_EXACT)
}

/// Where `part`, a slice of the line, is in it.
pub(super) fn place(line: &[u8], part: &str) -> Range<usize> {
    let start = part.as_ptr() as usize - line.as_ptr() as usize;
    start..start + part.len()
}

/// Returns the line with `part`, a slice of it, replaced.
pub(super) fn with(line: &[u8], part: &str, text: &str) -> Vec<u8> {
    let Range { start, end } = place(line, part);
    [&line[..start], text.as_bytes(), &line[end..]].concat()
}

/// The line of a response.
pub(super) fn response(id: &str, result: &str) -> Vec<u8> {
    format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"result\":{result}}}\n").into_bytes()
}

/// The line of a response that says what went wrong.
pub(super) fn error(id: &str, code: i32, message: &str) -> Vec<u8> {
    let message = Value::from(message);
    format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"error\":{{\"code\":{code},\"message\":{message}}}}}\n").into_bytes()
}

/// The text of a CallToolResult that says what went wrong, in place of `result`, whose era of the protocol it keeps.
pub(super) fn failed_result(result: &str, message: &str) -> String {
    let kind = member(result, "resultType").map(|kind| format!("\"resultType\":{kind},")).unwrap_or_default();
    let message = Value::from(message);
    format!("{{{kind}\"content\":[{{\"type\":\"text\",\"text\":{message}}}],\"isError\":true}}")
}

/// Where the stateless protocol names the client: a member of `_meta` in the parameters of every request.
const CLIENT_INFO_KEY: &str = "io.modelcontextprotocol/clientInfo";

/// PROXY-03: the line with `proxy: true` in its clientInfo, in the place of either era of the protocol; `None` when it
/// has no clientInfo. Its other bytes stay.
pub(super) fn announced(line: &[u8], envelope: &Envelope<'_>) -> Option<Vec<u8>> {
    let params = envelope.params?.get();
    let is_first = envelope.method.as_deref() == Some("initialize");
    let info =
        if is_first { member(params, "clientInfo")? } else { member(member(params, "_meta")?, CLIENT_INFO_KEY)? };
    Some(with(line, info, &marked(info)?))
}

/// The text of an object with `proxy: true`.
fn marked(client_info: &str) -> Option<String> {
    let mut members: Members = serde_json::from_str(client_info).ok()?;
    members.insert("proxy".to_owned(), serde_json::value::to_raw_value(&true).ok()?);
    serde_json::to_string(&members).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_messages_have_an_envelope() {
        for line in ["", "\n", "garbage", "[]", "[{\"id\":1}]", "{\"id\":", "7", "\"{}\""] {
            assert!(Envelope::of(line.as_bytes()).is_none(), "{line}");
        }
        assert!(Envelope::of(b"\xff{}").is_none());
        assert!(Envelope::of(b" {\"id\":1,\"x\":[1e999]}\r\n").is_some());
    }

    #[test]
    fn what_lenient_clients_read_is_read() {
        let rows: [(&[u8], Option<&str>); 5] = [
            (
                b"{\"id\":1,\"a\":[NaN,-Infinity,\"NaN \\\"NaN\\\\\",NaN]}",
                Some(r#"{"id":1,"a":[null,null,"NaN \"NaN\\",null]}"#),
            ),
            (b"{\"id\":1,\"a\":\"\xff\"}", Some("{\"id\":1,\"a\":\"\u{fffd}\"}")),
            (b"garbage NaN", None),
            (b"[NaN]", None),
            (b"{\"id\":1,NaN}", None),
        ];
        for (line, expected) in rows {
            let mended = mended(line).map(|line| String::from_utf8(line).unwrap());
            assert_eq!(mended.as_deref(), expected, "{}", String::from_utf8_lossy(line));
        }
    }

    #[test]
    fn equal_ids_have_the_same_text() {
        let id = |text: &str| Envelope::of(format!("{{\"id\":{text}}}").as_bytes()).unwrap().id();
        assert_eq!(id("\"a\""), id("\"\\u0061\""));
        assert_ne!(id("1"), id("\"1\""));
        assert_eq!(id("null"), None);
        for (one, other) in
            [("1e2", "100.0"), ("1e2", "100"), ("-0", "0"), ("-7.0", "-7"), ("9007199254740991.0", "9007199254740991")]
        {
            assert_eq!(id(one), id(other), "{one}");
        }
        assert_ne!(id("1.5"), id("1"));
        assert_ne!(id("18446744073709551616"), id("18446744073709551617"));
    }

    #[cfg(feature = "http")]
    #[test]
    fn an_error_has_the_text_of_its_sender() {
        for (line, expected) in [
            (r#"{"id":1,"error":{"code":-32000,"message":"no"}}"#, Some("no")),
            (r#"{"error":"invalid_token","error_description":"expired"}"#, Some("invalid_token: expired")),
            (r#"{"error":"invalid_token","error_description":7}"#, Some("invalid_token")),
            (r#"{"error":"invalid_token"}"#, Some("invalid_token")),
            (r#"{"error":{"code":1}}"#, None),
            (r#"{"error":7}"#, None),
            (r#"{"error_description":"expired"}"#, None),
        ] {
            assert_eq!(Envelope::of(line.as_bytes()).unwrap().error_text().as_deref(), expected, "{line}");
        }
    }

    #[test]
    fn one_slice_is_exchanged() {
        let line = b"{ \"id\":1 ,\"result\": {\"a\":1.0} ,\"x\":[ ] }\r\n";
        let envelope = Envelope::of(line).unwrap();
        let changed = with(line, envelope.result.unwrap().get(), "{}");
        assert_eq!(changed, b"{ \"id\":1 ,\"result\": {} ,\"x\":[ ] }\r\n");
    }

    #[test]
    fn a_client_is_announced_in_both_eras() {
        let rows = [
            (
                r#"{"id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25", "clientInfo":{"name":"c", "n":1.0}}}"#,
                Some(
                    r#"{"id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25", "clientInfo":{"name":"c","n":1.0,"proxy":true}}}"#,
                ),
            ),
            (
                r#"{"id":1,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/clientInfo":{"name":"c"}}}}"#,
                Some(
                    r#"{"id":1,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/clientInfo":{"name":"c","proxy":true}}}}"#,
                ),
            ),
            (r#"{"id":1,"method":"tools/list","params":{}}"#, None),
            (r#"{"method":"notifications/initialized"}"#, None),
        ];
        for (line, expected) in rows {
            let changed = announced(line.as_bytes(), &Envelope::of(line.as_bytes()).unwrap());
            assert_eq!(changed.as_deref(), expected.map(str::as_bytes), "{line}");
        }
    }
}
