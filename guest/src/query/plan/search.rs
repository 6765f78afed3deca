//! Looking for a pattern: literal text is searched for sixteen places at a time, the rest is the engine's regular
//! expression.

use regex::bytes::Regex;

use crate::query::lanes::Lanes;
use crate::query::natives::patterns;

/// A pattern to look for.
#[derive(Debug)]
pub(in crate::query) struct Pattern {
    literal: Option<Literal>,
    regex: Regex,
}

#[derive(Debug)]
struct Literal {
    /// In small letters if case does not count.
    text: Vec<u8>,
    /// Large letters match small ones.
    ignores_case: bool,
    /// Some letter beyond ASCII is another case of one of these: ſ of s, K (Kelvin) of k.
    has_cases_beyond_ascii: bool,
}

impl Pattern {
    /// The pattern of jq's `test`; `None` where the engine refuses it.
    pub(super) fn new(pattern: &str, flags: &str) -> Option<Self> {
        let regex = patterns::for_bytes(pattern, flags)?;
        Some(Self { literal: Literal::new(pattern, flags), regex })
    }

    /// True when it is found in the text.
    pub(super) fn is_in(&self, text: &[u8]) -> bool {
        match &self.literal {
            Some(literal) if literal.holds_for(text) => literal.is_in(text),
            _ => self.regex.is_match(text),
        }
    }
}

impl Literal {
    fn new(pattern: &str, flags: &str) -> Option<Self> {
        let ignores_case = match flags {
            "" => false,
            "i" => true,
            _ => return None,
        };
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b" _-:/,;=@%&!<>'\"~".contains(&byte);
        (!pattern.is_empty() && pattern.bytes().all(is_plain)).then(|| {
            let text = pattern.to_ascii_lowercase().into_bytes();
            let has_cases_beyond_ascii = ignores_case && text.iter().any(|byte| matches!(byte, b'k' | b's'));
            let text = if ignores_case { text } else { pattern.as_bytes().to_vec() };
            Self { text, ignores_case, has_cases_beyond_ascii }
        })
    }

    fn holds_for(&self, text: &[u8]) -> bool {
        !self.has_cases_beyond_ascii || text.is_ascii()
    }

    fn is_in(&self, text: &[u8]) -> bool {
        if self.ignores_case {
            find_ignoring_case(text, &self.text)
        } else {
            memchr::memmem::find(text, &self.text).is_some()
        }
    }
}

/// True when `needle`, which is in small letters and not empty, is in the text in any case.
fn find_ignoring_case(text: &[u8], needle: &[u8]) -> bool {
    let Some(last_start) = text.len().checked_sub(needle.len()) else { return false };
    let (first, last) = (needle[0], needle[needle.len() - 1]);
    let is_at = |at: usize| text[at..at + needle.len()].eq_ignore_ascii_case(needle);
    let mut at = 0;
    // A place is looked at when both ends of the needle fit.
    while let (Some(starts), Some(ends)) = (chunk(text, at), chunk(text, at + needle.len() - 1)) {
        let mut places = fits(starts, first).and(fits(ends, last)).bits();
        while places != 0 {
            if is_at(at + places.trailing_zeros() as usize) {
                return true;
            }
            places &= places - 1;
        }
        at += 16;
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
            for pattern in ["c", "cache", "Cache K", "cake", "cacs", "@", "y", "é"] {
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
                }
            }
        }
        assert!(!find_ignoring_case(&[b'{'; 40], b"["));
    }
}
