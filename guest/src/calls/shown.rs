//! A payload that the host shows as a file. Passed as a text, it is held by the host and the component.

use std::borrow::Cow;
use std::io::{self, BufRead, ErrorKind};

use crate::disk::{self, Directory};
use crate::error::{Error, Problem};
use crate::settings::Settings;
use crate::settings::request;

/// Its name in the output directory. A request cannot give another one: it could be that of somebody's result.
const NAME: &str = ".payload";

/// The payload: the text that was passed, or that of the file.
pub(super) fn payload<'a>(
    passed: &'a str,
    request: &request::Offload,
    settings: &Settings,
) -> Result<Cow<'a, str>, Error> {
    let Some(bytes) = request.payload_bytes else { return Ok(passed.into()) };
    let open = || Directory::open(&settings.output_dir)?.read_shown(NAME);
    open().and_then(|file| whole(file, bytes)).map(Cow::Owned).map_err(|error| match error.kind() {
        ErrorKind::OutOfMemory => too_large(bytes, settings),
        _ => {
            let message = format!("cannot read the payload, `{NAME}` in the output directory: {error}");
            Error::Io(Problem::new(message, "pass the text as `payload`, and leave out `payload_bytes`"))
        }
    })
}

/// The text of a file that should have so many bytes.
fn whole(mut file: impl BufRead, bytes: u64) -> io::Result<String> {
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
    String::from_utf8(payload).map_err(|_| io::Error::new(ErrorKind::InvalidData, "it is not UTF-8"))
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
            (long.as_bytes(), 200_000, Ok(long.as_str())),
            (b"", 0, Ok("")),
            (b"ab", 1, Err("it does not have 1 bytes")),
            (b"ab", 3, Err("it does not have 3 bytes")),
            (b"a\xff", 2, Err("it is not UTF-8")),
        ] {
            let found = whole(io::BufReader::with_capacity(1000, bytes), length).map_err(|error| error.to_string());
            assert_eq!(found.as_deref().map_err(String::as_str), expected);
        }
        assert_eq!(whole(io::empty(), u64::MAX).unwrap_err().kind(), ErrorKind::OutOfMemory);
    }

    #[test]
    fn a_payload_that_cannot_be_read_says_what_to_do() {
        let (settings, without) = (Settings::default(), request::Offload::default());
        assert_eq!(payload("passed", &without, &settings).unwrap(), "passed");
        let request = request::Offload { payload_bytes: Some(1), ..without };
        let settings = Settings { output_dir: "/nowhere/at/all".to_owned(), ..settings };
        let error = payload("", &request, &settings).unwrap_err();
        assert!(
            error.message().starts_with("cannot read the payload, `.payload` in the output directory: "),
            "{error:?}"
        );
        assert_eq!(too_large(4_000_000_000, &settings).case(), "limit-reached");
    }
}
