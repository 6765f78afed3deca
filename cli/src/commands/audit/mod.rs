//! `lro audit`: replays the transcripts of a client through the component, and says what offloading saves or costs.
//!
//! Nothing is sent, and nothing is kept: the files of a replay are in a private folder that is removed.

mod account;
mod claude;
mod codex;
mod followed;
mod places;
mod replay;
mod report;
mod said;

use std::collections::{BTreeMap, HashSet};
use std::io::BufReader;
use std::path::{Path, PathBuf};

use clap::Args;
use lro::Options;
use serde_json::Value;
use tempfile::TempDir;

use self::account::Account;
use self::followed::Followed;
use self::replay::{Client, Replay};
use self::report::About;
use self::said::Joining;
use crate::counting::Counter;
use crate::failure::Failure;
use crate::global::{Global, open};
use crate::offloading::{OffloadingFlags, tool};
use crate::output::{self, counted};
use crate::progress::Progress;
use crate::{days, interrupted, json_lines};

const EXAMPLES: &str = "\
Examples:
  lro audit
  lro audit --extractions 2 --since 2026-11-01
  lro audit ~/.claude/projects/-home-me-project --json

Reads the transcripts that Claude Code and Codex keep, gives each result to the component as the hook of the client
would, and counts tokens: those that the client showed, and those of responses. Both sides have the same tokenizer.
Nothing is sent and nothing is kept. A transcript that was recorded with LRO tells what was extracted; for others,
--extractions assumes it.";

/// Replay a client's transcripts: what offloading saves or costs, for each tool
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Audit {
    /// Transcripts, or folders of them [default: those of Claude Code and Codex]
    #[arg(value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// Read only transcripts that were written to on this day or later
    #[arg(long, value_name = "YYYY-MM-DD", value_parser = days::parse)]
    since: Option<u64>,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
    /// Count tokens with this tokenizer: o200k_base, cl100k_base, mixed or chars
    #[arg(long, value_name = "NAME", default_value = DEFAULT_TOKENIZER)]
    tokenizer: String,
    /// Assume that this many extractions follow each replayed result
    #[arg(long, value_name = "N")]
    extractions: Option<u32>,
    /// The tokens of an assumed extraction, call and answer (docs/COST.md)
    #[arg(long, value_name = "N", default_value_t = EXTRACTION_TOKENS, requires = "extractions")]
    extraction_tokens: u32,
    /// Offload results with more tokens than this [default: 1600]
    #[arg(long, value_name = "N", alias = "threshold")]
    threshold_tokens: Option<u32>,
    /// Leave a result alone where a response and an answer would cost more than this part of it; 0: never [default: 0.5]
    #[arg(long, value_name = "FRACTION")]
    min_saving: Option<f64>,
    /// Override the threshold for one tool: never or always offload, treat as memories, or a threshold of its own
    #[arg(long = "tool", value_name = "NAME=never|always|memories|N", value_parser = tool)]
    tools: Vec<(String, Value)>,
    /// Where offloaded files are that transcripts name [default: lro-UID in the temporary directory]
    #[arg(long, value_name = "DIR")]
    output_dir: Option<PathBuf>,
}

/// What a build has.
const DEFAULT_TOKENIZER: &str = if cfg!(feature = "exact-tokens") { "o200k_base" } else { "mixed" };

/// A question and its answer with the compact descriptor: docs/COST.md has 449 tokens for an answer, of which the response
/// has 300.
const EXTRACTION_TOKENS: u32 = 150;

/// Clients keep results of some megabytes in a line. The replay of a line takes several times its length.
const MOST_LINE_BYTES: usize = 32 << 20;

impl Audit {
    pub(super) fn run(self, global: &Global) -> Result<(), Failure> {
        let since = self.since.map(days::start);
        let paths = if self.paths.is_empty() { places::of_clients() } else { self.paths.clone() };
        if paths.is_empty() {
            return Err(nothing("no client has kept transcripts here"));
        }
        let found = places::transcripts(&paths, since);
        found.remarks.iter().for_each(|remark| output::remark(remark));
        if found.files.is_empty() {
            return Err(nothing("these folders contain no transcripts"));
        }
        let (folder, mut replay) = self.prepare(global)?;
        let (mut accounts, mut remarks) = (BTreeMap::new(), found.remarks);
        let far = lro::Progress::default();
        far.expect(found.files.len() as u64);
        let progress = Progress::through_steps("replaying transcripts", far.clone());
        for file in &found.files {
            let read = add_transcript(file, &mut replay, &mut accounts);
            replay.clear();
            far.add(1);
            for remark in read.unwrap_or_else(|reason| vec![reason]) {
                let remark = format!("`{}`: {remark}", file.display());
                output::remark(&remark);
                remarks.push(remark);
            }
        }
        drop((folder, progress));
        self.print(accounts.into_iter().collect(), &remarks)
    }

