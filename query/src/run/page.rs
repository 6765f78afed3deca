//! One page of results: what is on it, when it is full, and where the next one begins.

use std::ops::Range;

use super::{piece, stub};
use crate::error::{Error, PageLimit};

/// How much a page may hold.
#[derive(Debug, Clone, Copy, Default)]
pub struct PageLimits {
    /// At most this many results.
    pub results: Option<u32>,
    /// At most this many bytes.
    pub bytes: Option<u32>,
    /// Enough bytes to end the page, where going on later costs nothing.
    pub chunk_bytes: Option<u32>,
    /// The settings' bound on the results of any page.
    pub page_results: Option<u32>,
    /// The settings' bound on the bytes of any page.
    pub page_bytes: Option<u32>,
    /// What becomes of a result that is larger than a page.
    pub oversize: Oversize,
    /// The only result is how many results there are; no bound on pages holds.
    pub counts: bool,
    /// The input is one value, of which no line is known to a reader: a stub leads to its result by the number alone.
    pub of_one: bool,
}

/// What becomes of a result that is larger than a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Oversize {
    /// It is an error.
    #[default]
    Refused,
    /// A stub stands for it, and the page goes on.
    Stub,
    /// The page has a piece of it, from this byte of its text on, and nothing else.
    Piece(u32),
}

impl PageLimits {
    /// True for a page that begins inside of a result.
    fn goes_on_in_a_result(self) -> bool {
        matches!(self.oversize, Oversize::Piece(from) if from > 0)
    }

    /// The smaller bound on bytes, with its name.
    fn most_bytes(self) -> Option<(u32, PageLimit)> {
        let asked = self.bytes.map(|bytes| (bytes, PageLimit::Asked));
        let any = self.page_bytes.map(|bytes| (bytes, PageLimit::AnyPage));
        asked.into_iter().chain(any).min_by_key(|(bytes, _)| *bytes)
    }
}

/// Where a page begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Position {
    /// Byte offset of the line in the file; that of the first record for programs that read the whole set.
    pub offset: u64,
    /// The line's number.
    pub line: u32,
    /// Results of that line, or of the whole set, that earlier pages had.
    pub skip: u32,
    /// Results that earlier pages had in all.
    pub before: u32,
}

impl Position {
    /// The opaque token that a caller passes back.
    pub fn to_token(self) -> String {
        format!("{}.{}.{}.{}", self.offset, self.line, self.skip, self.before)
    }

    /// Reads a token.
    pub fn from_token(token: &str) -> Result<Self, Error> {
        let numbers: Vec<u64> = token.split('.').map_while(|part| part.parse().ok()).collect();
        let small = |number: u64| u32::try_from(number).ok();
        let position = match numbers[..] {
            [offset, line, skip, before] if token.split('.').count() == 4 => {
                let read = || Some(Self { offset, line: small(line)?, skip: small(skip)?, before: small(before)? });
                read()
            }
            _ => None,
        };
        position.ok_or_else(|| Error::Token(token.to_owned()))
    }
}

/// The records that a program looks at, and where it begins with them.
#[derive(Debug, Clone, Copy)]
pub struct Scope {
    /// Where it begins.
    pub start: Position,
    /// Only with the first record at or after this byte. Lines are counted from that record then, beginning with 1.
    pub from: Option<u64>,
    /// Only records that begin before this byte.
    pub until: Option<u64>,
}

impl Scope {
    /// All records from a position on.
    pub fn all(start: Position) -> Self {
        Self { start, from: None, until: None }
    }

    /// True when it does not hold all records of the file.
    pub(crate) fn is_part(&self) -> bool {
        self.from.is_some() || self.until.is_some()
    }

    /// True when another part of the file begins with the file.
    pub(crate) fn is_later_part(&self) -> bool {
        self.from.is_some() || self.until == Some(0)
    }

    /// True when it begins inside of a line, or at its very end, which is not its own.
    pub(crate) fn cuts_a_line(&self) -> bool {
        self.from.is_some_and(|from| self.start.offset < from)
    }

    /// True for a line that is behind its end.
    pub(crate) fn ends_before(&self, offset: u64) -> bool {
        self.until.is_some_and(|until| offset >= until)
    }
}

/// Where a result comes from.
#[derive(Debug, Clone, Copy)]
pub struct Origin<'a> {
    /// Where a page begins that begins with it.
    pub position: Position,
    /// The line that it was made of; nothing where it was made of many, or where none is needed.
    pub record: Option<&'a [u8]>,
    /// Its number in the position is that among the results of the whole set, not of the line.
    pub is_of_set: bool,
}

/// At most this much is reserved at once: a chunk may be asked for that is larger than all results.
const MOST_ROOM: usize = 4 << 20;

/// With so many chunks a set is worth a second look at the file, for half of the memory: with chunks of 1 MiB, 16 MiB.
const CHUNKS_OF_A_LARGE_SET: usize = 16;

