//! Many tries at once, counted by what came of them.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;

use crate::faults::row::Row;

/// Tries that run at a time: each is mostly one process that uses one processor, or waits.
const AT_ONCE: u64 = 2;

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
}
