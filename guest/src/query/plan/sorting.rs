//! Results on their way into an order.

use std::cmp::Ordering;
use std::ops::Range;

use super::set::Place;
use super::value::Key;

/// Results with what they are sorted by, in the order in which they came. They are in one list, that grows alone: lists side
/// by side leave gaps in memory as they grow.
#[derive(Debug, Default)]
pub(super) struct Sorting(Vec<Sorted>);

#[derive(Debug)]
struct Sorted {
    beginning: u128,
    key: Key<'static>,
    /// Which one it was when they came: equals stay in this order.
    number: usize,
    place: Place,
}

impl Sorting {
    /// Takes a result.
    pub(super) fn add(&mut self, key: Key<'static>, place: Place) {
        self.0.push(Sorted { beginning: key.beginning(), key, number: self.0.len(), place });
    }

    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    /// How long their texts are together.
    pub(super) fn bytes(&self) -> usize {
        self.0.iter().map(|sorted| sorted.place.bytes()).sum()
    }

    /// The places of all. Those that are wanted are in order, all others before or behind them.
    pub(super) fn arranged(mut self, descending: bool, wanted: Range<usize>) -> Vec<Place> {
        let order = |a: &Sorted, b: &Sorted| {
            let keys = || match Key::is_whole(a.beginning) {
                true => Ordering::Equal,
                false => a.key.cmp(&b.key),
            };
            let order = a.beginning.cmp(&b.beginning).then_with(keys).then(a.number.cmp(&b.number));
            // As in jq's `sort_by(…) | reverse`, equals too stand the other way round.
            if descending { order.reverse() } else { order }
        };
        sort_part(&mut self.0, wanted, order);
        self.0.into_iter().map(|sorted| sorted.place).collect()
    }
}

fn sort_part<T>(mut entries: &mut [T], part: Range<usize>, order: impl Fn(&T, &T) -> Ordering + Copy) {
    if part.end < entries.len() {
        entries.select_nth_unstable_by(part.end, order);
        entries = &mut entries[..part.end];
    }
    if (1..entries.len()).contains(&part.start) {
        entries.select_nth_unstable_by(part.start, order);
        entries = &mut entries[part.start..];
    }
    entries.sort_unstable_by(order);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(count: usize) -> Sorting {
        let mut sorting = Sorting::default();
        for number in 0..count {
            let key = Key::Number((number * 7 % 5) as f64);
            sorting.add(key, Place::Kept { start: number, bytes: 2 });
        }
        sorting
    }

    fn starts(places: &[Place]) -> Vec<usize> {
        let start = |place: &Place| match place {
            Place::Kept { start, .. } => *start,
            Place::File { .. } => panic!("nothing is in a file"),
        };
        places.iter().map(start).collect()
    }

    #[test]
    fn equals_stay_as_they_came_and_turn_round_together() {
        assert_eq!((numbers(6).len(), numbers(6).bytes()), (6, 12));
        assert_eq!(starts(&numbers(6).arranged(false, 0..6)), [0, 5, 3, 1, 4, 2]);
        assert_eq!(starts(&numbers(6).arranged(true, 0..6)), [2, 4, 1, 3, 5, 0]);
    }

    #[test]
    fn a_part_is_in_order_as_in_the_whole() {
        let whole = numbers(100).arranged(false, 0..100);
        for part in [0..10, 10..50, 90..100, 0..0, 100..100] {
            assert_eq!(numbers(100).arranged(false, part.clone())[part.clone()], whole[part]);
        }
    }
}
