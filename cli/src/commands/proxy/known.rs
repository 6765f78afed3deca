//! What the conversation has shown about its client and the server's tools, for the component's setting `call`: the one
//! place where that setting is made.

use std::collections::HashMap;

use lro::CallSettings;
use serde_json::{Map, Value};

use super::envelope::Envelope;
use super::parts::{each, member};
use super::pending::ToolCall;
use crate::input_tokens::InputTokens;
use crate::table;

/// A client that says more about itself is not known. Those in use say less than a thousand bytes.
const MOST_CLIENT_BYTES: usize = 16 * 1024;

/// A longer input schema is not kept: its parameters are then not named.
const MOST_SCHEMA_BYTES: usize = 64 * 1024;

/// All schemas together.
const ALL_SCHEMA_BYTES: usize = 4 << 20;

/// What a name and a schema take beside their bytes: millions of empty schemas took 80 MB.
const ENTRY_BYTES: usize = 128;

/// Where the stateless protocol says in every request who the client is: members of `_meta`.
const CLIENT_INFO_KEY: &str = "io.modelcontextprotocol/clientInfo";
const CLIENT_CAPABILITIES_KEY: &str = "io.modelcontextprotocol/clientCapabilities";

/// Where a request says who wants its result: a member of `_meta`.
const CALLER_KEY: &str = "lro/caller";

/// What is known of the client and of the server's tools.
#[derive(Debug, Default)]
pub(super) struct Known {
    /// The folder of the conversation.
    session: Option<String>,
    /// What the model has read so far.
    pub(super) input_tokens: InputTokens,
    /// The members `clientInfo` and `capabilities` of `initialize`.
    client: Option<Map<String, Value>>,
    /// The texts of input schemas, by the names of the tools.
    schemas: HashMap<String, String>,
    schema_bytes: usize,
}

impl Known {
    /// What is known at the start: the folder of the conversation.
    pub(super) fn of(session: &str) -> Self {
        Self { session: Some(session.to_owned()), ..Self::default() }
    }

    /// Reads the client's request `initialize`.
    pub(super) fn client_says(&mut self, envelope: &Envelope<'_>) {
        if envelope.method.as_deref() == Some("initialize") {
            let member = |name| envelope.param_text(name);
            self.client = client(member("clientInfo"), member("capabilities"));
        }
    }

    /// Reads a page of the server's list of tools, the text of a result.
    pub(super) fn listed(&mut self, list: &str) {
        let tools = member(list, "tools").unwrap_or_default();
        // A list that ends too early has no more tools.
        let _ = each(tools, |tool| {
            let name = member(tool, "name").and_then(|name| serde_json::from_str::<String>(name).ok());
            if let (Some(name), Some(schema)) = (name, member(tool, "inputSchema")) {
                self.keep(name, schema);
            }
        });
    }

    /// Keeps an input schema. A server whose schemas take too much room is read anew.
    fn keep(&mut self, tool: String, schema: &str) {
        let bytes = tool.len() + schema.len();
        if let Some(earlier) = self.schemas.remove(&tool) {
            self.schema_bytes -= ENTRY_BYTES + tool.len() + earlier.len();
        }
        if bytes > MOST_SCHEMA_BYTES {
            return;
        }
        if self.schema_bytes + ENTRY_BYTES + bytes > ALL_SCHEMA_BYTES {
            self.schemas.clear();
            self.schema_bytes = 0;
        }
        self.schema_bytes += ENTRY_BYTES + bytes;
        self.schemas.insert(tool, schema.to_owned());
    }

    /// True if the client shows the table; `meta` is that of its request.
    pub(super) fn shows_table(&self, meta: &str) -> bool {
        let of_request = member(meta, CLIENT_CAPABILITIES_KEY).and_then(|text| serde_json::from_str(text).ok());
        let of_client = || self.client.as_ref()?.get("capabilities").cloned();
        of_request.or_else(of_client).is_some_and(|capabilities| table::is_shown_with(&capabilities))
    }

    /// The setting `call` for the arguments or the result of this call.
    pub(super) fn call_settings(&self, call: &ToolCall) -> CallSettings {
        let schema = self.schemas.get(&call.tool);
        let schema: Option<Map<String, Value>> = schema.and_then(|schema| serde_json::from_str(schema).ok());
        let of_request = client(member(&call.meta, CLIENT_INFO_KEY), member(&call.meta, CLIENT_CAPABILITIES_KEY));
        CallSettings::default()
            .session(self.session.clone())
            .input_tokens(self.input_tokens.get())
            .input_schema(schema)
            .client(of_request.or_else(|| self.client.clone()))
            .caller(member(&call.meta, CALLER_KEY).and_then(|name| serde_json::from_str::<String>(name).ok()))
    }

