//! The calls of the contract, each from its arguments to its answer: logic decides, [`disk`] carries out.
//!
//! These functions are the native form of the interfaces in `wit/`; the component hands its exports to them.

mod address;
mod cleaning;
mod documents;
mod extraction;
mod finding;
mod into;
mod listing;
mod on_document;
mod on_map;
mod reading;
mod shown;

use std::borrow::Cow;
use std::io;

use crate::disk::{self, Directory};
use crate::error::Error;
// What the arguments of tools are read with, as criteria are.
pub(crate) use crate::extract::criteria::{Field, direction, names_at_commas, operator_name, order_keys};
use crate::file::events::Event;
use crate::file::file_name::{self, FileName};
use crate::file::instant::{Clock, Instant};
use crate::file::reading::cannot_open;
use crate::offload::budget::Budget;
use crate::offload::draft::{Draft, File, Files};
use crate::offload::truncate::{self, Ends};
use crate::offload::{self, Assessment, Decision};
use crate::settings::request;
use crate::settings::tokens::estimate as estimate_text;
use crate::settings::{self, Profile, Settings, Store};
use shown::Payload;

pub use crate::documents::parts::Part;
pub use crate::documents::reader::{Findings, Hit, Passage};
pub use crate::extract::page::{Failure, Page};
pub use cleaning::{Cleaning, cleanup};
pub(crate) use documents::describe_within;
pub(crate) use documents::{Document, document, is_text, size_of};
pub use documents::{describe, rebuild, rebuild_part};
pub(crate) use extraction::extract_page;
pub use extraction::{extract, results_text};
pub use listing::{copies, list};
pub(crate) use on_document::is_of_text;
pub use reading::{read, search};
pub(crate) use reading::{read_passage, search_lines};

/// Where the records to look at are.
#[derive(Debug, Clone, Copy)]
pub enum Source<'a> {
    /// An offloaded file, by a path or a name.
    File(&'a str),
    /// The text of an offloaded file.
    Content(&'a str),
}

/// What happens to a result.
#[derive(Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The payload is returned unchanged.
    Unchanged,
    /// Return this text.
    Inline(String),
    /// Return the response.
    Offloaded(Stored),
    /// Return this text.
    Truncated(String),
}

/// An offloaded result.
#[derive(Debug, PartialEq, Eq)]
pub struct Stored {
    /// The exact text of the response.
    pub response: String,
    /// The file below the output directory.
    pub file_name: String,
    /// The file's text, where the host stores it.
    pub content: Option<String>,
    /// The files of further lists.
    pub sections: Vec<StoredSection>,
}

/// A further file.
#[derive(Debug, PartialEq, Eq, serde::Serialize)]
pub struct StoredSection {
    /// The file below the output directory.
    pub file_name: String,
    /// The file's text, where the host stores it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub content: Option<String>,
}

/// The answer of [`offload()`].
#[derive(Debug, PartialEq, Eq)]
pub struct Offloading {
    /// What to return to the client.
    pub outcome: Outcome,
    /// Tokens of the records.
    pub estimated_tokens: u32,
    /// What happened during the call.
    pub events: Vec<Event>,
}

/// Resolves settings from their sources; the answer is complete.
pub fn resolve(file_text: &str, environment: &[(String, String)], explicit: &str) -> Result<String, Error> {
    let settings = settings::resolve(file_text, environment, explicit)?;
    serde_json::to_string(&settings).map_err(|error| Error::Other(error.to_string()))
}

/// Estimates what a payload's records count against the threshold: tokens, or characters where it is in those.
pub fn estimate(payload: &str, request: &str, settings: &str) -> Result<u32, Error> {
    let (request, settings) = (request::Offload::parse(request)?, Settings::parse(settings)?);
    let payload = Payload::of(payload, &request, &settings)?;
    offload::estimate(&offload::payload_of(payload.text()?, &request), &request, &settings)
}

/// Decides what becomes of a result and carries it out. The time is requested only if there is something to write, or if a
/// text leaves out years.
pub fn offload(
    payload: &str,
    request: &str,
    settings: &str,
    instant: impl FnOnce() -> io::Result<Instant>,
) -> Result<Offloading, Error> {
    let (request, settings) = (request::Offload::parse(request)?, Settings::parse(settings)?);
    offload_as(Payload::of(payload, &request, &settings)?.text()?, &request, &settings, instant)
}

