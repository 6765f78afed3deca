//! `lro extract`: prints the results of a recipe, a jq filter or criteria, one on each line.

use std::num::NonZero;
use std::time::Duration;

use clap::{ArgGroup, Args};
use lro::{CallLimits, ExtractRequest, Extracted, Limits, On, Options};
use serde_json::{Map, Value};

use crate::continuation;
use crate::failure::Failure;
use crate::flags::with_flags;
use crate::global::{Global, open};
use crate::interrupted::Work;
use crate::output::{self, counted};
use crate::progress::Progress;
use crate::source::SourceFlags;
use crate::watchdog::Watchdog;

const EXAMPLES: &str = "\
Examples:
  lro extract FILE --recipe 6
  lro extract FILE --recipe 3 --param keyword=cache --limit 20
  lro extract FILE --query 'select(.tags | index(\"adr\")) | {id, title}'
  lro extract FILE --on document --query '.results | map(.size) | add'
  lro extract FILE --where 'namespace^=_semantic' --where 'content~=redis' --count
  lro extract FILE --where 'priority>=3' --select id,title --sort-by -created --limit 5
  lro extract FILE --where 'state=open or priority=3..5' --group-by author --aggregate 'sum(size),max(size)'
  lro extract FILE --group-by author --per-group 3 --sort-by -created --select author,title
  lro extract FILE --recipe 3 --param keyword=cache --count
  lro extract FILE --line 120 --lines 5
  lro extract FILE --records .relations --where 'type=depends_on'
  lro extract FILE --where 'memory_type=semantic' --into

Conditions compare with = != < <= > >= ^= (begins with) ~= (contains) =~ (matches). FIELD alone must exist,
!FIELD must not. FIELD=3..5 is a range, and `or` and `and` join conditions. The path of a field has dots:
provenance.confidence.

Records are numbered by their line in the file, from 2. Without --output-dir, the command may read FILE's
folder (and write there with --into). With it, only files inside that directory.";

/// The line that failures name where a filter failed on the document.
const DOCUMENT_LINE: u32 = 1;

/// At least one of these flags is required: they say what to run.
const WHAT: [&str; 9] =
    ["recipe", "query", "conditions", "select", "count", "group_by", "aggregate", "sort_by", "line"];

/// Print the results of a recipe, a jq filter or criteria over an offloaded file
#[derive(Args)]
#[command(after_help = EXAMPLES, group = ArgGroup::new("what").args(WHAT).required(true).multiple(true))]
pub(super) struct Extract {
    #[command(flatten)]
    source: SourceFlags,
    /// Run this recipe of the file's response
    #[arg(long, value_name = "1-10", conflicts_with = "query")]
    recipe: Option<u32>,
    /// Run this jq filter once for each record, or on the document
    #[arg(long, value_name = "JQ", allow_hyphen_values = true)]
    query: Option<String>,
    /// What the filter runs on [default: records, or document for a filter that begins with the path of a list]
    #[arg(long, value_name = "records|document", value_parser = on)]
    on: Option<On>,
    /// Print the records that meet this condition, without jq; may be repeated
    #[arg(long = "where", value_name = "CRITERION")]
    conditions: Vec<String>,
    /// Print only these fields of the records
    #[arg(long, value_name = "FIELD,...", value_delimiter = ',', conflicts_with_all = ["recipe", "query"])]
    select: Vec<String>,
    /// Print how many records there are, or how many results of the recipe or the filter
    #[arg(long)]
    count: bool,
    /// Print how many records there are for each value of a field, or of several
    #[arg(long, value_name = "FIELD,...", conflicts_with_all = ["recipe", "query"])]
    group_by: Option<String>,
    /// Print sum(FIELD), avg, min, max, count_distinct or count, of all or of each group
    #[arg(long, value_name = "AGGREGATE,...", value_delimiter = ',', conflicts_with_all = ["recipe", "query"])]
    aggregate: Vec<String>,
    /// Print the first N records of each group instead
    #[arg(long, value_name = "N", requires = "group_by")]
    per_group: Option<u32>,
    /// Sort by a field, or groups by count or an aggregate; -FIELD for descending order
    #[arg(long, value_name = "FIELD", allow_hyphen_values = true, conflicts_with = "recipe")]
    sort_by: Option<String>,
    /// Read only this line of the file; without a filter, print its record or text unchanged
    #[arg(long, value_name = "N")]
    line: Option<u32>,
    /// Read this many lines, from --line on
    #[arg(long, value_name = "N", requires = "line")]
    lines: Option<u32>,
    /// Read something beside the records instead: a list, a map or a value of the document
    #[arg(long, value_name = ".PATH")]
    records: Option<String>,
    /// Set the recipe's parameter, or a variable of the filter
    #[arg(long = "param", value_name = "NAME=VALUE", value_parser = param)]
    params: Vec<(String, String)>,
    /// Run the filter once, on the array of all records
    #[arg(long)]
    slurp: bool,
    /// Print strings without quotes and escapes
    #[arg(long)]
    raw: bool,
    /// Print at most this many results
    #[arg(long, value_name = "N")]
    limit: Option<u32>,
    /// Continue where a cut page ended
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
    /// Fail at the first record on which the filter fails
    #[arg(long)]
    strict: bool,
    /// Put the results into a new file beside FILE and print its response
    #[arg(long, conflicts_with_all = ["raw", "max_bytes"])]
    into: bool,
    /// Read a large FILE with this many threads [default: one per core, at most 8]
    #[arg(long, value_name = "N")]
    threads: Option<NonZero<usize>>,
}

