//! Reads the first line of an offloaded file, and words the errors of opening and reading it.

use std::io::{self, BufRead};

use crate::error::{Error, Problem};
use crate::file::header::{Header, MOST_BYTES};
use crate::file::instant;
use crate::settings::Settings;

/// The header of a file, and how many bytes its line has, newline included.
pub fn header_of(path: &str, input: impl BufRead, settings: &Settings) -> Result<(Header, u64), Error> {
    let mut line = Vec::new();
    let most = u64::try_from(MOST_BYTES).unwrap_or(u64::MAX);
    let bytes = input.take(most).read_until(b'\n', &mut line).map_err(|error| cannot_open(path, &error))?;
    match Header::parse(&line, &settings.header_type) {
        Some(header) => match header.expires(settings.ttl_seconds) {
            Some(expires) if settings.now.is_some_and(|now| now >= expires) => Err(expired(path, expires)),
            _ => Ok((header, bytes as u64)),
        },
        None => Err(Error::NotAnOffload(Problem::new(
            format!("cannot open `{path}`: its first line is not the header of an offloaded file"),
            "pass the file_path of a response, unchanged",
        ))),
    }
}

/// The error of a file that is past its time, and still there because nothing has swept it yet (EXTRACT-19).
fn expired(path: &str, expires: u64) -> Error {
    Error::NotFound(Problem::new(
        format!("cannot open `{path}`: it expired at {}", instant::timestamp_to_the_second(expires)),
        "run the tool again to get a fresh file_path; `lro keep` puts a file aside for good, and `ttl_seconds` lets files \
         live longer",
    ))
}

/// The error of a file that could not be opened or read.
pub fn cannot_open(path: &str, error: &io::Error) -> Error {
    let problem = |reason: &str, hint: &str| Problem::new(format!("cannot open `{path}`: {reason}"), hint);
    // A reader that has used up the budget says so itself.
    if let Some(error) = error.get_ref().and_then(|error| error.downcast_ref::<Error>()) {
        return error.clone();
    }
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
