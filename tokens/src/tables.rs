//! The tables of a vocabulary, read where they are.

use crate::hash::{Hash, TAG, TAG_BITS};

/// The tables that the build script has made of a vocabulary.
pub(crate) struct Tables {
    /// The bytes of all tokens, the shortest first.
    text: &'static [u8],
    /// By the length of tokens: the number of the first, and where its bytes begin.
    lengths: &'static [Length],
    /// By the number of a token: its rank, in three bytes.
    ranks: &'static [[u8; 3]],
    /// By place: the number of a token, and its tag.
    slots: &'static [[u8; 4]],
    /// By group: how far its tokens are moved.
    moves: &'static [[u8; 2]],
}

/// Where the tokens of one length begin.
#[derive(Clone, Copy)]
struct Length {
    number: usize,
    offset: usize,
}

macro_rules! tables {
    ($name:literal) => {{
        const FIRSTS: &[usize] = &include!(concat!(env!("OUT_DIR"), "/", $name, ".firsts"));
        static LENGTHS: [Length; FIRSTS.len()] = lengths(FIRSTS);
        Tables {
            text: include_bytes!(concat!(env!("OUT_DIR"), "/", $name, ".text")),
            lengths: &LENGTHS,
            ranks: include_bytes!(concat!(env!("OUT_DIR"), "/", $name, ".ranks")).as_chunks().0,
            slots: include_bytes!(concat!(env!("OUT_DIR"), "/", $name, ".slots")).as_chunks().0,
            moves: include_bytes!(concat!(env!("OUT_DIR"), "/", $name, ".moves")).as_chunks().0,
        }
    }};
}

/// The vocabulary of GPT-4o and later models.
pub(crate) static O200K_BASE: Tables = tables!("o200k_base");

/// The vocabulary of GPT-4 and GPT-3.5.
pub(crate) static CL100K_BASE: Tables = tables!("cl100k_base");

const fn lengths<const COUNT: usize>(firsts: &[usize]) -> [Length; COUNT] {
    let mut lengths = [Length { number: 0, offset: 0 }; COUNT];
    let mut length = 1;
    while length < COUNT {
        let shorter = lengths[length - 1];
        let offset = shorter.offset + (firsts[length] - firsts[length - 1]) * (length - 1);
        lengths[length] = Length { number: firsts[length], offset };
        length += 1;
    }
    lengths
}

impl Tables {
    /// The length of the longest token in bytes.
    pub(crate) const fn longest(&self) -> usize {
        self.lengths.len() - 2
    }

    /// True for the bytes of a token.
    pub(crate) fn has(&self, token: &[u8]) -> bool {
        self.number(token).is_some()
    }

    /// The rank of the token with these bytes: what is merged first, and its number for a model.
    pub(crate) fn rank(&self, token: &[u8]) -> Option<u32> {
        let [low, middle, high] = self.ranks[self.number(token)?];
        Some(u32::from_le_bytes([low, middle, high, 0]))
    }

    #[inline]
    fn number(&self, token: &[u8]) -> Option<usize> {
        let &[here, longer] = self.lengths.get(token.len()..token.len() + 2)? else { return None };
        let hash = Hash::of(token);
        let by = u16::from_le_bytes(self.moves[hash.group(self.moves.len())]);
        let slot = u32::from_le_bytes(self.slots[hash.place(by, self.slots.len())]);
        let number = (slot >> TAG_BITS) as usize;
        if slot & TAG != hash.tag() || number < here.number || number >= longer.number {
            return None;
        }
        let offset = here.offset + (number - here.number) * token.len();
        (&self.text[offset..offset + token.len()] == token).then_some(number)
    }
}