impl Extract {
    pub(super) fn run(self, global: &Global) -> Result<(), Failure> {
        let source = self.source.source()?;
        let lro = open(self.options(global)?)?;
        let watchdog = Watchdog::new("extraction", lro.extraction_timeout(&source), global.json_errors);
        let mut work = self.into.then(Work::begin);
        watchdog.arm();
        let mut pages = lro.extract_all(&source, &self.request());
        let progress = Progress::through_bytes("extracting", pages.progress());
        while let Some(page) = pages.next().transpose().map_err(|error| self.source.told(error))? {
            watchdog.disarm();
            match work.take() {
                Some(work) => work.answer(|| output::write(page.as_bytes())),
                None => output::write(page.as_bytes()),
            }?;
            watchdog.arm();
        }
        watchdog.disarm();
        drop(progress);
        report(pages.extracted());
        Ok(())
    }

    fn options(&self, global: &Global) -> Result<Options, Failure> {
        let extract = CallLimits::default().timeout(self.timeout).max_memory_mib(self.max_memory);
        let limits = Limits::default().extract(extract);
        let prepare_output_dir = self.into && self.source.is_standard_input();
        let options = self.source.options(global)?;
        Ok(options.limits(limits).threads(self.threads).prepare_output_dir(prepare_output_dir))
    }

    fn request(&self) -> ExtractRequest {
        let params = self.params.iter().map(|(name, value)| (name.clone(), value.as_str().into()));
        ExtractRequest::default()
            .recipe(self.recipe)
            .query(self.query.clone())
            .on(self.on)
            .conditions(list(&self.conditions))
            .select(list(&self.select))
            .count(self.count)
            .group_by(self.group_by.clone())
            .aggregate(list(&self.aggregate))
            .per_group(self.per_group)
            .sort_by(self.sort_by.clone())
            .params((!self.params.is_empty()).then(|| params.collect::<Map<_, Value>>()))
            .slurp(self.slurp)
            .raw(self.raw.then_some(true))
            .limit(self.limit)
            .max_bytes(self.max_bytes)
            .next(self.next.clone())
            .strict(self.strict)
            .into(self.into)
            .records(self.records.clone())
            .line(self.line)
            .lines(self.lines)
    }
}

/// The values of a flag that may be repeated; none where it was not given.
fn list<T: From<String>>(values: &[String]) -> Option<Vec<T>> {
    (!values.is_empty()).then(|| values.iter().cloned().map(T::from).collect())
}

/// Reports on standard error what the results do not show: records that failed, and how to get the next page.
fn report(extracted: &Extracted) {
    if let Some(first) = extracted.failures.first() {
        if first.line == DOCUMENT_LINE {
            output::remark(&format!("the filter failed on the document, after these results: {}", first.message));
        } else {
            let failed = counted(extracted.failed, "record");
            output::remark(&format!("{failed} failed; first: line {}: {}", first.line, first.message));
        }
        if !first.hint.is_empty() {
            output::remark(&with_flags(&first.hint));
        }
    }
    for remark in &extracted.remarks {
        output::remark(&with_flags(remark));
    }
    if let Some(token) = &extracted.next {
        let results = counted(extracted.count, "result");
        output::remark(&format!("cut after {results}; go on with: {}", continuation::command(token)));
    }
}

fn on(text: &str) -> Result<On, String> {
    match text {
        "records" => Ok(On::Records),
        "document" => Ok(On::Document),
        _ => Err("it must be records or document".to_owned()),
    }
}

fn param(text: &str) -> Result<(String, String), String> {
    let (name, value) = text.split_once('=').ok_or("it must be NAME=VALUE")?;
    Ok((name.to_owned(), value.to_owned()))
}

pub(super) fn seconds(text: &str) -> Result<Duration, String> {
    let seconds: f64 = text.parse().map_err(|_| "it must be a number of seconds")?;
    Duration::try_from_secs_f64(seconds).map_err(|error| error.to_string())
}
