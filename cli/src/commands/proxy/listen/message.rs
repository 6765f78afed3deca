//! The messages in the body of a POST, and what the transport has to know of them.

use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use super::super::envelope::{self, Envelope};

/// Where the stateless protocol names its version: a member of `_meta` in the parameters of every request.
const VERSION_KEY: &str = "io.modelcontextprotocol/protocolVersion";

/// The most messages of a batch, which only the version 2025-03-26 has.
const MOST_IN_BATCH: usize = 100;

/// A message of a client.
#[derive(Debug)]
pub(super) struct Message {
    /// With its end. The other bytes are the client's.
    pub(super) line: Vec<u8>,
    pub(super) method: Option<String>,
    /// `None` for what is not answered.
    pub(super) request: Option<Request>,
    /// The version of the stateless protocol that it says it is of.
    pub(super) version: Option<String>,
    /// The tool, prompt or resource that it is about.
    pub(super) name: Option<String>,
}

/// What is known of a request.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Request {
    /// Of equal ids the same text.
    pub(super) key: String,
    /// The id as it is written.
    pub(super) id: String,
    /// The token of its progress, as it is written.
    pub(super) token: Option<String>,
    pub(super) is_initialize: bool,
}

/// Reads the messages of a body. The error says what it is instead.
pub(super) fn messages(body: &[u8]) -> Result<Vec<Message>, &'static str> {
    let text = std::str::from_utf8(body).map_err(|_| "the body is not UTF-8")?.trim();
    if !text.starts_with('[') {
        return message(text).map(|message| vec![message]);
    }
    let batch: Vec<&RawValue> = serde_json::from_str(text).map_err(|_| "the body is not valid JSON")?;
    match batch.len() {
        0 => Err("the batch is empty"),
        count if count > MOST_IN_BATCH => Err("the batch has more than 100 messages"),
        _ => batch.into_iter().map(|text| message(text.get())).collect(),
    }
}

fn message(text: &str) -> Result<Message, &'static str> {
    let envelope = Envelope::of(text.as_bytes()).ok_or("the body is not a JSON-RPC message")?;
    let method = envelope.method.as_deref().map(str::to_owned);
    let name = match method.as_deref() {
        Some("tools/call" | "prompts/get") => envelope.param("name"),
        Some("resources/read") => envelope.param("uri"),
        _ => None,
    };
    let request = method.as_deref().and_then(|method| {
        Some(Request {
            key: envelope.id()?,
            id: envelope.id_text()?.to_owned(),
            token: progress_token(&envelope).map(str::to_owned),
            is_initialize: method == "initialize",
        })
    });
    let version = envelope.param("_meta").and_then(|meta| Some(meta.get(VERSION_KEY)?.as_str()?.to_owned()));
    // Breaks are white space between values; within texts JSON has none.
    let mut line = text.replace(['\n', '\r'], " ").into_bytes();
    line.push(b'\n');
    let name = name.and_then(|name| name.as_str().map(str::to_owned));
    Ok(Message { line, method, request, version, name })
}

#[derive(Deserialize)]
struct Meta<'a> {
    #[serde(borrow, rename = "progressToken")]
    token: Option<&'a RawValue>,
    #[serde(borrow, rename = "io.modelcontextprotocol/subscriptionId")]
    subscription: Option<&'a RawValue>,
}

fn meta<'a>(envelope: &Envelope<'a>) -> Option<Meta<'a>> {
    serde_json::from_str(envelope.param_text("_meta")?).ok()
}

/// The token under which a request wants to hear of its progress, as it is written.
fn progress_token<'a>(envelope: &Envelope<'a>) -> Option<&'a str> {
    meta(envelope)?.token.map(RawValue::get)
}

/// Returns a request with another id, which is also its token, if it has one. So requests of several clients have different
/// ones.
pub(super) fn renumbered(line: &[u8], number: u64) -> Vec<u8> {
    let number = number.to_string();
    let with_token = Envelope::of(line)
        .and_then(|envelope| progress_token(&envelope).map(|token| envelope::with(line, token, &number)))
        .unwrap_or_else(|| line.to_owned());
    with_id(&with_token, &number)
}

/// Returns an answer or a request with this id.
pub(super) fn with_id(line: &[u8], id: &str) -> Vec<u8> {
    let Some(envelope) = Envelope::of(line) else { return line.to_owned() };
    envelope.id_text().map_or_else(|| line.to_owned(), |before| envelope::with(line, before, id))
}

