//! The hits of one line: several where it is long.

use std::ops::Range;

use lro_query::Budget;

use super::{LEAST_CLIP, Page, position};
use crate::documents::reader::characters;
use crate::documents::reader::clip::{self, Clip};
use crate::documents::reader::findings::Hit;
use crate::documents::reader::search::Place;
use crate::error::Error;
use crate::file::metered::used_up;

/// When this share of the time has passed, a page that has a hit ends in the middle of a long line, and what follows is not
/// counted. Our hosts wait a fifth of what the component allows itself, so this is half of what they wait.
const PATIENCE: u64 = 10;

/// A line, or as much of a long one as is at hand.
pub(super) struct Line<'a> {
    pub(super) bytes: &'a [u8],
    /// The byte of the file at which they begin.
    pub(super) offset: u64,
}

/// A place in a line whose characters have been counted.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Measured {
    /// The byte of what is at hand.
    pub(super) byte: usize,
    /// So many characters of the line are before it.
    pub(super) characters: u64,
}

impl Measured {
    /// Moves to a place, and returns how many characters are before it. Only what lies between is counted, so all hits of a
    /// line together cost its length, and not each of them.
    fn move_to(&mut self, line: &[u8], place: usize) -> u64 {
        let between = |range: Range<usize>| characters::count(&line[range]) as u64;
        self.characters = match place >= self.byte {
            true => self.characters.saturating_add(between(self.byte..place)),
            false => self.characters.saturating_sub(between(place..self.byte)),
        };
        self.byte = place;
        self.characters
    }
}

impl Page<'_> {
    /// Takes a line that matches: one hit, or several where it is long.
    pub(super) fn take(&mut self, line: &[u8], first: Range<usize>) -> Result<(), Error> {
        let line = Line { bytes: line, offset: self.place.offset };
        let matcher = self.pattern.in_line(line.bytes);
        let mut measured = Measured::default();
        let (mut found, mut from) = (first, 0);
        loop {
            from = self.take_match(&line, &found, from, &mut measured);
            if from >= line.bytes.len() || self.is_done() {
                return Ok(());
            }
            let other = matcher.find_next(from).map_err(|cause| used_up(self.name, cause))?;
            let Some(other) = other else { return Ok(()) };
            if line.bytes.len() > self.pattern.piece_bytes() && self.ends_for_want_of_time(&line, from, &mut measured) {
                return Ok(());
            }
            self.in_same_line += 1;
            found = other;
        }
    }

    /// Takes a match of a line that was searched from a place on: a hit of the page, the first of the next page, or one that is
    /// only counted. Returns where the search of the line goes on: behind what the hit shows.
    pub(super) fn take_match(
        &mut self,
        line: &Line<'_>,
        found: &Range<usize>,
        from: usize,
        measured: &mut Measured,
    ) -> usize {
        self.counted += 1;
        let clip = Clip::around(line.bytes, found, clip::MOST_CHARACTERS);
        if self.next.is_none() {
            let place = self.page_after(line, from, measured);
            match self.add(line.bytes, found, &clip, measured) {
                true => self.latest = place,
                false => self.end_before(place),
            }
        }
        clip.bytes.end.max(found.end)
    }

    /// Ends the page before the matches of a line from a place on, if much of the time has passed: an expression may look
    /// through the whole line for each of them. A page that has no hit goes on.
    pub(super) fn ends_for_want_of_time(&mut self, line: &Line<'_>, from: usize, measured: &mut Measured) -> bool {
        if !Budget::has_passed(PATIENCE) || self.next.is_none() && self.hits.is_empty() {
            return false;
        }
        if self.next.is_none() {
            let place = self.page_after(line, from, measured);
            self.end_before(place);
        }
        self.is_counted = false;
        true
    }

    /// Adds a hit to the page. Returns false if the page is full.
    fn add(&mut self, line: &[u8], found: &Range<usize>, clip: &Clip, measured: &mut Measured) -> bool {
        if self.hits.len() == self.most {
            return false;
        }
        let mut clip_of_less = None;
        if let Some(room) = self.room {
            let mut needed = self.cost(&clip.text(line));
            let leads: usize = self.leads.iter().map(|lead| self.cost(&lead.text)).sum();
            if needed + leads > room && !self.hits.is_empty() {
                return false;
            }
            if needed > room {
                // A character is written with six bytes at most, and the first hit is shown in any case.
                let most = (room / 6).clamp(LEAST_CLIP, clip::MOST_CHARACTERS);
                let less = Clip::around(line, found, most);
                needed = self.cost(&less.text(line));
                clip_of_less = Some(less);
            }
            while needed + self.leads.iter().map(|lead| self.cost(&lead.text)).sum::<usize>() > room
                && !self.leads.is_empty()
            {
                self.leads.remove(0);
                self.is_cut = true;
            }
            let leads: usize = self.leads.iter().map(|lead| self.cost(&lead.text)).sum();
            self.room = Some(room.saturating_sub(needed + leads));
        }
        let clip = clip_of_less.as_ref().unwrap_or(clip);
        let mut character_at = |place: usize| position(measured.move_to(line, place).saturating_add(1));
        let start = character_at(clip.bytes.start);
        let character = character_at(found.start);
        self.hits.push(Hit {
            line: position(self.place.line),
            character,
            length: position(characters::count(&line[found.clone()]) as u64),
            text: clip.text(line),
            start,
            before: self.leads.drain(..).map(|lead| lead.text).collect(),
            after: Vec::new(),
        });
        self.pending = self.around.1;
        true
    }

    /// The page that begins with the next match of a line from a place on, and with the lines before it that no hit shows.
    fn page_after(&self, line: &Line<'_>, from: usize, measured: &mut Measured) -> Place {
        let done = self.place.done + self.hits.len() as u64;
        match self.leads.first() {
            _ if from > 0 => {
                // A line that does not begin there has a character before, if only one that is not UTF-8.
                let before = measured.move_to(line.bytes, from).max(1);
                Place { offset: line.offset + from as u64, before, done, total: None, ..self.place }
            }
            Some(lead) => Place {
                line: self.place.line.saturating_sub(self.leads.len() as u64),
                offset: lead.offset,
                before: 0,
                done,
                total: None,
            },
            None => Place { done, total: None, ..self.place },
        }
    }
}
