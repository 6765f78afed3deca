//! Settings: the keys of `wit/settings.schema.json`.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::error::Error;
use crate::keys::keys;

/// What the names of variables with settings begin with, as the specification has it.
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
        /// What the names of variables with settings begin with.
        environment_prefix: String,
        /// More tokens than this are offloaded.
        threshold_tokens: u32,
        /// Instead of `threshold_tokens`: more characters than this are offloaded.
        threshold_characters: u32,
        /// A result that is not offloaded is truncated above so many tokens of four characters.
        max_inline_tokens: u32,
        /// Seconds after which a file may be deleted.
        ttl_seconds: u32,
        /// The directory for files; [`Options::output_dir`](crate::Options::output_dir) is stronger.
        output_dir: String,
        /// The same directory as people and models know it: what `file_path` begins with.
        public_dir: String,
        /// Which version of the specification to follow.
        profile: Profile,
        /// How tokens are estimated.
        tokenizer: Tokenizer,
        /// What the guidance of a response points to.
        guidance: Guidance,
        /// Where an offloaded result goes.
        store: Store,
        /// What file names begin with.
        prefix: String,
        /// The type in the header line of files.
        header_type: String,
        /// A longer jq filter is refused.
        max_filter_bytes: u32,
        /// A filter with deeper brackets is refused.
        max_filter_nesting: u32,
        /// A record with deeper brackets is reported as failed by an extraction.
        max_record_nesting: u32,
        /// A page of an extraction holds no more results.
        max_page_results: u32,
        /// A page of an extraction holds no more bytes.
        max_page_bytes: u32,
        /// MCP: the extraction tools are offered, and responses point to them.
        offer_tools: bool,
        /// MCP: what the names of these tools begin with.
        tool_prefix: String,
        /// MCP: an answer of these tools is no longer than this.
        max_answer_bytes: u32,
        /// MCP: how results of single tools are treated, by the tool's name.
        tools: BTreeMap<String, ToolSettings>,
    }
}

impl Settings {
    /// Adds how the results of one tool are treated.
    #[must_use]
    pub fn tool(mut self, name: impl Into<String>, settings: ToolSettings) -> Self {
        self.tools.get_or_insert_default().insert(name.into(), settings);
        self
    }
}

keys! {
    /// How results of one tool are treated.
    pub struct ToolSettings {
        /// Which of them are offloaded.
        offload: ToolOffload,
        /// Instead of the general threshold.
        threshold_tokens: u32,
        /// They are memories.
        memories: bool,
        /// The tool keeps its output schema in lists of tools.
        keep_schema: bool,
    }
}

/// Values of settings, by their names in JSON.
macro_rules! values {
    ($($(#[$about:meta])* pub enum $name:ident { $($(#[$doc:meta])* $value:ident,)* })*) => {$(
        $(#[$about])*
        #[derive(Clone, Copy, Debug, Serialize, Deserialize, PartialEq, Eq)]
        #[serde(rename_all = "lowercase")]
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
    }
    /// How tokens are estimated.
    pub enum Tokenizer {
        /// A quarter of the characters.
        Chars,
        /// By script.
        Mixed,
    }
    /// What the guidance of a response points to.
    pub enum Guidance {
        /// The jq recipes.
        Shell,
        /// The tool `lro_extract`.
        Tool,
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
