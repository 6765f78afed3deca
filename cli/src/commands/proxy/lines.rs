//! Lines as both sides send them: any bytes, ended by a newline or by the end of the stream. Those that are too long to be
//! held are skipped, and only what is needed for an answer is kept of them.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError, TryLockError};

use crate::outline::Outline;

/// A pipe holds 64 KiB on Linux: one read empties it.
const READ_BYTES: usize = 64 * 1024;

/// Room that is kept from one line to the next. A large result is seldom followed by another one.
const KEPT_BYTES: usize = 1 << 20;

/// What a stream says.
pub(super) enum Said<'a> {
    /// A line with its end; the last one may have none. Whoever keeps it may take it: it is not copied.
    Line(&'a mut Vec<u8>),
    /// A line that is longer than the limit. It is reported once, as soon as it is known whose answer it is, and at its end
    /// at the latest.
    TooLong(&'a Outline),
}

/// Passes each line to `take` until the stream ends or `take` returns false. No more than `most` bytes are held.
pub(super) fn each(stream: impl Read, most: usize, mut take: impl FnMut(Said<'_>) -> bool) -> io::Result<()> {
    let mut stream = BufReader::with_capacity(READ_BYTES, stream);
    let mut line = Line { most, ..Line::default() };
    loop {
        let is_last = line.read(&mut stream)? == 0;
        if !line.tell(is_last, &mut take) || is_last {
            return Ok(());
        }
    }
}

/// The line that is being read.
#[derive(Default)]
struct Line {
    most: usize,
    bytes: Vec<u8>,
    has_ended: bool,
    /// What is kept of it instead, when it is too long.
    outline: Option<Outline>,
    is_told: bool,
}

impl Line {
    /// Reads up to the end of the line, or as much as may be held. Returns the number of bytes.
    fn read(&mut self, stream: &mut impl BufRead) -> io::Result<usize> {
        let room = if self.outline.is_some() { READ_BYTES } else { self.most + 1 - self.bytes.len() };
        let read = stream.take(room as u64).read_until(b'\n', &mut self.bytes)?;
        self.has_ended = self.bytes.ends_with(b"\n");
        if self.outline.is_some() || self.bytes.len() > self.most {
            self.outline.get_or_insert_default().add(&self.bytes);
            self.bytes.clear();
        }
        Ok(read)
    }

    /// Passes on what is complete, and starts a new line at the end of one. Returns what `take` returned.
    fn tell(&mut self, is_last: bool, take: &mut impl FnMut(Said<'_>) -> bool) -> bool {
        let (mut goes_on, is_end) = (true, is_last || self.has_ended);
        match &self.outline {
            Some(outline) if !self.is_told && (is_end || outline.is_enough()) => {
                self.is_told = true;
                goes_on = take(Said::TooLong(outline));
            }
            None if is_end && !self.bytes.is_empty() => goes_on = take(Said::Line(&mut self.bytes)),
            _ => {}
        }
        if is_end {
            self.bytes.clear();
            self.bytes.shrink_to(KEPT_BYTES);
            (self.outline, self.is_told) = (None, false);
        }
        goes_on
    }
}

/// A stream to which any thread writes whole lines.
pub(super) struct Sink<W> {
    stream: Mutex<Option<W>>,
    is_closing: AtomicBool,
    /// What is done about the one line that cannot be written.
    lost: fn(&io::Error),
}

impl<W: Write> Sink<W> {
    pub(super) fn new(stream: W) -> Self {
        Self { stream: Mutex::new(Some(stream)), is_closing: AtomicBool::new(false), lost: |_| () }
    }

    /// The same, and `lost` is told why a line cannot be written.
    pub(super) fn telling(self, lost: fn(&io::Error)) -> Self {
        Self { lost, ..self }
    }

    /// Writes a line and flushes it. False if the reader has gone.
    pub(super) fn write(&self, line: &[u8]) -> bool {
        let mut stream = self.stream.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(open) = stream.as_mut() else { return false };
        let written = open.write_all(line).and_then(|()| open.flush());
        if written.is_err() {
            *stream = None;
        }
        drop(stream);
        self.close_if_asked();
        written.inspect_err(self.lost).is_ok()
    }

    /// Ends the stream, for its reader to see, once the line that is being written has been. This never waits.
    pub(super) fn close(&self) {
        self.is_closing.store(true, Ordering::SeqCst);
        self.close_if_asked();
    }

    /// Waits until the stream is free.
    fn close_if_asked(&self) {
        let free: Option<MutexGuard<'_, _>> = match self.stream.try_lock() {
            Ok(stream) => Some(stream),
            Err(TryLockError::Poisoned(stream)) => Some(stream.into_inner()),
            Err(TryLockError::WouldBlock) => None,
        };
        if let Some(mut stream) = free.filter(|_| self.is_closing.load(Ordering::SeqCst)) {
            *stream = None;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Said, Sink, each};

    fn lines(stream: &[u8], most: usize) -> Vec<String> {
        let mut said = Vec::new();
        each(stream, most, |line| {
            said.push(match line {
                Said::Line(line) => String::from_utf8_lossy(line).into_owned(),
                Said::TooLong(outline) => format!("too long: {:?}", outline.id()),
            });
            true
        })
        .unwrap();
        said
    }

    #[test]
    fn lines_keep_their_ends_and_the_last_may_have_none() {
        assert_eq!(lines(b"a\r\n\n\xff\nhalf", 10), ["a\r\n", "\n", "\u{fffd}\n", "half"]);
    }

    #[test]
    fn long_lines_are_skipped_and_told_once() {
        let long = format!("a\n{{\"id\":7,\"result\":\"{}\"}}\nb\n{}", "x".repeat(200_000), "y".repeat(20));
        assert_eq!(lines(long.as_bytes(), 10), ["a\n", "too long: Some(\"7\")", "b\n", "too long: None"]);
        assert_eq!(lines(b"123456789\n1234567890\n", 10), ["123456789\n", "too long: None"]);
    }

    #[test]
    fn nothing_is_written_after_the_end() {
        let sink = Sink::new(Vec::new());
        assert!(sink.write(b"a\n"));
        sink.close();
        assert!(!sink.write(b"b\n"));
    }
}