/// Room for the result that makes a chunk full.
const RECORD_ROOM: usize = 16 << 10;

/// A page that is being filled.
#[derive(Debug)]
pub struct Page {
    limits: PageLimits,
    /// The results, one a line.
    pub text: Vec<u8>,
    /// How many there are.
    pub count: u32,
    /// How many of them are stubs.
    pub stubs: u32,
    /// The only result is a piece of a result: which one of its record or set, and where the next piece begins.
    pub piece: Option<(u32, Option<u32>)>,
    /// The lines that the results are of, where stubs are wanted: who reads stubs reads around a line, too.
    pub lines: Vec<u32>,
    /// A regular expression that the results were looked for with.
    pub sought: Option<String>,
}

/// Whether a result is on the page.
#[derive(Debug, PartialEq, Eq)]
pub enum Added {
    /// It is, and there may be room for more.
    Yes,
    /// It is not: the page is full, and the next one begins with it.
    No,
}

impl Page {
    /// An empty page.
    pub fn new(limits: PageLimits) -> Self {
        // A page that is filled to its chunk size does not grow on the way.
        let room = limits.chunk_bytes.map_or(0, |bytes| (bytes as usize).min(MOST_ROOM) + RECORD_ROOM);
        Self {
            limits,
            text: Vec::with_capacity(room),
            count: 0,
            stubs: 0,
            piece: None,
            lines: Vec::new(),
            sought: None,
        }
    }

    /// Adds a result, which `write` writes, and a newline; or what stands for it where it is larger than a page.
    ///
    /// Errors: `limit-reached` when a single result is larger than a page and nothing may stand for it.
    pub fn add(&mut self, origin: Origin<'_>, write: impl FnOnce(&mut Vec<u8>)) -> Result<Added, Error> {
        let origin = if self.limits.of_one { Origin { record: None, is_of_set: true, ..origin } } else { origin };
        if self.limits.counts {
            self.count = self.count.saturating_add(1);
            return Ok(Added::Yes);
        }
        let is_full = |most: Option<u32>| most.is_some_and(|most| self.count >= most);
        if is_full(self.limits.results) || is_full(self.limits.page_results) || self.piece.is_some() {
            return Ok(Added::No);
        }
        let before = self.text.len();
        write(&mut self.text);
        self.text.push(b'\n');
        if let Some((most, limit)) = self.limits.most_bytes()
            && (self.text.len() > most as usize || self.limits.goes_on_in_a_result())
        {
            return self.add_instead(origin, before, most, limit);
        }
        self.count += 1;
        self.note(origin);
        Ok(Added::Yes)
    }

    fn note(&mut self, origin: Origin<'_>) {
        if self.limits.oversize == Oversize::Stub && origin.record.is_some() {
            self.lines.push(origin.position.line);
        }
    }

    /// Takes back the result that begins at `before`, and adds what stands for it if it is larger than a page.
    fn add_instead(&mut self, origin: Origin<'_>, before: usize, most: u32, limit: PageLimit) -> Result<Added, Error> {
        let result = &self.text[before..self.text.len() - 1];
        let bytes = result.len() + 1;
        let is_too_large = bytes > most as usize;
        let (mut piece, mut stubs) = (None, 0);
        let instead = match self.limits.oversize {
            Oversize::Stub if is_too_large => {
                stubs = 1;
                Some(stub::of(origin, result, most as usize, self.sought.as_deref()))
            }
            Oversize::Piece(from) if self.count == 0 => {
                let (text, end) = piece::of(origin, result, from, most as usize)?;
                piece = Some((origin.position.skip, end));
                Some(text)
            }
            _ => None,
        };
        self.text.truncate(before);
        match instead.filter(|text| before + text.len() < most as usize) {
            Some(text) => {
                self.text.extend_from_slice(text.as_bytes());
                self.text.push(b'\n');
                (self.count, self.stubs, self.piece) = (self.count + 1, self.stubs + stubs, piece);
                self.note(origin);
                Ok(Added::Yes)
            }
            None if self.count > 0 => Ok(Added::No),
            None => Err(Error::TooLarge { bytes, limit, most }),
        }
    }

    /// True for a result of so many bytes that is not added as it stands.
    pub fn changes(&self, bytes: usize) -> bool {
        let is_too_large = || self.limits.most_bytes().is_some_and(|(most, _)| bytes >= most as usize);
        match self.limits.oversize {
            Oversize::Refused => false,
            Oversize::Stub => is_too_large(),
            Oversize::Piece(from) => from > 0 || is_too_large(),
        }
    }

    /// How many of the results of these sizes can be on a page, at most.
    pub fn reach(&self, sizes: impl Iterator<Item = usize>) -> usize {
        let mut room = self.limits.most_bytes().map_or(usize::MAX, |(most, _)| most as usize);
        let least = |bytes: usize| if self.changes(bytes) { stub::LEAST_BYTES } else { bytes };
        sizes
            .take_while(|bytes| {
                let has_room = room > 0;
                room = room.saturating_sub(least(*bytes));
                has_room
            })
            .count()
    }

