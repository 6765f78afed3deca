//! Where strings end.

use super::Marks;
use super::passed::Passed;
use crate::json::block::{BLOCK_BYTES, Block, Escapes};
use crate::json::simd::Lanes;

/// Bytes that are looked at together.
const CHUNK: usize = 16;

/// Chunks in a row: each turn of a loop costs WebAssembly a look at the clock.
const CHUNKS: usize = 4;

/// Where a string ends whose opening quote is before this place.
#[inline(never)]
pub(super) fn end(text: &[u8], at: usize) -> Passed {
    go_on(text, at, Marks::default())
}

/// The same for a string of which a part has been read, with these marks.
#[inline(always)]
fn go_on(text: &[u8], at: usize, marks: Marks) -> Passed {
    let mut rest = &text[at..];
    let (mut seen, mut is_odd) = (Lanes::none(), marks.odd);
    loop {
        for _ in 0..CHUNKS {
            let (lanes, before) = match (rest.first_chunk(), text.last_chunk()) {
                (Some(chunk), _) => (Lanes::load(chunk), 0),
                // It begins before the rest.
                (None, Some(last)) => (Lanes::load(last), CHUNK - rest.len()),
                (None, None) => (Lanes::load(&padded(rest)), 0),
            };
            seen = seen.or(lanes);
            let stops = lanes.stops() >> before;
            if stops != 0 {
                rest = &rest[stops.trailing_zeros() as usize..];
                break;
            }
            let Some(after) = rest.get(CHUNK..) else { return Passed::REFUSED };
            rest = after;
        }
        rest = match rest {
            [b'"', rest @ ..] => {
                let marks = marks_of(is_odd, marks.beyond_ascii | seen.is_beyond_ascii());
                return Passed::to(text.len() - rest.len(), marks);
            }
            [b'\\', ..] if rest.len() >= BLOCK_BYTES => {
                let marks = marks_of(is_odd, marks.beyond_ascii | seen.is_beyond_ascii());
                return end_with_escapes(text, text.len() - rest.len(), marks);
            }
            [b'\\', b'"' | b'\\' | b'b' | b'f' | b'n' | b'r' | b't', rest @ ..] => rest,
            [b'\\', rest @ ..] => {
                is_odd = true;
                match odd_escape(rest) {
                    0 => return Passed::REFUSED,
                    bytes => &rest[bytes..],
                }
            }
            [0x7f, rest @ ..] => {
                is_odd = true;
                rest
            }
            [] | [0..=0x1f, ..] => return Passed::REFUSED,
            // No chunk had a stop.
            _ => rest,
        };
    }
}

/// Where a string ends, from a backslash in it on. Where there is one escape there are more, as in JSON in a string or in lines
/// of text: they are looked at in blocks.
#[inline(never)]
fn end_with_escapes(text: &[u8], mut at: usize, marks: Marks) -> Passed {
    let Marks { odd: mut is_odd, mut beyond_ascii, .. } = marks;
    let (mut escapes, mut checked) = (Escapes::default(), at);
    while let Some(block) = Block::at(text, at) {
        let backslashes = block.bits(|lanes| lanes.equal(b'\\'));
        let quotes = block.bits(|lanes| lanes.equal(b'"'));
        let escaped = escapes.of(backslashes);
        let ends = quotes & !escaped;
        // The bits below the lowest one; all, if there is none.
        let inside = ends.wrapping_sub(1) & !ends;
        if block.has(|lanes| lanes.below(0x20).or(lanes.equal(0x7f))) {
            if block.bits(|lanes| lanes.below(0x20)) & inside != 0 {
                return Passed::REFUSED;
            }
            is_odd |= block.bits(|lanes| lanes.equal(0x7f)) & inside != 0;
        }
        beyond_ascii |= block.has(|lanes| lanes);
        let mut letters = escaped & inside & !quotes & !backslashes;
        while letters != 0 {
            let letter = at + letters.trailing_zeros() as usize;
            letters &= letters - 1;
            // The second half of a pair has been seen with the first.
            if matches!(text[letter], b'n' | b't' | b'r' | b'b' | b'f') || letter < checked {
                continue;
            }
            is_odd = true;
            match odd_escape(&text[letter..]) {
                0 => return Passed::REFUSED,
                bytes => checked = letter + bytes,
            }
        }
        if ends != 0 {
            return Passed::to(at + ends.trailing_zeros() as usize + 1, marks_of(is_odd, beyond_ascii));
        }
        at += BLOCK_BYTES;
    }
    go_on(text, checked.max(at - escapes.open_bytes()), marks_of(is_odd, beyond_ascii))
}

