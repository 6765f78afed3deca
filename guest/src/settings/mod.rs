//! How offloading behaves: from defaults, a file, the environment and explicit values to one object.

mod bounds;
pub mod names;
pub mod request;
pub mod sections;
mod sources;
pub mod tokens;
pub mod tools;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use self::bounds::{MOST_FILTER_NESTING, MOST_RECORD_NESTING};
use crate::error::Error;
use crate::settings::tokens::Tokenizer;
use crate::settings::tools::ToolSettings;

pub use sources::{over, resolve};

/// What the names of our environment variables begin with, unless a host has another prefix (LRO-25).
pub const VARIABLE_PREFIX: &str = "ATLATL_PROMPT__OFFLOAD__";

/// Marks our files, unless a host has another type (LRO-10, SECTION-08).
pub const HEADER_TYPE: &str = "lro_header";

/// LRO-07: about ten records of 155 tokens; below that, a response costs more than it saves.
pub const THRESHOLD_TOKENS: u32 = 1600;

/// READ-02.
const MCPAGENT_THRESHOLD_TOKENS: u32 = 10_000;

/// What the names of files begin with, and of mcpagent's.
const PREFIX: &str = "atlatl";
const MCPAGENT_PREFIX: &str = "tool";

/// What the names of our tools begin with.
const TOOL_PREFIX: &str = "lro_";

/// EARLY-01.
pub const EARLY_THRESHOLD_TOKENS: u32 = 6400;

/// LRO-34: one hour.
pub const TTL_SECONDS: u32 = 3600;

/// What agents' hosts keep: people resume a session the next day, or after a weekend.
const AGENT_TTL_SECONDS: u32 = 3 * 24 * 3600;

/// What agents' hosts save at least. See decision 198.
const AGENT_MIN_SAVING: f64 = 0.5;

/// What agents' hosts pass on of source code: 1,000 lines, which an agent reads to edit them.
const AGENT_SOURCE_TOKENS: u32 = 10_000;

/// READ-20: more than any client shows a model in one piece. It is not a second threshold: an offloaded result never
/// reaches it.
const MAX_INLINE_TOKENS: u32 = 100_000;

/// Clients store tool results above 8 KB themselves, which would offload the answer of an offload (USER-04).
const MAX_ANSWER_BYTES: u32 = 8192;

/// Which version of the specification is followed (EARLY-07).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Profile {
    /// The current specification.
    #[default]
    Current,
    /// Its early version.
    Early,
    /// The threshold, preview, folders and names of mcpagent (READ-02 to 08).
    Mcpagent,
}

/// What happens to a result that is too large (GATE-07).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Mode {
    /// An artifact where there is a way to read it, else its two ends.
    #[default]
    Auto,
    /// It is stored, and a response replaces it.
    Artifact,
    /// Its two ends replace it, and nothing is stored.
    Truncate,
}

/// The family of names that our tools have (GATE-13 to 15, READ-12).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ToolNames {
    /// `lro_extract`, `lro_describe`, `lro_read`, `lro_search`, with `tool_prefix`.
    #[default]
    Lro,
    /// `artifact_read`, `artifact_grep`, `artifact_jq`.
    Artifact,
    /// `read_large_output`, `search_large_output`, `query_large_output`.
    LargeOutput,
    /// One tool with an `operation`.
    Unified,
}

/// What a host knows about one call over the interface `mcp`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Call {
    /// The conversation: the folder to which files go, and the only one that our tools see.
    pub session: Option<String>,
    /// Tokens that the model has read so far (GATE-04).
    pub input_tokens: Option<u32>,
    /// The input schema of the tool that is called.
    pub input_schema: Option<Map<String, Value>>,
    /// The client: the members `clientInfo` and `capabilities` of its request `initialize`.
    pub client: Option<Map<String, Value>>,
    /// Who wants the result: `lro/caller` in the `_meta` of the request.
    pub caller: Option<String>,
}

/// What the guidance of a response points to (decision 9).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum GuidanceKind {
    /// The jq recipes, run in a shell.
    #[default]
    Shell,
    /// The tool `lro_extract`.
    Tool,
}

/// What a response says of an offloaded result.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Descriptor {
    /// The specification's response (LRO-17).
    Full,
    /// The same in a quarter of the tokens, for the tool `lro_extract`.
    Compact,
    /// Path and count.
    Bare,
    /// An artifact, its size and its shape (GATE-09 to 12).
    Envelope,
    /// Where the result is, how it begins and which tools read it (READ-08).
    Message,
}

/// Whose defaults hold where nothing is set.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Defaults {
    /// Those of the specification.
    #[default]
    Contract,
    /// Those of a host between agents and their tools.
    Agent,
}

