//! Where strings end.

use super::Marks;
use super::passed::Passed;
use crate::json::simd::Lanes;

/// Bytes that are looked at together.
const CHUNK: usize = 16;

/// Chunks in a row: each turn of a loop costs WebAssembly a look at the clock.
const CHUNKS: usize = 4;

/// Where a string ends whose opening quote is before this place.
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
