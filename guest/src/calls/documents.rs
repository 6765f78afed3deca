//! What is in a file, and the document that it came from.

use std::io;

use super::{Source, address, locate, settings_at};
use crate::documents::describe;
use crate::documents::rebuild::{incomplete, rebuild_from};
use crate::error::Error;
use crate::file::file_name::beside;
use crate::file::header::Header;
use crate::file::instant::Instant;
use crate::file::kind::Kind;
use crate::file::reading::{cannot_open, header_of};
use crate::settings::Settings;

/// Puts the document together again that a file's records came in (USER-01).
pub fn rebuild(
    source: Source<'_>,
    settings: &str,
    instant: impl FnOnce() -> io::Result<Instant>,
) -> Result<String, Error> {
    let settings = settings_at(settings, instant)?;
    match source {
        Source::File(path) => Ok(document(path, usize::MAX, &settings)?.text),
        Source::Content(text) => {
            let (header, header_bytes) = header_of_content(text, &settings)?;
            let body = &text.as_bytes()[usize::try_from(header_bytes).unwrap_or(text.len())..];
            rebuild_from("content", &header, usize::MAX, |place| match place.file {
                None => Ok((header.clone(), Box::new(body))),
                Some(_) => Err(Error::invalid_argument(
                    "cannot rebuild the document: it has several files, and a content is one of them",
                    "pass the file_path of its response",
                )),
            })
        }
    }
}

/// A document as it came.
pub(crate) struct Document {
    /// Its text.
    pub(crate) text: String,
    /// It came as plain text, whatever that looks like.
    pub(crate) is_text: bool,
}

/// The document of a file, of at most `most` bytes: more are not read.
pub(crate) fn document(path: &str, most: usize, settings: &Settings) -> Result<Document, Error> {
    let (header, _) = header_at(path, settings)?;
    // The file of a list names the one that knows the document.
    let Some(section) = &header.lro.section else { return rebuilt(path, &header, most, settings) };
    let main = beside(path, &section.of, settings)?;
    let (header, _) = header_at(&main, settings).map_err(|error| incomplete(path, &main, error))?;
    rebuilt(&main, &header, most, settings)
}

/// True if a file's records are the lines of a text.
pub(crate) fn is_text(path: &str, settings: &Settings) -> Result<bool, Error> {
    Ok(header_at(path, settings)?.0.lro.kind == Kind::Text)
}

/// How many bytes a file has.
pub(crate) fn size_of(path: &str, settings: &Settings) -> Result<u64, Error> {
    let (directory, name) = locate(path, settings)?;
    Ok(directory.status(&name).map_err(|error| cannot_open(path, &error))?.bytes)
}

fn rebuilt(path: &str, header: &Header, most: usize, settings: &Settings) -> Result<Document, Error> {
    let text = rebuild_from(path, header, most, |place| {
        let other = place.file.as_deref().map(|file| beside(path, file, settings)).transpose()?;
        let file = other.as_deref().unwrap_or(path);
        let (header, header_bytes) = header_at(file, settings).map_err(|error| match other {
            Some(_) => incomplete(path, file, error),
            None => error,
        })?;
        let (directory, name) = locate(file, settings)?;
        let reader = directory.read(&name, header_bytes).map_err(|error| cannot_open(file, &error))?;
        Ok((header, Box::new(reader)))
    })?;
    Ok(Document { text, is_text: header.lro.kind == Kind::Text })
}

/// Describes a file: header, size, lines, shape, fields with types and examples.
pub fn describe(
    source: Source<'_>,
    settings: &str,
    instant: impl FnOnce() -> io::Result<Instant>,
) -> Result<String, Error> {
    describe_within(source, None, &settings_at(settings, instant)?, describe::MOST_BYTES)
}

/// [`describe`] in at most `most` bytes, for parsed settings: of the file, or of what an address means in
/// its document.
pub(crate) fn describe_within(
    source: Source<'_>,
    records: Option<&str>,
    settings: &Settings,
    most: usize,
) -> Result<String, Error> {
    address::at("describe", source, records, settings, |source| described(source, settings, most))
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
            let (header, header_bytes) = header_of_content(text, settings)?;
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

/// The header of a text, which does not expire: a host that keeps it decides how long.
pub(super) fn header_of_content(text: &str, settings: &Settings) -> Result<(Header, u64), Error> {
    header_of("content", text.as_bytes(), &Settings { now: None, ..settings.clone() })
}