    /// True where only the number of results is wanted.
    pub fn counts(&self) -> bool {
        self.limits.counts
    }

    /// Puts the number of results in their place.
    pub fn count_alone(&mut self) {
        self.text = format!("{}\n", self.count).into_bytes();
        self.count = 1;
    }

    /// Which results of a set can be on the page that begins with the result `first`, of so many results with so many
    /// bytes. A set that is far larger than a chunk has two pages, each of which costs a look at the whole file.
    pub fn window(&self, first: usize, results: usize, bytes: usize) -> Range<usize> {
        let limit = self.limit(first, results);
        let half = results.div_ceil(2);
        let is_large = self.limits.chunk_bytes.is_some_and(|chunk| bytes / CHUNKS_OF_A_LARGE_SET > chunk as usize);
        let end = if is_large && first < half { limit.min(half) } else { limit };
        first.min(end)..end
    }

    /// How many results of a set have come when a page is full that begins with the result `first`.
    pub fn limit(&self, first: usize, results: usize) -> usize {
        let most = self.limits.results.into_iter().chain(self.limits.page_results).min();
        most.map_or(results, |most| results.min(first.saturating_add(most as usize)))
    }

    /// True when more results of the set follow than these because of the size of a chunk alone: the next page is wanted.
    pub fn goes_on(&self, window: &Range<usize>, results: usize) -> bool {
        window.end < self.limit(window.start, results)
    }

    /// Makes room for results of so many bytes, newlines included, as far as they can be on the page.
    pub fn expect(&mut self, bytes: usize) {
        let most = self.limits.most_bytes().map_or(bytes, |(most, _)| bytes.min(most as usize));
        if self.limits.results.is_none() {
            self.text.reserve_exact(most);
        }
    }

    /// True when the page may end here.
    pub fn is_chunk(&self) -> bool {
        self.limits.chunk_bytes.is_some_and(|enough| self.text.len() >= enough as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOMEWHERE: Origin<'_> =
        Origin { position: Position { offset: 0, line: 2, skip: 0, before: 0 }, record: None, is_of_set: false };

    fn filled(limits: PageLimits, results: &[&str]) -> (u32, String) {
        let mut page = Page::new(limits);
        for result in results {
            if page.add(SOMEWHERE, |out| out.extend(result.bytes())).unwrap() == Added::No {
                break;
            }
        }
        (page.count, String::from_utf8(page.text).unwrap())
    }

    #[test]
    fn a_page_holds_as_many_results_and_bytes_as_it_may() {
        let all = ["aa", "bb", "cc"];
        assert_eq!(filled(PageLimits::default(), &all), (3, "aa\nbb\ncc\n".into()));
        assert_eq!(filled(PageLimits { results: Some(2), ..PageLimits::default() }, &all), (2, "aa\nbb\n".into()));
        assert_eq!(filled(PageLimits { bytes: Some(6), ..PageLimits::default() }, &all), (2, "aa\nbb\n".into()));
        assert_eq!(filled(PageLimits { bytes: Some(5), ..PageLimits::default() }, &all), (1, "aa\n".into()));
    }

    #[test]
    fn a_result_larger_than_a_page_is_an_error_that_names_the_limit() {
        let mut page = Page::new(PageLimits { bytes: Some(2), ..PageLimits::default() });
        let error = page.add(SOMEWHERE, |out| out.extend(b"aa")).unwrap_err();
        assert!(matches!(error, Error::TooLarge { limit: PageLimit::Asked, most: 2, .. }));
    }

    #[test]
    fn the_settings_bound_every_page() {
        let all = ["aa", "bb", "cc"];
        let bounded = |page_results, page_bytes| PageLimits { page_results, page_bytes, ..PageLimits::default() };
        assert_eq!(filled(bounded(Some(2), None), &all), (2, "aa\nbb\n".into()));
        assert_eq!(filled(bounded(None, Some(6)), &all), (2, "aa\nbb\n".into()));
        let mut page = Page::new(PageLimits { bytes: Some(9), ..bounded(None, Some(2)) });
        let error = page.add(SOMEWHERE, |out| out.extend(b"aa")).unwrap_err();
        assert!(matches!(error, Error::TooLarge { limit: PageLimit::AnyPage, most: 2, .. }));
    }

    #[test]
    fn tokens_lead_back_to_their_position() {
        let position = Position { offset: u64::MAX, line: 2, skip: 3, before: 4 };
        assert_eq!(Position::from_token(&position.to_token()).unwrap(), position);
        for token in ["", "1", "1.2.3", "1.2.3.4.5", "a.2.3.4", "1.2.3.99999999999", "-1.2.3.4"] {
            assert!(Position::from_token(token).is_err(), "{token}");
        }
    }
}
