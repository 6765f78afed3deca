//! Counts the tokens of a text exactly, as the models count that have these vocabularies.
//!
//! ```
//! use lro_tokens::Vocabulary;
//!
//! assert_eq!(Vocabulary::O200kBase.count("Exact tokens, please."), 5);
//! assert_eq!(Vocabulary::O200kBase.encode("Exact tokens"), [50196, 20290]);
//! ```
//!
//! A text is split into pieces by the rules of the vocabulary (`split`), and a piece that is not a token is merged from
//! its bytes (`merge`). The tables are static and read in place (`tables`): each call of the component runs in a fresh
//! instance, which must not build anything first. Names of special tokens, such as `<|endoftext|>`, are ordinary text.

mod classes;
mod hash;
mod lowest;
mod merge;
mod split;
mod tables;
mod whole;

use merge::Merger;
use tables::Tables;

/// A vocabulary of byte pairs, with its rules for splitting.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Vocabulary {
    /// Of GPT-4o and later models.
    O200kBase,
    /// Of GPT-4 and GPT-3.5.
    Cl100kBase,
}

/// True unless the vocabularies were cut out of the module that this is part of: without them, all counts are wrong.
pub fn are_there() -> bool {
    tables::are_there()
}

impl Vocabulary {
    /// Tokens of a text.
    pub fn count(self, text: &str) -> u64 {
        let (tables, mut merger) = (&self.tables(), Merger::default());
        let count = |piece: &str| match tables.has(piece.as_bytes()) {
            true => 1,
            false => merger.encode(tables, piece.as_bytes(), |_| ()) as u64,
        };
        self.pieces(text).map(count).sum()
    }

    /// The tokens of a text, as their numbers.
    pub fn encode(self, text: &str) -> Vec<u32> {
        let (tables, mut merger, mut tokens) = (&self.tables(), Merger::default(), Vec::new());
        for piece in self.pieces(text).map(str::as_bytes) {
            if let Some(token) = tables.rank(piece) {
                tokens.push(token);
                continue;
            }
            let mut start = 0;
            merger.encode(tables, piece, |end| {
                tokens.push(tables.rank(&piece[start..end]).expect("what is merged is a token"));
                start = end;
            });
        }
        tokens
    }

    fn tables(self) -> Tables {
        match self {
            Self::O200kBase => Tables::o200k_base(),
            Self::Cl100kBase => Tables::cl100k_base(),
        }
    }

    /// The pieces of a text, in their order and without gaps.
    fn pieces(self, text: &str) -> impl Iterator<Item = &str> {
        let mut start = 0;
        std::iter::from_fn(move || {
            let piece = start;
            if piece == text.len() {
                return None;
            }
            start = match self {
                Self::O200kBase => split::o200k_base(text, piece),
                Self::Cl100kBase => split::cl100k_base(text, piece),
            };
            Some(&text[piece..start])
        })
    }
}
