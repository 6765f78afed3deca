//! Random numbers that a seed repeats.

/// Numbers of the generator xorshift64*.
#[derive(Debug, Clone)]
pub struct Random(u64);

impl Random {
    /// Numbers of a seed.
    #[must_use]
    pub fn of(seed: u64) -> Self {
        // Small seeds begin with many zeros otherwise.
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    fn number(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 16
    }

    /// A number below `end`.
    pub fn below(&mut self, end: usize) -> usize {
        let end = u64::try_from(end.max(1)).unwrap_or(u64::MAX);
        usize::try_from(self.number() % end).unwrap_or(0)
    }

    /// A number between two others, the larger one excluded.
    pub fn between(&mut self, start: usize, end: usize) -> usize {
        start + self.below(end.saturating_sub(start))
    }

    /// True in so many of a hundred cases.
    pub fn happens(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    /// One of some values.
    pub fn one_of<T: Copy>(&mut self, values: &[T]) -> T {
        values[self.below(values.len())]
    }
}

#[cfg(test)]
mod tests {
    use super::Random;

    #[test]
    fn a_seed_repeats_its_numbers() {
        let numbers = |seed| {
            let mut random = Random::of(seed);
            (0..5).map(|_| random.below(1000)).collect::<Vec<_>>()
        };
        assert_eq!(numbers(1), numbers(1));
        assert_ne!(numbers(1), numbers(2));
    }
}
