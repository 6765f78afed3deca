//! Sixteen bytes at a time: the only module with `unsafe`, and the only one that differs from machine to machine.

pub use sixteen::Lanes;

impl Lanes {
    /// Sixteen times 0.
    #[inline(always)]
    pub(crate) fn none() -> Self {
        Self::load(&[0; 16])
    }

    /// A bit for each byte that ends a run of plain text in a JSON string: quote, backslash, control character. DEL too,
    /// because jq writes it differently.
    #[inline(always)]
    pub(crate) fn stops(self) -> u32 {
        self.equal(b'"').or(self.equal(b'\\')).or(self.below(0x20)).or(self.equal(0x7f)).bits()
    }

    /// True when a byte is not ASCII.
    #[inline(always)]
    pub(crate) fn is_beyond_ascii(self) -> bool {
        self.bits() != 0
    }
}

#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
mod sixteen {
    use core::arch::wasm32::{u8x16_bitmask, u8x16_eq, u8x16_le, u8x16_splat, v128, v128_and, v128_load, v128_or};

    /// Sixteen bytes.
    #[derive(Clone, Copy)]
    pub struct Lanes(v128);

    impl Lanes {
        /// These bytes.
        #[inline(always)]
        #[allow(unsafe_code, reason = "there is no safe load of a vector")]
        pub fn load(bytes: &[u8; 16]) -> Self {
            // SAFETY: the reference covers the sixteen bytes, and the load needs no alignment.
            Self(unsafe { v128_load(bytes.as_ptr().cast()) })
        }

        /// 0xff where a byte is this one, else 0.
        #[inline(always)]
        pub fn equal(self, byte: u8) -> Self {
            Self(u8x16_eq(self.0, u8x16_splat(byte)))
        }

        /// A bit for each byte that is the same in both.
        #[inline(always)]
        pub(crate) fn same(self, other: Self) -> u32 {
            Self(u8x16_eq(self.0, other.0)).bits()
        }

        /// 0xff where a byte is smaller than this one, which is not 0, else 0. (Processors compare with "at most" in half as
        /// many instructions.)
        #[inline(always)]
        pub fn below(self, byte: u8) -> Self {
            Self(u8x16_le(self.0, u8x16_splat(byte - 1)))
        }

        /// The bits of both.
        #[inline(always)]
        pub fn or(self, other: Self) -> Self {
            Self(v128_or(self.0, other.0))
        }

        /// The bits of this byte set in each.
        #[inline(always)]
        pub(crate) fn with(self, byte: u8) -> Self {
            Self(v128_or(self.0, u8x16_splat(byte)))
        }

        /// The bits that both have.
        #[inline(always)]
        pub(crate) fn and(self, other: Self) -> Self {
            Self(v128_and(self.0, other.0))
        }

        /// The highest bit of each byte, the first byte's lowest.
        #[inline(always)]
        pub fn bits(self) -> u32 {
            u32::from(u8x16_bitmask(self.0))
        }
    }
}

#[cfg(target_arch = "x86_64")]
mod sixteen {
    use core::arch::x86_64::{
        __m128i, _mm_and_si128, _mm_cmpeq_epi8, _mm_loadu_si128, _mm_min_epu8, _mm_movemask_epi8, _mm_or_si128,
        _mm_set1_epi8,
    };

    /// Sixteen bytes.
    #[derive(Clone, Copy)]
    pub struct Lanes(__m128i);

    // SAFETY of all that follows: every x86-64 has SSE2, which is all that these intrinsics ask for.
    #[allow(unsafe_code, reason = "intrinsics of SSE2 are marked unsafe")]
    impl Lanes {
        /// These bytes.
        #[inline(always)]
        pub fn load(bytes: &[u8; 16]) -> Self {
            // SAFETY: the reference covers the sixteen bytes, and the load needs no alignment.
            Self(unsafe { _mm_loadu_si128(bytes.as_ptr().cast()) })
        }

        #[inline(always)]
        fn splat(byte: u8) -> __m128i {
            // SAFETY: see above.
            unsafe { _mm_set1_epi8(byte.cast_signed()) }
        }

        /// 0xff where a byte is this one, else 0.
        #[inline(always)]
        pub fn equal(self, byte: u8) -> Self {
            // SAFETY: see above.
            Self(unsafe { _mm_cmpeq_epi8(self.0, Self::splat(byte)) })
        }

