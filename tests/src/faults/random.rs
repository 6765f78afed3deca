//! Random numbers that a seed repeats, for all suites.

/// A generator (xorshift64*): enough for choices, which nobody is to guess.
#[derive(Debug, Clone)]
pub(super) struct Random(u64);

impl Random {
    /// Numbers of a seed.
    pub(super) fn of(seed: u64) -> Self {
        // Seeds are often small or close to each other: one step of splitmix64 spreads them.
        let mut spread = seed.wrapping_add(0x9e37_79b9_7f4a_7c15);
        spread = (spread ^ (spread >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        spread = (spread ^ (spread >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        Self((spread ^ (spread >> 31)) | 1)
    }

    /// Numbers of one try of many with this seed.
    pub(super) fn of_try(seed: u64, number: u64) -> Self {
        Self::of(seed ^ number.wrapping_mul(0xd134_2543_de82_ef95))
    }

    /// A number of 48 bits.
    pub(super) fn number(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 16
    }

    /// A number below `end`.
    pub(super) fn below(&mut self, end: usize) -> usize {
        usize::try_from(self.number()).unwrap_or_default() % end.max(1)
    }

    /// One of some values.
    pub(super) fn pick<'a, T>(&mut self, choices: &'a [T]) -> &'a T {
        &choices[self.below(choices.len())]
    }

    /// A number between two others, the larger one excluded.
    pub(super) fn between(&mut self, start: usize, end: usize) -> usize {
        start + self.below(end.saturating_sub(start))
    }

    /// True in so many of a hundred cases.
    pub(super) fn happens(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    /// A copy of one of some values.
    pub(super) fn one_of<T: Copy>(&mut self, values: &[T]) -> T {
        *self.pick(values)
    }

    /// Puts the items into another order.
    pub(super) fn shuffle<T>(&mut self, items: &mut [T]) {
        for end in (1..items.len()).rev() {
            items.swap(end, self.below(end + 1));
        }
    }

    /// True once in `n`.
    pub(super) fn once_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    /// A ULID of a time in milliseconds since 1970.
    pub(super) fn ulid(&mut self, milliseconds: u64) -> String {
        const DIGITS: &[u8; 32] = b"0123456789ABCDEFGHJKMNPQRSTVWXYZ";
        let time = (0..10).rev().map(|place| (milliseconds >> (5 * place)) & 31);
        let chance: Vec<u64> = (0..16).map(|_| self.number() & 31).collect();
        time.chain(chance).map(|digit| char::from(DIGITS[usize::try_from(digit).unwrap_or_default()])).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::Random;

    #[test]
    fn an_order_is_another_one_of_the_same_items() {
        let ordered: Vec<u32> = (0..20).collect();
        let mut items = ordered.clone();
        Random::of_try(5, 0).shuffle(&mut items);
        assert_ne!(items, ordered);
        items.sort_unstable();
        assert_eq!(items, ordered);
        assert_ne!(Random::of_try(5, 1).number(), Random::of_try(5, 2).number());
    }

    #[test]
    fn a_seed_repeats_and_ulids_carry_their_time() {
        let numbers = |seed| (0..5).map(move |_| Random::of(seed).number());
        assert!(numbers(1).eq(numbers(1)) && !numbers(1).eq(numbers(2)));
        let ulid = Random::of(1).ulid(1_790_000_000_123);
        assert_eq!((&ulid[..10], ulid.len()), ("01M3250V3V", 26));
    }
}
