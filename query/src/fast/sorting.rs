//! Results on their way into an order.

use std::cmp::Ordering;
use std::ops::Range;

use super::kept::Kept;
use super::set::Place;
use super::value::{BEGINNING_BYTES, Key};
use crate::json::compare;

/// Where only the first few are wanted, so many are gathered at least before the others are dropped: often enough to
/// need little memory, seldom enough to cost nothing.
const MOST_GATHERED: usize = 1024;

/// Results with what they are sorted by, in the order in which they came. They are in one list, that grows alone: lists side
/// by side leave gaps in memory as they grow.
#[derive(Debug, Default)]
pub(super) struct Sorting {
    sorted: Vec<Sorted>,
    /// What texts have after their beginnings.
    ends: Kept,
    lists: Vec<Key<'static>>,
    /// So many have come, those that were dropped included.
    count: usize,
    /// Which of them is the last one that was wanted when others were dropped.
    last: Option<usize>,
}

#[derive(Debug, Clone, Copy)]
struct Sorted {
    beginning: u128,
    key: More,
    /// Which one it was when they came: equals stay in this order.
    number: u32,
    place: Place,
}

/// What a key has behind its beginning.
#[derive(Debug, Clone, Copy)]
enum More {
    /// Nothing: the beginning says all.
    None,
    /// A text of so many bytes, those after the beginning at a place.
    Text { at: u32, bytes: u32 },
    /// A list, by its number.
    List(u32),
}

/// How a sort ends.
#[derive(Debug, Clone, Copy)]
pub(super) struct Order {
    /// The other way round.
    pub(super) descending: bool,
    /// Only so many of them.
    pub(super) most: Option<usize>,
}

impl Sorting {
    /// False for a result that would be dropped: it comes behind as many as are wanted. It is counted then.
    pub(super) fn wants(&mut self, key: &Key<'_>, order: Order) -> bool {
        let Some(last) = self.last else { return true };
        let compared = self.compare_with(key, &self.sorted[last]);
        // Of equals, the later one comes behind, and in front where all is turned round.
        let wants = if order.descending { compared.is_ge() } else { compared.is_lt() };
        self.count += usize::from(!wants);
        wants
    }

    /// Takes a result. `None` when there are more than can be numbered.
    pub(super) fn add(&mut self, key: &Key<'_>, place: Place) -> Option<()> {
        let more = match key {
            Key::Bare(_) | Key::Number(_) => More::None,
            Key::Text(text) => {
                let bytes = u32::try_from(text.len()).ok()?;
                More::Text { at: self.ends.keep(text.get(BEGINNING_BYTES..).unwrap_or_default())?, bytes }
            }
            Key::List(_) => {
                self.lists.push(key.clone().into_owned());
                More::List(u32::try_from(self.lists.len() - 1).ok()?)
            }
        };
        let number = u32::try_from(self.count).ok()?;
        self.sorted.push(Sorted { beginning: key.beginning(), key: more, number, place });
        self.count += 1;
        Some(())
    }

    /// True when it is time to drop what is not wanted.
    pub(super) fn is_due(&self, order: Order) -> bool {
        order.most.is_some_and(|most| self.sorted.len() >= most.saturating_mul(2).max(MOST_GATHERED))
    }

