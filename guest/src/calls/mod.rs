//! The calls of the contract, each from its arguments to its answer: logic decides, [`disk`](crate::disk) carries out.
//!
//! These functions are the native form of the interfaces in `wit/`; the component hands its exports to them.

mod documents;
mod extraction;
mod into;

use std::io::{self, BufRead};

use crate::cleanup::{self, Found};
use crate::disk::{self, Directory, EntryKind};
use crate::document::Payload;
use crate::draft::{Draft, File, Files};
use crate::error::{Error, Problem};
use crate::events::Event;
use crate::file_name::{self, FileName};
use crate::header::{self, Header};
use crate::instant::{Instant, timestamp};
use crate::offload::{self, Decided, Decision};
use crate::request::{self, is_session};
use crate::settings::{self, Settings, Store};
use crate::tokens::estimate as estimate_text;
use crate::truncate::{self, Ends, Passage};

pub use crate::query::{Failure, Outcome as Page};
pub(crate) use documents::describe_within;
pub use documents::{describe, rebuild};
pub(crate) use extraction::extract_page;
pub use extraction::{extract, results_text};

/// Where the records to look at are.
#[derive(Debug, Clone, Copy)]
pub enum Source<'a> {
    /// An offloaded file, by a path or a name.
    File(&'a str),
    /// The text of an offloaded file.
    Content(&'a str),
}

/// What becomes of a result.
#[derive(Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The payload stands as it is.
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

/// A file beside the first one.
#[derive(Debug, PartialEq, Eq)]
pub struct StoredSection {
    /// The file below the output directory.
    pub file_name: String,
    /// The file's text, where the host stores it.
    pub content: Option<String>,
}

/// The answer of [`offload`].
#[derive(Debug, PartialEq, Eq)]
pub struct Offloading {
    /// What to return to the client.
    pub outcome: Outcome,
    /// Tokens of the records.
    pub estimated_tokens: u32,
    /// What happened on the way.
    pub events: Vec<Event>,
}

/// The answer of [`cleanup()`].
#[derive(Debug, Default)]
pub struct Cleaning {
    /// Files that were deleted, or would have been.
    pub deleted: u32,
    /// Bytes that they held.
    pub freed_bytes: u64,
    /// Files of ours that stay.
    pub kept: u32,
    /// An event for each deleted file, and for each that could not be.
    pub events: Vec<Event>,
}

/// Resolves settings from their sources; the answer is complete.
pub fn resolve(file_text: &str, environment: &[(String, String)], explicit: &str) -> Result<String, Error> {
    let settings = settings::resolve(file_text, environment, explicit)?;
    serde_json::to_string(&settings).map_err(|error| Error::Other(error.to_string()))
}

/// Estimates what a payload's records count against the threshold: tokens, or characters where it is in those.
pub fn estimate(payload: &str, request: &str, settings: &str) -> Result<u32, Error> {
    offload::estimate(&Payload::of(payload), &request::Offload::parse(request)?, &Settings::parse(settings)?)
}

/// Decides what becomes of a result and carries it out. The moment is only asked for when there is something to write.
pub fn offload(
    payload: &str,
    request: &str,
    settings: &str,
    instant: impl FnOnce() -> io::Result<Instant>,
) -> Result<Offloading, Error> {
    offload_as(payload, &request::Offload::parse(request)?, &Settings::parse(settings)?, instant)
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
    let payload = Payload::of(payload);
    let Decided { decision, tokens, event } = offload::decide(&payload, request, settings)?;
    let (outcome, failed) = match decision {
        Decision::Unchanged => (Outcome::Unchanged, None),
        Decision::Inline(text) => (Outcome::Inline(text), None),
        Decision::Offload(draft) => store(&draft, settings, instant),
    };
    Ok(Offloading { outcome, estimated_tokens: tokens, events: event.into_iter().chain(failed).collect() })
}

/// What a host gets that asks for the ends of a result, since offloading it has come to a limit: next to no work is done.
fn ends_of(payload: &str, request: &request::Offload, settings: &Settings, reason: &str) -> Offloading {
    let estimated_tokens = estimate_text(settings.tokenizer, payload);
    let budget = settings.threshold_in_tokens();
    if !settings.enabled || estimated_tokens <= budget {
        return Offloading { outcome: Outcome::Unchanged, estimated_tokens, events: Vec::new() };
    }
    let ends = Ends::of(&[Passage::Plain(payload)], settings.tokenizer, budget);
    let outcome = Outcome::Truncated(truncate::render_ends(&ends, 1, &truncate::failed(reason)));
    let events = vec![Event::failed(&file_name::operation(&request.operation), reason)];
    Offloading { outcome, estimated_tokens, events }
}

/// Stores a draft, or answers it truncated: a failed write never fails the operation (LRO-37).
fn store(
    draft: &Draft<'_>,
    settings: &Settings,
    instant: impl FnOnce() -> io::Result<Instant>,
) -> (Outcome, Option<Event>) {
    let Files { files, main, response } = match instant() {
        Ok(instant) => draft.at(instant, settings),
        Err(error) => return truncated(draft, settings, settings.public_dir(), &error),
    };
    let text_of = |place: usize| [files[place].header_line.as_str(), "\n"].into_iter().chain(draft.body(place));
    if settings.store == Store::File {
        // The main file comes last: what its header names is there then.
        let others = (0..files.len()).filter(|place| *place != main);
        for (written, place) in others.chain([main]).enumerate() {
            if let Err(error) = write(&files[place].name, text_of(place), settings) {
                let others = files.iter().enumerate().filter(|(place, _)| *place != main);
                others.take(written).for_each(|(_, file)| remove(&file.name, settings));
                return truncated(draft, settings, &files[place].public_path, &error);
            }
        }
    }
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
    (Outcome::Offloaded(stored), None)
}

fn write<'a>(name: &FileName, text: impl Iterator<Item = &'a str>, settings: &Settings) -> io::Result<()> {
    let mut directory = Directory::open(&settings.output_dir)?;
    if let Some(session) = &name.session {
        directory.make_folder(session)?;
        directory = directory.folder(session)?;
    }
    disk::write_whole(&directory, &name.name, text)
}

