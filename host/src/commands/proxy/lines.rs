//! Lines as both sides send them: any bytes, of any length, ended by a newline or by the end of the stream.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::sync::{Mutex, PoisonError};

/// A pipe holds 64 KiB on Linux: one read empties it.
const READ_BYTES: usize = 64 * 1024;

/// Room that is kept from one line to the next. A large result is seldom followed by another one.
const KEPT_BYTES: usize = 1 << 20;

/// Hands out line after line, its end included, until the stream ends or `take` answers false.
pub(super) fn each(stream: impl Read, mut take: impl FnMut(&[u8]) -> bool) -> io::Result<()> {
    let mut stream = BufReader::with_capacity(READ_BYTES, stream);
    let mut line = Vec::new();
    while stream.read_until(b'\n', &mut line)? > 0 {
        if !take(&line) {
            break;
        }
        line.clear();
        line.shrink_to(KEPT_BYTES);
    }
    Ok(())
}

/// Where lines go, each of them whole, from whichever thread.
pub(super) struct Sink<W>(Mutex<Option<W>>);

impl<W: Write> Sink<W> {
    pub(super) fn new(stream: W) -> Self {
        Self(Mutex::new(Some(stream)))
    }

    /// Writes a line and flushes it. False when its reader has gone.
    pub(super) fn write(&self, line: &[u8]) -> bool {
        let mut stream = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(open) = stream.as_mut() else { return false };
        let is_written = open.write_all(line).and_then(|()| open.flush()).is_ok();
        if !is_written {
            *stream = None;
        }
        is_written
    }

    /// Ends the stream, for its reader to see.
    pub(super) fn close(&self) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }
}

#[cfg(test)]
mod tests {
    use super::{Sink, each};

    #[test]
    fn lines_keep_their_ends_and_the_last_may_have_none() {
        let mut lines = Vec::new();
        each(&b"a\r\n\n\xff\nhalf"[..], |line| {
            lines.push(line.to_vec());
            true
        })
        .unwrap();
        assert_eq!(lines, [&b"a\r\n"[..], b"\n", b"\xff\n", b"half"]);
    }

    #[test]
    fn nothing_is_written_after_the_end() {
        let sink = Sink::new(Vec::new());
        assert!(sink.write(b"a\n"));
        sink.close();
        assert!(!sink.write(b"b\n"));
    }
}
