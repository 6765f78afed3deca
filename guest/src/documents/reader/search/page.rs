//! A page of hits while it is filled.

mod line;
mod rest;

use std::ops::Range;

use lro_query::Needles;

use super::leads::{self, Lead};
use super::{Place, line_at, own_bytes};
use crate::documents::reader::characters;
use crate::documents::reader::clip;
use crate::documents::reader::findings::{Findings, Hit};
use crate::documents::reader::pattern::{Pattern, Strategy};
use crate::documents::reader::required::Required;
use crate::documents::reader::token::{self, Owner};
use crate::error::Error;
use crate::file::metered::used_up;
use crate::settings::request::Search;

/// A line of an answer to a model has its number before its text, and quotes around both.
const NUMBERED_BYTES: usize = 24;

/// Hits after a full page are counted in the lines that begin within so many bytes of it, for which the slowest expressions
/// take a second. If the pattern requires a text, which is fast to find, they are counted in the whole file.
const COUNTED_BYTES: u64 = 8 << 20;

/// A clip that has to be smaller than usual has no fewer characters.
const LEAST_CLIP: usize = 40;

/// A page at work.
pub(super) struct Page<'a> {
    name: &'a str,
    pattern: &'a Pattern,
    around: (usize, usize),
    most: usize,
    /// Bytes that are left, if they are bounded.
    room: Option<usize>,
    is_written: bool,
    /// Where the lines that come next are.
    place: Place,
    hits: Vec<Hit>,
    /// So many lines after the latest hit are still to be shown.
    pending: usize,
    /// The last line that hits of the parts before show.
    shown: u64,
    /// The latest lines that no hit shows.
    pub(super) leads: Vec<Lead>,
    /// Lines around a hit were left out.
    is_cut: bool,
    /// Where the next page begins: this one is full.
    next: Option<Place>,
    /// Where it begins if the latest hit is moved to it.
    latest: Place,
    /// Hits from the start of the page on.
    counted: u64,
    /// Those of them that are in the line of the hit before.
    in_same_line: u64,
    /// When the page is full, they are counted in the lines that begin before this byte.
    counted_to: u64,
    /// So many bytes behind the line that did not fit.
    most_counted: u64,
    /// Nothing has been left out.
    is_counted: bool,
    /// The file has been searched to its end, or to that of the part.
    pub(super) is_end: bool,
}

impl<'a> Page<'a> {
    pub(super) fn new(name: &'a str, pattern: &'a Pattern, request: &Search, place: Place) -> Self {
        let is_part = request.part.is_some_and(|part| part.until.is_some());
        Self {
            name,
            pattern,
            around: request.around(),
            most: request.most_hits(),
            room: request.max_bytes.map(|bytes| bytes as usize),
            is_written: request.bounds_the_answer,
            place,
            hits: Vec::new(),
            pending: 0,
            shown: request.so_far.unwrap_or_default().shown.into(),
            leads: Vec::new(),
            is_cut: false,
            next: None,
            latest: place,
            counted: 0,
            in_same_line: 0,
            counted_to: 0,
            // What an earlier page did not count is not counted again. Parts together would count all of the file.
            most_counted: match (&request.next, pattern.requires_a_text()) {
                _ if request.counts_only => u64::MAX,
                (Some(_), _) => 0,
                (None, true) => u64::MAX,
                (None, false) if is_part => 0,
                (None, false) => COUNTED_BYTES,
            },
            is_counted: true,
            is_end: false,
        }
    }

    /// Where the lines that come next are.
    pub(super) fn place(&self) -> Place {
        self.place
    }

    /// True if the page is full, and the hits after it are not counted.
    pub(super) fn is_done(&self) -> bool {
        self.next.is_some() && (self.place.total.is_some() || !self.is_counted)
    }

    /// Searches a block of whole lines, which begins at a byte of the file.
    pub(super) fn look_through(&mut self, block: &[u8], begin: u64) -> Result<(), Error> {
        let counted = own_bytes(block, begin, self.next.map(|_| self.counted_to));
        self.is_counted = counted == block.len();
        let block = &block[..counted];
        let (mut at, mut from) = (0, 0);
        let strategy = self.pattern.strategy(block);
        if self.next.is_some()
            && let Strategy::Required(Required { needles, is_all: true, .. }) = strategy
        {
            return self.count(needles, block);
        }
        while from < block.len()
            && let Some((start, within)) = self.next_match(&strategy, block, from)
        {
            let (line, end) = line_at(block, start);
            from = end;
            if let Some(within) = within {
                self.pass(&block[at..start]);
                self.take(line, within)?;
                self.advance(&block[start..end]);
                at = end;
            }
            if self.is_done() {
                return Ok(());
            }
        }
        self.pass(&block[at..]);
        Ok(())
    }

    /// The next line that may match, at or after a place that begins one: where it begins, and the match in it.
    fn next_match(&self, strategy: &Strategy<'_>, lines: &[u8], from: usize) -> Option<(usize, Option<Range<usize>>)> {
        let found = self.pattern.find_in_lines(strategy, lines, from)?;
        if found.start == lines.len() && lines.ends_with(b"\n") {
            // Nothing is behind the end of the last line.
            return None;
        }
        let start = memchr::memrchr(b'\n', &lines[from..found.start]).map_or(from, |newline| from + newline + 1);
        let (line, _) = line_at(lines, start);
        let within = found.start - start..found.end - start;
        // What goes beyond the line is its carriage return: the line is matched again without.
        let within = if within.end <= line.len() { Some(within) } else { self.pattern.find_in(line) };
        Some((start, within))
    }

