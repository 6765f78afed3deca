//! Random numbers that a seed repeats.

use std::cell::Cell;

/// A generator (xorshift64*), good enough to choose where something breaks.
#[derive(Debug)]
pub(in crate::faults) struct Chance(Cell<u64>);

impl Chance {
    pub(in crate::faults) fn of(seed: u64) -> Self {
        Self(Cell::new(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1))
    }

    /// A number below `end`; 0 if there is none.
    pub(in crate::faults) fn below(&self, end: usize) -> usize {
        let mut state = self.0.get();
        state ^= state >> 12;
        state ^= state << 25;
        state ^= state >> 27;
        self.0.set(state);
        let number = state.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 16;
        usize::try_from(number).unwrap_or(0) % end.max(1)
    }
}