/// [`offload`] for a request and settings that have been read.
pub(crate) fn offload_as(
    payload: &str,
    request: &request::Offload,
    settings: &Settings,
    instant: impl FnOnce() -> io::Result<Instant>,
) -> Result<Offloading, Error> {
    if let Some(reason) = &settings.truncate_reason {
        return Ok(ends_of(payload, request, settings, reason));
    }
    offload_within(settings.offload_budget(payload.len() as u64, disk::gauge), payload, request, settings, instant)
}

fn offload_within(
    budget: lro_query::Budget,
    payload: &str,
    request: &request::Offload,
    settings: &Settings,
    instant: impl FnOnce() -> io::Result<Instant>,
) -> Result<Offloading, Error> {
    let found = offload::payload_of(payload, request);
    let mut clock = Clock::of(instant);
    let dated = offload::needs_moment(&found, request)
        .then(|| request::Offload { made: clock.milliseconds(), ..request.clone() });
    let request = dated.as_ref().unwrap_or(request);
    let decided = budget.within(|| {
        let assessment = offload::decide(&found, request, settings);
        // Where something is used up, what was decided rests on a part of the records.
        lro_query::Budget::look().map(|()| assessment)
    });
    let Assessment { decision, tokens, mut events } = match decided {
        Ok(assessment) => assessment?,
        Err(cause) => return Ok(ends_of(payload, request, settings, &stopped(&cause))),
    };
    let outcome = match decision {
        Decision::Unchanged => Outcome::Unchanged,
        Decision::Inline(text) => Outcome::Inline(text),
        Decision::Truncate(text) => Outcome::Truncated(text),
        Decision::Offload(draft) => {
            let (outcome, event) = store(&draft, settings, || clock.instant());
            events.extend(event);
            match outcome {
                Outcome::Truncated(_) if stays_inline(payload, request, settings) => Outcome::Unchanged,
                outcome => outcome,
            }
        }
    };
    Ok(Offloading { outcome, estimated_tokens: tokens, events })
}

/// Why a result is truncated that could not be offloaded within what a call may use.
fn stopped(cause: &lro_query::Error) -> String {
    match cause {
        lro_query::Error::Spent(spent) => format!("offloading stopped: {spent}"),
        cause => cause.to_string(),
    }
}

/// READ-22: in the profile that follows mcpagent, a failed write leaves the result inline, unless it is too large for
/// that, or for a context window.
fn stays_inline(payload: &str, request: &request::Offload, settings: &Settings) -> bool {
    let is_as_it_came = request.projection().is_none() && request.formatted.is_none();
    let is_allowed = settings.context_tokens.is_none() && !settings.is_too_large(payload);
    settings.profile == Profile::Mcpagent && is_as_it_came && is_allowed
}

/// What a host gets that asks for the ends of a result, since offloading it has come to a limit: next to no work is
/// done.
fn ends_of(payload: &str, request: &request::Offload, settings: &Settings, reason: &str) -> Offloading {
    let estimated_tokens = estimate_text(settings.tokenizer, payload);
    let budget = Budget::of(settings, request.input_tokens);
    if !settings.enabled || budget.measure(payload) <= budget.most {
        return Offloading { outcome: Outcome::Unchanged, estimated_tokens, events: Vec::new() };
    }
    let ends = Ends::of(&[truncate::Passage::Plain(payload)], budget);
    let outcome = Outcome::Truncated(truncate::render_ends(&ends, 1, &truncate::failed(reason), None));
    let events = vec![Event::failed(&file_name::operation_for(&request.operation, settings), reason)];
    Offloading { outcome, estimated_tokens, events }
}

/// Stores a draft, or returns it truncated: a failed write never fails the operation (LRO-37). What was written or could
/// not be has an event; what the host stores has none.
fn store(
    draft: &Draft<'_>,
    settings: &Settings,
    instant: impl FnOnce() -> io::Result<Instant>,
) -> (Outcome, Option<Event>) {
    let Files { files, main, response } = match instant() {
        Ok(instant) => draft.at(instant, settings),
        Err(error) => return truncated(draft, settings, settings.public_dir(), &error),
    };
    let text_of = |place: usize| {
        let header = [files[place].header_line.as_str(), "\n"].map(Cow::Borrowed);
        header.into_iter().chain(draft.body(place))
    };
    let mut bytes = 0;
    if settings.store == Store::File {
        // The main file comes last: what its header names is there then.
        let others = (0..files.len()).filter(|place| *place != main);
        for (written, place) in others.chain([main]).enumerate() {
            match write(&files[place].name, text_of(place), settings) {
                Ok(more) => bytes += more,
                Err(error) => {
                    let others = files.iter().enumerate().filter(|(place, _)| *place != main);
                    others.take(written).for_each(|(_, file)| remove(&file.name, settings));
                    return truncated(draft, settings, &files[place].public_path, &error);
                }
            }
        }
    }
    let written = (settings.store == Store::File)
        .then(|| Event::written(draft.operation(), &files[main].public_path, files.len(), bytes, draft.tokens()));
    let content = |place: usize| (settings.store == Store::Content).then(|| text_of(place).collect::<String>());
    let section = |(place, file): (usize, &File)| {
        (place != main).then(|| StoredSection { file_name: file.name.relative(), content: content(place) })
    };
    let stored = Stored {
        file_name: files[main].name.relative(),
        content: content(main),
        sections: files.iter().enumerate().filter_map(section).collect(),
        response,
    };
    (Outcome::Offloaded(stored), written)
}

