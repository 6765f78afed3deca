//! How many tokens a text costs a model, estimated or counted.

use lro_query::json::characters;
use serde::{Deserialize, Serialize};

use crate::error::Error;

/// How tokens are estimated, or counted (LRO-03, LRO-04, READ-03).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Tokenizer {
    /// Characters / 4, rounded up; characters are Unicode scalar values (decision 2).
    #[default]
    Chars,
    /// By script: see `weight`.
    Mixed,
    /// Exactly, as GPT-4o and later models do.
    #[serde(rename = "o200k_base")]
    O200kBase,
    /// Exactly, as GPT-4 and GPT-3.5 do.
    #[serde(rename = "cl100k_base")]
    Cl100kBase,
}

impl Tokenizer {
    /// Refuses a tokenizer whose vocabulary this component was built without.
    pub fn check(self) -> Result<(), Error> {
        let name = match self {
            Self::Chars | Self::Mixed => return Ok(()),
            _ if has_vocabularies() => return Ok(()),
            Self::O200kBase => "o200k_base",
            Self::Cl100kBase => "cl100k_base",
        };
        Err(Error::invalid_argument(
            format!("cannot count tokens with `tokenizer` `{name}`: this component has no vocabularies"),
            "load the component that has them (`lro component --exact-tokens` writes it), or use `chars` or `mixed`",
        ))
    }
}

/// Tokens are counted in hundredths, so that sums stay whole and do not depend on their order.
const HUNDREDTHS: u64 = 100;

/// A quarter of a token: Latin script at four characters a token, as the specification has it.
const QUARTER: u64 = HUNDREDTHS / 4;

/// An estimate that texts can be added to.
///
/// With `chars` and `mixed`, adding texts one by one gives the same total as adding their concatenation: only the total is
/// rounded. The exact tokenizers count each text for itself, since tokens do not cross from one record to the next.
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
            Tokenizer::O200kBase | Tokenizer::Cl100kBase => counted(self.tokenizer, text) * HUNDREDTHS,
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

/// True where texts can be counted by vocabularies: they are cut out of the component that ships.
#[cfg(feature = "exact-tokens")]
fn has_vocabularies() -> bool {
    lro_tokens::are_there()
}

#[cfg(not(feature = "exact-tokens"))]
fn has_vocabularies() -> bool {
    false
}

/// The tokens of one text by a vocabulary.
#[cfg(feature = "exact-tokens")]
fn counted(tokenizer: Tokenizer, text: &str) -> u64 {
    use lro_tokens::Vocabulary;

    match tokenizer {
        Tokenizer::Cl100kBase => Vocabulary::Cl100kBase.count(text),
        _ => Vocabulary::O200kBase.count(text),
    }
}

/// Without vocabularies, `Tokenizer::check` has refused the setting. No text has more tokens than bytes.
#[cfg(not(feature = "exact-tokens"))]
fn counted(_: Tokenizer, text: &str) -> u64 {
    text.len() as u64
}

/// Hundredths of a token that a character costs on average, by its script.
///
/// Byte-pair vocabularies are trained mostly on Latin text: its letters share tokens, while a Chinese character or a
/// Korean syllable takes most of one. The figures are fitted to o200k on one half of `tests/fixtures/tokens`; on the
/// other half the estimate is off by 5 % on average, where characters / 4 is off by 22 %, and at worst by 19 % instead
/// of 52 %.
fn weight(character: char) -> u64 {
    match u32::from(character) {
        code @ 0..0x80 => u64::from(ASCII[code as usize]),
        // Latin letters beyond ASCII: rare ones break their word into pieces.
        0x0080..=0x024F => 126,
        // Greek, Cyrillic, Armenian, Hebrew, Arabic
        0x0370..=0x03FF => 42,
        0x0400..=0x052F => 29,
        0x0530..=0x058F => 36,
        0x0590..=0x05FF => 41,
        0x0600..=0x08FF => 33,
        // Indic scripts; Thai, Lao and Tibetan; Georgian
        0x0900..=0x0DFF => 36,
        0x0E00..=0x0FFF => 38,
        0x10A0..=0x10FF => 32,
        // Latin letters of Vietnamese, which share tokens
        0x1E00..=0x1EFF => 10,
        // typographic quotes and dashes
        0x2000..=0x206F => 36,
        // CJK punctuation and full-width forms
        0x3000..=0x303F | 0xFF00..=0xFFEF => 70,
        // kana, ideographs, Hangul syllables
        0x3040..=0x30FF => 65,
        0x3400..=0x9FFF | 0xF900..=0xFAFF => 81,
        0xAC00..=0xD7FF => 63,
        // ideographs beyond the basic plane
        0x2_0000..=0x3_FFFF => 150,
        // pictographs and other symbols beyond the basic plane
        0x1_0000..=0x1_FFFF => 200,
        _ => 50,
    }
}

/// The same for ASCII: small and capital letters, digits, space, line ends, anything else.
const ASCII: [u8; 0x80] = {
    let mut weights = [69; 0x80];
    let mut code = 0;
    while code < weights.len() {
        weights[code] = match code as u8 {
            b'a'..=b'z' => 21,
            b'A'..=b'Z' => 34,
            b'0'..=b'9' => 25,
            b' ' => 11,
            b'\t' | b'\n' | b'\r' => 75,
            _ => 69,
        };
        code += 1;
    }
    weights
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::Settings;

    #[test]
    fn chars_is_a_quarter_of_the_scalar_values_rounded_up() {
        let rows = [("", 0), ("a", 1), ("abcd", 1), ("abcde", 2), ("日本語文", 1), ("😀😀😀😀😀", 2)];
        for (text, tokens) in rows {
            assert_eq!(estimate(Tokenizer::Chars, text), tokens, "{text}");
        }
    }

    #[test]
    fn the_default_threshold_lies_between_6400_and_6401_characters() {
        assert_eq!(estimate(Tokenizer::Chars, &"x".repeat(6400)), 1600);
        assert_eq!(estimate(Tokenizer::Chars, &"x".repeat(6401)), 1601);
    }

    #[test]
    fn mixed_counts_other_scripts_and_punctuation_higher() {
        let prose = "plain text is counted in nearly the same way";
        assert!(estimate(Tokenizer::Mixed, prose).abs_diff(estimate(Tokenizer::Chars, prose)) <= 2);
        assert!(estimate(Tokenizer::Mixed, "[{\"a\":1}]") > estimate(Tokenizer::Chars, "[{\"a\":1}]"));
        assert!(estimate(Tokenizer::Mixed, "日本語の文章") > 2 * estimate(Tokenizer::Chars, "日本語の文章"));
    }

    #[test]
    fn an_exact_tokenizer_is_refused_without_its_vocabulary() {
        for name in ["o200k_base", "cl100k_base"] {
            let refused = Settings::parse(&format!(r#"{{"tokenizer":"{name}"}}"#)).map(|settings| settings.tokenizer);
            if has_vocabularies() {
                assert!(refused.is_ok_and(|tokenizer| estimate(tokenizer, "Exact tokens, please.") == 5));
            } else {
                let error = refused.unwrap_err();
                assert!(error.message().contains(&format!("`tokenizer` `{name}`")), "{}", error.message());
                assert!(error.hint().contains("lro component --exact-tokens"), "{}", error.hint());
            }
        }
    }

    #[test]
    fn the_parts_sum_up_to_the_whole() {
        let mut tally = Tally::new(Tokenizer::Mixed);
        "añ日😀".chars().for_each(|c| tally.add(&c.to_string()));
        assert_eq!(tally.tokens(), estimate(Tokenizer::Mixed, "añ日😀"));
    }
}
