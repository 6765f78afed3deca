//! A passage of a file: a range of its lines or characters, a page at a time (READ-09, GATE-13).

use std::io::{self, BufRead};

use super::token::{self, Owner};
use super::{Origin, base64, characters, counted};
use crate::error::Error;
use crate::file::reading::{cannot_open, header_of};
use crate::settings::Settings;
use crate::settings::request::{Encoding, Lines, MOST_PAGE_BYTES, MOST_PAGE_LINES, Range, Read};

/// What is counted, and the letter of its tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Unit {
    Lines,
    Characters,
}

/// One page of a range.
#[derive(Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct Passage {
    /// The text, or its base64.
    pub text: String,
    /// The first line or character of it; 0 if there is none.
    pub first: u32,
    /// The last one; 0 if there is none.
    pub last: u32,
    /// How many there are in all, if that is known.
    pub total: Option<u32>,
    /// Where the next page begins, if there is one.
    pub next: Option<String>,
    /// What differs from what was asked for.
    pub remarks: Vec<String>,
}

/// Where a page begins, and where its range ends.
#[derive(Debug, Clone, Copy)]
struct Place {
    unit: Unit,
    /// The number of the line or character there.
    number: u64,
    offset: u64,
    /// The last line or character of the range; the largest number for the end of the file.
    last: u64,
}

/// Reads a page from what `open` opens at a byte of the file.
pub fn read_from<R: BufRead>(
    name: &str,
    open: impl Fn(u64) -> Result<R, Error>,
    request: &Read,
    settings: &Settings,
) -> Result<Passage, Error> {
    let (header, header_bytes) = header_of(name, open(0)?, settings)?;
    let counts_header = request.header == Some(true);
    let origin = Origin::of(&header, header_bytes, counts_header);
    let owner = Owner::of(name, &header);
    let mut remarks = Vec::new();
    let place = match &request.next {
        Some(next) => Place::of_token(next, origin, &owner)?,
        None => Place::asked(request, origin, &mut remarks),
    };
    let page_at =
        |place: Place| read_page(&mut open(place.offset)?, place, request).map_err(|error| cannot_open(name, &error));
    let mut page = page_at(place)?;
    if let (Some(Lines::Last(wanted)), None) = (request.lines, &request.next)
        && let Some(found) = page.all().filter(|found| *found < origin.lines.into())
    {
        // A file that is incomplete has fewer lines than its header promises.
        page = page_at(Place { number: last_lines(wanted, found), ..place })?;
    }
    if request.next.is_some() && characters::begin_inside(&page.bytes) {
        return Err(token::wrong("read"));
    }
    Ok(page.passage(origin, request, remarks, &owner))
}

impl Unit {
    fn letter(self) -> char {
        match self {
            Self::Lines => 'l',
            Self::Characters => 'c',
        }
    }

    fn noun(self) -> &'static str {
        match self {
            Self::Lines => "line",
            Self::Characters => "character",
        }
    }

    /// How many of them begin in the bytes.
    fn count(self, bytes: &[u8]) -> u64 {
        match self {
            Self::Lines => memchr::memchr_iter(b'\n', bytes).count() as u64,
            Self::Characters => characters::count(bytes) as u64,
        }
    }

    /// Where so many of them end in the bytes; the length of the bytes if there are fewer.
    fn end_of(self, bytes: &[u8], number: u64) -> usize {
        let number = usize::try_from(number).unwrap_or(usize::MAX);
        match self {
            Self::Lines if number == 0 => 0,
            Self::Lines => memchr::memchr_iter(b'\n', bytes).nth(number - 1).map_or(bytes.len(), |newline| newline + 1),
            // The bytes may begin inside of a character.
            Self::Characters => characters::end_of(bytes, number),
        }
    }
}