/// Where an offloaded result goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Store {
    /// Into a file below the output directory.
    #[default]
    File,
    /// Back to the host, as text.
    Content,
}

/// Complete settings. Each key is explained in `wit/settings.schema.json`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Settings {
    /// False passes everything through (LRO-24).
    pub enabled: bool,
    /// What the names of variables with settings begin with (SECTION-07).
    pub environment_prefix: String,
    /// More tokens than this are offloaded (LRO-05).
    pub threshold_tokens: u32,
    /// Instead of it: more characters than this are offloaded (SECTION-06).
    pub threshold_characters: Option<u32>,
    /// More tokens than this are not passed on, for whatever reason a result is not offloaded (READ-20, USER-17).
    pub max_inline_tokens: u32,
    /// What happens to a result that is too large.
    pub mode: Mode,
    /// The context window of the model, in tokens; none switches the gates off (GATE-03, GATE-04).
    pub context_tokens: Option<u32>,
    /// A result may have this part of the context window (GATE-03).
    pub context_percentage: f64,
    /// A smaller result stays inline, whatever the gates say (GATE-05).
    pub min_threshold_bytes: u32,
    /// A larger result never stays inline (GATE-06).
    pub max_threshold_bytes: u32,
    /// This part of the context window may be used up; 1 switches the gate off (GATE-04).
    pub headroom_percentage: f64,
    /// Why results are to be truncated and not offloaded, of a host whose offload has come to a limit.
    pub truncate_reason: Option<String>,
    /// Seconds after which a file may be deleted.
    pub ttl_seconds: u32,
    /// The granted directory, by its name here; empty for the only one.
    pub output_dir: String,
    /// The same directory as people and models know it; empty for `output_dir`.
    pub public_dir: String,
    /// The version of the specification.
    pub profile: Profile,
    /// How tokens are estimated, or counted.
    pub tokenizer: Tokenizer,
    /// What the guidance points to.
    pub guidance: GuidanceKind,
    /// What a response says; what fits the host where it is missing.
    pub descriptor: Option<Descriptor>,
    /// How many records or lines a response shows.
    pub preview: u32,
    /// The most characters of them, on top of what a response has room for.
    pub preview_characters: Option<u32>,
    /// A result is left alone where a response and an answer would cost more than this part of it.
    pub min_saving: Option<f64>,
    /// What a tool read from a file of source code is offloaded above so many tokens, instead of the threshold.
    pub source_threshold_tokens: Option<u32>,
    /// Whose defaults hold.
    pub defaults: Defaults,
    /// Where an offloaded result goes.
    pub store: Store,
    /// What file names begin with.
    pub prefix: String,
    /// The type in the header line of our files.
    pub header_type: String,
    /// A longer filter is refused.
    pub max_filter_bytes: u32,
    /// A filter with deeper brackets is refused.
    pub max_filter_nesting: u32,
    /// A record with deeper brackets is not extracted from.
    pub max_record_nesting: u32,
    /// More results are cut off a page.
    pub max_page_results: u32,
    /// More bytes of results are cut off a page.
    pub max_page_bytes: u32,
    /// A call that reads a file stops after so many steps.
    pub max_steps: Option<u32>,
    /// A call that reads a file stops after so many milliseconds.
    pub max_milliseconds: Option<u32>,
    /// An extraction stops when the component has more memory, in MiB.
    pub max_memory_mib: Option<u32>,
    /// A larger document is not put together for a filter.
    pub max_document_bytes: u32,
    /// The extraction tools are offered over MCP.
    pub offer_tools: bool,
    /// What the names of our tools begin with.
    pub tool_prefix: String,
    /// Which names our tools have.
    pub tool_names: ToolNames,
    /// The definition of `lro_extract` asks clients to load it without a search.
    pub tool_hints: bool,
    /// References to files in the arguments of other tools are replaced by what they mean (USER-11).
    pub resolve_arguments: bool,
    /// What they mean has at most this many bytes in one call.
    pub max_argument_bytes: u32,
    /// The most bytes in an answer of one of our tools.
    pub max_answer_bytes: u32,
    /// Callers that are programs and no models: what they get stays as it is. `*` stands for all.
    pub code_callers: Vec<String>,
    /// How results of single tools are treated, by the tool's name.
    pub tools: BTreeMap<String, ToolSettings>,
    /// What the host knows about this call.
    pub call: Call,
    /// The threshold is that of the tool, which the gates do not replace. Not a key.
    #[serde(skip)]
    pub threshold_is_own: bool,
    /// When the call is made, in milliseconds since 1970, if files that it reads may have expired. Not a key of the
    /// settings.
    #[serde(skip)]
    pub now: Option<u64>,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            enabled: true,
            environment_prefix: VARIABLE_PREFIX.into(),
            threshold_tokens: THRESHOLD_TOKENS,
            threshold_characters: None,
            max_inline_tokens: MAX_INLINE_TOKENS,
            mode: Mode::Auto,
            context_tokens: None,
            context_percentage: 0.25,
            min_threshold_bytes: 4096,
            max_threshold_bytes: 1 << 20,
            headroom_percentage: 0.7,
            truncate_reason: None,
            ttl_seconds: TTL_SECONDS,
            output_dir: String::new(),
            public_dir: String::new(),
            profile: Profile::Current,
            tokenizer: Tokenizer::Chars,
            guidance: GuidanceKind::Shell,
            descriptor: None,
            preview: 0,
            preview_characters: None,
            min_saving: None,
            source_threshold_tokens: None,
            defaults: Defaults::Contract,
            store: Store::File,
            prefix: PREFIX.into(),
            header_type: HEADER_TYPE.into(),
            // What models write has some hundred bytes; parsing is superlinear in hostile cases.
            max_filter_bytes: 8192,
            max_filter_nesting: MOST_FILTER_NESTING,
            max_record_nesting: MOST_RECORD_NESTING,
            // Ten times the records of a large file; an endless filter makes so many in half a second.
            max_page_results: 1_000_000,
            // A page is held in the component and in the host; the smallest default of a host's memory is four of it.
            max_page_bytes: 64 << 20,
            max_steps: None,
            max_milliseconds: None,
            max_memory_mib: None,
            // It is in memory with its values, about five times its size, and a host has room for ten times the file.
            max_document_bytes: 128 << 20,
            offer_tools: true,
            tool_prefix: TOOL_PREFIX.into(),
            tool_names: ToolNames::Lro,
            tool_hints: true,
            resolve_arguments: false,
            max_argument_bytes: 1 << 20,
            max_answer_bytes: MAX_ANSWER_BYTES,
            code_callers: Vec::new(),
            tools: BTreeMap::new(),
            call: Call::default(),
            threshold_is_own: false,
            now: None,
        }
    }
}

