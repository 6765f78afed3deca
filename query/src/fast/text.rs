//! The text of strings: what stands between the quotes in JSON, and what it means.

use std::borrow::Cow;
use std::ops::Range;

use crate::json::is_ascii;

/// What a JSON string means, its quotes left out. It has been skipped, so every escape is complete.
pub(super) fn decoded(json: &[u8]) -> Cow<'_, [u8]> {
    match memchr::memchr(b'\\', json) {
        None => Cow::Borrowed(json),
        Some(first) => Cow::Owned(decode(json, first)),
    }
}

fn decode(json: &[u8], first: usize) -> Vec<u8> {
    let mut text = Vec::with_capacity(json.len());
    text.extend(&json[..first]);
    let mut rest = &json[first..];
    while let [b'\\', escape, after @ ..] = rest {
        rest = after;
        match escape {
            b'b' => text.push(8),
            b'f' => text.push(12),
            b'n' => text.push(b'\n'),
            b'r' => text.push(b'\r'),
            b't' => text.push(b'\t'),
            b'u' => {
                let (letter, after) = code_point(rest);
                text.extend(letter.encode_utf8(&mut [0; 4]).bytes());
                rest = after;
            }
            plain => text.push(*plain),
        }
        let plain = memchr::memchr(b'\\', rest).unwrap_or(rest.len());
        text.extend(&rest[..plain]);
        rest = &rest[plain..];
    }
    text
}

/// The letter that `\u` introduces, in one unit or two, and what follows.
fn code_point(text: &[u8]) -> (char, &[u8]) {
    let (high, rest) = unit(text);
    match rest {
        [b'\\', b'u', rest @ ..] if (0xd800..0xdc00).contains(&high) => {
            let (low, rest) = unit(rest);
            let code = 0x10000 + ((high - 0xd800) << 10) + (low.wrapping_sub(0xdc00) & 0x3ff);
            (char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER), rest)
        }
        _ => (char::from_u32(high).unwrap_or(char::REPLACEMENT_CHARACTER), rest),
    }
}

fn unit(text: &[u8]) -> (u32, &[u8]) {
    let (digits, rest) = text.split_at(text.len().min(4));
    let unit = digits.iter().fold(0, |unit, digit| unit << 4 | char::from(*digit).to_digit(16).unwrap_or(0));
    (unit, rest)
}

/// How many letters a text has.
pub(super) fn letters(text: &[u8]) -> usize {
    if is_ascii(text) { text.len() } else { text.iter().filter(|byte| !is_inner(**byte)).count() }
}

/// Where the letter of this number begins, or the end.
pub(super) fn letter_at(text: &[u8], number: usize) -> usize {
    let mut starts = text.iter().enumerate().filter(|(_, byte)| !is_inner(**byte));
    starts.nth(number).map_or(text.len(), |(at, _)| at)
}

/// A byte that goes on a letter of UTF-8.
fn is_inner(byte: u8) -> bool {
    byte & 0xc0 == 0x80
}

/// A part of a text: of one that stands in the line, no copy is made.
pub(super) fn part_of<'a>(text: &Cow<'a, [u8]>, range: Range<usize>) -> Cow<'a, [u8]> {
    match text {
        Cow::Borrowed(text) => text[range].into(),
        Cow::Owned(text) => text[range].to_vec().into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_mean_what_serde_json_says() {
        for json in [r"plain", r"", r#"a\"b\\c\/d"#, r"\b\f\n\r\t", r"\u00e9\u4e2d\ud83d\ude00x", r"é\u0000"] {
            let expected: String = serde_json::from_str(&format!("\"{json}\"")).unwrap();
            assert_eq!(decoded(json.as_bytes()), expected.as_bytes(), "{json}");
        }
    }

    #[test]
    fn letters_are_counted_and_found() {
        let text = "aé中😀".as_bytes();
        assert_eq!(letters(text), 4);
        assert_eq!((0..6).map(|n| letter_at(text, n)).collect::<Vec<_>>(), [0, 1, 3, 6, 10, 10]);
    }
}