    /// The name of the client of this call, as it has introduced itself.
    pub(super) fn client_name(&self, call: &ToolCall) -> String {
        let of_request = client(member(&call.meta, CLIENT_INFO_KEY), None);
        let known = of_request.as_ref().or(self.client.as_ref());
        let name = known.and_then(|client| client.get("clientInfo")?.get("name")?.as_str());
        name.unwrap_or("mcp").to_owned()
    }
}

/// The client as the component reads it.
fn client(info: Option<&str>, capabilities: Option<&str>) -> Option<Map<String, Value>> {
    let said = [("clientInfo", info), ("capabilities", capabilities)];
    let bytes: usize = said.iter().filter_map(|(_, text)| *text).map(str::len).sum();
    let members =
        said.into_iter().filter_map(|(name, text)| Some((name.to_owned(), serde_json::from_str(text?).ok()?)));
    let client: Map<String, Value> = members.collect();
    (!client.is_empty() && bytes <= MOST_CLIENT_BYTES).then_some(client)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn call(tool: &str, meta: &str) -> ToolCall {
        ToolCall { tool: tool.to_owned(), meta: meta.to_owned(), ..ToolCall::default() }
    }

    fn said(known: &mut Known, line: &Value) {
        let line = line.to_string();
        known.client_says(&Envelope::of(line.as_bytes()).unwrap());
    }

    #[test]
    fn a_client_is_known_in_both_eras() {
        let mut known = Known::default();
        assert_eq!(known.call_settings(&call("a", "")), CallSettings::default().input_tokens(0));
        let client = json!({"clientInfo": {"name": "c", "version": "1"}, "capabilities": {"roots": {}}});
        said(&mut known, &json!({"id": 1, "method": "initialize", "params": client}));
        let now = |meta: &str| Value::from(known.call_settings(&call("a", meta)).client.unwrap_or_default());
        assert_eq!(now(""), client);
        assert_eq!(now("garbage"), client);
        let of_request = json!({CLIENT_INFO_KEY: {"name": "d"}, "other": 1}).to_string();
        assert_eq!(now(&of_request), json!({"clientInfo": {"name": "d"}}));
        let caller = |meta: &str| known.call_settings(&call("a", meta)).caller;
        assert_eq!(
            (caller(r#"{"lro/caller":"script"}"#), caller(r#"{"lro/caller":7}"#)),
            (Some("script".to_owned()), None)
        );
        let long = json!({"clientInfo": {"name": "x".repeat(MOST_CLIENT_BYTES)}});
        said(&mut known, &json!({"id": 1, "method": "initialize", "params": long}));
        assert_eq!(known.call_settings(&call("a", "")).client, None);
    }

    #[test]
    fn schemas_are_those_of_the_last_list_and_bounded() {
        let mut known = Known::default();
        let schema = |known: &Known, tool: &str| known.call_settings(&call(tool, "")).input_schema;
        known.listed(r#"{"tools":[{"name":"a","inputSchema":{"type":"object"}},{"name":"b"},7]}"#);
        known.listed("garbage");
        assert_eq!(schema(&known, "a"), json!({"type": "object"}).as_object().cloned());
        assert_eq!(schema(&known, "b"), None);
        known.listed(r#"{"tools":[{"name":"a","inputSchema":{}}]}"#);
        assert_eq!(schema(&known, "a"), Some(Map::new()));
        let long = format!("{{\"description\":\"{}\"}}", "x".repeat(MOST_SCHEMA_BYTES - 100));
        for turn in 0..200 {
            known.listed(&format!("{{\"tools\":[{{\"name\":\"t{turn}\",\"inputSchema\":{long}}}]}}"));
            assert!(known.schema_bytes <= ALL_SCHEMA_BYTES && schema(&known, &format!("t{turn}")).is_some());
        }
        known.listed(&format!("{{\"tools\":[{{\"name\":\"t\",\"inputSchema\":[{long},{long}]}}]}}"));
        assert_eq!(schema(&known, "t"), None);
    }
}
