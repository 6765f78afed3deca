//! Lines before a hit.

use std::io::{self, BufRead, Read};

use super::line_at;
use crate::documents::reader::clip;
use crate::error::Error;

/// So much is read at once to find the lines before a part: a few lines of usual length.
const BACK_BYTES: u64 = 64 << 10;

/// Enough bytes of a line to show its front: a character has at most four, and one more tells that the line is cut.
const FRONT_BYTES: u64 = 4 * (clip::MOST_CHARACTERS as u64 + 1);

/// A line before a hit, as it is shown.
#[derive(Debug)]
pub(super) struct Lead {
    pub(super) text: String,
    pub(super) offset: u64,
}

/// The last of the lines that begin at a byte of the file: at most so many, in the order of the file.
pub(super) fn last(lines: &[u8], offset: u64, most: usize) -> Vec<Lead> {
    let mut leads = Vec::new();
    let mut end = lines.len();
    while leads.len() < most && end > 0 {
        let start = memchr::memrchr(b'\n', &lines[..end - 1]).map_or(0, |newline| newline + 1);
        let (line, _) = line_at(&lines[..end], start);
        let text = clip::front(line, clip::MOST_CHARACTERS);
        leads.push(Lead { text, offset: offset + start as u64 });
        end = start;
    }
    leads.reverse();
    leads
}

/// The last lines between the origin of the lines and a place in the file where one begins. However long they are, only their
/// fronts are held.
pub(super) fn before<R: BufRead>(
    place: u64,
    origin: u64,
    most: usize,
    open: &impl Fn(u64) -> Result<R, Error>,
    failed: &impl Fn(io::Error) -> Error,
) -> Result<Vec<Lead>, Error> {
    let read = |from: u64, bytes: u64| {
        let mut read = Vec::new();
        open(from)?.take(bytes).read_to_end(&mut read).map_err(failed)?;
        Ok(read)
    };
    let mut starts = Vec::new();
    // The byte before the place ends the last line.
    let mut end = place - 1;
    while starts.len() < most && end > origin {
        let from = end.saturating_sub(BACK_BYTES).max(origin);
        let newlines = read(from, end - from)?;
        let found = memchr::memrchr_iter(b'\n', &newlines).map(|newline| from + newline as u64 + 1);
        starts.extend(found.take(most - starts.len()));
        end = from;
    }
    if starts.len() < most {
        starts.push(origin);
    }
    let front = |start: u64| {
        let line = read(start, FRONT_BYTES.min(place - start))?;
        let text = clip::front(line_at(&line, 0).0, clip::MOST_CHARACTERS);
        Ok(Lead { text, offset: start })
    };
    starts.into_iter().rev().map(front).collect()
}
