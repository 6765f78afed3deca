//! Looking for a pattern: literal texts, one or several, are searched for sixteen places at a time, the rest is the
//! engine's regular expression.

use std::sync::OnceLock;

use memchr::memmem::Finder;
use regex::bytes::Regex;

use crate::functions::patterns;
use crate::json::is_ascii;
use crate::json::simd::Lanes;

/// A pattern to look for.
#[derive(Debug)]
pub(crate) struct Pattern {
    /// The texts of which one has to be there, where the pattern is nothing else: `error|fatal`.
    literals: Vec<Literal>,
    /// Some letter beyond ASCII is another case of one of theirs: ſ of s, K (Kelvin) of k.
    has_cases_beyond_ascii: bool,
    regex: LateRegex,
}

/// A regular expression that is compiled when it is first needed: that takes as long as reading a small file, and literal
/// texts rarely need it.
#[derive(Debug)]
struct LateRegex {
    pattern: String,
    flags: String,
    compiled: OnceLock<Option<Regex>>,
}

#[derive(Debug)]
enum Literal {
    /// As it stands.
    Exact(Box<Finder<'static>>),
    /// In small letters; large ones match them.
    AnyCase(Vec<u8>),
}

/// More texts than this are left to the regular expression, which looks for all of them at once.
const MOST_LITERALS: usize = 8;

/// The engine refuses no pattern of literal texts that has at most this many bytes.
const MOST_BYTES: usize = 256;

impl Pattern {
    /// The pattern of jq's `test`; `None` where the engine refuses it.
    pub(super) fn new(pattern: &str, flags: &str) -> Option<Self> {
        let literals: Option<Vec<_>> = pattern.split('|').map(|text| Literal::new(text, flags)).collect();
        let literals = literals.filter(|literals| literals.len() <= MOST_LITERALS).unwrap_or_default();
        let regex = LateRegex { pattern: pattern.to_owned(), flags: flags.to_owned(), compiled: OnceLock::new() };
        if literals.is_empty() || pattern.len() > MOST_BYTES {
            regex.compiled().as_ref()?;
        }
        let has_cases_beyond_ascii = flags == "i" && pattern.contains(['k', 'K', 's', 'S']);
        Some(Self { literals, has_cases_beyond_ascii, regex })
    }

    /// True when it is found in the text.
    pub(super) fn is_in(&self, text: &[u8]) -> bool {
        match self.literals.is_empty() || (self.has_cases_beyond_ascii && !is_ascii(text)) {
            true => self.regex.is_match(text),
            false => self.literals.iter().any(|literal| literal.is_in(text)),
        }
    }
}

impl LateRegex {
    fn compiled(&self) -> &Option<Regex> {
        self.compiled.get_or_init(|| patterns::for_bytes(&self.pattern, &self.flags))
    }

    fn is_match(&self, text: &[u8]) -> bool {
        self.compiled().as_ref().is_some_and(|regex| regex.is_match(text))
    }
}

impl Literal {
    fn new(text: &str, flags: &str) -> Option<Self> {
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b" _-:/,;=@%&!<>'\"~".contains(&byte);
        if text.is_empty() || !text.bytes().all(is_plain) {
            return None;
        }
        match flags {
            "" => Some(Self::Exact(Box::new(Finder::new(text.as_bytes()).into_owned()))),
            "i" => Some(Self::AnyCase(text.to_ascii_lowercase().into_bytes())),
            _ => None,
        }
    }

    fn is_in(&self, text: &[u8]) -> bool {
        match self {
            Self::Exact(finder) => finder.find(text).is_some(),
            Self::AnyCase(small) => find_ignoring_case(text, small),
        }
    }
}

/// True when `needle`, which is in small letters and not empty, is in the text in any case.
fn find_ignoring_case(text: &[u8], needle: &[u8]) -> bool {
    let Some(last_start) = text.len().checked_sub(needle.len()) else { return false };
    let (first, last) = (needle[0], needle[needle.len() - 1]);
    let is_at = |at: usize| text[at..at + needle.len()].eq_ignore_ascii_case(needle);
    let mut at = 0;
    // A place is looked at when both ends of the needle fit. The last sixteen places may have been looked at in part.
    while let (Some(starts), Some(ends)) = (chunk(text, at), chunk(text, at + needle.len() - 1)) {
        let mut places = fits(starts, first).and(fits(ends, last)).bits();
        while places != 0 {
            if is_at(at + places.trailing_zeros() as usize) {
                return true;
            }
            places &= places - 1;
        }
        match last_start - at {
            0..16 => return false,
            16..32 => at = last_start - 15,
            _ => at += 16,
        }
    }
    (at..=last_start).any(|at| text[at].eq_ignore_ascii_case(&first) && is_at(at))
}

fn chunk(text: &[u8], at: usize) -> Option<&[u8; 16]> {
    text.get(at..)?.first_chunk()
}

fn fits(bytes: &[u8; 16], letter: u8) -> Lanes {
    let lanes = Lanes::load(bytes);
    // The bit tells small letters from large ones.
    if letter.is_ascii_lowercase() { lanes.with(0x20).equal(letter) } else { lanes.equal(letter) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn literal_text_is_found_where_the_regular_expression_finds_it() {
        let long = format!("{}Cache Key{}", "x".repeat(37), "y".repeat(5));
        let texts = ["", "c", "CACHE", "a cache", "caché", "ca\u{212a}e", "cac\u{17f}", "@cache@", "[ache", &long];
        for flags in ["", "i"] {
            for pattern in
                ["c", "cache", "Cache K", "cake", "cacs", "@", "y", "é", "x|cake", "z|@|E", "k|Q", "|c", "z|"]
            {
                let plan = Pattern::new(pattern, flags).unwrap();
                for text in texts {
                    assert_eq!(
                        plan.is_in(text.as_bytes()),
                        plan.regex.is_match(text.as_bytes()),
                        "{pattern} in {text}"
                    );
                }
            }
        }
    }

    #[test]
    fn every_place_in_a_text_is_looked_at() {
        for length in 1..50 {
            for at in 0..length {
                for needle in ["b", "bc", "bcdefghijklmnopqrstuvw"] {
                    let mut text = vec![b'B'; length];
                    text.splice(at..at, needle.to_ascii_uppercase().bytes());
                    assert!(find_ignoring_case(&text, needle.as_bytes()));
                    text[at] = b'x';
                    assert!(needle.len() == 1 || !find_ignoring_case(&text, needle.as_bytes()));
                }
            }
        }
        assert!(!find_ignoring_case(&[b'{'; 40], b"["));
    }
}