impl Settings {
    /// What the engine bounds before it runs a filter.
    pub fn limits(&self) -> lro_query::Limits {
        lro_query::Limits {
            filter_bytes: self.max_filter_bytes,
            filter_nesting: self.max_filter_nesting,
            record_nesting: self.max_record_nesting,
        }
    }

    /// What a response says.
    pub fn descriptor(&self) -> Descriptor {
        self.descriptor_for(self.defaults == Defaults::Agent)
    }

    /// What a response says to an agent, or to anybody. Each family of tools has its own; where the extraction tool is
    /// offered to an agent, commands for a shell are of no use.
    pub fn descriptor_for(&self, is_agent: bool) -> Descriptor {
        let fitting = match (self.guidance, self.tool_names) {
            (GuidanceKind::Tool, ToolNames::Artifact) => Descriptor::Envelope,
            (GuidanceKind::Tool, ToolNames::LargeOutput | ToolNames::Unified) => Descriptor::Message,
            _ if self.profile == Profile::Mcpagent => Descriptor::Message,
            (GuidanceKind::Tool, ToolNames::Lro) if is_agent => Descriptor::Compact,
            _ => Descriptor::Full,
        };
        self.descriptor.unwrap_or(fitting)
    }

    /// Reads the `settings` of a call: any part of them, as the text of a JSON object; empty for none.
    ///
    /// A tokenizer that this component lacks is refused here: a host reads from resolved settings what to load.
    pub fn parse(text: &str) -> Result<Self, Error> {
        let settings = sources::explicit(text)?;
        settings.tokenizer.check()?;
        Ok(settings)
    }

    /// The output directory as people and models know it, without a separator at its end. Of a mere scheme, `lro://`, one of
    /// the two slashes stays: what follows a separator is then a URI.
    pub fn public_dir(&self) -> &str {
        let directory = if self.public_dir.is_empty() { &self.output_dir } else { &self.public_dir };
        match directory.strip_suffix("://") {
            Some(scheme) => &directory[..scheme.len() + 2],
            None => directory.trim_end_matches(self.separator()),
        }
    }

    /// Returns the separator of a public path: a backslash if `public_dir` is written with backslashes.
    pub fn separator(&self) -> char {
        let directory = if self.public_dir.is_empty() { &self.output_dir } else { &self.public_dir };
        if directory.contains('\\') && !directory.contains('/') { '\\' } else { '/' }
    }
}

#[cfg(test)]
mod tests;
