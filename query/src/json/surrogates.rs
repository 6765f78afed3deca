//! Halves of surrogate pairs: `"\ud800"` is JSON, but no text. jq before 1.7 ends at the first one.

use std::borrow::Cow;
use std::sync::LazyLock;

use memchr::memmem::Finder;

/// Escapes by their number. Making a finder for each of many short records costs more than their search.
static ESCAPES: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new(b"\\u"));

/// Bytes of `\ud800`.
const ESCAPE_BYTES: usize = 6;

/// The digits of U+FFFD, the replacement character.
const NO_CHARACTER: &str = "fffd";

/// True for JSON text with half of a surrogate pair in some string.
pub fn has_half(json: &str) -> bool {
    halves(json.as_bytes()).next().is_some()
}

/// The same JSON with U+FFFD for each half of a surrogate pair, which many parsers refuse. It has as many bytes.
pub fn without_halves(json: &str) -> Cow<'_, str> {
    let mut replaced: Option<String> = None;
    for start in halves(json.as_bytes()) {
        let digits = start + "\\u".len()..start + ESCAPE_BYTES;
        replaced.get_or_insert_with(|| json.to_owned()).replace_range(digits, NO_CHARACTER);
    }
    replaced.map_or(Cow::Borrowed(json), Cow::Owned)
}

/// Where the escapes of halves begin. Most texts have no such escape at all, and finding that out costs next to nothing.
fn halves(bytes: &[u8]) -> impl Iterator<Item = usize> {
    let mut end = 0;
    ESCAPES.find_iter(bytes).filter(move |start| {
        if *start < end || !is_of_surrogate(bytes, *start) || is_escaped(bytes, *start) {
            return false;
        }
        match (unit(bytes, *start), unit(bytes, start + ESCAPE_BYTES)) {
            (Some(0xD800..=0xDBFF), Some(0xDC00..=0xDFFF)) => {
                end = start + 2 * ESCAPE_BYTES;
                false
            }
            (Some(first), _) => (0xD800..=0xDFFF).contains(&first),
            (None, _) => false,
        }
    })
}

/// True where an escape begins as those from `\ud800` to `\udfff` do. Most are of letters, and need no further look.
fn is_of_surrogate(bytes: &[u8], start: usize) -> bool {
    matches!(bytes.get(start + 2..start + 4), Some([b'd' | b'D', b'8' | b'9' | b'a'..=b'f' | b'A'..=b'F']))
}

/// The code unit of an escape that starts here.
fn unit(bytes: &[u8], start: usize) -> Option<u16> {
    code_unit(bytes.get(start..)?.strip_prefix(b"\\u")?).map(|(unit, _)| unit)
}

/// The UTF-16 code unit of four hexadecimal digits, and what follows them.
pub(crate) fn code_unit(text: &[u8]) -> Option<(u16, &[u8])> {
    let (digits, rest) = text.split_first_chunk::<4>()?;
    let digit = |unit: u16, byte: &u8| Some(unit << 4 | u16::try_from(char::from(*byte).to_digit(16)?).ok()?);
    Some((digits.iter().try_fold(0, digit)?, rest))
}

/// True where the backslash is the second one of a pair.
fn is_escaped(bytes: &[u8], start: usize) -> bool {
    bytes[..start].iter().rev().take_while(|byte| **byte == b'\\').count() % 2 == 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_are_told_from_pairs_and_from_text() {
        let rows = [
            (r#""\ud800""#, true),
            (r#""\uDC00x""#, true),
            (r#""\ud83d\ude00""#, false),
            (r#""\ud83d\ude00\ude00""#, true),
            (r#""\ud83d\ud83d\ude00""#, true),
            (r#""\\ud800""#, false),
            (r#""\\\ud800""#, true),
            (r#""\u0041 é""#, false),
            (r#""\uD7FF \ue000""#, false),
            (r#""\udBFf""#, true),
            (r#""\uDFff""#, true),
            (r#""\ud""#, false),
            (r#""plain""#, false),
            (r#""\ud8"#, false),
        ];
        for (json, expected) in rows {
            assert_eq!(has_half(json), expected, "{json}");
            assert_eq!(without_halves(json) == json, !expected, "{json}");
        }
    }

    #[test]
    fn halves_are_replaced_where_they_stand() {
        let rows = [
            (
                r#"{"a":"\ud800\ud83d\ude00\uDC00x","\\ud800":"é\\\ud83d"}"#,
                r#"{"a":"\ufffd\ud83d\ude00\ufffdx","\\ud800":"é\\\ufffd"}"#,
            ),
            (r#""\ud83d\ud83d\ude00""#, r#""\ufffd\ud83d\ude00""#),
        ];
        for (json, expected) in rows {
            assert_eq!(without_halves(json), expected);
            assert!(serde_json::from_str::<serde_json::Value>(&without_halves(json)).is_ok());
        }
    }
}
