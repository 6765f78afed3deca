//! What a character is, as far as the vocabularies' rules for splitting ask.

/// The classes that rules tell apart. Every character is in one of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Class {
    /// Punctuation, symbols, control characters, and what is not assigned.
    Other,
    /// Capital letters and title case: `Lu`, `Lt`.
    Upper,
    /// Small letters: `Ll`.
    Lower,
    /// Letters without case: `Lm`, `Lo`.
    Letter,
    /// Marks: `M`.
    Mark,
    /// Numbers: `N`.
    Number,
    /// White space.
    Space,
}

/// In the order of their numbers.
const CLASSES: [Class; 8] = {
    use Class::{Letter, Lower, Mark, Number, Other, Space, Upper};
    [Other, Upper, Lower, Letter, Mark, Number, Space, Other]
};

/// The classes of 128 code points each.
static BLOCKS: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/classes.blocks"));

/// Which block a code point is in.
static INDEX: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/classes.index"));

impl Class {
    /// True for letters.
    pub(crate) fn is_letter(self) -> bool {
        matches!(self, Self::Upper | Self::Lower | Self::Letter)
    }

    /// The class of the character at `at`, and where the next character begins. Nothing is there at the end.
    #[inline]
    pub(crate) fn at(text: &str, at: usize) -> Option<(Self, usize)> {
        let first = *text.as_bytes().get(at)?;
        if first < 0x80 {
            // The first block is that of ASCII.
            return Some((CLASSES[usize::from(BLOCKS[usize::from(first)] & 7)], at + 1));
        }
        let character = text[at..].chars().next()?;
        let code = character as usize;
        let block = usize::from(INDEX[code / 128]);
        Some((CLASSES[usize::from(BLOCKS[block * 128 + code % 128] & 7)], at + character.len_utf8()))
    }
}