/// Takes a file back that is of no use without another one (LRO-42).
fn remove(name: &FileName, settings: &Settings) {
    if let Ok(directory) = Directory::open(&settings.output_dir) {
        // The error to tell is that of the other file; cleanup removes what stays.
        _ = delete(&directory, name);
    }
}

fn truncated(draft: &Draft<'_>, settings: &Settings, path: &str, error: &io::Error) -> (Outcome, Option<Event>) {
    let (text, event) = draft.truncated(settings, path, &format!("cannot write `{path}`: {error}"));
    (Outcome::Truncated(text), Some(event))
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

/// The header of a file, and how many bytes its line has, newline included.
fn header_of(path: &str, input: impl BufRead, settings: &Settings) -> Result<(Header, u64), Error> {
    let mut line = Vec::new();
    let most = u64::try_from(header::MOST_BYTES).unwrap_or(u64::MAX);
    let bytes = input.take(most).read_until(b'\n', &mut line).map_err(|error| cannot_open(path, &error))?;
    match Header::parse(&line, &settings.header_type) {
        Some(header) => Ok((header, bytes as u64)),
        None => Err(Error::NotAnOffload(Problem::new(
            format!("cannot open `{path}`: its first line is not the header of an offloaded file"),
            "pass the file_path of a response, unchanged",
        ))),
    }
}

fn cannot_open(path: &str, error: &io::Error) -> Error {
    let problem = |reason: &str, hint: &str| Problem::new(format!("cannot open `{path}`: {reason}"), hint);
    match error.kind() {
        io::ErrorKind::NotFound => Error::NotFound(problem(
            "there is no such file, or it has expired",
            "run the tool again to get a fresh file_path",
        )),
        io::ErrorKind::InvalidInput | io::ErrorKind::NotADirectory => {
            Error::Outside(problem(&error.to_string(), "pass the file_path of a response, unchanged"))
        }
        _ => Error::Io(problem(&error.to_string(), "")),
    }
}

/// Deletes the expired files of ours, and the oldest where caps are given.
pub fn cleanup(
    request: &str,
    settings: &str,
    instant: impl FnOnce() -> io::Result<Instant>,
) -> Result<Cleaning, Error> {
    let request = request::Cleanup::parse(request)?;
    let settings = Settings::parse(settings)?;
    let directory = Directory::open(&settings.output_dir).map_err(|error| cannot_clean(&settings, &error))?;
    let now = instant().map_err(|error| cannot_clean(&settings, &error))?.milliseconds;

    let found = find(&directory, &request, &settings).map_err(|error| cannot_clean(&settings, &error))?;
    let plan = cleanup::plan(found, now, &request, &settings);
    let mut cleaning = Cleaning { kept: plan.kept, ..Cleaning::default() };
    if request.shared_directory == Some(true) && (request.max_files.is_some() || request.max_bytes.is_some()) {
        cleaning.events.push(Event::caps_ignored(settings.public_dir()));
    }
    for file in plan.doomed {
        let path = file.name.public_path(&settings);
        let deleted = if request.dry_run == Some(true) { Ok(()) } else { delete(&directory, &file.name) };
        match deleted {
            Ok(()) => {
                cleaning.deleted += 1;
                cleaning.freed_bytes += file.bytes;
                cleaning.events.push(Event::file_expired(&path, &timestamp(file.created), &file.reason));
            }
            // Somebody else was faster: the file is gone, which is what was wanted.
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => {
                cleaning.kept += 1;
                cleaning.events.push(Event::delete_failed(&path, &error.to_string()));
            }
        }
    }
    Ok(cleaning)
}

/// Regular files with a name of ours, in the output directory and one folder below it.
fn find(directory: &Directory, request: &request::Cleanup, settings: &Settings) -> io::Result<Vec<Found>> {
    if let Some(session) = &request.session {
        return match directory.folder(session) {
            // A session that offloaded nothing has no folder, and nothing to clean up.
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
            folder => find_in(&folder?, Some(session), settings),
        };
    }
    let mut found = find_in(directory, None, settings)?;
    for name in directory.names()?.iter().filter(|name| is_session(name)) {
        // A folder that is a link, of somebody else, or gone meanwhile is not ours to look into.
        if directory.status(name).is_ok_and(|status| status.kind == EntryKind::Directory) {
            let below = directory.folder(name).and_then(|folder| find_in(&folder, Some(name), settings));
            found.extend(below.unwrap_or_default());
        }
    }
    Ok(found)
}

fn find_in(directory: &Directory, session: Option<&str>, settings: &Settings) -> io::Result<Vec<Found>> {
    let mut found = Vec::new();
    for name in directory.names()? {
        let Some(parts) = file_name::parse(&name, &settings.prefix) else {
            continue;
        };
        let Ok(status) = directory.status(&name) else {
            continue;
        };
        if status.kind != EntryKind::File {
            continue;
        }
        let read = || header_of(&name, directory.read(&name, 0).ok()?, settings).ok();
        let header = if parts.is_part { None } else { read().map(|(header, _)| header) };
        let name = FileName { session: session.map(str::to_owned), name };
        found.push(Found { name, bytes: status.bytes, modified: status.modified, header });
    }
    Ok(found)
}

fn delete(directory: &Directory, file: &FileName) -> io::Result<()> {
    match &file.session {
        Some(session) => directory.folder(session)?.remove(&file.name),
        None => directory.remove(&file.name),
    }
}

fn cannot_clean(settings: &Settings, error: &io::Error) -> Error {
    let problem = Problem::new(format!("cannot clean up `{}`: {error}", settings.public_dir()), "");
    match error.kind() {
        io::ErrorKind::NotFound => Error::NotFound(problem),
        _ => Error::Io(problem),
    }
}
