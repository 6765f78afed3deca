//! Strings: text as a JSON literal, and the text that a literal stands for.

use std::borrow::Cow;
use std::fmt::Write;

use memchr::memchr;

use super::plain::plain_bytes;
use super::simd::Lanes;
use super::surrogates::code_unit;

/// Bytes of a literal that one character takes at most: two escaped halves of a surrogate pair.
const CHARACTER_BYTES: usize = 12;

/// Bytes that are looked at together.
const CHUNK_BYTES: usize = 16;

/// A text as a JSON string.
pub fn quote(text: &str) -> String {
    let mut json = String::with_capacity(text.len() + 2);
    push_quoted(&mut json, text);
    json
}

/// Appends a text as a JSON string.
pub fn push_quoted(json: &mut String, text: &str) {
    json.push('"');
    let mut rest = text;
    while let Some(place) = first_escaped(rest.as_bytes()) {
        json.push_str(&rest[..place]);
        match rest.as_bytes()[place] {
            b'\x08' => json.push_str("\\b"),
            b'\x0c' => json.push_str("\\f"),
            b'\n' => json.push_str("\\n"),
            b'\r' => json.push_str("\\r"),
            b'\t' => json.push_str("\\t"),
            byte @ (b'"' | b'\\') => json.extend(['\\', char::from(byte)]),
            // Writing to a string cannot fail.
            byte => drop(write!(json, "\\u{byte:04x}")),
        }
        rest = &rest[place + 1..];
    }
    json.push_str(rest);
    json.push('"');
}

/// The first byte that JSON escapes.
fn first_escaped(bytes: &[u8]) -> Option<usize> {
    let plain = plain_bytes(bytes, escaped, is_escaped);
    (plain < bytes.len()).then_some(plain)
}

/// A bit for each byte that JSON escapes.
#[inline(always)]
fn escaped(lanes: Lanes) -> u32 {
    lanes.equal(b'"').or(lanes.equal(b'\\')).or(lanes.below(b' ')).bits()
}

/// True for a byte that JSON escapes.
fn is_escaped(byte: u8) -> bool {
    byte < b' ' || byte == b'"' || byte == b'\\'
}

/// True for a character that [`quote`] writes as a number: a control character whose escape has no letter.
fn has_no_name(character: char) -> bool {
    character < ' ' && !matches!(character, '\x08' | '\t' | '\n' | '\x0c' | '\r')
}

/// What a JSON string stands for.
#[derive(Debug, PartialEq, Eq)]
pub struct Unquoted<'a> {
    /// The text; half of a surrogate pair is replaced by U+FFFD.
    pub text: Cow<'a, str>,
    /// [`quote`] gives this very string again.
    pub is_exact: bool,
}

/// The text that a JSON string stands for; half of a surrogate pair is replaced by U+FFFD. Empty if an escape is not JSON.
pub fn unquote(string: &str) -> Cow<'_, str> {
    let inner = inner(string);
    match memchr(b'\\', inner.as_bytes()) {
        Some(first) => unescaped::<false>(inner, first).map(|unquoted| unquoted.text).unwrap_or_default(),
        None => inner.into(),
    }
}

/// The same for a text that may be anything; `None` if it is not one JSON string.
pub fn unquote_checked(string: &str) -> Option<Unquoted<'_>> {
    let inner = string.strip_prefix('"')?.strip_suffix('"')?;
    match first_escaped(inner.as_bytes()) {
        Some(first) => unescaped::<true>(inner, first),
        None => Some(Unquoted { text: inner.into(), is_exact: true }),
    }
}

