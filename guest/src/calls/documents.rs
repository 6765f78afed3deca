//! What is in a file, and the document that it came from.

use std::borrow::Cow;
use std::io;

use super::extraction::within;
use super::{Source, address, locate, settings_for};
use crate::documents::describe;
use crate::documents::parts::{Part, part_of};
use crate::documents::rebuild::{ListLocation, OpenFile, frame_of, incomplete, rebuild_from, text_from};
use crate::error::Error;
use crate::file::file_name::beside;
use crate::file::header::Header;
use crate::file::instant::Instant;
use crate::file::kind::Kind;
use crate::file::metered::MeteredReader;
use crate::file::reading::{cannot_open, header_of};
use crate::settings::Settings;
use crate::settings::request::Rebuild;

/// Puts the document together again that a file's records came in (USER-01).
pub fn rebuild(
    source: Source<'_>,
    settings: &str,
    instant: impl FnOnce() -> io::Result<Instant>,
) -> Result<String, Error> {
    let settings = settings_for(source, settings, instant)?;
    source.found(&settings, |source| within(source, &settings, || rebuilt_from(source, &settings)))
}

fn rebuilt_from(source: Source<'_>, settings: &Settings) -> Result<String, Error> {
    match source {
        Source::File(path) => Ok(document_at(path, u64::MAX, settings)?.text),
        Source::Content(text) => {
            let (header, header_bytes) = header_of("content", text.as_bytes(), settings)?;
            rebuild_from("content", &header, |place, offset| open_content(text, &header, header_bytes + offset, place))
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

/// The document of a file.
///
/// Errors: `limit-reached` if it has more than `most` bytes, which are not read.
pub(crate) fn document(path: &str, most: u64, settings: &Settings) -> Result<Document, Error> {
    Source::File(path).found(settings, |source| match source {
        Source::File(path) => within(source, settings, || document_at(path, most, settings)),
        Source::Content(text) => Ok(Document { text: text.to_owned(), is_text: true }),
    })
}

fn document_at(path: &str, most: u64, settings: &Settings) -> Result<Document, Error> {
    let (path, header) = main_of(path, settings)?;
    let frame = frame_of(&header);
    let text = text_from(&path, &frame, most, |place, offset| open_list(&path, place, offset, settings))?;
    Ok(Document { text: frame.as_it_came(text), is_text: header.lro.kind == Kind::Text })
}

/// The file that knows the document of a file, and its header. The file of a list names it.
fn main_of<'p>(path: &'p str, settings: &Settings) -> Result<(Cow<'p, str>, Header), Error> {
    let (header, _) = header_at(path, settings)?;
    let Some(section) = &header.lro.section else { return Ok((path.into(), header)) };
    let main = beside(path, &section.of, settings)?;
    let (header, _) = header_at(&main, settings).map_err(|error| incomplete(path, &main, error))?;
    Ok((main.into(), header))
}

/// A part of the document, for one that is too large to be held whole (USER-01).
pub fn rebuild_part(
    source: Source<'_>,
    request: &str,
    settings: &str,
    instant: impl FnOnce() -> io::Result<Instant>,
) -> Result<Part, Error> {
    let (request, settings) = (Rebuild::parse(request)?, settings_for(source, settings, instant)?);
    source.found(&settings, |source| within(source, &settings, || part_from(source, &request, &settings)))
}

fn part_from(source: Source<'_>, request: &Rebuild, settings: &Settings) -> Result<Part, Error> {
    match source {
        Source::File(path) => {
            let (path, header) = main_of(path, settings)?;
            let open = |place: &ListLocation, offset| open_list(&path, place, offset, settings);
            part_of(&path, &header, request, open)
        }
        Source::Content(text) => {
            let (header, header_bytes) = header_of("content", text.as_bytes(), settings)?;
            let open = |place: &ListLocation, offset: u64| {
                open_content(text, &header, header_bytes.saturating_add(offset), place)
            };
            part_of("content", &header, request, open)
        }
    }
}

/// True if a file's records are the lines of a text.
pub(crate) fn is_text(path: &str, settings: &Settings) -> Result<bool, Error> {
    let kind = Source::File(path).found(settings, |source| match source {
        Source::File(path) => Ok(header_at(path, settings)?.0.lro.kind),
        Source::Content(_) => Ok(Kind::Text),
    })?;
    Ok(kind == Kind::Text)
}

/// How many bytes a file has.
pub(crate) fn size_of(path: &str, settings: &Settings) -> Result<u64, Error> {
    Source::File(path).found(settings, |source| match source {
        Source::File(path) => {
            let (directory, name) = locate(path, settings)?;
            Ok(directory.status(&name).map_err(|error| cannot_open(path, &error))?.bytes)
        }
        Source::Content(text) => Ok(text.len() as u64),
    })
}

/// Opens the file of a list so many bytes after its header, of a document that the file at `path` knows.
pub(super) fn open_list(
    path: &str,
    place: &ListLocation,
    offset: u64,
    settings: &Settings,
) -> Result<OpenFile<'static>, Error> {
    let other = place.file.as_deref().map(|file| beside(path, file, settings)).transpose()?;
    let file = other.as_deref().unwrap_or(path);
    let (header, header_bytes) = header_at(file, settings).map_err(|error| match other {
        Some(_) => incomplete(path, file, error),
        None => error,
    })?;
    let (directory, name) = locate(file, settings)?;
    let reader =
        directory.read(&name, header_bytes.saturating_add(offset)).map_err(|error| cannot_open(file, &error))?;
    Ok((header, Box::new(MeteredReader::new(file, reader))))
}

/// Opens the only list that the text of a file has at one of its bytes.
pub(super) fn open_content<'a>(
    text: &'a str,
    header: &Header,
    offset: u64,
    place: &ListLocation,
) -> Result<OpenFile<'a>, Error> {
    let body = usize::try_from(offset).ok().and_then(|offset| text.as_bytes().get(offset..)).unwrap_or_default();
    match place.file {
        None => Ok((header.clone(), Box::new(MeteredReader::new("content", body)))),
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
        within(source, settings, || {
            address::at("describe", source, records, settings, |source| described(source, settings, most))
        })
    })
}

fn described(source: Source<'_>, settings: &Settings, most: usize) -> Result<String, Error> {
    match source {
        Source::File(path) => {
            let (header, header_bytes) = header_at(path, settings)?;
            let (directory, name) = locate(path, settings)?;
            let reader = directory.read(&name, header_bytes).map_err(|error| cannot_open(path, &error))?;
            let reader = MeteredReader::new(path, reader);
            describe::describe(&header, header_bytes, reader, most).map_err(|error| cannot_open(path, &error))
        }
        Source::Content(text) => {
            let (header, header_bytes) = header_of("content", text.as_bytes(), settings)?;
            let body = &text.as_bytes()[usize::try_from(header_bytes).unwrap_or(text.len())..];
            let body = MeteredReader::new("content", body);
            describe::describe(&header, header_bytes, body, most).map_err(|error| cannot_open("content", &error))
        }
    }
}

/// The header of a file below the output directory.
pub(super) fn header_at(path: &str, settings: &Settings) -> Result<(Header, u64), Error> {
    let (directory, name) = locate(path, settings)?;
    header_of(path, directory.read(&name, 0).map_err(|error| cannot_open(path, &error))?, settings)
}
