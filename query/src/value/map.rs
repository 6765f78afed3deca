//! The members of an object, in the order in which their keys first came.

use std::cell::OnceCell;
use std::collections::BTreeMap;
use std::mem::take;

use super::values::{copied, drop_level, has_parts};
use super::{Text, Value};

/// Up to so many members, looking at each key is faster than an index.
const FEW: usize = 16;

/// Where each key is.
///
/// Records come from others, and so do their keys: with a hash table, someone could write keys that all have the same
/// hash, and each look-up would take as long as there are keys. A tree needs the logarithm of that, whatever the keys are.
type Index = BTreeMap<Text, u32>;

/// The members of an object.
#[derive(Debug, Default)]
pub struct Map {
    members: Vec<(Text, Value)>,
    /// Made when a key is looked up among many.
    index: OnceCell<Index>,
}

impl Map {
    /// Room for so many members.
    pub(crate) fn with_capacity(members: usize) -> Self {
        Self { members: Vec::with_capacity(members), index: OnceCell::new() }
    }

    /// The members in the order of a list. Of a key that it has several times, the first place and the last value count.
    pub(crate) fn of(members: Vec<(Text, Value)>) -> Self {
        let mut map = Self { members, index: OnceCell::new() };
        let is_clear = match map.members.len() {
            0..=FEW => {
                (1..map.members.len()).all(|place| place_in(&map.members[..place], &map.members[place].0).is_none())
            }
            many => map.index().len() == many,
        };
        if is_clear { map } else { take(&mut map.members).into_iter().collect() }
    }

    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        self.members.len()
    }

    /// The place of a key.
    pub(crate) fn place(&self, key: &str) -> Option<usize> {
        match self.members.len() {
            0..=FEW => place_in(&self.members, key),
            _ => self.index().get(key).map(|place| *place as usize),
        }
    }

    /// The value of a key.
    pub(crate) fn get(&self, key: &str) -> Option<&Value> {
        self.place(key).map(|place| &self.members[place].1)
    }

    /// The value of a key, to change.
    pub(crate) fn get_mut(&mut self, key: &str) -> Option<&mut Value> {
        self.place(key).map(|place| &mut self.members[place].1)
    }

    /// Sets the value of a key, at its place or at the end.
    pub(crate) fn insert(&mut self, key: Text, value: Value) {
        match self.place(&key) {
            Some(place) => self.members[place].1 = value,
            None => self.push(key, value),
        }
    }

    /// Adds a member whose key is known to be new.
    pub(crate) fn push(&mut self, key: Text, value: Value) {
        if let Some(index) = self.index.get_mut() {
            index.insert(key.clone(), place_of(self.members.len()));
        }
        self.members.push((key, value));
    }

    /// Keeps the members at some places; they keep their order.
    pub(crate) fn retain(&mut self, mut keeps: impl FnMut(usize) -> bool) {
        let mut places = 0..;
        self.members.retain(|_| places.next().is_some_and(&mut keeps));
        self.index = OnceCell::new();
    }

    /// The members in order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&Text, &Value)> {
        self.members.iter().map(|(key, value)| (key, value))
    }

    /// The members in the order of their keys.
    pub(crate) fn sorted(&self) -> Vec<(&Text, &Value)> {
        let mut members: Vec<_> = self.iter().collect();
        members.sort_unstable_by_key(|(key, _)| *key);
        members
    }

    /// The member at a place.
    pub(crate) fn at(&self, place: usize) -> Option<(&Text, &Value)> {
        self.members.get(place).map(|(key, value)| (key, value))
    }

    /// The value at a place, to change.
    pub(crate) fn value_at(&mut self, place: usize) -> Option<&mut Value> {
        self.members.get_mut(place).map(|(_, value)| value)
    }

    fn index(&self) -> &Index {
        let places = || self.members.iter().enumerate().map(|(place, (key, _))| (key.clone(), place_of(place)));
        self.index.get_or_init(|| places().collect())
    }
}

impl Clone for Map {
    fn clone(&self) -> Self {
        copied(self.members.len() * 2);
        Self { members: self.members.clone(), index: self.index.clone() }
    }
}

impl Drop for Map {
    fn drop(&mut self) {
        if self.members.iter().any(|(_, value)| has_parts(value)) {
            drop_level(&mut self.members, |members| members.drain(..).map(|(_, value)| value).collect());
        }
    }
}

impl FromIterator<(Text, Value)> for Map {
    fn from_iter<I: IntoIterator<Item = (Text, Value)>>(members: I) -> Self {
        let mut map = Self::default();
        for (key, value) in members {
            map.insert(key, value);
        }
        map
    }
}

fn place_in(members: &[(Text, Value)], key: &str) -> Option<usize> {
    members.iter().position(|(known, _)| **known == *key)
}

fn place_of(place: usize) -> u32 {
    u32::try_from(place).expect("a record is shorter than 4 GiB")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keys(map: &Map) -> Vec<String> {
        map.iter().map(|(key, _)| key.to_string()).collect()
    }

    #[test]
    fn keys_keep_their_order_however_many_they_are() {
        for count in [3, FEW, FEW + 1, 100] {
            let key = |i: usize| format!("k{}", (i * 7) % count);
            let mut map: Map = (0..count).map(|i| (Text::from(format!("k{i}")), Value::from(i))).collect();
            (0..count).for_each(|i| map.insert(Text::from(key(i)), Value::from(1.5)));
            let gone = map.place("k1");
            map.retain(|place| Some(place) != gone);
            let expected: Vec<String> = (0..count).filter(|i| *i != 1).map(|i| format!("k{i}")).collect();
            assert_eq!(keys(&map), expected);
            assert!(map.get("k1").is_none() && map.get("k2").is_some_and(|value| value.as_f64() == Some(1.5)));
            map.push("k1".into(), Value::Null);
            assert_eq!(map.place("k1"), Some(count - 1));
        }
    }

    #[test]
    fn of_a_key_that_came_twice_the_first_place_and_the_last_value_count() {
        for count in [2, FEW, FEW + 1, 100] {
            let twice = (0..count).chain([1]).map(|i| (Text::from(format!("k{i}")), Value::from(i)));
            let members: Vec<_> = twice.chain([("k0".into(), Value::Null)]).collect();
            let map = Map::of(members);
            assert_eq!(keys(&map), (0..count).map(|i| format!("k{i}")).collect::<Vec<_>>());
            assert!(map.get("k0").is_some_and(|value| matches!(value, Value::Null)));
        }
    }
}