        /// A bit for each byte that is the same in both.
        #[inline(always)]
        pub(crate) fn same(self, other: Self) -> u32 {
            // SAFETY: see above.
            Self(unsafe { _mm_cmpeq_epi8(self.0, other.0) }).bits()
        }

        /// 0xff where a byte is smaller than this one, which is not 0, else 0.
        #[inline(always)]
        pub fn below(self, byte: u8) -> Self {
            // SAFETY: see above.
            Self(unsafe { _mm_cmpeq_epi8(_mm_min_epu8(self.0, Self::splat(byte - 1)), self.0) })
        }

        /// The bits of both.
        #[inline(always)]
        pub fn or(self, other: Self) -> Self {
            // SAFETY: see above.
            Self(unsafe { _mm_or_si128(self.0, other.0) })
        }

        /// The bits of this byte set in each.
        #[inline(always)]
        pub(crate) fn with(self, byte: u8) -> Self {
            // SAFETY: see above.
            Self(unsafe { _mm_or_si128(self.0, Self::splat(byte)) })
        }

        /// The bits that both have.
        #[inline(always)]
        pub(crate) fn and(self, other: Self) -> Self {
            // SAFETY: see above.
            Self(unsafe { _mm_and_si128(self.0, other.0) })
        }

        /// The highest bit of each byte, the first byte's lowest.
        #[inline(always)]
        pub fn bits(self) -> u32 {
            // SAFETY: see above.
            unsafe { _mm_movemask_epi8(self.0).cast_unsigned() }
        }
    }
}

#[cfg(any(test, not(any(target_arch = "x86_64", all(target_arch = "wasm32", target_feature = "simd128")))))]
#[allow(unreachable_pub, reason = "it is public where it is the one that is used")]
mod portable {
    /// Sixteen bytes.
    #[derive(Clone, Copy)]
    pub struct Lanes([u8; 16]);

    impl Lanes {
        /// These bytes.
        pub fn load(bytes: &[u8; 16]) -> Self {
            Self(*bytes)
        }

        /// 0xff where a byte is this one, else 0.
        pub fn equal(self, byte: u8) -> Self {
            Self(self.0.map(|mine| if mine == byte { 0xff } else { 0 }))
        }

        /// A bit for each byte that is the same in both.
        pub(crate) fn same(self, other: Self) -> u32 {
            Self(std::array::from_fn(|i| if self.0[i] == other.0[i] { 0xff } else { 0 })).bits()
        }

        /// 0xff where a byte is smaller than this one, else 0.
        pub fn below(self, byte: u8) -> Self {
            Self(self.0.map(|mine| if mine < byte { 0xff } else { 0 }))
        }

        /// The bits of both.
        pub fn or(self, other: Self) -> Self {
            Self(std::array::from_fn(|i| self.0[i] | other.0[i]))
        }

        /// The bits of this byte set in each.
        pub(crate) fn with(self, byte: u8) -> Self {
            Self(self.0.map(|mine| mine | byte))
        }

        /// The bits that both have.
        pub(crate) fn and(self, other: Self) -> Self {
            Self(std::array::from_fn(|i| self.0[i] & other.0[i]))
        }

        /// The highest bit of each byte, the first byte's lowest.
        pub fn bits(self) -> u32 {
            self.0.iter().rev().fold(0, |bits, byte| bits << 1 | u32::from(byte >> 7))
        }
    }
}

#[cfg(not(any(target_arch = "x86_64", all(target_arch = "wasm32", target_feature = "simd128"))))]
use portable as sixteen;

#[cfg(test)]
mod tests {
    use super::{Lanes, portable};

    #[test]
    fn every_machine_sees_the_same_sixteen_bytes() {
        for start in 0..=255_u8 {
            let bytes = std::array::from_fn(|i| start.wrapping_add(u8::try_from(i).unwrap().wrapping_mul(37)));
            let (ours, plain) = (Lanes::load(&bytes), portable::Lanes::load(&bytes));
            assert_eq!(ours.bits(), plain.bits());
            assert_eq!(ours.same(ours.with(0x20)), plain.same(plain.with(0x20)));
            for byte in [1, 0x20, b'"', b'\\', 0x7f, 0xff] {
                assert_eq!(ours.equal(byte).bits(), plain.equal(byte).bits());
                assert_eq!(ours.below(byte).bits(), plain.below(byte).bits());
                assert_eq!(ours.with(byte).or(ours).and(ours).bits(), plain.with(byte).or(plain).and(plain).bits());
            }
        }
    }
}
