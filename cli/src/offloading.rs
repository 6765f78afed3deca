//! The flags of commands that stand between tools and a model: when to offload, where to, and what a response says.

use std::path::PathBuf;

use clap::Args;
use lro::Options;
use serde_json::{Map, Value, json};

use crate::failure::Failure;
use crate::global::{Global, set};

/// When to offload results of tools, where to, and what a response says.
#[derive(Args, Default)]
pub(crate) struct OffloadingFlags {
    /// Offload results with more tokens than this [default: 1600]
    #[arg(long, value_name = "N", alias = "threshold")]
    pub(crate) threshold_tokens: Option<u32>,
    /// How to estimate tokens: chars (characters / 4) or mixed (by script); o200k_base and cl100k_base count exactly
    #[arg(long, value_name = "NAME")]
    pub(crate) tokenizer: Option<String>,
    /// Write files to this directory, created if missing [default: lro-UID in the temporary directory]
    #[arg(long, value_name = "DIR")]
    pub(crate) output_dir: Option<PathBuf>,
    /// Seconds after which a file may be deleted [default: 259200, three days]
    #[arg(long, value_name = "N", alias = "ttl")]
    pub(crate) ttl_seconds: Option<u32>,
    /// What a response says [default: what fits the tools: compact, envelope or message; full with --no-tools]
    #[arg(long, value_name = "full|compact|bare|envelope|message")]
    pub(crate) descriptor: Option<String>,
    /// Leave a result alone where a response and an answer would cost more than this part of it; 0: never [default: 0.5]
    #[arg(long, value_name = "FRACTION")]
    pub(crate) min_saving: Option<f64>,
    /// Override the threshold for one tool: never or always offload, treat as memories, or a threshold of its own
    #[arg(long = "tool", value_name = "NAME=never|always|memories|N", value_parser = tool)]
    pub(crate) tools: Vec<(String, Value)>,
    /// Do not offer the extraction tools; responses then point to jq in a shell
    #[arg(long)]
    pub(crate) no_tools: bool,
    /// The prefix of the names of the extraction tools [default: lro_]
    #[arg(long, value_name = "PREFIX")]
    pub(crate) tool_prefix: Option<String>,
    /// The names and arguments that the extraction tools have [default: lro, or large_output in the profile mcpagent]
    #[arg(long, value_name = "lro|artifact|large_output|unified")]
    pub(crate) tool_names: Option<String>,
    /// The thresholds, file names and tools of another system
    #[arg(long, value_name = "current|early|mcpagent")]
    pub(crate) profile: Option<String>,
}

impl OffloadingFlags {
    /// The options that these flags and those of every subcommand ask for, with the defaults of a host for an agent.
    pub(crate) fn options(&self, global: &Global) -> Result<Options, Failure> {
        let mut options = global.options()?.output_dir(self.output_dir.clone());
        set(&mut options, "threshold_tokens", &self.threshold_tokens);
        set(&mut options, "tokenizer", &self.tokenizer);
        set(&mut options, "ttl_seconds", &self.ttl_seconds);
        set(&mut options, "descriptor", &self.descriptor);
        set(&mut options, "min_saving", &self.min_saving);
        set(&mut options, "defaults", &Some("agent"));
        set(&mut options, "tool_prefix", &self.tool_prefix);
        set(&mut options, "tool_names", &self.tool_names);
        set(&mut options, "profile", &self.profile);
        set(&mut options, "offer_tools", &self.no_tools.then_some(false));
        if !self.tools.is_empty() {
            let tools: Map<String, Value> = self.tools.iter().cloned().collect();
            set(&mut options, "tools", &Some(tools));
        }
        Ok(options)
    }

    /// True if there is a rule for this tool.
    pub(crate) fn has_rule_for(&self, tool: &str) -> bool {
        self.tools.iter().any(|(name, _)| name == tool)
    }

    /// The prefix of the names of the extraction tools, if it is not the usual one.
    pub(crate) fn tool_prefix(&self) -> Option<&str> {
        self.tool_prefix.as_deref().filter(|prefix| !prefix.is_empty())
    }
}

/// Parses `NAME=never|always|memories|N` to the settings of a tool.
pub(crate) fn tool(text: &str) -> Result<(String, Value), String> {
    let (name, how) = text.rsplit_once('=').ok_or("it must be NAME=never, NAME=always, NAME=memories or NAME=N")?;
    let settings = match (how, how.parse::<u32>()) {
        ("memories", _) => json!({ "memories": true }),
        (_, Ok(threshold)) => json!({ "threshold_tokens": threshold }),
        (_, Err(_)) => json!({ "offload": how }),
    };
    Ok((name.to_owned(), settings))
}
