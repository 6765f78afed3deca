//! Sixty-four bytes of a string at a time: many escapes cost less like this than with a look at each.

use super::simd::Lanes;

/// Bytes of a block: a bit for each fits into a number.
pub(crate) const BLOCK_BYTES: usize = 64;

/// Bytes that are looked at together.
pub(crate) struct Block([Lanes; 4]);

impl Block {
    /// The bytes at this place; `None` if there are fewer.
    #[inline(always)]
    pub(crate) fn at(text: &[u8], at: usize) -> Option<Self> {
        let block: &[u8; BLOCK_BYTES] = text.get(at..)?.first_chunk()?;
        let (chunks, _) = block.as_chunks::<16>();
        Some(Self([0, 1, 2, 3].map(|chunk| Lanes::load(&chunks[chunk]))))
    }

    /// The bits of a test, the first byte's lowest.
    #[inline(always)]
    pub(crate) fn bits(&self, test: impl Fn(Lanes) -> Lanes) -> u64 {
        let [first, second, third, fourth] = self.0.map(|lanes| u64::from(test(lanes).bits()));
        first | second << 16 | third << 32 | fourth << 48
    }

    /// True if a byte passes a test.
    #[inline(always)]
    pub(crate) fn has(&self, test: impl Fn(Lanes) -> Lanes) -> bool {
        let [first, second, third, fourth] = self.0.map(test);
        first.or(second).or(third.or(fourth)).bits() != 0
    }
}

/// Tells which bytes are escaped, from one block to the next.
#[derive(Default)]
pub(crate) struct Escapes {
    /// One if the last block ended with the backslash of an escape, else zero.
    open: u64,
}

/// A bit for each second place.
const EVERY_SECOND: u64 = 0xaaaa_aaaa_aaaa_aaaa;

impl Escapes {
    /// Bytes that the backslash of an escape leaves to the next block: its own.
    pub(crate) fn open_bytes(&self) -> usize {
        usize::from(self.open != 0)
    }

    /// A bit for each byte that is escaped, where these are all backslashes of the next block.
    ///
    /// In a run of backslashes each second one is escaped. A subtraction goes through each run to its end, and shows whether
    /// it ends at a place of the same parity as it begins
    /// (simdjson, <https://github.com/simdjson/simdjson/blob/master/src/generic/stage1/json_escape_scanner.h>).
    #[inline(always)]
    pub(crate) fn of(&mut self, backslashes: u64) -> u64 {
        if backslashes == 0 {
            return std::mem::take(&mut self.open);
        }
        let begun = backslashes & !self.open;
        let behind = begun << 1;
        let parity = (behind | EVERY_SECOND).wrapping_sub(begun) ^ EVERY_SECOND;
        let escaped = parity ^ (backslashes | self.open);
        self.open = (parity & backslashes) >> 63;
        escaped
    }
}

#[cfg(test)]
mod tests {
    use super::{BLOCK_BYTES, Block, Escapes};

    /// Whether each byte is escaped, one after the other.
    fn escaped(text: &[u8]) -> Vec<bool> {
        let mut is_escaped = false;
        let next = |byte: &u8| {
            let was_escaped = is_escaped;
            is_escaped = *byte == b'\\' && !was_escaped;
            was_escaped
        };
        text.iter().map(next).collect()
    }

    #[test]
    fn escapes_are_those_that_are_found_one_by_one() {
        let mut chance = 1_u64;
        for turn in 0..2000 {
            let mut byte = || {
                chance = chance.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                // From few backslashes to nearly all.
                if (chance >> 33) % 20 < turn % 21 { b'\\' } else { b'x' }
            };
            let text: Vec<u8> = (0..3 * BLOCK_BYTES).map(|_| byte()).collect();
            let (mut escapes, mut found) = (Escapes::default(), Vec::new());
            for at in (0..text.len()).step_by(BLOCK_BYTES) {
                let block = Block::at(&text, at).expect("it is a whole block");
                let bits = escapes.of(block.bits(|lanes| lanes.equal(b'\\')));
                found.extend((0..BLOCK_BYTES).map(|place| bits >> place & 1 == 1));
            }
            assert_eq!(found, escaped(&text), "{}", String::from_utf8_lossy(&text));
        }
    }

    #[test]
    fn bits_stand_in_the_order_of_the_bytes() {
        for place in 0..BLOCK_BYTES {
            let mut text = [b'x'; BLOCK_BYTES];
            text[place] = b'"';
            let block = Block::at(&text, 0).expect("it is a whole block");
            assert_eq!(block.bits(|lanes| lanes.equal(b'"')), 1 << place);
            assert!(block.has(|lanes| lanes.equal(b'"')) && !block.has(|lanes| lanes.equal(b'y')));
        }
        assert!(Block::at(&[0; BLOCK_BYTES], 1).is_none());
    }
}
