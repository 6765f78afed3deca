//! The headers of a request: what the user gives, and what the two eras of the protocol ask for.

use serde_json::Value;
use ureq::http::{HeaderName, HeaderValue};

use super::super::envelope::Envelope;
use super::session::Known;
use crate::failure::Failure;

/// Where the stateless protocol names its version: a member of `_meta` in the parameters of every request.
const VERSION_KEY: &str = "io.modelcontextprotocol/protocolVersion";

/// Where the user's headers come from.
pub(in super::super) struct Given<'a> {
    /// `Name: value`, as on a command line.
    pub(in super::super) plain: &'a [String],
    /// `Name=VARIABLE`: the value is in a variable, because other users can see a command line.
    pub(in super::super) from_variables: &'a [String],
    /// The variable that holds a bearer token.
    pub(in super::super) bearer: Option<&'a str>,
}

/// Headers of every request.
pub(super) struct Headers {
    given: Vec<Header>,
    has_secrets: bool,
}

/// A header.
pub(super) type Header = (String, String);

impl Headers {
    /// Reads the user's headers. `variable` looks a variable up.
    pub(super) fn of(given: &Given<'_>, variable: impl Fn(&str) -> Result<String, Failure>) -> Result<Self, Failure> {
        let mut headers = Vec::new();
        for header in given.plain {
            let Some((name, value)) = header.split_once(':') else {
                return Err(usage("a header is not valid; write it as `Name: value`"));
            };
            headers.push(valid(name, value)?);
        }
        for header in given.from_variables {
            let Some((name, from)) = header.split_once('=') else {
                return Err(usage("a header from a variable is not valid; write it as `NAME=VARIABLE`"));
            };
            headers.push(valid(name, &variable(from.trim())?)?);
        }
        if let Some(from) = given.bearer {
            headers.push(valid("Authorization", &format!("Bearer {}", variable(from)?.trim()))?);
        }
        let is_secret = |(name, _): &Header| SECRET.iter().any(|secret| name.eq_ignore_ascii_case(secret));
        let has_secrets = !given.from_variables.is_empty() || headers.iter().any(is_secret);
        Ok(Self { given: headers, has_secrets })
    }

    /// True when they hold something that only the server may know.
    pub(super) fn has_secrets(&self) -> bool {
        self.has_secrets
    }

    /// True when the user proves by a header who is asking.
    pub(super) fn has_authorization(&self) -> bool {
        self.given.iter().any(|(name, _)| name.eq_ignore_ascii_case("authorization"))
    }

    /// A text of somebody else without the values of these headers.
    pub(super) fn redacted(&self, text: String) -> String {
        let values = self.given.iter().map(|(_, value)| value.strip_prefix("Bearer ").unwrap_or(value));
        values.filter(|value| value.len() >= SHORTEST_SECRET).fold(text, |text, value| text.replace(value, "…"))
    }

    /// For a message of the client.
    pub(super) fn for_message(&self, envelope: Option<&Envelope<'_>>, session: &Known) -> Vec<Header> {
        let mut headers = vec![("Accept".to_owned(), "application/json, text/event-stream".to_owned())];
        match envelope.and_then(|envelope| Some((envelope, stateless_version(envelope)?))) {
            Some((envelope, version)) => {
                headers.extend(self.given.iter().cloned());
                headers.push(("MCP-Protocol-Version".to_owned(), version));
                headers.extend(envelope.method.as_deref().map(|method| ("Mcp-Method".to_owned(), method.to_owned())));
                headers.extend(name(envelope).map(|name| ("Mcp-Name".to_owned(), name)));
            }
            None => headers.extend(self.for_session(session)),
        }
        headers
    }

    /// For a session up to version 2025-11-25, as far as it has begun.
    pub(super) fn for_session(&self, session: &Known) -> Vec<Header> {
        let mut headers = self.given.clone();
        headers.extend(session.id.clone().map(|id| ("Mcp-Session-Id".to_owned(), id)));
        headers.extend(session.version.clone().map(|version| ("MCP-Protocol-Version".to_owned(), version)));
        headers
    }
}

/// Names of headers that prove who is asking.
const SECRET: [&str; 4] = ["authorization", "proxy-authorization", "cookie", "x-api-key"];

