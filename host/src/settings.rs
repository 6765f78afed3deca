//! Settings: the keys of `wit/settings.schema.json`.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::error::Error;
use crate::keys::keys;

/// The specification's prefix of variables that hold settings.
pub const ENVIRONMENT_PREFIX: &str = "ATLATL_PROMPT__OFFLOAD__";

/// The variables of this process that may hold settings: those that begin with `prefix`, so only they are shown to the
/// component. With a prefix other than [`ENVIRONMENT_PREFIX`], the setting `environment_prefix` has to name it too.
///
/// # Errors
/// `invalid-argument` when one of them is not Unicode.
pub fn environment(prefix: &str) -> Result<Vec<(String, String)>, Error> {
    std::env::vars_os()
        .filter(|(name, _)| name.to_string_lossy().starts_with(prefix))
        .map(|(name, value)| match (name.into_string(), value.into_string()) {
            (Ok(name), Ok(value)) => Ok((name, value)),
            (Ok(name), Err(_)) => Err(Error::invalid_argument(format!("the variable {name} is not valid Unicode"))),
            (Err(_), _) => Err(Error::invalid_argument(format!("a variable {prefix}… is not valid Unicode"))),
        })
        .collect()
}

keys! {
    /// How offloading behaves. What is missing comes from the other sources of settings, or is the default that
    /// `wit/settings.schema.json` gives. In [`Lro::settings`](crate::Lro::settings) every key has its value, unless that is
    /// null.
    pub struct Settings {
        /// False passes everything through.
        enabled: bool,
        /// The prefix of variables that hold settings.
        environment_prefix: String,
        /// Results above this many tokens are offloaded.
        threshold_tokens: u32,
        /// Used instead of `threshold_tokens`: results above this many characters are offloaded.
        threshold_characters: u32,
        /// A result that is not offloaded is truncated above this many tokens of four characters.
        max_inline_tokens: u32,
        /// What happens to a result that is too large.
        mode: Mode,
        /// The context window of the model, in tokens; it switches on the gates.
        context_tokens: u32,
        /// With the gates: the part of the context window that a result may have.
        context_percentage: f64,
        /// With the gates: a smaller result stays inline.
        min_threshold_bytes: u32,
        /// With the gates: a larger result never stays inline.
        max_threshold_bytes: u32,
        /// With the gates: the part of the context window that may be used up. 1 switches this gate off.
        headroom_percentage: f64,
        /// Seconds after which a file may be deleted.
        ttl_seconds: u32,
        /// The directory for files; [`Options::output_dir`](crate::Options::output_dir) is stronger.
        output_dir: String,
        /// The same directory by its name outside, with which `file_path` begins.
        public_dir: String,
        /// Which version of the specification to follow.
        profile: Profile,
        /// How tokens are estimated, or counted.
        tokenizer: Tokenizer,
        /// What the guidance of a response points to.
        guidance: Guidance,
        /// What a response says.
        descriptor: Descriptor,
        /// How many of the first records or lines a response shows.
        preview: u32,
        /// The most characters of them, on top of what a response has room for otherwise.
        preview_characters: u32,
        /// A result is left alone where a response and an answer would cost more than this part of it.
        min_saving: f64,
        /// MCP: used instead of the thresholds for what a tool read from a file of source code.
        source_threshold_tokens: u32,
        /// Whose defaults hold.
        defaults: Defaults,
        /// Where an offloaded result goes.
        store: Store,
        /// The prefix of file names.
        prefix: String,
        /// The type in the header line of files.
        header_type: String,
        /// A longer jq filter is rejected.
        max_filter_bytes: u32,
        /// A filter with more deeply nested brackets is rejected.
        max_filter_nesting: u32,
        /// An extraction reports a record with more deeply nested brackets as failed.
        max_record_nesting: u32,
        /// The most results on a page of an extraction.
        max_page_results: u32,
        /// The most bytes on a page of an extraction.
        max_page_bytes: u32,
        /// The most steps of an extraction.
        max_steps: u32,
        /// The most milliseconds that an extraction runs in the component.
        max_milliseconds: u32,
        /// The most memory of the component during an extraction, in MiB.
        max_memory_mib: u32,
        /// The largest document that a filter runs on.
        max_document_bytes: u32,
        /// MCP: whether the extraction tools are offered, and responses point to them.
        offer_tools: bool,
        /// MCP: the prefix of the names of these tools.
        tool_prefix: String,
        /// MCP: which names and arguments these tools have.
        tool_names: ToolNames,
        /// MCP: whether references to our files in the arguments of other tools are replaced by the data.
        resolve_arguments: bool,
        /// MCP: the most bytes that all references in one call stand for.
        max_argument_bytes: u32,
        /// MCP: whether the definition of `lro_extract` asks clients to load it without a search.
        tool_hints: bool,
        /// MCP: the most bytes of a result of these tools.
        max_answer_bytes: u32,
        /// MCP: callers that are programs and no models, whose results stay as they are; `*` stands for all.
        code_callers: Vec<String>,
        /// MCP: settings for single tools, by the tool's name.
        tools: BTreeMap<String, ToolSettings>,
        /// MCP: what the host knows about one call.
        call: CallSettings,
    }
}

