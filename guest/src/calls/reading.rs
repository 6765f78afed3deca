//! Passages of a file, and the lines of it that match.

use std::io::{self, BufRead};

use super::address::document_of;
use super::extraction::within;
use super::{Source, locate, settings_for};
use crate::documents::reader::{Findings, Passage, read_from, search_from};
use crate::error::Error;
use crate::file::file_name::beside;
use crate::file::instant::Instant;
use crate::file::metered::MeteredReader;
use crate::file::reading::cannot_open;
use crate::settings::Settings;
use crate::settings::request::{Read, Search};

/// So many lists of a document are searched where one of them has no match.
const MOST_LISTS: usize = 4;

/// Reads a range of lines or characters (READ-09, GATE-13).
pub fn read(
    source: Source<'_>,
    request: &str,
    settings: &str,
    instant: impl FnOnce() -> io::Result<Instant>,
) -> Result<Passage, Error> {
    read_passage(source, &Read::parse(request)?, &settings_for(source, settings, instant)?)
}

/// Searches for a regular expression (READ-10, GATE-14).
pub fn search(
    source: Source<'_>,
    request: &str,
    settings: &str,
    instant: impl FnOnce() -> io::Result<Instant>,
) -> Result<Findings, Error> {
    search_lines(source, &Search::parse(request)?, &settings_for(source, settings, instant)?)
}

/// [`read`] for a request and settings that have been read.
pub(crate) fn read_passage(source: Source<'_>, request: &Read, settings: &Settings) -> Result<Passage, Error> {
    on_bytes(source, settings, |name, open| read_from(name, open, request, settings))
}

/// [`search`] for a request and settings that have been read.
pub(crate) fn search_lines(source: Source<'_>, request: &Search, settings: &Settings) -> Result<Findings, Error> {
    let mut findings = on_bytes(source, settings, |name, open| search_from(name, open, request, settings))?;
    let is_end = request.part.is_none_or(|part| part.until.is_none());
    if findings.total == Some(0) && request.next.is_none() && is_end {
        // It says more than what else is told.
        let place = findings.remarks.len().min(1);
        findings.remarks.splice(place..place, elsewhere(source, request, settings));
    }
    Ok(findings)
}

/// What to say where records have no match, and the text that they were read from, or another list of their document, is in
/// a file beside them.
fn elsewhere(source: Source<'_>, request: &Search, settings: &Settings) -> Option<String> {
    let found = source.found(settings, |source| {
        let Source::File(path) = source else { return Ok(None) };
        let Some(frame) = document_of(source, settings)?.header.lro.document else { return Ok(None) };
        let asked = Search { counts_only: true, header: None, part: None, so_far: None, ..request.clone() };
        let told = |what: &str, file: &str, may_match: bool| {
            let open = |name: &str, open: Open<'_>| search_from(name, open, &asked, settings);
            let text = beside(path, file, settings).ok()?;
            let name = file.rsplit('/').next().unwrap_or(file);
            match on_bytes(Source::File(&text), settings, open).map(|found| found.matching_lines) {
                Ok(Some(0)) => None,
                Ok(Some(1)) => Some(format!("1 line of {what} matches: search `{name}`")),
                Ok(Some(lines)) => Some(format!("{lines} lines of {what} match: search `{name}`")),
                _ => may_match.then(|| format!("{what} is in `{name}`, and can be searched too")),
            }
        };
        let original = frame.original.as_deref();
        let of_text = original.and_then(|file| told("the text that the records were read from", file, true));
        let lists = frame.lists.iter().filter_map(|list| Some((&list.path, list.file.as_deref()?)));
        let mut lists = lists.take(MOST_LISTS);
        Ok(of_text.or_else(|| lists.find_map(|(path, file)| told(&format!("the list `{path}`"), file, false))))
    });
    found.ok().flatten()
}

/// Opens a source at one of its bytes.
type Open<'a> = &'a dyn Fn(u64) -> Result<Box<dyn BufRead + 'a>, Error>;

/// Runs a call on the bytes of a source, within what it may use.
fn on_bytes<T>(
    source: Source<'_>,
    settings: &Settings,
    call: impl FnOnce(&str, Open<'_>) -> Result<T, Error>,
) -> Result<T, Error> {
    source.found(settings, |source| {
        within(source, settings, || match source {
            Source::File(path) => {
                let (directory, name) = locate(path, settings)?;
                call(path, &|offset| {
                    let reader = directory.read(&name, offset).map_err(|error| cannot_open(path, &error))?;
                    Ok(Box::new(MeteredReader::new(path, reader)))
                })
            }
            Source::Content(text) => {
                call("content", &|offset| Ok(Box::new(MeteredReader::new("content", from(text, offset)))))
            }
        })
    })
}

/// The bytes of a content from a place on.
fn from(text: &str, offset: u64) -> &[u8] {
    usize::try_from(offset).ok().and_then(|offset| text.as_bytes().get(offset..)).unwrap_or_default()
}