impl Place {
    fn asked(request: &Read, origin: Origin, remarks: &mut Vec<String>) -> Self {
        let (unit, range) = match (request.lines, request.characters) {
            (_, Some(range)) => (Unit::Characters, range),
            (Some(Lines::Range(range)), _) => (Unit::Lines, range),
            (Some(Lines::Last(wanted)), _) => {
                let number = last_lines(wanted, origin.lines.into());
                return Self { unit: Unit::Lines, number, offset: origin.offset, last: u64::MAX };
            }
            (None, None) => (Unit::Lines, Range { first: 1, last: None }),
        };
        if range.first == 0 {
            remarks.push(format!("{}s are counted from 1: 0 is taken for 1", unit.noun()));
        }
        let last = range.last.map_or(u64::MAX, u64::from);
        Self { unit, number: u64::from(range.first.max(1)), offset: origin.offset, last }
    }

    fn of_token(token: &str, origin: Origin, owner: &Owner) -> Result<Self, Error> {
        let (letter, [number, offset, last]) = token::read("read", token, &['l', 'c'], owner)?;
        let unit = if letter == 'l' { Unit::Lines } else { Unit::Characters };
        let last = if last == 0 { u64::MAX } else { last };
        if offset < origin.offset || number == 0 || number > last {
            return Err(token::wrong("read"));
        }
        Ok(Self { unit, number, offset, last })
    }
}

/// The number of the first of the last lines of a file.
fn last_lines(wanted: u32, all: u64) -> u64 {
    all.saturating_sub(wanted.into()) + 1
}

/// The bytes of a page, and what is known of the file then.
#[derive(Debug)]
struct Page {
    place: Place,
    bytes: Vec<u8>,
    /// The file ends here.
    is_end: bool,
    /// How many lines or characters were found before the range, if the file ends there.
    ends_before: Option<u64>,
}

fn read_page(input: &mut impl BufRead, mut place: Place, request: &Read) -> io::Result<Page> {
    let mut page = Page { place, bytes: Vec::new(), is_end: false, ends_before: None };
    // A token leads to the place itself.
    if request.next.is_none() {
        let skipped = skip(input, &mut place)?;
        page.place = place;
        if let Some(found) = skipped {
            return Ok(Page { ends_before: Some(found), is_end: true, ..page });
        }
    }
    let most = request.max_bytes.unwrap_or(MOST_PAGE_BYTES).min(MOST_PAGE_BYTES) as usize;
    let room = match (request.encoding, request.bounds_the_answer) {
        (Some(Encoding::Base64), true) => most / 4 * 3,
        _ => most,
    };
    let wanted = place.last - place.number + u64::from(place.last < u64::MAX);
    let wanted = match place.unit {
        Unit::Lines => wanted.min(u64::from(MOST_PAGE_LINES)),
        Unit::Characters => wanted,
    };
    page.is_end = fill(input, place.unit, wanted, room, &mut page.bytes)?;
    let kept = page.kept(wanted, room, request);
    page.is_end &= kept == page.bytes.len();
    page.bytes.truncate(kept);
    Ok(page)
}

/// Skips to the range. Returns how much there is if the file ends before.
fn skip(input: &mut impl BufRead, place: &mut Place) -> io::Result<Option<u64>> {
    let (wanted, mut found) = (place.number - 1, 0);
    // A line without its end counts too.
    let mut is_open = false;
    loop {
        let block = input.fill_buf()?;
        if block.is_empty() {
            return Ok(Some(found + u64::from(is_open && place.unit == Unit::Lines)));
        }
        let in_block = place.unit.count(block);
        if found + in_block > wanted || (place.unit == Unit::Lines && found + in_block == wanted) {
            let bytes = place.unit.end_of(block, wanted - found);
            input.consume(bytes);
            place.offset += bytes as u64;
            // Nothing may follow the line before.
            return Ok(input.fill_buf()?.is_empty().then_some(wanted));
        }
        found += in_block;
        is_open = block.last() != Some(&b'\n');
        let bytes = block.len();
        input.consume(bytes);
        place.offset += bytes as u64;
    }
}