impl Settings {
    /// Adds settings for one tool.
    #[must_use]
    pub fn tool(mut self, name: impl Into<String>, settings: ToolSettings) -> Self {
        self.tools.get_or_insert_default().insert(name.into(), settings);
        self
    }
}

keys! {
    /// Settings for one tool.
    pub struct ToolSettings {
        /// Which results are offloaded.
        offload: ToolOffload,
        /// Used instead of the general threshold.
        threshold_tokens: u32,
        /// Whether the results are memories.
        memories: bool,
        /// Whether the tool keeps its output schema in lists of tools.
        keep_schema: bool,
    }
}

keys! {
    /// What a host knows about one call over MCP.
    pub struct CallSettings {
        /// The conversation: the folder to which files go, and the only one that our tools can read.
        session: String,
        /// Tokens that the model has read so far.
        input_tokens: u32,
        /// The input schema of the tool.
        input_schema: serde_json::Map<String, serde_json::Value>,
        /// The client, by the members `clientInfo` and `capabilities` of its request `initialize`.
        client: serde_json::Map<String, serde_json::Value>,
        /// Who wants the result: `lro/caller` in the `_meta` of the request.
        caller: String,
    }
}

/// Values of settings, by their names in JSON.
macro_rules! values {
    ($($(#[$about:meta])* pub enum $name:ident { $($(#[$doc:meta])* $value:ident,)* })*) => {$(
        $(#[$about])*
        #[derive(Clone, Copy, Debug, Serialize, Deserialize, PartialEq, Eq)]
        #[serde(rename_all = "snake_case")]
        #[non_exhaustive]
        pub enum $name { $($(#[$doc])* $value,)* }
    )*};
}

values! {
    /// A version of the specification.
    pub enum Profile {
        /// The current one.
        Current,
        /// The first one.
        Early,
        /// mcpagent instead.
        Mcpagent,
    }
    /// How tokens are estimated, or counted.
    pub enum Tokenizer {
        /// A quarter of the characters.
        Chars,
        /// By script.
        Mixed,
        /// Exactly, as GPT-4o and later models do: needs a component with vocabularies.
        #[serde(rename = "o200k_base")]
        O200kBase,
        /// Exactly, as GPT-4 and GPT-3.5 do: needs a component with vocabularies.
        #[serde(rename = "cl100k_base")]
        Cl100kBase,
    }
    /// What happens to a result that is too large.
    pub enum Mode {
        /// It is stored where the model has a way to read it, else truncated.
        Auto,
        /// It is stored, and a response replaces it.
        Artifact,
        /// Its two ends replace it.
        Truncate,
    }
    /// Which names and arguments our MCP tools have.
    pub enum ToolNames {
        /// `lro_extract` and its like.
        Lro,
        /// `artifact_read`, `artifact_grep`, `artifact_jq`.
        Artifact,
        /// `read_large_output`, `search_large_output`, `query_large_output`.
        LargeOutput,
        /// One tool with an operation.
        Unified,
    }
    /// What the guidance of a response points to.
    pub enum Guidance {
        /// The jq recipes.
        Shell,
        /// The tool `lro_extract`.
        Tool,
    }
    /// What a response says.
    pub enum Descriptor {
        /// The specification's six fields.
        Full,
        /// The same in a quarter of the tokens, for the tool `lro_extract`.
        Compact,
        /// Path and count.
        Bare,
        /// An artifact, its size and its shape.
        Envelope,
        /// Where the result is, how it begins and which tools read it.
        Message,
    }
    /// Whose defaults hold where nothing is set.
    pub enum Defaults {
        /// Those of the specification.
        Contract,
        /// Those of a host between agents and their tools.
        Agent,
    }
    /// Where an offloaded result goes.
    pub enum Store {
        /// To a file.
        File,
        /// Back to the host, as text.
        Content,
    }
    /// Which results of a tool are offloaded.
    pub enum ToolOffload {
        /// Those above the threshold.
        Auto,
        /// None.
        Never,
        /// Every result that has records.
        Always,
    }
}
