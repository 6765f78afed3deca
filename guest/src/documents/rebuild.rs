//! Rebuilds the document that the records of a file came in (USER-01).

use std::io::{self, BufRead, Read};

use lro_query::End;

use crate::error::{Error, Problem};
use crate::file::completeness::{MeasuredReader, difference};
use crate::file::header::Header;
use crate::file::kind::Kind;
use crate::file::reading::cannot_open;
use crate::payload::frame::{Form, Frame, ListLocation};

/// A file's header, and what follows it.
pub type OpenFile<'a> = (Header, Box<dyn BufRead + 'a>);

/// Rebuilds a document of at most `most` bytes from the readers that `open` returns, positioned after the header.
pub fn rebuild_from<'a>(
    path: &str,
    header: &Header,
    most: usize,
    open: impl Fn(&ListLocation) -> Result<OpenFile<'a>, Error>,
) -> Result<String, Error> {
    let frame = match (&header.lro.document, header.lro.kind) {
        (Some(frame), _) => frame.clone(),
        (None, Kind::Text) => Frame::text(),
        (None, _) => Frame::array(),
    };
    if frame.form == Form::Text || frame.original.is_some() {
        let place = ListLocation { file: frame.original.clone(), ..ListLocation::default() };
        return Ok(frame.as_it_came(text_of(path, &place, most, open)?));
    }
    frame.fill(|place, text| {
        let (header, input) = open(place)?;
        let (mut input, mut line) = (MeasuredReader::new(input), String::new());
        for number in 0.. {
            line.clear();
            if input.read_line(&mut line).map_err(|error| cannot_open(path, &error))? == 0 {
                break;
            }
            let record = line.strip_suffix('\n').unwrap_or(&line);
            if record.len() > most - text.len().min(most) {
                return Err(too_large(path, most));
            }
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
fn text_of<'a>(
    path: &str,
    place: &ListLocation,
    most: usize,
    open: impl Fn(&ListLocation) -> Result<OpenFile<'a>, Error>,
) -> Result<String, Error> {
    let (header, input) = open(place)?;
    let (mut bytes, beyond) = (Vec::new(), (most as u64).saturating_add(1));
    input.take(beyond).read_to_end(&mut bytes).map_err(|error| cannot_open(path, &error))?;
    if bytes.len() > most {
        return Err(too_large(path, most));
    }
    let invalid = |error| cannot_open(path, &io::Error::new(io::ErrorKind::InvalidData, error));
    let text = String::from_utf8(bytes).map_err(invalid)?;
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

/// A document that is larger than is wanted.
fn too_large(path: &str, most: usize) -> Error {
    Error::LimitReached {
        problem: Problem::new(
            format!("cannot rebuild the document of `{path}`: it has more than {most} bytes"),
            "ask for less of it",
        ),
        limit: "max_argument_bytes",
        value: u32::try_from(most).unwrap_or(u32::MAX),
    }
}

/// A document whose files are not all there.
pub fn incomplete(path: &str, file: &str, error: Error) -> Error {
    match error {
        Error::NotFound(_) => Error::NotFound(Problem::new(
            format!("cannot rebuild the document of `{path}`: its file `{file}` is missing"),
            "it has expired, or writing the document was interrupted: run the tool again",
        )),
        error => error,
    }
}
