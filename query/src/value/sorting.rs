//! Sorting, where the order may break off: a comparison says nothing true once the budget is used up, and the standard
//! library panics when an order contradicts itself.

use std::cmp::Ordering;
use std::mem::{replace, take};

use super::Value;
use super::values::{copied, has_parts};

/// What is sorted by values.
pub(crate) trait Sorted {
    /// The values that it is sorted by.
    fn keys(&self) -> &[Value];
}

impl Sorted for Value {
    fn keys(&self) -> &[Value] {
        std::slice::from_ref(self)
    }
}

impl Sorted for Vec<Value> {
    fn keys(&self) -> &[Value] {
        self
    }
}

impl<T> Sorted for (Vec<Value>, T) {
    fn keys(&self) -> &[Value] {
        &self.0
    }
}

/// Sorts in a stable way.
pub(crate) fn sort<T: Sorted>(values: &mut Vec<T>) {
    copied(values.len().saturating_mul(1 + values.len().checked_ilog2().unwrap_or(0) as usize));
    let compare = |a: &T, b: &T| a.keys().cmp(b.keys());
    // Comparing what has no parts takes no steps, so that order never breaks off.
    if values.iter().all(|value| !value.keys().iter().any(has_parts)) {
        return values.sort_by(compare);
    }
    if !values.is_sorted_by(|a, b| compare(a, b).is_le()) {
        merge_sort(values, &compare);
    }
}

/// Sorts two halves and merges them. Whatever the order says, all values are there afterwards.
fn merge_sort<T>(values: &mut Vec<T>, compare: &impl Fn(&T, &T) -> Ordering) {
    if values.len() < 2 {
        return;
    }
    let mut right = values.split_off(values.len() / 2);
    merge_sort(values, compare);
    merge_sort(&mut right, compare);
    let (Some(last), Some(first)) = (values.last(), right.first()) else { return };
    if compare(last, first).is_le() {
        return values.append(&mut right);
    }
    let merged = Vec::with_capacity(values.len() + right.len());
    let left = replace(values, merged).into_iter();
    let (mut left, mut right) = (left.peekable(), take(&mut right).into_iter().peekable());
    while let (Some(a), Some(b)) = (left.peek(), right.peek()) {
        values.extend(if compare(a, b).is_le() { left.next() } else { right.next() });
    }
    values.extend(left.chain(right));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equals_keep_their_order() {
        let value = |key: usize| Value::array(vec![Value::from(key)]);
        for count in [0, 1, 2, 3, 17, 1000] {
            let mut values: Vec<_> = (0..count).map(|i| (vec![value(i * 7 % 10)], i)).collect();
            let mut expected = values.clone();
            expected.sort_by(|a, b| a.0.cmp(&b.0));
            sort(&mut values);
            assert!(values.iter().map(|(_, i)| i).eq(expected.iter().map(|(_, i)| i)), "{count}");
        }
    }

    #[test]
    fn an_order_that_contradicts_itself_loses_nothing() {
        let calls = std::cell::Cell::new(0);
        let mut values: Vec<usize> = (0..5000).rev().collect();
        merge_sort(&mut values, &|a, b| {
            calls.set(calls.get() + 1);
            if calls.get() < 20_000 { a.cmp(b) } else { Ordering::Equal }
        });
        values.sort_unstable();
        assert!(values.into_iter().eq(0..5000));
    }
}
