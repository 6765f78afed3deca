//! What is in a file, and the document that it came from.

use std::io::{BufRead, Read};

use lro_query::End;

use super::{Source, address, cannot_open, header_of, locate};
use crate::documents::describe;
use crate::error::{Error, Problem};
use crate::file::completeness::{Measured, difference};
use crate::file::file_name::FileName;
use crate::file::header::Header;
use crate::payload::frame::{Form, Frame, Place};
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
                Some(section) => {
                    let main = beside(path, &section.of, &settings)?;
                    let (header, _) = header_at(&main, &settings).map_err(|error| incomplete(path, &main, error))?;
                    rebuilt(&main, &header, &settings)
                }
                None => rebuilt(path, &header, &settings),
            }
        }
        Source::Content(text) => {
            let (header, header_bytes) = header_of("content", text.as_bytes(), &settings)?;
            let body = &text.as_bytes()[usize::try_from(header_bytes).unwrap_or(text.len())..];
            rebuild_from("content", &header, |place| match place.file {
                None => Ok((header.clone(), Box::new(body))),
                Some(_) => Err(Error::invalid_argument(
                    "cannot rebuild the document: it has several files, and a content is one of them",
                    "pass the file_path of its response",
                )),
            })
        }
    }
}

fn rebuilt(path: &str, header: &Header, settings: &Settings) -> Result<String, Error> {
    rebuild_from(path, header, |place| {
        let other = place.file.as_deref().map(|file| beside(path, file, settings)).transpose()?;
        let file = other.as_deref().unwrap_or(path);
        let (header, header_bytes) = header_at(file, settings).map_err(|error| match other {
            Some(_) => incomplete(path, file, error),
            None => error,
        })?;
        let (directory, name) = locate(file, settings)?;
        let reader = directory.read(&name, header_bytes).map_err(|error| cannot_open(file, &error))?;
        Ok((header, Box::new(reader)))
    })
}

/// A further file of the document that `path` belongs to: all of them are in one folder, wherever that is reached from.
pub(super) fn beside(path: &str, file: &str, settings: &Settings) -> Result<String, Error> {
    let session = FileName::from_path(path, settings)?.session;
    let name = file.rsplit('/').next().unwrap_or(file).to_owned();
    Ok(FileName { session, name }.relative())
}

/// A document whose files are not all there.
fn incomplete(path: &str, file: &str, error: Error) -> Error {
    match error {
        Error::NotFound(_) => Error::NotFound(Problem::new(
            format!("cannot rebuild the document of `{path}`: its file `{file}` is missing"),
            "it has expired, or writing the document was interrupted: run the tool again",
        )),
        error => error,
    }
}

/// A file's header, and what follows it.
type Opened<'a> = (Header, Box<dyn BufRead + 'a>);

/// Rebuilds from what `open` opens behind the header.
fn rebuild_from<'a>(
    path: &str,
    header: &Header,
    open: impl Fn(&Place) -> Result<Opened<'a>, Error>,
) -> Result<String, Error> {
    let frame = match (&header.lro.document, header.lro.kind) {
        (Some(frame), _) => frame.clone(),
        (None, Kind::Text) => Frame::text(),
        (None, _) => Frame::array(),
    };
    if frame.form == Form::Text || frame.original.is_some() {
        let place = Place { file: frame.original.clone(), ..Place::default() };
        return Ok(frame.as_it_came(text_of(path, &place, open)?));
    }
    frame.fill(|place, text| {
        let (header, input) = open(place)?;
        let (mut input, mut line) = (Measured::new(input), String::new());
        for number in 0.. {
            line.clear();
            if input.read_line(&mut line).map_err(|error| cannot_open(path, &error))? == 0 {
                break;
            }
            let record = line.strip_suffix('\n').unwrap_or(&line);
            if number > 0 {
                text.push_str(&place.separator);
            }
            match &header.lro.taken {
                Some(taken) => text.push_str(&taken.put_back(number, record)),
                None => text.push_str(record),
            }
        }
        whole(place.file.as_deref().unwrap_or(path), &header, input.end())
    })
}

/// The text of a file.
fn text_of<'a>(path: &str, place: &Place, open: impl Fn(&Place) -> Result<Opened<'a>, Error>) -> Result<String, Error> {
    let (header, mut input) = open(place)?;
    let mut text = String::new();
    input.read_to_string(&mut text).map_err(|error| cannot_open(path, &error))?;
    whole(path, &header, End::of(text.as_bytes()).unwrap_or_default())?;
    Ok(text)
}

/// Refuses a file that was cut, or that something was added to.
fn whole(path: &str, header: &Header, end: End) -> Result<(), Error> {
    match difference(end, header) {
        None => Ok(()),
        Some(reason) => Err(Error::Io(Problem::new(
            format!("cannot rebuild the document of `{path}`: {reason}"),
            "run the tool again; `extract` still reads the records that are there",
        ))),
    }
}

/// Describes a file: header, size, lines, shape, fields with types and examples.
pub fn describe(source: Source<'_>, settings: &str) -> Result<String, Error> {
    describe_within(source, None, &Settings::parse(settings)?, describe::MOST_BYTES)
}

/// [`describe`] in at most so many bytes, for settings that have been read: of the file, or of what an address means in
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
