//! What is in a file, and the document that it came from.

use std::io;

use super::{Source, address, locate, settings_for};
use crate::documents::describe;
use crate::documents::rebuild::{ListLocation, OpenFile, incomplete, rebuild_from};
use crate::error::Error;
use crate::file::file_name::beside;
use crate::file::header::Header;
use crate::file::instant::Instant;
use crate::file::reading::{cannot_open, header_of};
use crate::settings::Settings;

/// Puts the document together again that a file's records came in (USER-01).
pub fn rebuild(
    source: Source<'_>,
    settings: &str,
    instant: impl FnOnce() -> io::Result<Instant>,
) -> Result<String, Error> {
    let settings = settings_for(source, settings, instant)?;
    source.found(&settings, |source| rebuilt_from(source, &settings))
}

fn rebuilt_from(source: Source<'_>, settings: &Settings) -> Result<String, Error> {
    match source {
        Source::File(path) => {
            let (header, _) = header_at(path, settings)?;
            match &header.lro.section {
                // The file of a list names the one that knows the document.
                Some(section) => {
                    let main = beside(path, &section.of, settings)?;
                    let (header, _) = header_at(&main, settings).map_err(|error| incomplete(path, &main, error))?;
                    rebuilt(&main, &header, settings)
                }
                None => rebuilt(path, &header, settings),
            }
        }
        Source::Content(text) => {
            let (header, header_bytes) = header_of("content", text.as_bytes(), settings)?;
            rebuild_from("content", &header, |place| open_content(text, &header, header_bytes, place))
        }
    }
}

fn rebuilt(path: &str, header: &Header, settings: &Settings) -> Result<String, Error> {
    rebuild_from(path, header, |place| open_list(path, place, settings))
}

/// Opens the file of a list, of a document that the file at `path` knows.
pub(super) fn open_list(path: &str, place: &ListLocation, settings: &Settings) -> Result<OpenFile<'static>, Error> {
    let other = place.file.as_deref().map(|file| beside(path, file, settings)).transpose()?;
    let file = other.as_deref().unwrap_or(path);
    let (header, header_bytes) = header_at(file, settings).map_err(|error| match other {
        Some(_) => incomplete(path, file, error),
        None => error,
    })?;
    let (directory, name) = locate(file, settings)?;
    let reader = directory.read(&name, header_bytes).map_err(|error| cannot_open(file, &error))?;
    Ok((header, Box::new(reader)))
}

/// Opens the only list that the text of a file has.
pub(super) fn open_content<'a>(
    text: &'a str,
    header: &Header,
    header_bytes: u64,
    place: &ListLocation,
) -> Result<OpenFile<'a>, Error> {
    let body = &text.as_bytes()[usize::try_from(header_bytes).unwrap_or(text.len())..];
    match place.file {
        None => Ok((header.clone(), Box::new(body))),
        Some(_) => Err(Error::invalid_argument(
            "cannot rebuild the document: it has several files, and a content is one of them",
            "pass the file_path of its response",
        )),
    }
}

/// Describes a file: header, size, lines, shape, fields with types and examples.
pub fn describe(
    source: Source<'_>,
    settings: &str,
    instant: impl FnOnce() -> io::Result<Instant>,
) -> Result<String, Error> {
    describe_within(source, None, &settings_for(source, settings, instant)?, describe::MOST_BYTES)
}

/// [`describe`] in at most `most` bytes, for parsed settings: of the file, or of what an address means in
/// its document.
pub(crate) fn describe_within(
    source: Source<'_>,
    records: Option<&str>,
    settings: &Settings,
    most: usize,
) -> Result<String, Error> {
    source.found(settings, |source| {
        address::at("describe", source, records, settings, |source| described(source, settings, most))
    })
}

fn described(source: Source<'_>, settings: &Settings, most: usize) -> Result<String, Error> {
    match source {
        Source::File(path) => {
            let (header, header_bytes) = header_at(path, settings)?;
            let (directory, name) = locate(path, settings)?;
            let reader = directory.read(&name, header_bytes).map_err(|error| cannot_open(path, &error))?;
            describe::describe(&header, header_bytes, reader, most).map_err(|error| cannot_open(path, &error))
        }
        Source::Content(text) => {
            let (header, header_bytes) = header_of("content", text.as_bytes(), settings)?;
            let body = &text.as_bytes()[usize::try_from(header_bytes).unwrap_or(text.len())..];
            describe::describe(&header, header_bytes, body, most).map_err(|error| cannot_open("content", &error))
        }
    }
}

/// The header of a file below the output directory.
pub(super) fn header_at(path: &str, settings: &Settings) -> Result<(Header, u64), Error> {
    let (directory, name) = locate(path, settings)?;
    header_of(path, directory.read(&name, 0).map_err(|error| cannot_open(path, &error))?, settings)
}
