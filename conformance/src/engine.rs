//! What a case runs on: anything that can answer the contract's calls as JSON.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::{Map, Value};

use crate::case::{Case, Directory, Function, Source};

/// One call, all names of the case filled in.
#[derive(Clone, Copy, Debug)]
pub struct Call<'a> {
    /// The function of the contract.
    pub function: Function,
    /// The payload of `estimate` and `offload`; the message of the calls of MCP.
    pub payload: &'a str,
    /// What `extract` looks at.
    pub source: Option<&'a Source>,
    /// The request.
    pub request: &'a Map<String, Value>,
    /// The settings, without `output_dir` and `public_dir`: the engine knows how it grants a directory.
    pub settings: &'a Map<String, Value>,
    /// The configuration file of `resolve`.
    pub file_text: &'a str,
    /// The environment of `resolve`.
    pub environment: &'a BTreeMap<String, String>,
    /// The output directory on this machine.
    pub directory: &'a Path,
    /// What kind of directory it is.
    pub access: Directory,
}

impl Call<'_> {
    /// The tool of a call of MCP.
    pub fn tool(&self) -> &str {
        self.request.get("tool").and_then(Value::as_str).unwrap_or_default()
    }

    /// The text of the arguments of a call of MCP; empty where the case has none.
    pub fn arguments(&self) -> String {
        self.request.get("arguments").map(Value::to_string).unwrap_or_default()
    }
}

/// What a call came to.
#[derive(Debug)]
pub enum Answer {
    /// The answer as a JSON object:
    ///
    /// - `estimate`: `tokens`
    /// - `offload`: `outcome`, `text` (what the client gets), `estimated_tokens`, `file_name`, `content`, `events`
    /// - `extract`: `text`, `count`, `total`, `truncated`, `next`, `failed`, `failures`, `remarks`
    /// - `read`: `text`, `first`, `last`, `total`, `truncated`, `next`, `remarks`
    /// - `search`: `hits`, `total`, `lines`, `truncated`, `next`, `remarks`
    /// - `cleanup`: `deleted`, `freed_bytes`, `kept`, `events`
    /// - `resolve`: the settings
    /// - `list-files`, `copies`: `text`
    /// - `mcp-tools`: `text`
    /// - `mcp-call`: `text`, the CallToolResult
    /// - `mcp-offload-result`: `outcome` (`unchanged` or `replaced`), `text` (the message), `file_name`, `events`
    /// - `mcp-offload-tools`, `mcp-resolve-arguments`: `outcome`, `text`
    Done(Value),
    /// The error as a JSON object: `case`, `message`, `hint`, and what the case carries.
    Failed(Value),
    /// The call came to no answer of the contract: a trap, an engine that has ended. No case expects it.
    Accident(String),
}

/// Something that answers calls.
pub trait Engine: Send + Sync {
    /// Its name in reports.
    fn name(&self) -> &str;

    /// Why this engine has no way to run a case, if it has none.
    fn unable(&self, _case: &Case) -> Option<String> {
        None
    }

    /// Executes a call.
    fn call(&self, call: &Call<'_>) -> Answer;

    /// Why no call is made any more, if the engine has broken off.
    fn fault(&self) -> Option<String> {
        None
    }

    /// False for a key of an answer that this engine cannot show; it is then not compared.
    fn shows(&self, _key: &str) -> bool {
        true
    }
}