fn write(name: &FileName, text: impl Iterator<Item = impl AsRef<str>>, settings: &Settings) -> io::Result<u64> {
    let output_dir = Directory::open(&settings.output_dir)?;
    disk::write_whole(&output_dir, name.session.as_deref(), &name.name, text)
}

/// Takes a file back that is of no use without another one (LRO-42).
fn remove(name: &FileName, settings: &Settings) {
    if let Ok(directory) = Directory::open(&settings.output_dir) {
        // The error to tell is that of the other file; cleanup removes what stays.
        _ = cleaning::delete(&directory, name);
    }
}

fn truncated(draft: &Draft<'_>, settings: &Settings, path: &str, error: &io::Error) -> (Outcome, Option<Event>) {
    let (text, event) = draft.truncated(settings, path, &format!("cannot write `{path}`: {error}"));
    (Outcome::Truncated(text), Some(event))
}

/// The settings of a call that reads a file, which may have expired (EXTRACT-19). Without a clock none has.
pub(crate) fn settings_at(text: &str, instant: impl FnOnce() -> io::Result<Instant>) -> Result<Settings, Error> {
    let now = instant().ok().map(|instant| instant.milliseconds);
    Ok(Settings { now, ..Settings::parse(text)? })
}

/// [`settings_at`] for a source: only files expire, since a host that keeps the text decides how long.
fn settings_for(
    source: Source<'_>,
    text: &str,
    instant: impl FnOnce() -> io::Result<Instant>,
) -> Result<Settings, Error> {
    match source {
        Source::File(_) => settings_at(text, instant),
        Source::Content(_) => Settings::parse(text),
    }
}

/// The directory and the name that a path means.
fn locate(path: &str, settings: &Settings) -> Result<(Directory, String), Error> {
    let file = FileName::from_path(path, settings)?;
    let open = || {
        let directory = Directory::open(&settings.output_dir)?;
        match &file.session {
            Some(session) => directory.folder(session),
            None => Ok(directory),
        }
    };
    let directory = open().map_err(|error| cannot_open(path, &error))?;
    Ok((directory, file.name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_offload_that_takes_too_long_is_truncated_and_writes_nothing() {
        let settings = Settings { threshold_tokens: 1, store: Store::Content, ..Settings::default() };
        let request = request::Offload::parse(r#"{"operation": "search"}"#).unwrap();
        let instant = || Ok(Instant { milliseconds: 0, random: 0 });
        let payload = format!("[{}1]", r#"{"id":"a","n":1},"#.repeat(1000));
        let of = |steps| {
            let budget = lro_query::Budget { steps, ..settings.offload_budget(1, lro_query::Gauge::default) };
            offload_within(budget, &payload, &request, &settings, instant).unwrap()
        };
        assert!(matches!(of(u64::MAX).outcome, Outcome::Offloaded(_)));
        let stopped = of(500);
        let Outcome::Truncated(text) = &stopped.outcome else { panic!("{stopped:?}") };
        assert!(text.contains("Offloading failed (offloading stopped: it took more than 500 steps)"), "{text}");
        assert_eq!(stopped.events.iter().map(|event| event.name).collect::<Vec<_>>(), ["OffloadFailed"]);
    }

    #[test]
    fn what_an_extraction_may_use_takes_nothing_from_an_offload() {
        let small =
            Settings { max_steps: Some(1), max_milliseconds: Some(1), max_memory_mib: Some(1), ..Settings::default() };
        let budget = small.offload_budget(60 << 20, lro_query::Gauge::default);
        assert_eq!((budget.steps, budget.milliseconds, budget.memory_bytes), (u64::MAX, 25_728, 896 << 20));
        let large = Settings { max_milliseconds: Some(100_000), ..Settings::default() };
        assert_eq!(large.offload_budget(60 << 20, lro_query::Gauge::default).milliseconds, 100_000);
    }
}