    /// Drops what is not wanted, and the texts that go with it.
    pub(super) fn drop_others(&mut self, order: Order, texts: &mut Vec<u8>) {
        let most = order.most.unwrap_or(usize::MAX).min(self.sorted.len());
        let mut sorted = std::mem::take(&mut self.sorted);
        if most == 0 || most == sorted.len() {
            sorted.truncate(most);
        } else {
            sorted.select_nth_unstable_by(most - 1, |a, b| self.order(a, b, order.descending));
            sorted.truncate(most);
            self.last = Some(most - 1);
        }
        let (ends, lists, old_texts) =
            (std::mem::take(&mut self.ends), std::mem::take(&mut self.lists), std::mem::take(texts));
        for sorted in &mut sorted {
            match &mut sorted.key {
                More::None => {}
                More::Text { at, bytes } => *at = self.ends.keep(ends.text(*at, end_bytes(*bytes))).unwrap_or_default(),
                More::List(number) => {
                    self.lists.push(lists[*number as usize].clone());
                    *number = u32::try_from(self.lists.len() - 1).unwrap_or_default();
                }
            }
            if let Place::Kept { start, bytes } = &mut sorted.place {
                let text = &old_texts[*start..*start + *bytes as usize];
                *start = texts.len();
                texts.extend_from_slice(text);
            }
        }
        self.sorted = sorted;
    }

    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.count
    }

    /// How long their texts are together.
    pub(super) fn bytes(&self) -> usize {
        self.sorted.iter().map(|sorted| sorted.place.bytes()).sum()
    }

    /// The places of all that were not dropped. Those that are wanted are in order, all others before or behind them.
    pub(super) fn arranged(mut self, descending: bool, wanted: Range<usize>) -> Vec<Place> {
        let mut sorted = std::mem::take(&mut self.sorted);
        sort_part(&mut sorted, wanted, |a, b| self.order(a, b, descending));
        drop(self);
        sorted.into_iter().map(|sorted| sorted.place).collect()
    }

    /// As in jq's `sort_by(…) | reverse`, equals too stand the other way round where the order is descending.
    fn order(&self, a: &Sorted, b: &Sorted, descending: bool) -> Ordering {
        let mores = || match (a.key, b.key) {
            (More::Text { bytes: a_bytes, .. }, More::Text { bytes: b_bytes, .. }) => {
                compare(self.end(a.key), self.end(b.key)).then(a_bytes.cmp(&b_bytes))
            }
            (More::List(a), More::List(b)) => self.lists[a as usize].cmp(&self.lists[b as usize]),
            _ => Ordering::Equal,
        };
        let order = a.beginning.cmp(&b.beginning).then_with(mores).then(a.number.cmp(&b.number));
        if descending { order.reverse() } else { order }
    }

    fn compare_with(&self, key: &Key<'_>, other: &Sorted) -> Ordering {
        key.beginning().cmp(&other.beginning).then_with(|| match (key, other.key) {
            (Key::Text(text), More::Text { bytes, .. }) => {
                let end = text.get(BEGINNING_BYTES..).unwrap_or_default();
                compare(end, self.end(other.key)).then(text.len().cmp(&(bytes as usize)))
            }
            (Key::List(_), More::List(number)) => key.cmp(&self.lists[number as usize]),
            _ => Ordering::Equal,
        })
    }

    fn end(&self, more: More) -> &[u8] {
        match more {
            More::Text { at, bytes } => self.ends.text(at, end_bytes(bytes)),
            More::None | More::List(_) => &[],
        }
    }
}

/// How many bytes of a text come after its beginning.
fn end_bytes(bytes: u32) -> usize {
    (bytes as usize).saturating_sub(BEGINNING_BYTES)
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

    const ASCENDING: Order = Order { descending: false, most: None };

    fn numbers(count: usize) -> Sorting {
        let mut sorting = Sorting::default();
        for number in 0..count {
            let key = Key::Number((number * 7 % 5) as f64);
            sorting.add(&key, Place::Kept { start: number, bytes: 2 }).unwrap();
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

    /// Keys of all kinds, many of them equal, and some with the same beginning.
    fn keys() -> Vec<Key<'static>> {
        let text = |text: String| Key::Text(text.into_bytes().into());
        let key = |number: usize| match number * 31 % 7 {
            0 => Key::Bare((number % 3) as u8),
            1 => Key::Number((number % 40) as f64),
            2 => Key::List(vec![Key::Number((number % 5) as f64)]),
            3 => text("fifteen letters".to_owned() + &"x\0".repeat(number % 4)),
            4 => text("a\0".repeat(number % 9)),
            _ => text(format!("fifteen letters and {}", number % 50)),
        };
        (0..5000).map(key).collect()
    }

    #[test]
    fn texts_are_compared_behind_their_beginnings() {
        let keys = keys();
        let mut sorting = Sorting::default();
        let mut expected: Vec<usize> = (0..keys.len()).collect();
        for (start, key) in keys.iter().enumerate() {
            assert!(sorting.wants(key, ASCENDING));
            sorting.add(key, Place::Kept { start, bytes: 0 }).unwrap();
        }
        expected.sort_by_key(|number| &keys[*number]);
        assert_eq!(starts(&sorting.arranged(false, 0..keys.len())), expected);
    }

    #[test]
    fn the_first_few_are_those_of_all() {
        let keys = keys();
        for (descending, most) in [(false, 10), (true, 10), (false, 700), (true, 700), (true, 0), (false, 9999)] {
            let order = Order { descending, most: Some(most) };
            let (mut sorting, mut texts) = (Sorting::default(), Vec::new());
            let mut most_gathered = 0;
            for (number, key) in keys.iter().enumerate() {
                if sorting.wants(key, order) {
                    let start = texts.len();
                    texts.extend((number as u32).to_be_bytes());
                    sorting.add(key, Place::Kept { start, bytes: 4 }).unwrap();
                }
                if sorting.is_due(order) {
                    sorting.drop_others(order, &mut texts);
                }
                most_gathered = most_gathered.max(texts.len() / 4);
            }
            let mut expected: Vec<u32> = (0..keys.len() as u32).collect();
            expected.sort_by_key(|number| &keys[*number as usize]);
            if descending {
                expected.reverse();
            }
            assert_eq!(sorting.len(), keys.len());
            let results = most.min(keys.len());
            let places = starts(&sorting.arranged(descending, 0..results));
            let number = |start: &usize| u32::from_be_bytes(*texts[*start..].first_chunk().unwrap());
            assert_eq!(places[..results].iter().map(number).collect::<Vec<_>>(), expected[..results]);
            assert!(most_gathered <= (2 * most).max(MOST_GATHERED));
        }
    }
}
