//! Standard output and standard error. A reader of results that stops reading ends the command without a word; one of
//! complaints changes nothing.

use std::io::{self, Write};

use super::failure::Failure;

/// Writes all bytes and flushes them.
pub(super) fn write(bytes: &[u8]) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    out.write_all(bytes).and_then(|()| out.flush()).map_err(failure)
}

/// Writes a line.
pub(super) fn line(text: &str) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    writeln!(out, "{text}").and_then(|()| out.flush()).map_err(failure)
}

/// Writes a line on standard error, as ours.
pub(super) fn remark(text: &str) {
    // Who closes standard error does not want to know.
    let _ = writeln!(io::stderr(), "lro: {text}");
}

fn failure(error: io::Error) -> Failure {
    match error.kind() {
        io::ErrorKind::BrokenPipe => Failure::ReaderGone,
        _ => Failure::file("write to standard output", error),
    }
}
