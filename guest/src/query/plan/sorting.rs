//! Results on their way into an order.

use std::cmp::Ordering;
use std::ops::Range;

use super::set::Place;
use super::value::Key;

/// Results with what they are sorted by, in the order in which they came.
#[derive(Debug, Default)]
pub(super) struct Sorting {
    keys: Vec<Key<'static>>,
    places: Vec<Place>,
    entries: Vec<Entry>,
}

/// What is moved while sorting: as little as tells most results apart.
#[derive(Debug, Clone, Copy)]
struct Entry {
    beginning: u128,
    /// Which one it was when they came: equals stay in this order.
    number: usize,
}

impl Sorting {
    /// Takes a result.
    pub(super) fn add(&mut self, key: Key<'static>, place: Place) {
        self.entries.push(Entry { beginning: key.beginning(), number: self.keys.len() });
        self.keys.push(key);
        self.places.push(place);
    }

    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.entries.len()
    }

    /// How long their texts are together.
    pub(super) fn bytes(&self) -> usize {
        self.places.iter().map(Place::bytes).sum()
    }

    /// The places of all. Those that are wanted are in order, all others before or behind them.
    pub(super) fn arranged(mut self, descending: bool, wanted: Range<usize>) -> Vec<Place> {
        let order = |a: &Entry, b: &Entry| {
            let keys = || self.keys[a.number].cmp(&self.keys[b.number]);
            let order = a.beginning.cmp(&b.beginning).then_with(keys).then(a.number.cmp(&b.number));
            // As in jq's `sort_by(…) | reverse`, equals too stand the other way round.
            if descending { order.reverse() } else { order }
        };
        sort_part(&mut self.entries, wanted, order);
        self.entries.iter().map(|entry| self.places[entry.number]).collect()
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