    fn print(&self, accounts: Vec<(Client, Account)>, remarks: &[String]) -> Result<(), Failure> {
        let assumed = self.extractions.map(|count| (count, self.extraction_tokens));
        let about = About { tokenizer: self.tokenizer.clone(), assumed };
        match self.json {
            true => output::line(&report::json(&accounts, &about, remarks).to_string()),
            false if accounts.is_empty() => output::line("These transcripts have no results of tools."),
            false => output::write(report::text(&accounts, &about).as_bytes()),
        }
    }

    /// The folder that is removed at the end, also by a signal, and what works in it.
    fn prepare(&self, global: &Global) -> Result<(TempDir, Replay), Failure> {
        // A path is a part of a response: this one is as long as that of the usual directory.
        let folder = tempfile::Builder::new().prefix("lro-").rand_bytes(6).tempdir();
        let folder = folder.map_err(|error| Failure::file("create a folder for the replay", error))?;
        let path = folder.path().to_owned();
        interrupted::when_interrupted(move || _ = std::fs::remove_dir_all(path));
        interrupted::clean_up_when_interrupted();
        let flags = OffloadingFlags {
            threshold_tokens: self.threshold_tokens,
            min_saving: self.min_saving,
            tools: self.tools.clone(),
            output_dir: Some(folder.path().to_owned()),
            ..OffloadingFlags::default()
        };
        // A store would keep what a replay writes.
        let offloading = open(flags.options(global)?.object_store(None))?;
        let options = Options::default().output_dir(self.output_dir.clone()).prepare_output_dir(false).read_only(true);
        let replay = Replay {
            counter: Counter::of(&self.tokenizer, Some(offloading))?,
            reading: offloading.reopen(&options)?,
            offloading,
            ruled: self.tools.iter().map(|(name, _)| name.clone()).collect(),
            assumed_tokens: u64::from(self.extractions.unwrap_or(0)) * u64::from(self.extraction_tokens),
            counted: HashSet::new(),
        };
        Ok((folder, replay))
    }
}

fn nothing(reason: &str) -> Failure {
    Failure::Usage(format!("{reason}: name transcripts or folders of them, `lro audit PATH`"))
}

/// Why a transcript was not read to its end.
enum Stopped {
    Unreadable(std::io::Error),
    Uncounted(lro::Error),
}

impl From<std::io::Error> for Stopped {
    fn from(error: std::io::Error) -> Self {
        Self::Unreadable(error)
    }
}

/// Adds the calls of a transcript. Returns what is to be said of it.
fn add_transcript(
    path: &Path,
    replay: &mut Replay,
    accounts: &mut BTreeMap<Client, Account>,
) -> Result<Vec<String>, String> {
    let file = places::open(path).map_err(|error| format!("cannot be read: {error}"))?;
    let absolute = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let (mut joining, mut followed, mut clients) = (Joining::default(), Followed::default(), HashSet::new());
    let read = json_lines::each(BufReader::new(file), MOST_LINE_BYTES, |line| {
        let (client, said) = said_by(line);
        for call in said.into_iter().filter_map(|said| joining.take(said)) {
            let account = accounts.entry(client).or_default();
            account.transcripts += u64::from(clients.insert(client as u8));
            let added = replay.add(&call, client, &absolute, &mut followed, account);
            added.map_err(Stopped::Uncounted)?;
        }
        Ok(())
    });
    let skipped = read.map_err(|stopped| match stopped {
        Stopped::Unreadable(error) => format!("cannot be read to its end: {error}"),
        Stopped::Uncounted(error) => format!("tokens cannot be counted: {error}"),
    })?;
    let remarks = [
        (skipped.not_json, "line", " not JSON objects, and skipped"),
        (skipped.too_long, "line", " longer than 32 MiB, and skipped"),
        (joining.without_results(), "call", " without a result"),
    ];
    let told = remarks.into_iter().filter(|(count, ..)| *count > 0);
    Ok(told.map(|(count, noun, what)| format!("{}{what}", counted(count, noun))).collect())
}

/// What a line says, and the client that has written it.
fn said_by(line: &str) -> (Client, Vec<said::Said>) {
    let of_codex = codex::said(line);
    match of_codex.is_empty() {
        true => (Client::Claude, claude::said(line)),
        false => (Client::Codex, of_codex),
    }
}