fn marks_of(odd: bool, beyond_ascii: bool) -> Marks {
    Marks { spaced: false, odd, beyond_ascii }
}

/// A text that is shorter than a chunk, filled up with zeros, which no string contains.
#[cold]
fn padded(text: &[u8]) -> [u8; CHUNK] {
    let mut chunk = [0; CHUNK];
    chunk[..text.len()].copy_from_slice(text);
    chunk
}

/// The length in bytes of an escape that may be printed differently, without its backslash; 0 if it is not an escape.
#[inline(never)]
fn odd_escape(text: &[u8]) -> usize {
    match text {
        [b'/', ..] => 1,
        [b'u', a, b, c, d, rest @ ..] => match unit([*a, *b, *c, *d]) {
            // The first half of a pair, which must be followed by the second.
            0xd800..=0xdbff => match rest {
                [b'\\', b'u', a, b, c, d, ..] if (0xdc00..=0xdfff).contains(&unit([*a, *b, *c, *d])) => 11,
                _ => 0,
            },
            0xdc00..=0xdfff | 0x1_0000.. => 0,
            _ => 5,
        },
        _ => 0,
    }
}

/// The value of four hexadecimal digits. If one of them is not a digit, it is above 0xffff.
#[inline(always)]
fn unit(digits: [u8; 4]) -> u32 {
    let digit = |byte: u8| char::from(byte).to_digit(16).unwrap_or(u32::MAX);
    digits.into_iter().fold(0, |unit, byte| unit << 4 | digit(byte))
        | digits.into_iter().fold(0, |all, byte| all | digit(byte))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use proptest::sample::select;
    use proptest::test_runner::Config;

    use super::{end, odd_escape};
    use crate::json::Scan;

    /// What strings are made of.
    const PIECES: [&str; 13] = [
        r#"\""#,
        r"\\",
        r"\n",
        r"\t",
        r"\b",
        r"\f",
        r"\/",
        r"\u0041",
        r"\ud83d\ude00",
        "x",
        "a longer piece of text",
        "é",
        "\u{7f}",
    ];

    /// What ends them, or makes them none.
    const ENDS: [&str; 6] = ["\"", r"\ud83d", r"\ude00", r"\x", r"\u00", "\n"];

    /// Where a string ends and whether it is odd, found byte by byte.
    fn found(text: &[u8]) -> Option<(usize, bool)> {
        let (mut at, mut is_odd) = (0, false);
        loop {
            match text[at..] {
                [b'"', ..] => return Some((at + 1, is_odd)),
                [b'\\', b'"' | b'\\' | b'b' | b'f' | b'n' | b'r' | b't', ..] => at += 2,
                [b'\\', ref escape @ ..] => match odd_escape(escape) {
                    0 => return None,
                    bytes => (at, is_odd) = (at + 1 + bytes, true),
                },
                [] | [0..=0x1f, ..] => return None,
                [byte, ..] => (at, is_odd) = (at + 1, is_odd || byte == 0x7f),
            }
        }
    }

    /// Where the first quote is that no backslash escapes.
    fn quote(text: &[u8]) -> Option<usize> {
        let mut at = 0;
        loop {
            match text.get(at)? {
                b'"' => return Some(at + 1),
                b'\\' => at += 2,
                _ => at += 1,
            }
        }
    }

    proptest! {
        #![proptest_config(Config { failure_persistence: None, ..Config::default() })]

        #[test]
        fn a_string_ends_where_it_ends_byte_by_byte(
            pieces in prop::collection::vec(select(&PIECES[..]), 0..60),
            end_of_it in select(&ENDS[..]),
            behind in prop::collection::vec(select(&PIECES[..]), 0..20),
        ) {
            let text = [&pieces[..], &[end_of_it, "\""], &behind[..]].concat().concat();
            let ours = end(text.as_bytes(), 0);
            let expected = found(text.as_bytes());
            prop_assert_eq!(ours.place().ok().map(|place| (place, ours.marks().odd)), expected, "{}", text);
            if let Some((place, _)) = expected {
                prop_assert!(ours.marks().beyond_ascii || text[..place].is_ascii());
            }
            if let Some(place) = quote(text.as_bytes()) {
                let json = format!("\"{text}");
                prop_assert_eq!(Scan::of(&json).value(), &json[..=place]);
            }
        }
    }
}
