//! The headers of a request: what the user gives, and what the two eras of the protocol ask for.

use serde_json::Value;

use super::super::envelope::Envelope;
use crate::commands::Failure;

/// Where the stateless protocol names its version: a member of `_meta` in the parameters of every request.
const VERSION_KEY: &str = "io.modelcontextprotocol/protocolVersion";

/// Headers of every request.
pub(super) struct Headers(Vec<(String, String)>);

/// A header.
type Header = (String, String);

impl Headers {
    /// Those that the user gives, as `Name: value`, and a bearer token.
    pub(super) fn of(given: &[String], bearer: Option<&str>) -> Result<Self, Failure> {
        let split = |header: &String| match header.split_once(':') {
            Some((name, value)) => Ok((name.trim().to_owned(), value.trim().to_owned())),
            None => Err(Failure::Usage(format!("`{header}` is no header; write it as `Name: value`"))),
        };
        let mut headers = given.iter().map(split).collect::<Result<Vec<_>, _>>()?;
        headers.extend(bearer.map(|token| ("Authorization".to_owned(), format!("Bearer {token}"))));
        Ok(Self(headers))
    }

    /// For a message of the client.
    pub(super) fn for_message(
        &self,
        envelope: Option<&Envelope<'_>>,
        session: Option<&String>,
        version: Option<&String>,
    ) -> Vec<Header> {
        let mut headers = vec![("Accept".to_owned(), "application/json, text/event-stream".to_owned())];
        match envelope.and_then(|envelope| Some((envelope, stateless_version(envelope)?))) {
            Some((envelope, version)) => {
                headers.extend(self.0.iter().cloned());
                headers.push(("MCP-Protocol-Version".to_owned(), version));
                headers.extend(envelope.method.as_deref().map(|method| ("Mcp-Method".to_owned(), method.to_owned())));
                headers.extend(name(envelope).map(|name| ("Mcp-Name".to_owned(), name)));
            }
            None => headers.extend(self.for_session(session, version)),
        }
        headers
    }

    /// For a session up to version 2025-11-25, as far as it has begun.
    pub(super) fn for_session(&self, session: Option<&String>, version: Option<&String>) -> Vec<Header> {
        let mut headers = self.0.clone();
        headers.extend(session.map(|session| ("Mcp-Session-Id".to_owned(), session.clone())));
        headers.extend(version.map(|version| ("MCP-Protocol-Version".to_owned(), version.clone())));
        headers
    }
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
        // Other characters would have to be encoded; a server that asks for the header says so.
        Value::String(name) if name.bytes().all(|byte| (0x20..0x7f).contains(&byte)) => Some(name),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(line: &str) -> Vec<String> {
        let headers = Headers::of(&["X-Team: a: b".to_owned()], Some("t")).unwrap();
        let (session, version) = ("s".to_owned(), "2025-11-25".to_owned());
        let headers = headers.for_message(Envelope::of(line.as_bytes()).as_ref(), Some(&session), Some(&version));
        headers.into_iter().skip(1).map(|(name, value)| format!("{name}: {value}")).collect()
    }

    #[test]
    fn each_era_has_its_headers() {
        let ours = ["X-Team: a: b", "Authorization: Bearer t"];
        let old = headers(r#"{"id":1,"method":"tools/call","params":{"name":"a"}}"#);
        assert_eq!(old, [&ours[..], &["Mcp-Session-Id: s", "MCP-Protocol-Version: 2025-11-25"]].concat());
        let new = headers(
            r#"{"id":1,"method":"tools/call","params":{"name":"a","_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}"#,
        );
        let expected = ["MCP-Protocol-Version: 2026-07-28", "Mcp-Method: tools/call", "Mcp-Name: a"];
        assert_eq!(new, [&ours[..], &expected].concat());
    }

    #[test]
    fn a_header_has_a_name() {
        assert!(Headers::of(&["nonsense".to_owned()], None).is_err());
    }
}
