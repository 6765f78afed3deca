//! `lro extract`: results of a recipe or a jq filter, one a line.

use std::time::Duration;

use clap::{ArgGroup, Args};
use lro::{CallLimits, ExtractRequest, Extracted, Limits, Lro, Options};
use serde_json::{Map, Value};

use super::source::SourceFlags;
use super::watchdog::Watchdog;
use super::{Failure, Global, continuation, counted, output};

const EXAMPLES: &str = "\
Examples:
  lro extract FILE --recipe 6
  lro extract FILE --recipe 3 --param keyword=cache --limit 20
  lro extract FILE --query 'select(.tags | index(\"adr\")) | {id, title}'

Records are counted by their line in the file, from 2. Without --output-dir, the folder of FILE is reached,
and only to read; with it, only what is inside.";

/// Print the results of a recipe or a jq filter over an offloaded file
#[derive(Args)]
#[command(after_help = EXAMPLES, group = ArgGroup::new("what").args(["recipe", "query"]).required(true))]
pub(super) struct Extract {
    #[command(flatten)]
    source: SourceFlags,
    /// A recipe of the file's response
    #[arg(long, value_name = "1-10")]
    recipe: Option<u32>,
    /// A jq filter, run once for each record
    #[arg(long, value_name = "JQ", allow_hyphen_values = true)]
    query: Option<String>,
    /// The recipe's parameter, or a variable of the filter
    #[arg(long = "param", value_name = "NAME=VALUE", value_parser = param)]
    params: Vec<(String, String)>,
    /// Run the filter once, on the array of all records
    #[arg(long)]
    slurp: bool,
    /// Print strings bare
    #[arg(long)]
    raw: bool,
    /// Print at most this many results
    #[arg(long, value_name = "N")]
    limit: Option<u32>,
    /// Go on where a cut answer ended
    #[arg(long, value_name = "TOKEN")]
    next: Option<String>,
    /// Print at most this many bytes
    #[arg(long, value_name = "N")]
    max_bytes: Option<u32>,
    /// Let the filter run this long [default: 2, and 1 more for each 20 MB of FILE]
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    timeout: Option<Duration>,
    /// Let the filter use this much memory [default: ten times FILE, from 256 to 1024]
    #[arg(long, value_name = "MIB")]
    max_memory: Option<u32>,
    /// Fail on the first record that the filter fails on
    #[arg(long)]
    strict: bool,
}

impl Extract {
    pub(super) fn run(self, global: &Global) -> Result<(), Failure> {
        let source = self.source.source()?;
        let lro = Lro::open(self.options(global)?)?;
        let watchdog = Watchdog::new("extraction", lro.extraction_timeout(&source), global.json_errors);
        watchdog.arm();
        let extracted = lro.extract_all(&source, &self.request(), |page| {
            watchdog.disarm();
            output::write(page.as_bytes())?;
            watchdog.arm();
            Ok::<(), Failure>(())
        })?;
        watchdog.disarm();
        report(&extracted);
        Ok(())
    }

    fn options(&self, global: &Global) -> Result<Options, Failure> {
        let extract = CallLimits { timeout: self.timeout, max_memory_mib: self.max_memory };
        Ok(Options { limits: Limits { extract, ..Limits::default() }, ..self.source.options(global)? })
    }

    fn request(&self) -> ExtractRequest {
        ExtractRequest {
            recipe: self.recipe,
            query: self.query.clone(),
            params: self
                .params
                .iter()
                .map(|(name, value)| (name.clone(), value.as_str().into()))
                .collect::<Map<_, Value>>(),
            slurp: self.slurp,
            raw: self.raw,
            limit: self.limit,
            max_bytes: self.max_bytes,
            chunk_bytes: None,
            next: self.next.clone(),
            strict: self.strict,
        }
    }
}

/// Says on standard error what the results do not show: records that failed, and how to go on.
fn report(extracted: &Extracted) {
    if let Some(first) = extracted.failures.first() {
        let failed = counted(extracted.failed, "record");
        output::remark(&format!("{failed} failed; first: line {}: {}", first.line, first.message));
    }
    if let Some(token) = &extracted.next {
        let results = counted(extracted.count, "result");
        output::remark(&format!("cut after {results}; go on with: {}", continuation::command(token)));
    }
}

fn param(text: &str) -> Result<(String, String), String> {
    let (name, value) = text.split_once('=').ok_or("it must be NAME=VALUE")?;
    Ok((name.to_owned(), value.to_owned()))
}

fn seconds(text: &str) -> Result<Duration, String> {
    let seconds: f64 = text.parse().map_err(|_| "it must be a number of seconds")?;
    Duration::try_from_secs_f64(seconds).map_err(|error| error.to_string())
}
