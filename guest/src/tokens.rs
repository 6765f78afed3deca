//! How many tokens a text is likely to cost a model.

use serde::{Deserialize, Serialize};

/// How tokens are estimated (LRO-03, LRO-04).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Tokenizer {
    /// Characters / 4, rounded up; characters are Unicode scalar values (decision 2).
    #[default]
    Chars,
    /// By script: see [`weight`].
    Mixed,
}

/// Tokens are counted in hundredths, so that sums stay whole and do not depend on their order.
const HUNDREDTHS: u64 = 100;

/// A quarter of a token: Latin script at four characters a token, as the specification has it.
const QUARTER: u64 = HUNDREDTHS / 4;

/// An estimate that texts can be added to.
///
/// Adding texts one by one gives the same total as adding their concatenation: only the total is rounded.
#[derive(Debug, Clone, Copy, Default)]
pub struct Tally {
    tokenizer: Tokenizer,
    hundredths: u64,
}

impl Tally {
    /// Nothing counted yet.
    pub fn new(tokenizer: Tokenizer) -> Self {
        Self { tokenizer, hundredths: 0 }
    }

    /// Adds the tokens of a text.
    pub fn add(&mut self, text: &str) {
        self.hundredths += match self.tokenizer {
            Tokenizer::Chars => characters(text) * QUARTER,
            Tokenizer::Mixed => text.chars().map(weight).sum(),
        };
    }

    /// Tokens so far, rounded up.
    pub fn tokens(&self) -> u32 {
        u32::try_from(self.hundredths.div_ceil(HUNDREDTHS)).unwrap_or(u32::MAX)
    }
}

/// Tokens of one text.
pub fn estimate(tokenizer: Tokenizer, text: &str) -> u32 {
    let mut tally = Tally::new(tokenizer);
    tally.add(text);
    tally.tokens()
}

/// Unicode scalar values of a text: its bytes that do not continue a character.
fn characters(text: &str) -> u64 {
    // Counting in blocks whose sum fits a byte lets the compiler use vector instructions.
    let starts = |block: &[u8]| block.iter().map(|byte| u8::from(byte.cast_signed() >= -0x40)).sum::<u8>();
    text.as_bytes().chunks(255).map(|block| u64::from(starts(block))).sum()
}

/// Hundredths of a token that a character costs on average, by its script.
///
/// Byte-pair vocabularies are trained mostly on Latin text: its characters share tokens, while a Chinese character or a
/// Korean syllable takes most of one, and a pictograph more than one.
fn weight(character: char) -> u64 {
    match u32::from(character) {
        0x0000..=0x024F => QUARTER,
        // Greek, Cyrillic, Armenian, Hebrew, Arabic and their neighbours
        0x0250..=0x08FF => 40,
        // Indic scripts, Thai, Lao, Tibetan, Georgian and their neighbours
        0x0900..=0x10FF => 50,
        // Hangul letters
        0x1100..=0x11FF | 0x3130..=0x318F => 80,
        // Kana, CJK punctuation, ideographs, Hangul syllables, full-width forms
        0x3000..=0x312F | 0x3190..=0x9FFF | 0xAC00..=0xD7FF | 0xF900..=0xFAFF | 0xFF00..=0xFFEF => 75,
        // ideographs beyond the basic plane
        0x2_0000..=0x3_FFFF => 150,
        // pictographs and other symbols beyond the basic plane
        0x1_0000..=0x1_FFFF => 200,
        _ => 60,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chars_is_a_quarter_of_the_scalar_values_rounded_up() {
        let rows = [("", 0), ("a", 1), ("abcd", 1), ("abcde", 2), ("日本語文", 1), ("😀😀😀😀😀", 2)];
        for (text, tokens) in rows {
            assert_eq!(estimate(Tokenizer::Chars, text), tokens, "{text}");
        }
    }

    #[test]
    fn counting_in_blocks_counts_every_character() {
        for length in [0, 1, 254, 255, 256, 1000] {
            assert_eq!(characters(&"é".repeat(length)), length as u64);
        }
    }

    #[test]
    fn the_default_threshold_lies_between_6400_and_6401_characters() {
        assert_eq!(estimate(Tokenizer::Chars, &"x".repeat(6400)), 1600);
        assert_eq!(estimate(Tokenizer::Chars, &"x".repeat(6401)), 1601);
    }

    #[test]
    fn mixed_counts_other_scripts_higher_and_latin_the_same() {
        assert_eq!(estimate(Tokenizer::Mixed, "plain text"), estimate(Tokenizer::Chars, "plain text"));
        assert!(estimate(Tokenizer::Mixed, "日本語の文章") > 2 * estimate(Tokenizer::Chars, "日本語の文章"));
    }

    #[test]
    fn the_parts_sum_up_to_the_whole() {
        let mut tally = Tally::new(Tokenizer::Mixed);
        "añ日😀".chars().for_each(|c| tally.add(&c.to_string()));
        assert_eq!(tally.tokens(), estimate(Tokenizer::Mixed, "añ日😀"));
    }
}
