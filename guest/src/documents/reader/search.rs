//! The lines of a file that match, with the lines around them, a page at a time (READ-10, GATE-14).

mod leads;
mod page;

use std::io::{self, BufRead};

use lro_query::Budget;

use self::page::Page;
use super::blocks::Blocks;
use super::findings::{Findings, no_match};
use super::pattern::{self, Pattern};
use super::token::{self, Owner};
use super::{Origin, tried};
use crate::error::Error;
use crate::file::header::Header;
use crate::file::kind::Kind;
use crate::file::metered::used_up;
use crate::file::reading::{cannot_open, header_of};
use crate::settings::Settings;
use crate::settings::request::Search;

/// Searches what `open` opens at a byte of the file.
pub fn search_from<R: BufRead>(
    name: &str,
    open: impl Fn(u64) -> Result<R, Error>,
    request: &Search,
    settings: &Settings,
) -> Result<Findings, Error> {
    let pattern = match Pattern::new(request, settings.max_filter_bytes) {
        Ok(pattern) => pattern,
        Err(error) => {
            let header = open(0).and_then(|input| header_of(name, input, settings));
            let kind = header.map_or(Kind::Text, |(header, _)| header.lro.kind);
            return Err(pattern::of_glob(error, request, kind));
        }
    };
    let (header, header_bytes) = header_of(name, open(0)?, settings)?;
    let origin = Origin::of(&header, header_bytes, request.header == Some(true));
    let failed = |error| cannot_open(name, &error);
    let owner = owner(name, &header, request);
    let start = Place::of(request, origin, &open, &failed, &owner)?;
    let mut page = Page::new(name, &pattern, request, start);
    let until = request.part.and_then(|part| part.until);
    if until.is_some_and(|until| start.offset >= until) {
        // No line begins in the part, though the rest of a long one may be in it.
        page.is_end = true;
        return Ok(page.findings(request, &owner));
    }
    if start.before > 0 {
        page.go_on_in_line(origin.offset, &open, &failed)?;
        if page.is_done() {
            return Ok(page.findings(request, &owner));
        }
    }
    let start = page.place();
    // Lines before the part are not read where nothing follows.
    let mut before = request.lines_before_part().filter(|most| *most > 0 && start.offset > origin.offset);
    let mut blocks = Blocks::new(open(start.offset)?, pattern.piece_bytes());
    let mut at = start.offset;
    // Bytes that were searched since the clock was read.
    let mut ahead = 0;
    loop {
        let block = blocks.next().map_err(failed)?;
        let (own, behind) = block.split_at(own_bytes(block, at, until));
        let begin = at;
        at += block.len() as u64;
        if !own.is_empty() {
            ahead += own.len();
            let is_time = if ahead < pattern.piece_bytes() { Ok(()) } else { Budget::look() };
            is_time.and_then(|()| pattern.check(own)).map_err(|cause| used_up(name, cause))?;
            ahead %= pattern.piece_bytes();
            if let Some(most) = before.take() {
                page.leads = leads::before(start.offset, origin.offset, most, &open, &failed)?;
            }
            page.look_through(own, begin)?;
            if page.is_done() {
                break;
            }
        }
        let is_end_of_part = !behind.is_empty() || until.is_some_and(|until| at >= until);
        page.is_end = block.is_empty() || is_end_of_part;
        if page.is_end && (block.is_empty() || !page.goes_on(behind)?) {
            break;
        }
    }
    let mut findings = page.findings(request, &owner);
    if until.is_none() {
        findings.remarks.extend(request.lowered());
        if findings.total == Some(0) {
            findings.remarks.extend(no_match(request, origin));
            let most_bytes = settings.max_filter_bytes;
            findings.remarks.extend(tried::remarks(request, origin, header.lro.kind, most_bytes, &open));
        } else if request.next.is_none() {
            let told = tried::of_brackets(request, origin, settings.max_filter_bytes, &open);
            findings.remarks.extend(told.map(|(told, _)| told));
        }
    }
    Ok(findings)
}

