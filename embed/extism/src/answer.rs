//! What each function answers: `{"ok": …}` or `{"error": …}`, the contract's records with the same words in snake case.
//!
//! What a host passes on is a text, so that no JSON library of the host changes its bytes; what a host reads itself is JSON.

use lro_guest::calls::{Cleaning, Failure, Offloading, Outcome, Page, Stored, StoredSection, results_text};
use lro_guest::error::{Error, Problem};
use lro_guest::file::events;
use lro_guest::mcp;
use serde::Serialize;
use serde_json::value::RawValue;

/// The envelope.
#[derive(Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Answer<T> {
    Ok(T),
    Error(Failed),
}

impl<T> From<Result<T, Error>> for Answer<T> {
    fn from(result: Result<T, Error>) -> Self {
        match result {
            Ok(answer) => Self::Ok(answer),
            Err(error) => Self::Error(error.into()),
        }
    }
}

/// The contract's `error`: its case, and what the case carries.
#[derive(Serialize)]
pub(crate) struct Failed {
    case: &'static str,
    message: String,
    hint: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    known: Option<Vec<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    limit: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    value: Option<u32>,
}

impl From<Error> for Failed {
    fn from(error: Error) -> Self {
        let failed =
            |case, Problem { message, hint }| Self { case, message, hint, known: None, limit: None, value: None };
        match error {
            Error::InvalidArgument(problem) => failed("invalid-argument", problem),
            Error::InvalidQuery { problem, known } => Self { known: Some(known), ..failed("invalid-query", problem) },
            Error::NotFound(problem) => failed("not-found", problem),
            Error::Outside(problem) => failed("outside", problem),
            Error::NotAnOffload(problem) => failed("not-an-offload", problem),
            Error::LimitReached { problem, limit, value } => {
                Self { limit: Some(limit), value: Some(value), ..failed("limit-reached", problem) }
            }
            Error::Io(problem) => failed("io", problem),
            Error::Other(message) => failed("other", Problem::new(message, "")),
        }
    }
}

/// Of `offload`. Without a text the payload stands: nothing is copied back.
#[derive(Serialize)]
pub(crate) struct Offloaded {
    outcome: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<String>,
    #[serde(flatten)]
    file: Option<File>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    sections: Vec<File>,
    estimated_tokens: u32,
    events: Vec<Event>,
}

/// A file that was written, or its text where the host keeps it.
#[derive(Serialize)]
pub(crate) struct File {
    file_name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    content: Option<String>,
}

impl TryFrom<Offloading> for Offloaded {
    type Error = Error;

    fn try_from(offloading: Offloading) -> Result<Self, Error> {
        let (outcome, text, file, sections) = match offloading.outcome {
            Outcome::Unchanged => ("unchanged", None, None, Vec::new()),
            Outcome::Inline(text) => ("inline", Some(text), None, Vec::new()),
            Outcome::Truncated(text) => ("truncated", Some(text), None, Vec::new()),
            Outcome::Offloaded(Stored { response, file_name, content, sections }) => {
                let section = |StoredSection { file_name, content }| File { file_name, content };
                let sections = sections.into_iter().map(section).collect();
                ("offloaded", Some(response), Some(File { file_name, content }), sections)
            }
        };
        let events = events_of(offloading.events)?;
        Ok(Self { outcome, text, file, sections, estimated_tokens: offloading.estimated_tokens, events })
    }
}

/// Of `extract`: one page of results.
#[derive(Serialize)]
pub(crate) struct Extraction {
    results: String,
    count: u32,
    total: Option<u32>,
    truncated: bool,
    next: Option<String>,
    failed: u32,
    failures: Vec<FailedRecord>,
    remarks: Vec<String>,
}

/// One record that a filter failed on.
#[derive(Serialize)]
struct FailedRecord {
    line: u32,
    message: String,
    hint: String,
}

impl From<Page> for Extraction {
    fn from(page: Page) -> Self {
        let failed = |Failure { line, message, hint }| FailedRecord { line, message, hint };
        Self {
            truncated: page.next.is_some(),
            next: page.next,
            results: results_text(page.text),
            count: page.count,
            total: page.total,
            failed: page.failed,
            failures: page.failures.into_iter().map(failed).collect(),
            remarks: page.remarks,
        }
    }
}

/// Of `cleanup`.
#[derive(Serialize)]
pub(crate) struct Cleaned {
    deleted: u32,
    freed_bytes: u64,
    kept: u32,
    events: Vec<Event>,
}

impl TryFrom<Cleaning> for Cleaned {
    type Error = Error;

    fn try_from(Cleaning { deleted, freed_bytes, kept, events }: Cleaning) -> Result<Self, Error> {
        Ok(Self { deleted, freed_bytes, kept, events: events_of(events)? })
    }
}

/// Of `offload_result` and `offload_tools`. Without a message the one that was given stands.
#[derive(Serialize)]
pub(crate) struct Rewriting {
    outcome: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<String>,
}

impl From<Option<String>> for Rewriting {
    fn from(message: Option<String>) -> Self {
        Self { outcome: if message.is_some() { "replaced" } else { "unchanged" }, message }
    }
}

/// Of `offload_result`.
#[derive(Serialize)]
pub(crate) struct Rewritten {
    #[serde(flatten)]
    rewriting: Rewriting,
    #[serde(skip_serializing_if = "Option::is_none")]
    file_name: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    section_file_names: Vec<String>,
    events: Vec<Event>,
}

impl TryFrom<mcp::Rewritten> for Rewritten {
    type Error = Error;

    fn try_from(rewritten: mcp::Rewritten) -> Result<Self, Error> {
        let mcp::Rewritten { message, file_name, section_file_names, events } = rewritten;
        Ok(Self { rewriting: message.into(), file_name, section_file_names, events: events_of(events)? })
    }
}

/// Something an observer may want to know.
#[derive(Serialize)]
struct Event {
    name: &'static str,
    message: String,
    fields: Box<RawValue>,
}

fn events_of(events: Vec<events::Event>) -> Result<Vec<Event>, Error> {
    let event = |events::Event { name, message, fields }| Ok(Event { name, message, fields: json(fields)? });
    events.into_iter().map(event).collect()
}

/// A JSON text of the guest, to be embedded as it stands.
pub(crate) fn json(text: String) -> Result<Box<RawValue>, Error> {
    RawValue::from_string(text).map_err(|error| Error::Other(error.to_string()))
}
