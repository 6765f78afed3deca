//! A message of JSON-RPC, and what its headers have to say.

use serde::Serialize;
use serde_json::{Value, json};

use crate::http::{McpHeaders, Request};

pub(super) const NOT_JSON: i32 = -32700;
pub(super) const NOT_A_REQUEST: i32 = -32600;
pub(super) const UNKNOWN_METHOD: i32 = -32601;
pub(super) const WRONG_PARAMETERS: i32 = -32602;
pub(super) const INTERNAL: i32 = -32603;
/// MCP's own.
const HEADER_MISMATCH: i32 = -32020;
const UNKNOWN_VERSION: i32 = -32022;

/// An error of JSON-RPC.
#[derive(Serialize)]
pub(super) struct Failure {
    pub(super) code: i32,
    pub(super) message: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) data: Option<Value>,
}

impl Failure {
    fn new(code: i32, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), data: None }
    }

    pub(super) fn internal(message: &str) -> Self {
        Self::new(INTERNAL, message)
    }

    pub(super) fn parameters(message: &str) -> Self {
        Self::new(WRONG_PARAMETERS, message)
    }
}

/// A request, or a notification, which has no id.
pub(super) struct Message {
    pub(super) id: Option<Value>,
    pub(super) method: String,
    pub(super) params: Value,
}

impl Message {
    /// Reads a message. An `id` of null is an error: it is that of no request, and a notification has none.
    pub(super) fn read(request: &Request) -> Result<Self, Failure> {
        let mut message: Value = serde_json::from_str(&request.body)
            .map_err(|error| Failure::new(NOT_JSON, format!("cannot read the message: {error}")))?;
        let refused = |reason| Failure::new(NOT_A_REQUEST, format!("cannot read the message: {reason}"));
        let Some(members) = message.as_object_mut() else {
            return Err(refused("it is not one JSON object; send one request at a time"));
        };
        let id = members.remove("id");
        if id.as_ref().is_some_and(|id| !(id.is_string() || id.is_number())) {
            return Err(refused("its `id` is neither a string nor a number; a notification has no `id`"));
        }
        if members.get("jsonrpc").is_none_or(|version| version != "2.0") {
            return Err(refused("its `jsonrpc` is not \"2.0\""));
        }
        match members.remove("method") {
            Some(Value::String(method)) => {
                Ok(Self { id, method, params: members.remove("params").unwrap_or_default() })
            }
            _ => Err(refused("its `method` is not a string")),
        }
    }

    /// The version of the protocol that the message itself names.
    fn version(&self) -> Option<&str> {
        self.params["_meta"]["io.modelcontextprotocol/protocolVersion"].as_str()
    }

    /// Whether the version has no handshake.
    pub(super) fn is_stateless(&self) -> bool {
        self.version().is_some()
    }

    /// Checks what a stateless message says of itself against its headers: a gateway that routes by them must see the same.
    pub(super) fn check(&self, headers: &McpHeaders, known: &str) -> Result<(), Failure> {
        let Some(version) = self.version() else { return Ok(()) };
        if version != known {
            let data = Some(json!({ "supported": [known], "requested": version }));
            let message = format!("cannot answer: the version `{version}` of MCP is not known");
            return Err(Failure { data, ..Failure::new(UNKNOWN_VERSION, message) });
        }
        let name = self.params["name"].as_str().filter(|_| self.method == "tools/call").unwrap_or_default();
        let expected = [
            ("Mcp-Protocol-Version", &headers.version, version),
            ("Mcp-Method", &headers.method, &self.method),
            ("Mcp-Name", &headers.name, name),
        ];
        match expected.iter().find(|(_, given, expected)| !expected.is_empty() && given.as_str() != *expected) {
            Some((name, _, expected)) => Err(Failure::new(
                HEADER_MISMATCH,
                format!("cannot answer: the header `{name}` must be what the body says: {}", json!(expected)),
            )),
            None => Ok(()),
        }
    }
}