    /// Counts hits in lines: each that has one of the needles, where nothing else is asked for.
    fn count(&mut self, needles: &Needles, lines: &[u8]) -> Result<(), Error> {
        let mut from = 0;
        while let Some(place) = needles.find(lines, from) {
            let start = memchr::memrchr(b'\n', &lines[from..place]).map_or(from, |newline| from + newline + 1);
            let (line, end) = line_at(lines, start);
            // A character has a byte at least.
            if line.len() <= clip::MOST_CHARACTERS {
                self.counted += 1;
            } else if let Some(found) = self.pattern.find_in(line) {
                self.take(line, found)?;
                if self.is_done() {
                    return Ok(());
                }
            }
            from = end;
        }
        Ok(())
    }

    /// Goes on behind a line.
    fn advance(&mut self, line: &[u8]) {
        self.place.line += 1;
        self.place.offset += line.len() as u64;
    }

    /// Passes lines that do not match: the first of them may be shown after a hit, the last ones before another.
    fn pass(&mut self, lines: &[u8]) {
        let mut rest = lines;
        if self.next.is_some() {
            return;
        }
        while self.pending > 0 && !rest.is_empty() {
            let (line, end) = line_at(rest, 0);
            if !self.show_after(clip::front(line, clip::MOST_CHARACTERS)) {
                break;
            }
            self.advance(&rest[..end]);
            rest = &rest[end..];
        }
        if self.next.is_some() {
            return;
        }
        while self.place.line <= self.shown && !rest.is_empty() {
            let (_, end) = line_at(rest, 0);
            self.advance(&rest[..end]);
            rest = &rest[end..];
        }
        let leads = leads::last(rest, self.place.offset, self.around.0);
        let kept = self.around.0 - leads.len();
        self.leads.drain(..self.leads.len().saturating_sub(kept));
        self.leads.extend(leads);
        let open = usize::from(rest.last().is_some_and(|last| *last != b'\n'));
        self.place.line += (memchr::memchr_iter(b'\n', rest).count() + open) as u64;
        self.place.offset += rest.len() as u64;
    }

    /// Shows lines behind the part after its last hit, up to one that matches. Returns false if no more are to be shown.
    pub(super) fn goes_on(&mut self, lines: &[u8]) -> Result<bool, Error> {
        let mut rest = lines;
        while self.next.is_none() && self.pending > 0 && !rest.is_empty() {
            let (line, end) = line_at(rest, 0);
            let whole = &rest[..end];
            self.pattern.check(whole).map_err(|cause| used_up(self.name, cause))?;
            if matches!(self.next_match(&self.pattern.strategy(whole), whole, 0), Some((_, Some(_)))) {
                return Ok(false);
            }
            self.show_after(clip::front(line, clip::MOST_CHARACTERS));
            rest = &rest[end..];
        }
        Ok(self.next.is_none() && self.pending > 0)
    }

    /// Shows a line after the latest hit. If it does not fit, the hit moves to the next page together with the lines around
    /// it; the first hit of a page stays, and the line is left out. Returns false in both cases.
    fn show_after(&mut self, text: String) -> bool {
        let cost = self.cost(&text);
        if self.room.is_some_and(|room| cost > room) {
            self.pending = 0;
            self.is_cut |= self.hits.len() == 1;
            if self.hits.len() > 1 {
                self.hits.pop();
                self.end_before(self.latest);
            }
            return false;
        }
        self.pending -= 1;
        self.room = self.room.map(|room| room - cost);
        self.hits.last_mut().expect("lines are pending after a hit").after.push(text);
        true
    }

    /// Ends the page before a hit, with which the next one begins. What follows is counted.
    fn end_before(&mut self, hit: Place) {
        self.next = Some(hit);
        self.counted_to = self.place.offset.saturating_add(self.most_counted);
        self.is_counted = self.most_counted > 0;
    }

    /// What a line costs of the room.
    fn cost(&self, text: &str) -> usize {
        match self.is_written {
            true => characters::written_bytes(text) + NUMBERED_BYTES,
            false => text.len() + 1,
        }
    }

    /// How many lines have been searched, if it is all of them.
    fn lines(&self, request: &Search) -> Option<u64> {
        let before = request.so_far.unwrap_or_default().lines;
        (self.is_end && self.next.is_none()).then(|| (self.place.line - 1).saturating_sub(before.into()))
    }

    /// Hits in all, if they are known.
    fn total(&self) -> Option<u64> {
        self.place.total.or(self.is_end.then_some(self.place.done + self.counted))
    }

    /// How many lines the hits are in, if it is the first page and all hits are known.
    pub(super) fn matching_lines(&self, request: &Search) -> Option<u32> {
        let is_first = request.next.is_none() && request.so_far.is_none();
        self.total().filter(|_| is_first).map(|total| position(total - self.in_same_line))
    }

    /// What was found, with the token of the next page, which belongs to the file and to what is searched for.
    pub(super) fn findings(self, request: &Search, owner: &Owner) -> Findings {
        let lines = self.lines(request);
        let (total, matching_lines) = (self.total(), self.matching_lines(request));
        let next = self.next.map(|next| {
            let total = total.map_or(0, |total| total + 1);
            token::write('s', &[next.line, next.offset, next.before, next.done, total], owner)
        });
        let cut = "lines around the hits are left out for want of room: ask for fewer with `context`, or read them";
        let remarks = self.is_cut.then(|| cut.to_owned()).into_iter().collect();
        let (total, lines) = (total.map(position), lines.map(position));
        Findings { hits: self.hits, total, lines, next, remarks, matching_lines }
    }
}

fn position(number: u64) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}
