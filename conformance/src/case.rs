//! A case: what is given, what is called, and what must come of it. `tests/cases/case.schema.json` explains each key.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// One case, as its file says it.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Case {
    /// Where the file is, without its ending: `level-1/threshold`.
    #[serde(skip)]
    pub name: String,
    /// What must hold, as a sentence.
    pub description: String,
    /// The clauses that it proves.
    pub clauses: Vec<String>,
    /// What is there before the first step.
    #[serde(default)]
    pub given: Given,
    /// What is done, in order.
    pub steps: Vec<Step>,
}

/// What is there before the first step.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Given {
    /// Settings of every step.
    pub settings: Map<String, Value>,
    /// The payload of every step.
    #[serde(flatten)]
    pub payload: Payload,
    /// What kind of output directory there is.
    pub directory: Directory,
    /// What is in it.
    pub files: Vec<GivenFile>,
}

/// The text of a tool's result, in one of four forms.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct Payload {
    /// The text itself.
    pub payload: Option<String>,
    /// Records, written as a compact JSON array.
    pub records: Option<Vec<Value>>,
    /// The name of a file in `tests/fixtures`.
    pub fixture: Option<String>,
    /// An MCP message, written as compact JSON.
    pub message: Option<Value>,
}

/// What kind of output directory there is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Directory {
    /// One that can be written to.
    #[default]
    Writable,
    /// One that can only be read.
    ReadOnly,
    /// One whose disk is full: files can be created, and nothing can be written to them.
    Full,
    /// None.
    Missing,
}

/// Something in the output directory: text, a link, or, with neither, a folder.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GivenFile {
    /// Its path below the output directory.
    pub name: String,
    /// The lines of a file; values that are not strings are written as compact JSON.
    pub lines: Option<Vec<Value>>,
    /// What a symbolic link leads to.
    pub link: Option<String>,
}

/// One call.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Step {
    /// The function of the contract.
    pub call: Function,
    /// The request of `estimate`, `offload`, `extract`, `read`, `search` and `cleanup`; `tool` and `arguments` of the calls of MCP.
    #[serde(default)]
    pub request: Map<String, Value>,
    /// Settings of this step, over the given ones; for `resolve`, the explicit ones.
    #[serde(default)]
    pub settings: Map<String, Value>,
    /// The payload of this step, instead of the given one.
    #[serde(flatten)]
    pub payload: Payload,
    /// What `extract`, `read`, `search`, `describe` and `rebuild` look at; the file that was offloaded last, when there is none.
    pub source: Option<Source>,
    /// The configuration file of `resolve`.
    #[serde(default)]
    pub file_text: String,
    /// The environment of `resolve`.
    #[serde(default)]
    pub environment: BTreeMap<String, String>,
    /// What must come of it.
    pub then: Then,
}

/// A function of the contract.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Function {
    /// `offloader.estimate`
    Estimate,
    /// `offloader.offload`
    Offload,
    /// `offloader.extract`
    Extract,
    /// `offloader.cleanup`
    Cleanup,
    /// `configuration.resolve`
    Resolve,
    /// `documents.describe`
    Describe,
    /// `documents.rebuild`
    Rebuild,
    /// `reader.read`
    Read,
    /// `reader.search`
    Search,
    /// `documents.list-files`
    ListFiles,
    /// `documents.copies`
    Copies,
    /// `mcp.tools`
    McpTools,
    /// `mcp.call`
    McpCall,
    /// `mcp.offload-result`
    McpOffloadResult,
    /// `mcp.offload-tools`
    McpOffloadTools,
}

impl Function {
    /// True for the functions of the interface `mcp`.
    pub fn is_mcp(self) -> bool {
        matches!(self, Self::McpTools | Self::McpCall | Self::McpOffloadResult | Self::McpOffloadTools)
    }
}

/// Where the records are.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Source {
    /// A path or a name.
    File(String),
    /// The text of an offloaded file.
    Content(String),
}

/// What a call must return. Anything that is not mentioned may have any value.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Then {
    /// The answer.
    pub answer: Option<Value>,
    /// The error, instead of an answer: `case`, `message`, and what the case carries.
    pub error: Option<Value>,
    /// The paths of all files below the output directory, sorted.
    pub files: Option<Value>,
    /// The file that was offloaded last: `header`, `header_text`, `lines`.
    pub file: Option<Value>,
}

impl Case {
    /// Reads a case.
    ///
    /// # Errors
    /// Why the text is not a valid case.
    pub fn parse(name: &str, text: &str) -> Result<Self, String> {
        let case: Self = serde_json::from_str(text).map_err(|error| format!("{name}: {error}"))?;
        Ok(Self { name: name.to_owned(), ..case })
    }
}
