//! Characters that a filter writes as two escapes, `"\ud83d\ude00"`: jaq's lexer takes each escape for a character, and
//! half of a surrogate pair is not one. So the lexer gets the character itself.

use std::borrow::Cow;

use jaq_core::load::Arena;

use crate::json::code_unit;

/// Bytes, and characters, of `\ud83d\ude00`.
const PAIR: usize = 12;

/// A filter with a character for each pair of escapes.
pub(crate) struct Joined<'q> {
    /// Its text.
    pub(crate) text: &'q str,
    /// Where the characters stand in it.
    places: Vec<usize>,
}

impl<'q> Joined<'q> {
    /// Joins the pairs of a filter. The arena keeps the new text, where there is one.
    pub(crate) fn of(text: &'q str, arena: &'q Arena) -> Self {
        let pairs = pairs(text);
        if pairs.is_empty() {
            return Self { text, places: pairs };
        }
        let (mut joined, mut places, mut copied) = (String::with_capacity(text.len()), Vec::new(), 0);
        for at in pairs {
            joined.push_str(&text[copied..at]);
            places.push(joined.len());
            joined.extend(pair(&text.as_bytes()[at..]));
            copied = at + PAIR;
        }
        joined.push_str(&text[copied..]);
        Self { text: arena.alloc(joined), places }
    }

    /// The number of a character in the filter as it was written, from 1, by its byte in the joined text.
    pub(crate) fn column(&self, byte: usize) -> usize {
        let characters = self.text.get(..byte).map_or(0, |before| before.chars().count());
        let before = self.places.iter().filter(|place| **place < byte).count();
        characters + before * (PAIR - 1) + 1
    }
}

/// The filter with other characters in the places of its pairs, each part where it was.
pub(crate) fn masked(text: &str) -> Cow<'_, str> {
    let pairs = pairs(text);
    if pairs.is_empty() {
        return Cow::Borrowed(text);
    }
    let mut masked = text.to_owned();
    pairs.into_iter().for_each(|at| masked.replace_range(at..at + PAIR, &"x".repeat(PAIR)));
    Cow::Owned(masked)
}

/// True for the digits of an escape that stands for half of a surrogate pair.
pub(crate) fn begins_half(digits: &str) -> bool {
    matches!(code_unit(digits.as_bytes()), Some((0xD800..=0xDFFF, _)))
}

/// Where the pairs of a filter begin. An escape is one only in a text between quotes, and may stand in one that is put
/// into another one: `"a \("b")"`.
fn pairs(text: &str) -> Vec<usize> {
    let bytes = text.as_bytes();
    let mut found = Vec::new();
    if memchr::memmem::find(bytes, b"\\u").is_none() {
        return found;
    }
    // The parentheses that are open in this code, and in the code around each text that this code stands in.
    let (mut open, mut around) = (0_usize, Vec::new());
    let (mut is_text, mut at) = (false, 0);
    while let Some(byte) = bytes.get(at) {
        let mut length = 1;
        match (is_text, byte) {
            (_, b'"') => is_text = !is_text,
            (true, b'\\') if pair(&bytes[at..]).is_some() => {
                found.push(at);
                length = PAIR;
            }
            (true, b'\\') => {
                length = 2;
                if bytes.get(at + 1) == Some(&b'(') {
                    around.push(std::mem::take(&mut open));
                    is_text = false;
                }
            }
            (false, b'#') => length = comment(&bytes[at..]),
            (false, b'(') => open += 1,
            (false, b')') if open > 0 => open -= 1,
            (false, b')') => {
                if let Some(outer) = around.pop() {
                    open = outer;
                    is_text = true;
                }
            }
            _ => {}
        }
        at += length;
    }
    found
}

/// The bytes of a comment. As in jq, a backslash before the end of a line carries it on.
fn comment(code: &[u8]) -> usize {
    let mut length = 0;
    for line in code.split_inclusive(|byte| *byte == b'\n') {
        length += line.len();
        let line = line.strip_suffix(b"\n").unwrap_or(line);
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        if line.iter().rev().take_while(|byte| **byte == b'\\').count() % 2 == 0 {
            break;
        }
    }
    length
}