/// What the inside of a JSON string stands for whose first escape is here; `None` if an escape is not JSON or, if
/// `CHECKED`, where a character had to be escaped.
fn unescaped<const CHECKED: bool>(inner: &str, first: usize) -> Option<Unquoted<'_>> {
    let stops = |lanes: Lanes| if CHECKED { escaped(lanes) } else { lanes.equal(b'\\').bits() };
    let is_stop = |byte: u8| if CHECKED { is_escaped(byte) } else { byte == b'\\' };
    // No escape is shorter than its character. A chunk is written before it is known how much of it is plain.
    let mut text = vec![0; inner.len() + CHUNK_BYTES];
    text[..first].copy_from_slice(&inner.as_bytes()[..first]);
    let mut end = first;
    let mut is_exact = true;
    let mut rest = &inner.as_bytes()[first..];
    loop {
        let plain = match (rest.first_chunk(), text[end..].first_chunk_mut()) {
            (Some(chunk), Some(written)) => {
                *written = *chunk;
                CHUNK_BYTES.min(stops(Lanes::load(chunk)).trailing_zeros() as usize)
            }
            _ => {
                let plain = rest.iter().take_while(|byte| !is_stop(**byte)).count();
                text[end..end + plain].copy_from_slice(&rest[..plain]);
                plain
            }
        };
        end += plain;
        rest = match &rest[plain..] {
            [] => {
                text.truncate(end);
                return Some(Unquoted { text: String::from_utf8(text).ok()?.into(), is_exact });
            }
            [b'\\', b'u', rest @ ..] => {
                let (character, behind) = escaped_character(rest)?;
                end += character.encode_utf8(&mut text[end..]).len();
                is_exact &= has_no_name(character) && !rest[..4].iter().any(u8::is_ascii_uppercase);
                behind
            }
            [b'\\', byte, rest @ ..] => {
                is_exact &= *byte != b'/';
                text[end] = match byte {
                    b'"' | b'\\' | b'/' => *byte,
                    b'b' => 0x08,
                    b'f' => 0x0c,
                    b'n' => b'\n',
                    b'r' => b'\r',
                    b't' => b'\t',
                    _ => return None,
                };
                end += 1;
                rest
            }
            [b'\\'] => return None,
            [byte, ..] if CHECKED && is_escaped(*byte) => return None,
            rest => rest,
        };
    }
}

/// The character of an escape whose `\u` has been read, and what follows it.
fn escaped_character(text: &[u8]) -> Option<(char, &[u8])> {
    let (unit, rest) = code_unit(text)?;
    if let (0xd800..=0xdbff, [b'\\', b'u', second @ ..]) = (unit, rest)
        && let (low @ 0xdc00..=0xdfff, rest) = code_unit(second)?
    {
        let both = 0x1_0000 + ((u32::from(unit) & 0x3ff) << 10) + (u32::from(low) & 0x3ff);
        return Some((char::from_u32(both)?, rest));
    }
    Some((char::from_u32(unit.into()).unwrap_or(char::REPLACEMENT_CHARACTER), rest))
}

/// The text of the beginning of a JSON string, with so many characters at least where it has them.
pub fn start_of_literal(literal: &str, characters: usize) -> String {
    let inner = inner(literal);
    let most = inner.floor_char_boundary(characters.saturating_mul(CHARACTER_BYTES));
    unquote_part(&inner[..end_of_escapes(inner, most)])
}

/// The text of the end of a JSON string, with so many characters at least where it has them.
pub fn end_of_literal(literal: &str, characters: usize) -> String {
    let inner = inner(literal);
    let from = inner.len().saturating_sub(characters.saturating_mul(CHARACTER_BYTES));
    let mut from = inner.ceil_char_boundary(from);
    let backslashes = inner.as_bytes()[..from].iter().rev().take_while(|byte| **byte == b'\\').count();
    if backslashes % 2 == 1 {
        // The backslash before it belongs to this character. Digits of a cut `\uXXXX` are harmless.
        from = inner.ceil_char_boundary(from + 1);
    }
    unquote_part(&inner[from..])
}

/// A JSON string without its quotes.
fn inner(literal: &str) -> &str {
    literal.get(1..literal.len().saturating_sub(1)).unwrap_or_default()
}

/// The text of a part of a JSON string.
fn unquote_part(part: &str) -> String {
    unquote(&format!("\"{part}\"")).into_owned()
}

