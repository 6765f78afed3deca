//! Our tokens are those of the reference: tiktoken, from which `tests/reference/make.py` made `tests/reference/tokens.txt`.
//!
//! `TOKENS_TEXTS=FILE cargo test -p lro-tokens --test reference` writes the texts to that file, as JSON Lines, for the
//! script to count.

mod reference {
    pub(crate) mod texts;
}

use std::env;
use std::fs;

use lro_tokens::Vocabulary;
use reference::texts::{COUNT, every_character, texts};

/// How many texts a line of `tokens.txt` is about.
const GROUP: usize = 20;

/// By group of texts: o200k counts and the digest of the tokens, the same for cl100k.
const REFERENCE: &str = include_str!("reference/tokens.txt");

/// FNV-1a over the numbers of tokens.
fn digest(tokens: &[Vec<u32>]) -> u32 {
    let numbers = tokens.iter().flatten().flat_map(|token| token.to_le_bytes());
    numbers.fold(0x811C_9DC5, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193))
}

/// What `make.py` writes for a group of texts and a vocabulary.
fn counted(vocabulary: Vocabulary, group: &[String]) -> String {
    let tokens: Vec<Vec<u32>> = group.iter().map(|text| vocabulary.encode(text)).collect();
    let counts: Vec<String> = tokens.iter().map(|tokens| tokens.len().to_string()).collect();
    format!("{} {:08x}", counts.join(" "), digest(&tokens))
}

#[test]
fn tokens_are_those_of_the_reference() {
    let texts = [texts(), every_character()].concat();
    assert!(texts.len() > COUNT);
    if let Some(path) = env::var_os("TOKENS_TEXTS") {
        let lines: String = texts.iter().map(|text| serde_json::json!(text).to_string() + "\n").collect();
        fs::write(path, lines).expect("the texts can be written");
    }
    let groups = texts.chunks(GROUP);
    assert_eq!(REFERENCE.lines().count(), groups.len());
    for (number, (group, expected)) in groups.zip(REFERENCE.lines()).enumerate() {
        let found = [Vocabulary::O200kBase, Vocabulary::Cl100kBase].map(|vocabulary| counted(vocabulary, group));
        assert_eq!(found.join(" | "), expected, "texts {} and later: {group:?}", number * GROUP);
    }
}

#[test]
fn counting_is_as_encoding() {
    for text in texts().iter().step_by(7) {
        for vocabulary in [Vocabulary::O200kBase, Vocabulary::Cl100kBase] {
            assert_eq!(vocabulary.count(text), vocabulary.encode(text).len() as u64, "{vocabulary:?}: {text:?}");
        }
    }
}

#[test]
fn a_second_implementation_agrees() {
    let texts = texts();
    for text in &texts {
        let expected = bpe_openai::o200k_base().encode(text.as_str());
        assert_eq!(Vocabulary::O200kBase.encode(text), expected, "{text:?}");
    }
    for text in &texts {
        // The reference takes white space at the end as one piece, with its line ends.
        let text = text.trim_end();
        let expected = bpe_openai::cl100k_base().encode(text);
        assert_eq!(Vocabulary::Cl100kBase.encode(text), expected, "{text:?}");
    }
}