/// Reads until the bytes have as much as is wanted, or more than there is room for. Returns true if the file ends.
fn fill(input: &mut impl BufRead, unit: Unit, wanted: u64, room: usize, bytes: &mut Vec<u8>) -> io::Result<bool> {
    let mut found = 0;
    // A character that the room cuts through is seen whole.
    while found <= wanted && bytes.len() <= room + 4 {
        let block = input.fill_buf()?;
        if block.is_empty() {
            return Ok(true);
        }
        let taken = block.len().min(room + 5 - bytes.len().min(room + 4));
        let block = &block[..taken];
        found += unit.count(block);
        bytes.extend_from_slice(block);
        input.consume(taken);
    }
    Ok(false)
}

impl Page {
    /// How many lines or characters there are, if the file ends here.
    fn all(&self) -> Option<u64> {
        let Place { unit, number, .. } = self.place;
        let is_open = unit == Unit::Lines && self.bytes.last().is_some_and(|last| *last != b'\n');
        let on_page = || number - 1 + unit.count(&self.bytes) + u64::from(is_open);
        self.ends_before.or_else(|| self.is_end.then(on_page))
    }

    /// How many of the bytes fit: as much as is wanted, no more than there is room for, and whole lines if one fits.
    fn kept(&self, wanted: u64, room: usize, request: &Read) -> usize {
        let unit = self.place.unit;
        let wanted = &self.bytes[..unit.end_of(&self.bytes, wanted)];
        let fitting = match (request.bounds_the_answer, request.encoding.unwrap_or_default()) {
            (true, Encoding::Raw) => characters::prefix_written_in(wanted, room),
            _ => characters::prefix(wanted, room),
        };
        match memchr::memrchr(b'\n', fitting) {
            Some(newline) if unit == Unit::Lines && fitting.len() < wanted.len() => newline + 1,
            _ => fitting.len(),
        }
    }

    fn passage(self, origin: Origin, request: &Read, mut remarks: Vec<String>, owner: &Owner) -> Passage {
        let Self { place: Place { unit, number, offset, last }, bytes, is_end, ends_before } = self;
        let is_whole_line = bytes.last() == Some(&b'\n');
        let taken = unit.count(&bytes);
        // The line or character after the page: in the middle of a line, the same line again.
        let after = number + taken;
        let last_taken = match unit {
            Unit::Lines if !is_whole_line && !bytes.is_empty() => after,
            _ => after - 1,
        };
        let known = match (ends_before, is_end, unit) {
            (Some(found), ..) => Some(found),
            (None, true, _) => Some(last_taken),
            (None, false, Unit::Lines) => Some(u64::from(origin.lines)),
            (None, false, Unit::Characters) => None,
        };
        let is_more = !is_end && after <= last;
        let next = is_more.then(|| {
            let last = if last == u64::MAX { 0 } else { last };
            token::write(unit.letter(), &[after, offset + bytes.len() as u64, last], owner)
        });
        if let (Some(total), true) = (known, is_end) {
            remarks.extend(beyond(unit, number, last, total, bytes.is_empty()));
        }
        let position = |number: u64| u32::try_from(number).unwrap_or(u32::MAX);
        let (first, last) = if bytes.is_empty() { (0, 0) } else { (position(number), position(last_taken)) };
        let text = match request.encoding.unwrap_or_default() {
            Encoding::Raw => String::from_utf8_lossy(&bytes).into_owned(),
            Encoding::Base64 => base64::encode(&bytes),
        };
        Passage { text, first, last, total: known.map(position), next, remarks }
    }
}

/// What to say of a range that goes beyond the end.
fn beyond(unit: Unit, first: u64, last: u64, total: u64, is_empty: bool) -> Option<String> {
    let noun = unit.noun();
    let has = format!("the file has {}", counted(total, noun));
    match is_empty {
        true if total == 0 => Some(format!("the file is empty: it has no {noun}s")),
        true => Some(format!("{has}, so nothing begins at {noun} {first}; ask for {noun}s up to {total}")),
        false if last < u64::MAX && last > total => Some(format!("{has}: the range ends there, not at {last}")),
        false => None,
    }
}
