//! The rest of a long line, of which the pages before show a part: only so much of it is read as a page needs.

use std::io::{self, BufRead, Read};

use super::Page;
use super::line::{Line, Measured};
use crate::documents::reader::clip;
use crate::error::Error;
use crate::file::metered::used_up;

/// So much of the line is read at first: fifty hits of 400 characters, and some text between them.
const WINDOW_BYTES: usize = 64 << 10;

/// A match is shown with at most so many bytes before it and behind it, one of which tells that more follows. A character has
/// at most four.
const CLIP_BYTES: usize = 4 * (clip::MOST_CHARACTERS + 1);

impl Page<'_> {
    /// Goes on within a line, at the place of the page. Lines begin at `origin`.
    pub(in crate::documents::reader::search) fn go_on_in_line<R: BufRead>(
        &mut self,
        origin: u64,
        open: &impl Fn(u64) -> Result<R, Error>,
        failed: &impl Fn(io::Error) -> Error,
    ) -> Result<(), Error> {
        let pattern = self.pattern;
        let mut window = Window::open(self.place.offset, origin, open, failed)?;
        let mut from = window.bytes.len();
        let mut measured = Measured { byte: from, characters: self.place.before };
        while !window.is_whole {
            // Without a bound on a match, only the end of the line tells where it ends.
            let bytes = pattern.most_bytes().map_or(usize::MAX, |_| window.bytes.len().max(WINDOW_BYTES));
            window.grow(bytes).map_err(failed)?;
            let line = window.line();
            let rest = line.bytes.get(from..).unwrap_or_default();
            pattern.check(rest).map_err(|cause| used_up(self.name, cause))?;
            let matcher = pattern.in_line(line.bytes);
            while from < line.bytes.len()
                && let Some(found) = matcher.find_next(from).map_err(|cause| used_up(self.name, cause))?
            {
                let least = found.start.saturating_add(pattern.most_bytes().unwrap_or_default()).max(found.end);
                if !window.is_whole && least.saturating_add(2 * CLIP_BYTES) > line.bytes.len() {
                    // More of the line may make it longer, or shows more of what is around it.
                    break;
                }
                if self.ends_for_want_of_time(&line, from, &mut measured) {
                    return Ok(());
                }
                from = self.take_match(&line, &found, from, &mut measured);
                if self.is_done() {
                    return Ok(());
                }
            }
        }
        self.place.offset = window.offset + window.bytes.len() as u64;
        self.place.line += 1;
        self.place.before = 0;
        Ok(())
    }
}

/// A part of a line that grows towards its end.
struct Window<R> {
    input: R,
    bytes: Vec<u8>,
    /// The byte of the file at which it begins.
    offset: u64,
    /// It has the end of the line.
    is_whole: bool,
}

impl<R: BufRead> Window<R> {
    /// What is before a place of the line, as far as a hit behind it can show it.
    fn open(
        place: u64,
        origin: u64,
        open: &impl Fn(u64) -> Result<R, Error>,
        failed: &impl Fn(io::Error) -> Error,
    ) -> Result<Self, Error> {
        let before = place.saturating_sub(origin).min(CLIP_BYTES as u64);
        let mut input = open(place - before)?;
        let mut bytes = Vec::new();
        input.by_ref().take(before).read_to_end(&mut bytes).map_err(failed)?;
        let begin = memchr::memrchr(b'\n', &bytes).map_or(0, |newline| newline + 1);
        bytes.drain(..begin);
        Ok(Self { input, bytes, offset: place - before + begin as u64, is_whole: false })
    }

    /// Reads so many bytes more, or up to the end of the line.
    fn grow(&mut self, bytes: usize) -> io::Result<()> {
        let most = bytes as u64;
        let read = self.input.by_ref().take(most).read_until(b'\n', &mut self.bytes)? as u64;
        self.is_whole = read < most || self.bytes.ends_with(b"\n");
        Ok(())
    }

    /// What there is of the line, without its end.
    fn line(&self) -> Line<'_> {
        let bytes = match self.is_whole {
            true => super::line_at(&self.bytes, 0).0,
            false => &self.bytes,
        };
        Line { bytes, offset: self.offset }
    }
}
