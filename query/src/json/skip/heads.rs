//! The keys of records, which most records of a file have in the same order, each leaving some out.

use super::{Marks, Member};
use crate::json::simd::Lanes;

/// So many keys are tried for one that does not come next, on either side of it: a record leaves some out, or has another order.
const TRIED: usize = 16;

/// Longer keys are not names, and keeping many of them would fill the memory.
const LONGEST: usize = 256;

/// So many comparisons are spent on keys that are not known. In records whose keys are data rather than names they are soon
/// spent, and nothing is expected any more.
const PATIENCE: usize = 8192;

/// The text before a value: key, colon, and the space around it.
#[derive(Debug)]
struct Head {
    text: Vec<u8>,
    /// The beginning of the text, for comparing sixteen bytes at once, and a bit for each of them that counts.
    front: [u8; 16],
    counts: u32,
    found: Found,
}

/// A head that was found in a line.
#[derive(Debug, Clone, Copy)]
pub(super) struct Found {
    /// Bytes from the key's quote on to its value.
    pub(super) bytes: usize,
    /// Those between the key's quotes.
    pub(super) key_bytes: u32,
    pub(super) marks: Marks,
}

impl Head {
    fn new(text: &[u8], key_bytes: u32, marks: Marks) -> Self {
        let mut front = [0; 16];
        let length = text.len().min(front.len());
        front[..length].copy_from_slice(&text[..length]);
        let found = Found { bytes: text.len(), key_bytes, marks };
        Self { text: text.to_vec(), front, counts: (1 << length) - 1, found }
    }

    fn key(&self) -> &[u8] {
        &self.text[1..=self.found.key_bytes as usize]
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

/// Keys that are known, all different and none of them written in an odd way, about in the order in which lines have them.
#[derive(Debug)]
pub(super) struct Heads {
    known: Vec<Head>,
    /// How often keys have got other places.
    version: u32,
    /// What is left of [`PATIENCE`].
    patience: usize,
}

impl Default for Heads {
    fn default() -> Self {
        Self { known: Vec::new(), version: 0, patience: PATIENCE }
    }
}

impl Heads {
    /// The head at a place, if the text begins with it.
    #[inline(always)]
    pub(super) fn at(&self, place: usize, text: &[u8]) -> Option<Found> {
        self.known.get(place).filter(|head| head.begins(text)).map(|head| head.found)
    }

    /// The head with which a text begins, and its place: `likely`, or one near it.
    #[inline(never)]
    pub(super) fn find(&self, likely: usize, text: &[u8]) -> Option<(usize, Found)> {
        let likely = likely.min(self.known.len());
        let later = (likely..self.known.len()).take(TRIED);
        let before = (0..likely).rev().take(TRIED);
        later.chain(before).find_map(|place| Some((place, self.at(place, text)?)))
    }

    /// The place of a key that was not found; `None` if it gets none. The text is that of its head, and the line's keys before
    /// it stand at these places.
    pub(super) fn learn(&mut self, text: &[u8], key_bytes: u32, marks: Marks, before: &[usize]) -> Option<usize> {
        // The keys of a first line are learned together.
        if self.known.is_empty() || marks.odd || text.len() > LONGEST {
            return None;
        }
        let Some(left) = self.patience.checked_sub(2 * TRIED + self.known.len()) else {
            self.known.clear();
            (self.version, self.patience) = (self.version + 1, 0);
            return None;
        };
        self.patience = left;
        let head = Head::new(text, key_bytes, marks);
        if let Some(place) = self.place(head.key()) {
            return Some(place);
        }
        // The places of keys before it stay what they are.
        let place = before.iter().max().map_or(0, |last| last + 1);
        self.known.insert(place, head);
        self.version += 1;
        Some(place)
    }

    /// Learns all keys of a line together, if none are known yet. They must be different from each other. Returns true if it did.
    pub(super) fn learn_all(&mut self, members: &[Member], line: &[u8]) -> bool {
        let is_short = |member: &Member| (member.value.start - member.key.start) as usize <= LONGEST;
        if !self.known.is_empty() || self.patience == 0 || !members.iter().all(is_short) {
            return false;
        }
        self.known.extend(members.iter().map(|Member { key, value }| {
            let text = &line[key.start as usize - 1..value.start as usize];
            // More than two quotes and a colon around the key.
            let spaced = text.len() > key.len() + 3;
            let marks = Marks { spaced, odd: false, beyond_ascii: !text.is_ascii() };
            Head::new(text, key.end - key.start, marks)
        }));
        self.version += 1;
        true
    }

    /// To be called after a line that had nothing but what was expected.
    #[inline(always)]
    pub(super) fn restore_patience(&mut self) {
        if self.patience > 0 {
            self.patience = PATIENCE;
        }
    }

    /// Changes when keys get other places.
    pub(super) fn version(&self) -> u32 {
        self.version
    }

    /// Where a key is among those that are known.
    pub(super) fn place(&self, key: &[u8]) -> Option<usize> {
        self.known.iter().position(|head| head.key() == key)
    }
}