/// Shorter values are words such as `1` or `blue`, which a text may contain for other reasons.
pub(super) const SHORTEST_SECRET: usize = 8;

/// A header that can be sent. The error does not repeat its value.
fn valid(name: &str, value: &str) -> Result<Header, Failure> {
    let (name, value) = (name.trim(), value.trim());
    if HeaderName::try_from(name).is_err() {
        return Err(usage(&format!("`{name}` is not a valid name of a header")));
    }
    if HeaderValue::try_from(value).is_err() {
        return Err(usage(&format!(
            "the value of the header `{name}` is not valid: it has characters that end a header"
        )));
    }
    Ok((name.to_owned(), value.to_owned()))
}

fn usage(message: &str) -> Failure {
    Failure::Usage(message.to_owned())
}

fn stateless_version(envelope: &Envelope<'_>) -> Option<String> {
    envelope.param("_meta")?.get(VERSION_KEY)?.as_str().map(str::to_owned)
}

/// What a request is about: a tool or prompt by its name, a resource by its URI.
fn name(envelope: &Envelope<'_>) -> Option<String> {
    let key = match envelope.method.as_deref()? {
        "tools/call" | "prompts/get" => "name",
        "resources/read" => "uri",
        _ => return None,
    };
    match envelope.param(key)? {
        // Other characters would have to be encoded; a server that requires the header says so.
        Value::String(name) if name.bytes().all(|byte| (0x20..0x7f).contains(&byte)) => Some(name),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn given<'a>(plain: &'a [String], from_variables: &'a [String]) -> Given<'a> {
        Given { plain, from_variables, bearer: Some("TOKEN") }
    }

    fn variable(name: &str) -> Result<String, Failure> {
        if name == "MISSING" { Err(usage("no such variable")) } else { Ok(format!("value-of-{name}")) }
    }

    fn headers(line: &str) -> Vec<String> {
        let (plain, from_variables) = (["X-Team: a: b".to_owned()], ["X-Api-Key=KEY".to_owned()]);
        let headers = Headers::of(&given(&plain, &from_variables), variable).unwrap();
        let session = Known { id: Some("s".to_owned()), version: Some("2025-11-25".to_owned()) };
        let headers = headers.for_message(Envelope::of(line.as_bytes()).as_ref(), &session);
        headers.into_iter().skip(1).map(|(name, value)| format!("{name}: {value}")).collect()
    }

    #[test]
    fn each_era_has_its_headers() {
        let ours = ["X-Team: a: b", "X-Api-Key: value-of-KEY", "Authorization: Bearer value-of-TOKEN"];
        let old = headers(r#"{"id":1,"method":"tools/call","params":{"name":"a"}}"#);
        assert_eq!(old, [&ours[..], &["Mcp-Session-Id: s", "MCP-Protocol-Version: 2025-11-25"]].concat());
        let new = headers(
            r#"{"id":1,"method":"tools/call","params":{"name":"a","_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}"#,
        );
        let expected = ["MCP-Protocol-Version: 2026-07-28", "Mcp-Method: tools/call", "Mcp-Name: a"];
        assert_eq!(new, [&ours[..], &expected].concat());
    }

    #[test]
    fn a_header_that_cannot_be_sent_is_told_without_its_value() {
        let none: [String; 0] = [];
        for header in ["SECRET", "X: SECRET\r\nY: 1", "a b: SECRET", ": SECRET"] {
            let failure = Headers::of(&given(&[header.to_owned()], &none), variable).err().unwrap();
            assert!(!failure.to_text().contains("SECRET"), "{}", failure.to_text());
        }
        for header in ["X-Api-Key", "X-Api-Key=MISSING", "=KEY"] {
            assert!(Headers::of(&given(&none, &[header.to_owned()]), variable).is_err(), "{header}");
        }
    }

    #[test]
    fn values_are_not_shown() {
        let headers = Headers::of(&given(&["X-Key: abcdefgh".to_owned(), "X-Team: blue".to_owned()], &[]), variable);
        let text = "no key abcdefgh of team blue with value-of-TOKEN".to_owned();
        assert_eq!(headers.unwrap().redacted(text), "no key … of team blue with …");
    }
}
