//! Results of a recipe, a filter or criteria, a page at a time.

use std::io;

use super::{Page, Source, address, into, locate, on_document, settings_for, size_of};
use crate::disk;
use crate::error::Error;
use crate::extract::run::extract_from;
use crate::file::file_name::FileName;
use crate::file::instant::Instant;
use crate::file::reading::cannot_open;
use crate::settings::Settings;
use crate::settings::request::{self, On};

/// Runs a recipe, a filter or criteria over the records of a file.
pub fn extract(
    source: Source<'_>,
    request: &str,
    settings: &str,
    instant: impl FnOnce() -> io::Result<Instant>,
) -> Result<Page, Error> {
    let text = request;
    let request = request::Extract::parse(text)?;
    let instant = instant();
    let settings = settings_for(source, settings, || instant.as_ref().map_err(|error| error.kind().into()).copied())?;
    if request.into != Some(true) {
        return extract_page(source, &request, &settings);
    }
    into::check(&request, &settings)?;
    source.found(&settings, |source| {
        let session = match source {
            Source::File(path) => FileName::from_path(path, &settings)?.session,
            Source::Content(_) => None,
        };
        let page = |request: &request::Extract| extract_page(source, request, &settings);
        let results = within(source, &settings, || into::all_pages(&request, page))?;
        into::stored(results, text, session, &settings, || instant)
    })
}

/// Returns the results of a page as text, for a host. Unquoted strings of a filter may not be UTF-8; text must be.
pub fn results_text(results: Vec<u8>) -> String {
    String::from_utf8(results).unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
}

/// A call within what it may use, by the size of what it reads.
pub(super) fn within<T>(source: Source<'_>, settings: &Settings, call: impl FnOnce() -> T) -> T {
    let bytes = match source {
        // A file that is not there is told of by the call.
        Source::File(path) => size_of(path, settings).unwrap_or_default(),
        Source::Content(text) => text.len() as u64,
    };
    settings.budget(bytes, disk::gauge).within(call)
}

/// A page of results, for a request and settings that have been read.
pub(crate) fn extract_page(source: Source<'_>, request: &request::Extract, settings: &Settings) -> Result<Page, Error> {
    source.found(settings, |source| within(source, settings, || addressed_page(source, request, settings)))
}

fn addressed_page(source: Source<'_>, request: &request::Extract, settings: &Settings) -> Result<Page, Error> {
    // Who names a place or a number of records wants to see these.
    let is_a_look = request.line.is_none() && (request.limit.is_some() || request.records.is_some());
    if is_a_look && request.asks_nothing() {
        let all = request::Extract { conditions: Some(Vec::new()), ..request.clone() };
        return addressed_page(source, &all, settings);
    }
    let Some(address) = request.records.as_deref().filter(|_| request.on != Some(On::Document)) else {
        return on_document::page(source, request, settings);
    };
    // A part is one of the file, and says nothing of what stands beside it.
    let part = request.part.map(request::Part::of_the_undivided);
    let request = request::Extract { part, records: None, address: Some(address.to_owned()), ..request.clone() };
    address::at("extract", source, Some(address), settings, |source| {
        on_document::page_beside(source, &request, settings)
    })
}

/// A page of the records of a source. The `note` says what a filter runs on.
pub(super) fn page_of(
    source: Source<'_>,
    request: &request::Extract,
    settings: &Settings,
    note: &str,
) -> Result<Page, Error> {
    match source {
        Source::File(path) => {
            let (directory, name) = locate(path, settings)?;
            let open = |offset| directory.read(&name, offset).map_err(|error| cannot_open(path, &error));
            extract_from(path, open, request, settings, note)
        }
        Source::Content(text) => {
            let from = |offset: u64| text.as_bytes().get(usize::try_from(offset).ok()?..);
            extract_from("content", |offset| Ok(from(offset).unwrap_or_default()), request, settings, note)
        }
    }
}
