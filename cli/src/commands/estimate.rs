//! `lro estimate`: prints how many tokens a result has.

use std::path::PathBuf;

use clap::Args;
use lro::OffloadRequest;

use super::offload::detailed;
use crate::failure::Failure;
use crate::global::{Global, open, set};
use crate::input::{Input, unreadable};
use crate::{output, text};

/// Print the number of tokens of a result's records
#[derive(Args)]
#[command(after_help = "Example:\n  curl -s https://example.org/memories.json | lro estimate --tokenizer mixed")]
pub(super) struct Estimate {
    /// The result: JSON, JSON Lines or text; - is standard input
    #[arg(default_value = "-", value_name = "FILE|-")]
    file: PathBuf,
    /// The operation or tool that produced the result
    #[arg(long, value_name = "NAME", default_value = "recall")]
    operation: String,
    /// Count the records at this level of detail
    #[arg(long, value_name = "light|medium|full")]
    detail: Option<String>,
    /// How to estimate tokens: chars (characters / 4) or mixed (by script); o200k_base and cl100k_base count exactly
    #[arg(long, value_name = "NAME")]
    tokenizer: Option<String>,
}

impl Estimate {
    pub(super) fn run(self, global: &Global) -> Result<(), Failure> {
        let mut options = global.options()?.prepare_output_dir(false);
        set(&mut options, "tokenizer", &self.tokenizer);
        let request = detailed(OffloadRequest::of(&self.operation), self.detail.as_deref());
        let input = Input::open(&self.file)?;
        if let Some(file) = input.large_file()?
            && text::is_plain(file, None).map_err(|error| unreadable(&self.file, error))?
        {
            return output::line(&open(options)?.estimate_file(file, &request)?.to_string());
        }
        let bytes = input.read()?;
        let payload = text::decode(&bytes, &self.file, None)?;
        if let Some(remark) = &payload.remark {
            output::remark(remark);
        }
        output::line(&open(options)?.estimate(&String::from_utf8_lossy(&payload.bytes), &request)?.to_string())
    }
}
