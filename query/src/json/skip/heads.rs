//! The keys of records, which most records of a file have in the same order, each leaving some out.

use super::{Cursor, Marks, Member, are_different};
use crate::json::simd::Lanes;

/// So many keys that a record leaves out are passed over in search of the next one.
const PASSED_OVER: usize = 16;

/// With more keys than this, they are data rather than names.
const MOST: usize = 128;

/// The text before a value: key, colon, and the space around it.
#[derive(Debug)]
pub(super) struct Head {
    text: Vec<u8>,
    /// The beginning of the text, for comparing sixteen bytes at once, and a bit for each of them that counts.
    front: [u8; 16],
    counts: u32,
    pub(super) key_bytes: u32,
    pub(super) marks: Marks,
}

impl Head {
    /// The head that a text begins with; `None` where it begins with none.
    pub(super) fn of(text: &[u8]) -> Option<Self> {
        let mut cursor = Cursor::new(text);
        let key_bytes = cursor.key().ok()?;
        let text = &text[..cursor.at];
        // The cursor looks further than that.
        let marks = Marks { beyond_ascii: !text.is_ascii(), ..cursor.marks };
        let mut front = [0; 16];
        let length = text.len().min(front.len());
        front[..length].copy_from_slice(&text[..length]);
        Some(Self { text: text.to_vec(), front, counts: (1 << length) - 1, key_bytes, marks })
    }

    fn key(&self) -> &[u8] {
        &self.text[1..=self.key_bytes as usize]
    }

    /// How far a value is from its key.
    #[inline(always)]
    pub(super) fn bytes(&self) -> usize {
        self.text.len()
    }

    /// True when the text begins with this. (Comparing slices is slow in WebAssembly.)
    #[inline(always)]
    fn begins(&self, text: &[u8]) -> bool {
        match text.first_chunk() {
            Some(chunk) if Lanes::load(chunk).same(Lanes::load(&self.front)) & self.counts != self.counts => false,
            Some(_) if self.text.len() <= self.front.len() => true,
            _ => text.starts_with(&self.text),
        }
    }
}

/// Keys that are known, all different and none of them odd, in the order in which lines have them.
#[derive(Debug, Default)]
pub(crate) struct Heads {
    known: Vec<Head>,
    /// Where the next key of the line is looked for.
    next: usize,
    /// The line has a key twice or written in an odd way, its keys in another order, or too many of them.
    is_unsorted: bool,
    /// How often keys have got other places.
    version: u32,
}

impl Heads {
    /// A line begins.
    pub(super) fn begin(&mut self) {
        (self.next, self.is_unsorted) = (0, false);
    }

    /// The head with which the rest of the line begins, if it is known, and its place.
    #[inline(always)]
    pub(super) fn next(&mut self, text: &[u8]) -> Option<(usize, &Head)> {
        let place = match self.known.get(self.next) {
            Some(head) if head.begins(text) => self.next,
            _ => self.later(text)?,
        };
        self.next = place + 1;
        Some((place, &self.known[place]))
    }

    #[inline(never)]
    fn later(&self, text: &[u8]) -> Option<usize> {
        let mut later = self.known.iter().enumerate().skip(self.next + 1).take(PASSED_OVER);
        later.find(|(_, head)| head.begins(text)).map(|(place, _)| place)
    }

    /// The place of a head that is not known, which it gets before those that come later; if it gets none, the line is unsorted.
    pub(super) fn add(&mut self, head: Head) -> usize {
        let place = self.next;
        self.is_unsorted |= head.marks.odd
            || self.known.len() == MOST
            || self.known.iter().any(|known| known.key() == head.key());
        if !self.is_unsorted {
            self.known.insert(place, head);
            self.version += 1;
            self.next += 1;
        }
        place
    }

    /// True where the order of keys says nothing of the line.
    pub(super) fn is_unsorted(&self) -> bool {
        self.is_unsorted
    }

    /// Takes the keys of an unsorted line in the place of those that were known. Returns false if they are not all different, or
    /// one is written in an odd way: then none is known.
    pub(super) fn replace(&mut self, members: &[Member], line: &[u8]) -> bool {
        self.known.clear();
        self.version += 1;
        let heads = members.iter().filter_map(|member| Head::of(&line[member.key.start as usize - 1..]));
        self.known.extend(heads);
        let are_clear = are_different(members, line) && self.known.iter().all(|head| !head.marks.odd);
        if !are_clear {
            self.known.clear();
        }
        are_clear
    }

    /// Changes when keys get other places.
    pub(crate) fn version(&self) -> u32 {
        self.version
    }

    /// Where a key is among those that are known.
    pub(crate) fn place(&self, key: &[u8]) -> Option<usize> {
        self.known.iter().position(|head| head.key() == key)
    }
}
