//! Where strings end.

use super::Marks;
use super::passed::Passed;
use crate::json::simd::Lanes;

/// Bytes that are looked at together.
const CHUNK: usize = 16;

/// Chunks in a row: each turn of a loop costs WebAssembly a look at the clock.
const CHUNKS: usize = 4;

/// Where a string ends, from a place behind its opening quote on.
#[inline(never)]
pub(super) fn end(text: &[u8], at: usize) -> Passed {
    let mut rest = &text[at..];
    let (mut seen, mut is_odd) = (Lanes::load(&[0; CHUNK]), false);
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
                let marks = Marks { spaced: false, odd: is_odd, beyond_ascii: seen.is_beyond_ascii() };
                return Passed::to(text.len() - rest.len(), marks);
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

/// A text that is no chunk, with bytes that no string has behind it.
#[cold]
fn padded(text: &[u8]) -> [u8; CHUNK] {
    let mut chunk = [0; CHUNK];
    chunk[..text.len()].copy_from_slice(text);
    chunk
}

/// How many bytes an escape has that may be printed differently, without its backslash. There is none without a byte.
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

/// The value of four hexadecimal digits, or more than four can say where one is no digit.
#[inline(always)]
fn unit(digits: [u8; 4]) -> u32 {
    let digit = |byte: u8| char::from(byte).to_digit(16).unwrap_or(u32::MAX);
    digits.into_iter().fold(0, |unit, byte| unit << 4 | digit(byte))
        | digits.into_iter().fold(0, |all, byte| all | digit(byte))
}
