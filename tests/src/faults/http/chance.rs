//! Random numbers that closures and loops share.

use std::cell::RefCell;

use crate::faults::random::Random;

/// The numbers of a seed.
#[derive(Debug)]
pub(in crate::faults) struct Chance(RefCell<Random>);

impl Chance {
    pub(in crate::faults) fn of(seed: u64) -> Self {
        Self(RefCell::new(Random::of(seed)))
    }

    /// A number below `end`; 0 if there is none.
    pub(in crate::faults) fn below(&self, end: usize) -> usize {
        self.0.borrow_mut().below(end)
    }
}
