//! What each function answers: `{"ok": …}` or `{"error": …}`, the contract's records with the same words in snake case.
//!
//! What a host passes on is a text, so that no JSON library of the host changes its bytes; what a host reads itself is JSON.

use lro_guest::calls::{Failure, Findings, Offloading, Outcome, Page, Passage, Stored, StoredSection, results_text};
use lro_guest::error::Error;
use lro_guest::file::events::Event;
use lro_guest::mcp;
use serde::Serialize;
use serde_json::value::RawValue;

/// The envelope.
#[derive(Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Answer<T> {
    Ok(T),
    Error(Error),
}

impl<T> From<Result<T, Error>> for Answer<T> {
    fn from(result: Result<T, Error>) -> Self {
        match result {
            Ok(answer) => Self::Ok(answer),
            Err(error) => Self::Error(error),
        }
    }
}

/// Of `offload`. Without a text the payload stands: nothing is copied back.
#[derive(Serialize)]
pub(crate) struct Offloaded {
    outcome: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<String>,
    /// The file that was written, or its text where the host keeps it.
    #[serde(flatten)]
    file: Option<StoredSection>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    sections: Vec<StoredSection>,
    estimated_tokens: u32,
    events: Vec<Event>,
}

impl From<Offloading> for Offloaded {
    fn from(Offloading { outcome, estimated_tokens, events }: Offloading) -> Self {
        let (outcome, text, file, sections) = match outcome {
            Outcome::Unchanged => ("unchanged", None, None, Vec::new()),
            Outcome::Inline(text) => ("inline", Some(text), None, Vec::new()),
            Outcome::Truncated(text) => ("truncated", Some(text), None, Vec::new()),
            Outcome::Offloaded(Stored { response, file_name, content, sections }) => {
                ("offloaded", Some(response), Some(StoredSection { file_name, content }), sections)
            }
        };
        Self { outcome, text, file, sections, estimated_tokens, events }
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
    failures: Vec<Failure>,
    remarks: Vec<String>,
}

impl From<Page> for Extraction {
    fn from(page: Page) -> Self {
        Self {
            truncated: page.next.is_some(),
            next: page.next,
            results: results_text(page.text),
            count: page.count,
            total: page.total,
            failed: page.failed,
            failures: page.failures,
            remarks: page.remarks,
        }
    }
}

/// Of `read` and `search`: a page, and whether there is another one.
#[derive(Serialize)]
pub(crate) struct Paged<T> {
    truncated: bool,
    #[serde(flatten)]
    page: T,
}

impl From<Passage> for Paged<Passage> {
    fn from(page: Passage) -> Self {
        Self { truncated: page.next.is_some(), page }
    }
}

impl From<Findings> for Paged<Findings> {
    fn from(page: Findings) -> Self {
        Self { truncated: page.next.is_some(), page }
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

impl From<mcp::Rewritten> for Rewritten {
    fn from(mcp::Rewritten { message, file_name, section_file_names, events }: mcp::Rewritten) -> Self {
        Self { rewriting: message.into(), file_name, section_file_names, events }
    }
}

/// A JSON text of the guest, to be embedded as it stands.
pub(crate) fn json(text: String) -> Result<Box<RawValue>, Error> {
    RawValue::from_string(text).map_err(|error| Error::Other(error.to_string()))
}
