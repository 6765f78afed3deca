//! `lro offload`: reads a result and prints the same bytes or a short response.

use std::fs::File;
use std::io::{self, Read, Seek};
use std::path::{Path, PathBuf};

use clap::Args;
use encoding_rs::Encoding;
use lro::{OffloadRequest, Offloading, Options, Outcome};
use serde_json::Value;

use crate::events::EventsFlag;
use crate::failure::Failure;
use crate::global::{Global, open, set};
use crate::input::{Input, unreadable};
use crate::interrupted::Work;
use crate::progress::Progress;
use crate::{input, interrupted, output, text};

const EXAMPLE: &str = "\
Example:
  lro offload memories.json --operation recall --detail full --output-dir ./results

A result up to the threshold, or with --context up to what the window allows, is printed unchanged. A larger
one is written to a file, and the response is printed instead, as one JSON document. Text in an encoding other than UTF-8 is decoded, and a line on standard
error says so. Archives, images and other binary files are rejected.";

/// Print a small result unchanged; store a large one in a file and print the response
#[derive(Args)]
#[command(after_help = EXAMPLE)]
pub(super) struct Offload {
    /// The result: JSON, JSON Lines or text; - is standard input
    #[arg(default_value = "-", value_name = "FILE|-")]
    file: PathBuf,
    /// The encoding of the result: latin-1, utf-16le, shift_jis, … [default: UTF-8, or a guess]
    #[arg(long, value_name = "NAME", value_parser = text::encoding)]
    encoding: Option<&'static Encoding>,
    /// The operation or tool that produced the result
    #[arg(long, value_name = "NAME")]
    operation: String,
    /// What was asked; it is stored in the header
    #[arg(long, value_name = "Q", allow_hyphen_values = true)]
    query: Option<String>,
    /// Project the records to this level of detail
    #[arg(long, value_name = "light|medium|full")]
    detail: Option<String>,
    /// Treat the records as memories, at the level of detail that they have; --detail implies it
    #[arg(long)]
    memories: bool,
    /// Offload results with more tokens than this [default: 1600]
    #[arg(long, value_name = "N", alias = "threshold")]
    threshold_tokens: Option<u32>,
    /// Write files to this directory, created if missing [default: lro-UID in the temporary directory]
    #[arg(long, value_name = "DIR")]
    output_dir: Option<PathBuf>,
    /// Write files to this folder of the output directory
    #[arg(long, value_name = "NAME")]
    session: Option<String>,
    /// Seconds after which a file may be deleted [default: 3600]
    #[arg(long, value_name = "N", alias = "ttl")]
    ttl_seconds: Option<u32>,
    /// Which version of the specification to follow
    #[arg(long, value_name = "current|early")]
    profile: Option<String>,
    /// What the response points to: the jq recipes, or the tool lro_extract
    #[arg(long, value_name = "shell|tool")]
    guidance: Option<String>,
    /// How to estimate tokens: chars (characters / 4) or mixed (by script); o200k_base and cl100k_base count exactly
    #[arg(long, value_name = "NAME")]
    tokenizer: Option<String>,
    /// Use your own count of the result's tokens instead of an estimate
    #[arg(long, value_name = "N")]
    tokens: Option<u32>,
    /// A JSON array with one score for each record
    #[arg(long, value_name = "FILE")]
    scores: Option<PathBuf>,
    /// The text to print if nothing is offloaded (inject)
    #[arg(long, value_name = "FILE")]
    formatted: Option<PathBuf>,
    /// Where the records are in a JSON document [default: its large lists]
    #[arg(long, value_name = ".PATH")]
    records: Option<String>,
    /// A JSON object with a summary, a schema or recipes of your own for lists, by their paths
    #[arg(long, value_name = "FILE")]
    sections: Option<PathBuf>,
    /// Show this many of the first records in the response
    #[arg(long, value_name = "N")]
    preview: Option<u32>,
    /// Show at most this many characters of them, on top of what there is room for
    #[arg(long, value_name = "N")]
    preview_characters: Option<u32>,
    /// What the response says [default: full]
    #[arg(long, value_name = "full|compact|bare|envelope|message")]
    descriptor: Option<String>,
    /// Leave a result alone where a response and an answer would cost more than this part of it
    #[arg(long, value_name = "FRACTION")]
    min_saving: Option<f64>,
    /// The model's context window in tokens: gates decide by its size instead of the threshold
    #[arg(long, value_name = "N")]
    context: Option<u32>,
    /// Tokens that the model has read so far, for the gate that keeps headroom
    #[arg(long, value_name = "N")]
    input_tokens: Option<u32>,
    /// Store a result that is too large, or print its two ends only [default: auto]
    #[arg(long, value_name = "auto|artifact|truncate")]
    mode: Option<String>,
    #[command(flatten)]
    events: EventsFlag,
}

