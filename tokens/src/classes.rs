//! What a character is, as far as the vocabularies' rules for splitting ask.

use crate::tables::vocabularies;

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

/// Where the numbers of blocks begin, and the blocks of 128 code points each.
const PLACES: (usize, usize) = include!(concat!(env!("OUT_DIR"), "/classes.rs"));

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
            return Some((Self::of_ascii(first), at + 1));
        }
        let character = text[at..].chars().next()?;
        let (code, tables, (index, blocks)) = (character as usize, vocabularies(), PLACES);
        let block = usize::from(tables[index + code / 128]);
        let class = tables[blocks + block * 128 + code % 128];
        Some((CLASSES[usize::from(class & 7)], at + character.len_utf8()))
    }

    fn of_ascii(byte: u8) -> Self {
        match byte {
            b'a'..=b'z' => Self::Lower,
            b'A'..=b'Z' => Self::Upper,
            b'0'..=b'9' => Self::Number,
            b' ' | b'\t'..=b'\r' => Self::Space,
            _ => Self::Other,
        }
    }
}