/// Counts the lines of a text that match. `None` if the pattern is not valid, or if time runs out.
pub(super) fn count_in(text: &[u8], request: &Search, most_bytes: u32) -> Option<u32> {
    let request = Search { counts_only: true, next: None, part: None, so_far: None, ..request.clone() };
    let pattern = Pattern::new(&request, most_bytes).ok()?;
    let mut page = Page::new("", &pattern, &request, Place { line: 1, offset: 0, before: 0, done: 0, total: None });
    let mut blocks = Blocks::new(text, pattern.piece_bytes());
    let mut at = 0;
    loop {
        let block = blocks.next().ok()?;
        if block.is_empty() {
            break;
        }
        Budget::look().and_then(|()| pattern.check(block)).ok()?;
        page.look_through(block, at).ok()?;
        at += block.len() as u64;
    }
    page.is_end = true;
    page.matching_lines(&request)
}

/// What the tokens of a search belong to. Lines around the hits, and how many of them a page has, may change between pages.
fn owner(name: &str, header: &Header, request: &Search) -> Owner {
    let switches = [(request.ignore_case, "i"), (request.literal, "l")];
    let switches: String = switches.iter().filter(|(is_on, _)| *is_on == Some(true)).map(|(_, name)| *name).collect();
    Owner::of(name, header).and(&request.pattern).and(&switches)
}

/// How much of a block of whole lines, which begins at a byte of the file, are lines that begin before a part's end.
fn own_bytes(block: &[u8], at: u64, until: Option<u64>) -> usize {
    let left = until.map_or(u64::MAX, |until| until.saturating_sub(at));
    match usize::try_from(left).ok().filter(|left| *left < block.len()) {
        None => block.len(),
        Some(0) => 0,
        Some(left) => memchr::memchr(b'\n', &block[left - 1..]).map_or(block.len(), |newline| left + newline),
    }
}

/// Where a page begins.
#[derive(Debug, Clone, Copy)]
struct Place {
    /// The number of the line there.
    line: u64,
    /// The byte of the file: the first of the line, or one within it.
    offset: u64,
    /// Characters of the line before that byte; 0 if the line begins there.
    before: u64,
    /// Hits on the pages before.
    done: u64,
    /// Hits in all, if they have been counted.
    total: Option<u64>,
}

impl Place {
    fn of<R: BufRead>(
        request: &Search,
        origin: Origin,
        open: &impl Fn(u64) -> Result<R, Error>,
        failed: &impl Fn(io::Error) -> Error,
        owner: &Owner,
    ) -> Result<Self, Error> {
        let Some(next) = &request.next else {
            let so_far = request.so_far.unwrap_or_default();
            let part = request.part.unwrap_or_default();
            let from = part.from.unwrap_or_default();
            let offset = match from > origin.offset {
                true => first_line(from, part.until, open(from - 1)?).map_err(failed)?,
                false => origin.offset,
            };
            return Ok(Self {
                line: u64::from(so_far.lines) + 1,
                offset,
                before: 0,
                done: so_far.hits.into(),
                total: so_far.total.map(u64::from),
            });
        };
        let (_, [line, offset, before, done, total]) = token::read("search", next, &['s'], owner)?;
        if line == 0 || offset < origin.offset {
            return Err(token::wrong("search"));
        }
        let begins_a_line =
            offset == origin.offset || open(offset - 1)?.fill_buf().map_err(failed)?.first() == Some(&b'\n');
        if begins_a_line != (before == 0) {
            return Err(token::wrong("search"));
        }
        // 0 stands for a number that is not known.
        Ok(Self { line, offset, before, done, total: total.checked_sub(1) })
    }
}

/// Where the first line begins at or after a byte of the file, of which `before` begins one byte earlier. If no line begins
/// before the end of the part, it does not matter where.
fn first_line(from: u64, until: Option<u64>, mut before: impl BufRead) -> io::Result<u64> {
    let mut at = from - 1;
    while until.is_none_or(|until| at < until) {
        let block = before.fill_buf()?;
        if block.is_empty() {
            break;
        }
        if let Some(newline) = memchr::memchr(b'\n', block) {
            return Ok(at + newline as u64 + 1);
        }
        let bytes = block.len();
        before.consume(bytes);
        at += bytes as u64;
    }
    Ok(at)
}

/// A line without its end, and where the next one begins.
fn line_at(lines: &[u8], start: usize) -> (&[u8], usize) {
    let end = memchr::memchr(b'\n', &lines[start..]).map_or(lines.len(), |newline| start + newline);
    let line = &lines[start..end];
    (line.strip_suffix(b"\r").unwrap_or(line), (end + 1).min(lines.len()))
}
