//! The hash of a token's bytes. The build script includes this file too: it lays out the tables that are read here.

/// What a lookup needs of a token.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Hash(u64);

impl Hash {
    /// The hash of a token's bytes.
    pub(crate) fn of(token: &[u8]) -> Self {
        let length = token.len();
        let (mut low, high) = match length {
            0..4 => (token.iter().fold(0, |sum, byte| sum << 8 | u64::from(*byte)), 0),
            4..8 => (word32(token, 0), word32(token, length - 4)),
            _ => (word64(token, 0), word64(token, length - 8)),
        };
        let mut at = 8;
        while at + 8 < length {
            low = mixed(low) ^ word64(token, at);
            at += 8;
        }
        let seeded = low ^ (length as u64).wrapping_mul(0xC2B2_AE3D_27D4_EB4F);
        Self(mixed(mixed(seeded) ^ high.rotate_left(23)))
    }

    /// Which of the groups of tokens this one is in: those of one displacement.
    pub(crate) fn group(self, groups: usize) -> usize {
        scaled((self.0 >> 32) as u32, groups)
    }

    /// The place of the token, if its group has this displacement.
    pub(crate) fn place(self, displacement: u16, places: usize) -> usize {
        let moved = (self.0 as u32) ^ u32::from(displacement).wrapping_mul(0x9E37_79B9);
        scaled((moved ^ moved >> 15).wrapping_mul(0x85EB_CA6B), places)
    }

    /// Some bits that tell most other texts from the token.
    pub(crate) fn tag(self) -> u32 {
        (self.0 >> 9) as u32 & TAG
    }
}

/// The bits of a tag.
pub(crate) const TAG: u32 = (1 << TAG_BITS) - 1;

/// What is left of 32 bits when 18 of them number the token.
pub(crate) const TAG_BITS: u32 = 14;

/// The number of borders that are told apart.
pub(crate) const BORDERS: usize = 1 << 19;

/// The border of two parts as a number: the two bytes on either side, as far as the parts have them.
pub(crate) fn border(left: &[u8], right: &[u8]) -> usize {
    let before = match left {
        [.., one, two] => u32::from_le_bytes([*one, *two, 0, 0]),
        _ => u32::from(left[0]) << 8,
    };
    let after = match right {
        [one, two, ..] => u32::from_le_bytes([0, 0, *one, *two]),
        _ => u32::from(right[0]) << 16,
    };
    ((before | after).wrapping_mul(0x9E37_79B1) >> (32 - BORDERS.ilog2())) as usize
}

fn mixed(value: u64) -> u64 {
    let value = (value ^ value >> 32).wrapping_mul(0x9FB2_1C65_1E98_DF25);
    value ^ value >> 29
}

/// From all values of a number to those below `most`, evenly.
fn scaled(value: u32, most: usize) -> usize {
    ((u64::from(value) * most as u64) >> 32) as usize
}

/// Four bytes from a place on.
pub(crate) fn word32(bytes: &[u8], at: usize) -> u64 {
    u64::from(u32::from_le_bytes(bytes[at..at + 4].try_into().expect("four bytes")))
}

/// Eight bytes from a place on.
pub(crate) fn word64(bytes: &[u8], at: usize) -> u64 {
    u64::from_le_bytes(bytes[at..at + 8].try_into().expect("eight bytes"))
}
