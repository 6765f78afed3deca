//! What is in a file, and the document that it came from.

use std::io::{BufRead, Read};

use super::{Source, cannot_open, header_of, locate};
use crate::describe;
use crate::error::Error;
use crate::frame::{Frame, Place};
use crate::header::Header;
use crate::recipes::Kind;
use crate::settings::Settings;

/// Puts the document together again that a file's records came in (USER-01).
pub fn rebuild(source: Source<'_>, settings: &str) -> Result<String, Error> {
    let settings = Settings::parse(settings)?;
    match source {
        Source::File(path) => {
            let (header, _) = header_at(path, &settings)?;
            match &header.lro.section {
                // The file of a list names the one that knows the document.
                Some(section) => rebuilt(&section.of, &header_at(&section.of, &settings)?.0, &settings),
                None => rebuilt(path, &header, &settings),
            }
        }
        Source::Content(text) => {
            let (header, header_bytes) = header_of("content", text.as_bytes(), &settings)?;
            let body = &text.as_bytes()[usize::try_from(header_bytes).unwrap_or(text.len())..];
            rebuild_from("content", &header, |place| match place.file {
                None => Ok(Box::new(body)),
                Some(_) => Err(Error::invalid_argument(
                    "cannot rebuild the document: it had several lists, and a content has one of them",
                    "pass the file_path of its response",
                )),
            })
        }
    }
}

fn rebuilt(path: &str, header: &Header, settings: &Settings) -> Result<String, Error> {
    rebuild_from(path, header, |place| {
        let path = place.file.as_deref().unwrap_or(path);
        let (directory, name) = locate(path, settings)?;
        let (_, header_bytes) = header_at(path, settings)?;
        let reader = directory.read(&name, header_bytes).map_err(|error| cannot_open(path, &error))?;
        Ok(Box::new(reader))
    })
}

/// Rebuilds from what `open` opens behind the header.
fn rebuild_from<'a>(
    path: &str,
    header: &Header,
    open: impl Fn(&Place) -> Result<Box<dyn BufRead + 'a>, Error>,
) -> Result<String, Error> {
    if header.lro.kind == Kind::Text {
        let mut text = String::new();
        open(&Place::default())?.read_to_string(&mut text).map_err(|error| cannot_open(path, &error))?;
        return Ok(text);
    }
    header.lro.document.clone().unwrap_or_else(Frame::array).fill(|place, text| {
        let mut input = open(place)?;
        let mut is_first = true;
        loop {
            let end = text.len();
            if !is_first {
                text.push_str(&place.separator);
            }
            let begin = text.len();
            match input.read_line(text) {
                Ok(_) if text.len() == begin => {
                    text.truncate(end);
                    return Ok(());
                }
                Ok(_) => {}
                Err(error) => return Err(cannot_open(path, &error)),
            }
            if text.ends_with('\n') {
                text.pop();
            }
            is_first = false;
        }
    })
}

/// Describes a file: header, size, lines, shape, fields with types and examples.
pub fn describe(source: Source<'_>, settings: &str) -> Result<String, Error> {
    describe_within(source, &Settings::parse(settings)?, describe::MOST_BYTES)
}

/// [`describe`] in at most so many bytes, for settings that have been read.
pub(crate) fn describe_within(source: Source<'_>, settings: &Settings, most: usize) -> Result<String, Error> {
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
fn header_at(path: &str, settings: &Settings) -> Result<(Header, u64), Error> {
    let (directory, name) = locate(path, settings)?;
    header_of(path, directory.read(&name, 0).map_err(|error| cannot_open(path, &error))?, settings)
}