/// What a notification of the server belongs to: the token or the subscription that it names, as it is written.
pub(super) fn belongs_to<'a>(envelope: &Envelope<'a>) -> Option<&'a str> {
    match envelope.method.as_deref()? {
        "notifications/progress" => envelope.param_text("progressToken"),
        _ => meta(envelope)?.subscription.map(RawValue::get),
    }
}

/// A mismatch between the headers and the body of a stateless message. Whoever routes by headers and whoever reads the body
/// must see the same.
pub(super) fn mismatch(message: &Message, header: impl Fn(&str) -> Option<String>) -> Option<String> {
    let differs = |name: &str, expected: Option<&str>| match (header(name), expected) {
        (given, Some(expected)) if given.as_deref() != Some(expected) => {
            Some(format!("the header `{name}` must be what the body says: {}", Value::from(expected)))
        }
        _ => None,
    };
    differs("Mcp-Protocol-Version", message.version.as_deref())
        .or_else(|| differs("Mcp-Method", message.method.as_deref()))
        .or_else(|| differs("Mcp-Name", message.name.as_deref()))
}

#[cfg(test)]
mod tests {
    use super::{Envelope, belongs_to, messages, mismatch, renumbered, with_id};

    #[test]
    fn bodies_are_messages() {
        let body = b" {\r\n \"id\" : 1e2,\n\"method\":\"tools/call\",\"params\":{\"name\":\"a\",\"_meta\":{\"progressToken\":\"t\"}}}\n";
        let found = messages(body).unwrap();
        assert_eq!(found.len(), 1);
        let text = String::from_utf8(found[0].line.clone()).unwrap();
        assert!(text.starts_with("{   \"id\" : 1e2, \"method\"") && text.ends_with("}\n"), "{text}");
        let request = found[0].request.clone().unwrap();
        assert_eq!((request.key.as_str(), request.id.as_str()), ("100", "1e2"));
        assert_eq!((request.token.as_deref(), found[0].name.as_deref()), (Some("\"t\""), Some("a")));
        assert_eq!(messages(br#"[{"id":1,"method":"ping"},{"method":"n"},{"id":2,"result":{}}]"#).unwrap().len(), 3);
        for bad in ["", "garbage", "7", "[]", "[7]", "{\"id\":1", "\u{0}{}"] {
            assert!(messages(bad.as_bytes()).is_err(), "{bad}");
        }
        assert!(messages(b"{\"a\":\"\xff\"}").is_err());
    }

    #[test]
    fn requests_get_other_ids_and_answers_theirs() {
        let line = br#"{"id":"a","params":{"x":"a","_meta":{"progressToken":"a"}},"method":"m"}"#;
        let sent = renumbered(line, 7);
        assert_eq!(
            String::from_utf8_lossy(&sent),
            r#"{"id":7,"params":{"x":"a","_meta":{"progressToken":7}},"method":"m"}"#
        );
        assert_eq!(with_id(br#"{"result":{"id":7},"id":7}"#, "\"a\""), br#"{"result":{"id":7},"id":"a"}"#);
        let progress = br#"{"method":"notifications/progress","params":{"progressToken":7,"progress":1}}"#;
        assert_eq!(belongs_to(&Envelope::of(progress).unwrap()), Some("7"));
        let changed = br#"{"method":"x","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":8}}}"#;
        assert_eq!(belongs_to(&Envelope::of(changed).unwrap()), Some("8"));
    }

    #[test]
    fn headers_say_what_the_body_says() {
        let body = br#"{"id":1,"method":"tools/call","params":{"name":"a","_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}"#;
        let message = messages(body).unwrap().remove(0);
        let headers = |version: &'static str, method: &'static str, tool: &'static str| {
            move |name: &str| match name {
                "Mcp-Protocol-Version" => Some(version.to_owned()),
                "Mcp-Method" => Some(method.to_owned()),
                _ => Some(tool.to_owned()),
            }
        };
        assert_eq!(mismatch(&message, headers("2026-07-28", "tools/call", "a")), None);
        for (version, method, tool) in
            [("2025-11-25", "tools/call", "a"), ("2026-07-28", "ping", "a"), ("2026-07-28", "tools/call", "b")]
        {
            assert!(mismatch(&message, headers(version, method, tool)).is_some());
        }
        assert!(mismatch(&message, |_| None).is_some());
    }
}
