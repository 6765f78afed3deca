//! Counting characters. Most text is ASCII, and 64 bytes of that cost one look.

use crate::json::simd::Lanes;

/// Unicode scalar values of a text: its bytes that do not continue a character.
pub fn characters(text: &str) -> u64 {
    let (blocks, rest) = text.as_bytes().as_chunks::<64>();
    let mut continuing = 0_u64;
    for block in blocks {
        let (parts, _) = block.as_chunks::<16>();
        let lanes = [0, 1, 2, 3].map(|part| Lanes::load(&parts[part]));
        if lanes[0].or(lanes[1]).or(lanes[2].or(lanes[3])).is_beyond_ascii() {
            continuing += lanes.map(Lanes::continuing).into_iter().sum::<u64>();
        }
    }
    let (parts, rest) = rest.as_chunks::<16>();
    continuing += parts.iter().map(|part| Lanes::load(part).continuing()).sum::<u64>();
    // As signed numbers, these bytes are below all others.
    continuing += rest.iter().map(|byte| u64::from(byte.cast_signed() < -0x40)).sum::<u64>();
    text.len() as u64 - continuing
}

impl Lanes {
    /// Bytes that continue a character: the highest bit is set, and the next one is not.
    #[inline(always)]
    fn continuing(self) -> u64 {
        self.and(self.below(0xc0)).bits().count_ones().into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_character_counts_once() {
        for character in ['a', '\u{7f}', '\u{80}', 'é', '\u{7ff}', '日', '\u{ffff}', '😀', '\u{10ffff}'] {
            for length in [0, 1, 15, 16, 17, 63, 64, 65, 255, 1000] {
                for before in ["", "a", "aé", "日"] {
                    let text = before.to_owned() + &character.to_string().repeat(length);
                    assert_eq!(characters(&text), text.chars().count() as u64, "{text}");
                }
            }
        }
    }
}
