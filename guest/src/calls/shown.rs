//! A payload that the host shows as a file. Passed as a text, it is held by the host and the component.

use std::fmt::Display;
use std::io::{self, BufRead, ErrorKind};

use crate::disk::{self, Directory};
use crate::error::{Error, Problem};
use crate::settings::Settings;
use crate::settings::request;

/// Its name in the output directory. A request cannot give another one: it could be that of somebody's result.
const NAME: &str = ".payload";

/// The payload: the text that was passed, or the bytes of the file.
#[derive(Debug)]
pub(super) enum Payload<'a> {
    Passed(&'a str),
    Shown(Vec<u8>),
}

impl<'a> Payload<'a> {
    /// Reads the file if the request has one.
    pub(super) fn of(passed: &'a str, request: &request::Offload, settings: &Settings) -> Result<Self, Error> {
        let Some(bytes) = request.payload_bytes else { return Ok(Self::Passed(passed)) };
        let open = || Directory::open(&settings.output_dir)?.read_shown(NAME);
        open().and_then(|file| whole(file, bytes)).map(Self::Shown).map_err(|error| match error.kind() {
            ErrorKind::OutOfMemory => too_large(bytes, settings),
            _ => unreadable(&error),
        })
    }

    /// Its text.
    pub(super) fn text(&self) -> Result<&str, Error> {
        match self {
            Self::Passed(text) => Ok(text),
            Self::Shown(bytes) => simdutf8::basic::from_utf8(bytes).map_err(|_| unreadable(&"it is not UTF-8")),
        }
    }
}

fn unreadable(reason: &dyn Display) -> Error {
    let message = format!("cannot read the payload, `{NAME}` in the output directory: {reason}");
    Error::Io(Problem::new(message, "pass the text as `payload`, and leave out `payload_bytes`"))
}

/// The bytes of a file that should have so many.
fn whole(mut file: impl BufRead, bytes: u64) -> io::Result<Vec<u8>> {
    let other_size = || io::Error::new(ErrorKind::InvalidData, format!("it does not have {bytes} bytes"));
    let length = usize::try_from(bytes).map_err(|_| ErrorKind::OutOfMemory)?;
    let mut payload = Vec::new();
    payload.try_reserve_exact(length).map_err(|_| ErrorKind::OutOfMemory)?;
    loop {
        let block = file.fill_buf()?;
        let read = block.len();
        if read == 0 {
            break;
        }
        if read > length - payload.len() {
            return Err(other_size());
        }
        payload.extend_from_slice(block);
        file.consume(read);
    }
    if payload.len() < length {
        return Err(other_size());
    }
    Ok(payload)
}

fn too_large(bytes: u64, settings: &Settings) -> Error {
    let most = settings.offload_budget(bytes, disk::gauge).memory_bytes >> 20;
    let message = format!("cannot read the payload: it has {bytes} bytes, and the component may hold {most} MiB");
    let problem = Problem::new(message, "ask the tool for less at once");
    Error::LimitReached { problem, limit: "max_memory_mib", value: u32::try_from(most).unwrap_or(u32::MAX) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_payload_is_read_whole_or_not_at_all() {
        let long = "é".repeat(100_000);
        for (bytes, length, expected) in [
            (long.as_bytes(), 200_000, Ok(long.as_bytes())),
            (b"", 0, Ok(b"".as_slice())),
            (b"ab", 1, Err("it does not have 1 bytes")),
            (b"ab", 3, Err("it does not have 3 bytes")),
        ] {
            let found = whole(io::BufReader::with_capacity(1000, bytes), length).map_err(|error| error.to_string());
            assert_eq!(found.as_deref().map_err(String::as_str), expected);
        }
        assert_eq!(whole(io::empty(), u64::MAX).unwrap_err().kind(), ErrorKind::OutOfMemory);
    }

    #[test]
    fn a_payload_that_cannot_be_read_says_what_to_do() {
        let (settings, without) = (Settings::default(), request::Offload::default());
        assert_eq!(Payload::of("passed", &without, &settings).unwrap().text().unwrap(), "passed");
        let expected = "cannot read the payload, `.payload` in the output directory: it is not UTF-8";
        assert_eq!(Payload::Shown(b"a\xff".to_vec()).text().unwrap_err().message(), expected);
        let request = request::Offload { payload_bytes: Some(1), ..without };
        let settings = Settings { output_dir: "/nowhere/at/all".to_owned(), ..settings };
        let error = Payload::of("", &request, &settings).unwrap_err();
        assert!(
            error.message().starts_with("cannot read the payload, `.payload` in the output directory: "),
            "{error:?}"
        );
        assert_eq!(too_large(4_000_000_000, &settings).case(), "limit-reached");
    }
}