impl Offload {
    pub(super) fn run(self, global: &Global) -> Result<(), Failure> {
        let options = self.options(global)?;
        let request = self.request()?;
        let input = Input::open(&self.file)?;
        // A directory that cannot be written to is an error before a result is taken.
        let lro = open(options)?;
        if let Some(file) = input.large_file()?
            && text::is_plain(file, self.encoding).map_err(|error| unreadable(&self.file, error))?
        {
            let work = Work::begin();
            let answer = shown(|| lro.offload_file(file, &request))?;
            self.events.report_counted(&answer.events);
            return print(work, &answer, || copied(&self.file, file));
        }
        let bytes = input.read()?;
        let text = text::decode(&bytes, &self.file, self.encoding)?;
        if let Some(remark) = &text.remark {
            output::remark(remark);
        }
        let work = Work::begin();
        let answer = shown(|| lro.offload_bytes(&text.bytes, &request))?;
        self.events.report_counted(&answer.events);
        print(work, &answer, || output::write(&text.bytes))
    }

    fn options(&self, global: &Global) -> Result<Options, Failure> {
        let mut options = global.options()?.output_dir(self.output_dir.clone());
        set(&mut options, "threshold_tokens", &self.threshold_tokens);
        set(&mut options, "ttl_seconds", &self.ttl_seconds);
        set(&mut options, "profile", &self.profile);
        set(&mut options, "guidance", &self.guidance);
        set(&mut options, "tokenizer", &self.tokenizer);
        set(&mut options, "descriptor", &self.descriptor);
        set(&mut options, "min_saving", &self.min_saving);
        set(&mut options, "context_tokens", &self.context);
        set(&mut options, "mode", &self.mode);
        Ok(options)
    }

    fn request(&self) -> Result<OffloadRequest, Failure> {
        let request = OffloadRequest::of(&self.operation)
            .query(self.query.clone())
            .memories(self.memories.then_some(true))
            .scores(self.scores.as_deref().map(scores).transpose()?)
            .formatted(self.formatted.as_deref().map(input::read_text).transpose()?)
            .tokens(self.tokens)
            .session(self.session.clone())
            .records(self.records.clone())
            .preview(self.preview)
            .input_tokens(self.input_tokens)
            .preview_characters(self.preview_characters);
        let request = detailed(request, self.detail.as_deref());
        Ok(match self.sections.as_deref().map(sections).transpose()? {
            Some(sections) => request.with("sections", sections),
            None => request,
        })
    }
}

/// Offloads while a terminal shows that something is done.
fn shown<T>(offload: impl FnOnce() -> T) -> T {
    let progress = Progress::begin("offloading");
    let answer = offload();
    drop(progress);
    interrupted::give_way();
    answer
}

/// The request at a level of detail, as the user named it: the component knows which there are.
pub(super) fn detailed(request: OffloadRequest, detail: Option<&str>) -> OffloadRequest {
    match detail {
        Some(detail) => request.with("detail", detail),
        None => request,
    }
}

fn scores(file: &Path) -> Result<Vec<Option<f64>>, Failure> {
    serde_json::from_str(&input::read_text(file)?)
        .map_err(|error| Failure::file(format!("read scores from `{}`", file.display()), error.into()))
}

/// What is said of lists. The component checks what they are.
fn sections(file: &Path) -> Result<Value, Failure> {
    serde_json::from_str(&input::read_text(file)?)
        .map_err(|error| Failure::file(format!("read sections from `{}`", file.display()), error.into()))
}

/// What is read at a time.
const BLOCK_BYTES: usize = 64 * 1024;

/// Prints a file as it is.
fn copied(path: &Path, mut file: &File) -> Result<(), Failure> {
    file.rewind().map_err(|error| unreadable(path, error))?;
    let mut block = vec![0; BLOCK_BYTES];
    loop {
        match file.read(&mut block) {
            Ok(0) => return Ok(()),
            Ok(bytes) => output::write(&block[..bytes])?,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(unreadable(path, error)),
        }
    }
}

/// Prints the tool's result. Only a JSON document of ours gets a newline at its end.
fn print(work: Work, answer: &Offloading, payload: impl FnOnce() -> Result<(), Failure>) -> Result<(), Failure> {
    if let Outcome::Offloaded(stored) = &answer.outcome {
        return work.answer(|| output::line(&stored.response));
    }
    // Nothing that is printed names a file, so a signal need not wait for it; but it may be why there is none.
    interrupted::give_way();
    match &answer.outcome {
        Outcome::Unchanged => payload(),
        Outcome::Inline(text) => output::write(text.as_bytes()),
        Outcome::Offloaded(stored) => output::line(&stored.response),
        Outcome::Truncated(text) => output::line(text),
    }
}