/// The last place up to `most` that is not inside of an escape.
fn end_of_escapes(inner: &str, most: usize) -> usize {
    let bytes = inner.as_bytes();
    let mut at = 0;
    while at < most {
        let length = match (bytes[at], bytes.get(at + 1)) {
            (b'\\', Some(b'u')) => 6,
            (b'\\', _) => 2,
            _ => 1,
        };
        if at + length > most {
            break;
        }
        at += length;
    }
    inner.floor_char_boundary(at)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use proptest::test_runner::RngSeed;

    use super::*;
    use crate::json::is_json;

    #[test]
    fn strings_are_written_as_serde_writes_them() {
        let ascii: String = (0..=127_u8).map(char::from).collect();
        for text in ["", "plain", "é\u{1F600}", "a\"b\\c", "\u{2028}", &ascii] {
            assert_eq!(quote(text), serde_json::Value::from(text).to_string());
            assert_eq!(unquote(&quote(text)), text);
        }
    }

    #[test]
    fn escapes_stand_for_their_characters() {
        let long = "x".repeat(CHUNK_BYTES);
        let rows = [
            (r#""a""#, "a"),
            (r#""\u00e9\n""#, "é\n"),
            (r#""\"\\\/\b\f\n\r\t""#, "\"\\/\u{8}\u{c}\n\r\t"),
            (r#""\ud83d\ude00\uD83D\uDE00""#, "\u{1f600}\u{1f600}"),
            // Half of a pair.
            (r#""\ud800x""#, "\u{fffd}x"),
            (r#""\udc00\ud800\ud800\udc00""#, "\u{fffd}\u{fffd}\u{10000}"),
            (r#""\ud800\n\ud800\u0041\ud800""#, "\u{fffd}\n\u{fffd}A\u{fffd}"),
            // These are not JSON.
            (r#""a\q""#, ""),
            (r#""a\u12g4""#, ""),
            (r#""a\u123""#, ""),
            (r#""a\ud800\u1""#, ""),
            (r#""a\""#, ""),
        ];
        for (json, text) in rows {
            assert_eq!(unquote(json), text, "{json}");
            // The same beyond the first chunk.
            let (json, text) =
                (json.replacen('"', &format!("\"{long}"), 1), Some(text).filter(|text| !text.is_empty()));
            assert_eq!(unquote(&json), text.map(|text| long.clone() + text).unwrap_or_default(), "{json}");
        }
    }

    #[test]
    fn a_string_is_checked_and_told_from_its_other_spellings() {
        let long = "x".repeat(CHUNK_BYTES);
        for (string, expected) in [
            (r#""""#, Some(true)),
            (r#""a é \" \\ \b\f\n\r\t""#, Some(true)),
            (r#""\u0000\u001f""#, Some(true)),
            (r#""\u001F""#, Some(false)),
            (r#""\u000a""#, Some(false)),
            (r#""\u0041\/""#, Some(false)),
            (r#""\ud800""#, Some(false)),
            ("\"a\nb\"", None),
            ("\"a\"b\"", None),
            ("\"\\n\u{1}\"", None),
            (r#""\n"a""#, None),
            (r#""\q""#, None),
            (r#""\""#, None),
            (r#"""#, None),
            ("a", None),
        ] {
            for string in [string.to_owned(), string.replacen('"', &format!("\"{long}"), 1)] {
                let found = unquote_checked(&string);
                assert_eq!(found.as_ref().map(|found| found.is_exact), expected, "{string}");
                assert_eq!(expected.is_some(), is_json(&string), "{string}");
                assert!(found.is_none_or(|found| found.is_exact == (quote(&found.text) == string)), "{string}");
            }
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { rng_seed: RngSeed::Fixed(7), failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn strings_are_read_as_serde_reads_them(
            text in r#"([a-zé\u{1f600}]{0,20}|\\["\\/bfnrt]|\\u[0-9a-cA-C]{4}){0,9}(\\[ux]|\\u[0-9]{3})?"#
        ) {
            let json = format!("\"{text}\"");
            let theirs = serde_json::from_str::<String>(&json);
            if let Ok(text) = &theirs {
                prop_assert_eq!(unquote_checked(&json), Some(Unquoted { text: text.into(), is_exact: quote(text) == json }));
            }
            prop_assert_eq!(unquote(&json), theirs.unwrap_or_default());
        }
    }
}
