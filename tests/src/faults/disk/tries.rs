//! Many tries at once, counted by what came of them.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;

use crate::faults::random::Random;
use crate::faults::row::Row;

/// Tries that run at a time: each is mostly one process that uses one processor, or waits.
const AT_ONCE: u64 = 2;

/// Random numbers, the same for the same seed.
#[derive(Debug, Clone)]
pub(super) struct Chance(Random);

impl Chance {
    /// The numbers of one try.
    pub(super) fn of(seed: u64, number: u64) -> Self {
        Self(Random::of(seed ^ number.wrapping_mul(0xd134_2543_de82_ef95)))
    }

    /// A number below this one.
    pub(super) fn below(&mut self, end: u64) -> u64 {
        self.0.number() % end.max(1)
    }

    /// Puts the items into another order.
    pub(super) fn shuffle<T>(&mut self, items: &mut [T]) {
        for end in (1..items.len()).rev() {
            items.swap(end, usize::try_from(self.below(end as u64 + 1)).unwrap_or_default());
        }
    }
}

/// Tries so often, and adds up what came of it: a word or two for a try that went well, a reason for one that did not.
pub(super) fn tried(mut row: Row, tries: u64, attempt: impl Fn(u64) -> Result<String, String> + Sync) -> Row {
    let next = AtomicU64::new(0);
    let outcomes = Mutex::new(Vec::new());
    thread::scope(|scope| {
        for _ in 0..AT_ONCE {
            scope.spawn(|| {
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    if number >= tries {
                        return;
                    }
                    let outcome = attempt(number).map_err(|error| format!("try {number}: {error}"));
                    outcomes.lock().unwrap_or_else(PoisonError::into_inner).push(outcome);
                }
            });
        }
    });
    let mut seen = BTreeMap::<String, u64>::new();
    for outcome in outcomes.into_inner().unwrap_or_else(PoisonError::into_inner) {
        row.count(outcome.map(|label| *seen.entry(label).or_default() += 1));
    }
    seen.remove("");
    let mut seen: Vec<_> = seen.into_iter().collect();
    seen.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    let seen: Vec<String> = seen.iter().map(|(label, count)| format!("{count} {label}")).collect();
    row.seen(seen.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_try_is_counted_once() {
        let row = tried(Row::new("a", "b"), 50, |number| match number {
            7 => Err("no".to_owned()),
            number => Ok(if number % 2 == 0 { "even" } else { "odd" }.to_owned()),
        });
        assert_eq!((row.tries, &*row.failures, &*row.seen), (50, &["try 7: no".to_owned()][..], "25 even, 24 odd"));
    }

    #[test]
    fn chance_is_the_same_for_a_seed() {
        let numbers = |seed| -> Vec<u64> {
            let mut chance = Chance::of(seed, 3);
            (0..9).map(|_| chance.below(100)).collect()
        };
        assert_eq!(numbers(1), numbers(1));
        assert_ne!(numbers(1), numbers(2));
        let mut items: Vec<u32> = (0..20).collect();
        Chance::of(5, 0).shuffle(&mut items);
        assert_ne!(items, (0..20).collect::<Vec<_>>());
        items.sort_unstable();
        assert_eq!(items, (0..20).collect::<Vec<_>>());
    }
}
