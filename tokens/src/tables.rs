//! The tables of a vocabulary, read where they are.

use std::hint::black_box;

use crate::hash::{Hash, TAG, TAG_BITS, border, word32, word64};

/// The tables of all vocabularies, one after the other.
///
/// They are one static, so that they can be cut out of a module whole: the component that ships has zeros here.
static VOCABULARIES: &[u8; include_bytes!(concat!(env!("OUT_DIR"), "/vocabularies")).len()] =
    include_bytes!(concat!(env!("OUT_DIR"), "/vocabularies"));

/// The tables. The compiler must not know what is in them, since they may be cut out later.
#[inline]
pub(crate) fn vocabularies() -> &'static [u8] {
    black_box(VOCABULARIES.as_slice())
}

/// True unless the tables were cut out.
pub(crate) fn are_there() -> bool {
    vocabularies()[0] != 0
}

/// Where the tables of a vocabulary begin and end.
struct Places {
    /// By the length of tokens: the number of the first.
    firsts: &'static [usize],
    text: (usize, usize),
    ranks: (usize, usize),
    slots: (usize, usize),
    moves: (usize, usize),
    borders: (usize, usize),
    characters: (usize, usize),
}

/// The vocabulary of GPT-4o and later models.
const O200K_BASE: Places = include!(concat!(env!("OUT_DIR"), "/o200k_base.rs"));

/// The vocabulary of GPT-4 and GPT-3.5.
const CL100K_BASE: Places = include!(concat!(env!("OUT_DIR"), "/cl100k_base.rs"));

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
    /// By the number of a border: whether the halves of a token meet so.
    borders: &'static [u8],
    /// By character, in two bits: how far its bytes are merged before anything else.
    characters: &'static [u8],
}

/// Which bytes of a character are merged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Merged {
    Nothing,
    /// The first two.
    Head,
    /// The last two.
    Tail,
    All,
}

/// Where the tokens of one length begin.
#[derive(Clone, Copy)]
struct Length {
    number: usize,
    offset: usize,
}

static O200K_LENGTHS: [Length; O200K_BASE.firsts.len()] = lengths(O200K_BASE.firsts);
static CL100K_LENGTHS: [Length; CL100K_BASE.firsts.len()] = lengths(CL100K_BASE.firsts);

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
    /// The tables of o200k_base.
    pub(crate) fn o200k_base() -> Self {
        Self::at(&O200K_BASE, &O200K_LENGTHS)
    }

    /// The tables of cl100k_base.
    pub(crate) fn cl100k_base() -> Self {
        Self::at(&CL100K_BASE, &CL100K_LENGTHS)
    }

    fn at(places: &Places, lengths: &'static [Length]) -> Self {
        let all = vocabularies();
        let table = |(start, end): (usize, usize)| &all[start..end];
        Self {
            text: table(places.text),
            lengths,
            ranks: table(places.ranks).as_chunks().0,
            slots: table(places.slots).as_chunks().0,
            moves: table(places.moves).as_chunks().0,
            borders: table(places.borders),
            characters: table(places.characters),
        }
    }

    /// The length of the longest token in bytes.
    pub(crate) fn longest(&self) -> usize {
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

    /// The same for a token of two parts. Only the two halves that a token was made of can ever meet: with other halves,
    /// one of them would have become a part of the token's own before. So most pairs need no look-up.
    #[inline]
    pub(crate) fn rank_of_halves(&self, token: &[u8], middle: usize) -> Option<u32> {
        let (left, right) = token.split_at(middle);
        let border = border(left, right);
        if self.borders[border / 8] & 1 << (border % 8) == 0 { None } else { self.rank(token) }
    }

    /// How far the bytes of a character of two or three bytes are merged before anything else, where its neighbours are
    /// not ASCII.
    pub(crate) fn merged(&self, code: usize) -> Merged {
        match self.characters[code / 4] >> (code % 4 * 2) & 3 {
            0 => Merged::Nothing,
            1 => Merged::Head,
            2 => Merged::Tail,
            _ => Merged::All,
        }
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
        is_same(&self.text[offset..offset + token.len()], token).then_some(number)
    }
}

/// True for two texts of one length that are equal. Most are so short that a call of the library takes longer.
fn is_same(one: &[u8], other: &[u8]) -> bool {
    match one.len() {
        0..4 => one.iter().eq(other),
        length @ 4..8 => word32(one, 0) == word32(other, 0) && word32(one, length - 4) == word32(other, length - 4),
        length @ 8..17 => word64(one, 0) == word64(other, 0) && word64(one, length - 8) == word64(other, length - 8),
        _ => one == other,
    }
}