/// The character of the two escapes that a text begins with.
fn pair(text: &[u8]) -> Option<char> {
    let (first, rest) = code_unit(text.strip_prefix(b"\\u")?)?;
    let (second, _) = code_unit(rest.strip_prefix(b"\\u")?)?;
    // Only a first half with a second half after it is one character.
    let mut decoded = char::decode_utf16([first, second]);
    let (character, more) = (decoded.next()?.ok()?, decoded.next());
    more.is_none().then_some(character)
}

#[cfg(test)]
mod tests {
    use crate::{Limits, Value, outputs, words};

    fn refusal(filter: &str) -> String {
        outputs(filter, Value::default(), &Limits::default()).err().map(|why| why.to_string()).unwrap_or_default()
    }

    #[test]
    fn a_pair_of_escapes_is_a_character() {
        let rows = [
            (r#""\ud83d\ude00""#, r#""😀""#),
            (r#""\uD83D\uDE00!\ud83d\udE01" | length"#, "3"),
            (r#""\\ud83d\\ude00""#, r#""\\ud83d\\ude00""#),
            (r#""\\\ud83d\ude00""#, r#""\\😀""#),
            (r#"{"\ud83d\ude00": 1} | ."\ud83d\ude00""#, "1"),
            (r#"{"\ud83d\ude00": 1}["\ud83d\ude00"]"#, "1"),
            (r#"@base64 "x\ud83d\ude00\("\ud83d\ude00" | (.))\ud83d\ude00""#, r#""x😀8J+YgA==😀""#),
            ("# \" \\ud83d\\ude00 \\\n\" \\ud83d\\ude00\n\"\\ud83d\\ude00\" # \\ud83d\\ude00", r#""😀""#),
            (r#""a\(")" | "(\ud83d\ude00")b" | length"#, "4"),
            (r#""\u00e9\ue000""#, "\"é\u{e000}\""),
        ];
        for (filter, expected) in rows {
            let (found, failure) = outputs(filter, Value::default(), &Limits::default())
                .unwrap_or_else(|error| panic!("{filter}: {error}"));
            assert_eq!((found.join(" ").as_str(), failure.is_none()), (expected, true), "{filter}");
        }
    }

    #[test]
    fn half_of_a_pair_is_called_so() {
        for filter in [r#""\ud83d""#, r#""\ude00\ud83d""#, r#""\ud83dx\ude00""#, r#""\ud83d\ud83d\ude00""#] {
            let why = refusal(filter);
            assert!(why.contains("half of a surrogate pair") && why.contains("at character 4"), "{filter}: {why}");
        }
        let why = refusal(r#""\u12""#);
        assert!(why.contains("hexadecimal") && !why.contains("surrogate"), "{why}");
    }

    #[test]
    fn places_are_those_of_the_filter_as_it_was_written() {
        let rows = [
            (r#""\ud83d\ude00" | %"#, "at character 18, before `%`"),
            (r#"% | "\ud83d\ude00""#, "at character 1, before"),
            (r#""\ud83d\ude00\u00e9\ud83d\ude00" | (1"#, "at the end"),
            (r#""\ud83d\ude00\ud83d""#, "at character 16"),
        ];
        for (filter, expected) in rows {
            let why = refusal(filter);
            assert!(why.contains(expected), "{filter}: {why}");
        }
    }

    #[test]
    fn words_are_those_around_the_texts() {
        let found = words(r#"select(title == "\ud83d\ude00") | "\ud83d\ude00" | é"#);
        assert_eq!(found, None);
        let found = words(r#"select(title == "\ud83d\ude00") | tag"#).unwrap();
        assert_eq!(found, ["select", "(", "title", "==", "\"\"", ")", "|", "tag"]);
    }
}
