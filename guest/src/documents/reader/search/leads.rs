//! Lines before a hit.

use std::io::{self, BufRead, Read};

use super::line_at;
use crate::documents::reader::clip;
use crate::error::Error;

/// So much is read at first to find the lines before a part: a few lines of usual length.
const BACK_BYTES: u64 = 16 << 10;

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

/// The last lines between the origin of the lines and a place where one begins.
pub(super) fn before<R: BufRead>(
    place: u64,
    origin: u64,
    most: usize,
    open: &impl Fn(u64) -> Result<R, Error>,
    failed: &impl Fn(io::Error) -> Error,
) -> Result<Vec<Lead>, Error> {
    let mut back = BACK_BYTES;
    loop {
        let from = place.saturating_sub(back).max(origin);
        let mut bytes = Vec::new();
        open(from)?.take(place - from).read_to_end(&mut bytes).map_err(failed)?;
        let is_all = from == origin;
        let whole = match is_all {
            true => 0,
            false => memchr::memchr(b'\n', &bytes).map_or(bytes.len(), |newline| newline + 1),
        };
        let leads = last(&bytes[whole..], from + whole as u64, most);
        if is_all || leads.len() == most {
            return Ok(leads);
        }
        back *= 8;
    }
}
