//! The members of an object, in the order in which their keys first came.

use indexmap::IndexMap;

use super::{Text, Value};

/// Up to so many members, looking at each key is faster than hashing.
const FEW: usize = 16;

/// Hashes with a fixed seed: a filter's results depend on nothing but its input.
type Hasher = foldhash::fast::FixedState;

/// The members of an object.
#[derive(Debug, Clone)]
pub enum Map {
    /// A few.
    Few(Vec<(Text, Value)>),
    /// Many.
    Many(IndexMap<Text, Value, Hasher>),
}

impl Default for Map {
    fn default() -> Self {
        Self::Few(Vec::new())
    }
}

impl Map {
    /// Room for so many members.
    pub(in crate::query) fn with_capacity(members: usize) -> Self {
        Self::Few(Vec::with_capacity(members.min(FEW)))
    }

    /// How many there are.
    pub(in crate::query) fn len(&self) -> usize {
        match self {
            Self::Few(members) => members.len(),
            Self::Many(members) => members.len(),
        }
    }

    /// The value of a key.
    pub(in crate::query) fn get(&self, key: &str) -> Option<&Value> {
        match self {
            Self::Few(members) => members.iter().find(|(known, _)| **known == *key).map(|(_, value)| value),
            Self::Many(members) => members.get(key),
        }
    }

    /// The value of a key, to change.
    pub(in crate::query) fn get_mut(&mut self, key: &str) -> Option<&mut Value> {
        match self {
            Self::Few(members) => members.iter_mut().find(|(known, _)| **known == *key).map(|(_, value)| value),
            Self::Many(members) => members.get_mut(key),
        }
    }

    /// Sets the value of a key, at its place or at the end.
    pub(in crate::query) fn insert(&mut self, key: Text, value: Value) {
        if let Some(known) = self.get_mut(&key) {
            *known = value;
            return;
        }
        self.push(key, value);
    }

    /// Adds a member whose key is known to be new.
    pub(in crate::query) fn push(&mut self, key: Text, value: Value) {
        match self {
            Self::Few(members) if members.len() < FEW => members.push((key, value)),
            Self::Few(members) => {
                let mut many: IndexMap<_, _, _> = std::mem::take(members).into_iter().collect();
                many.insert(key, value);
                *self = Self::Many(many);
            }
            Self::Many(members) => {
                members.insert(key, value);
            }
        }
    }

    /// Removes a member; the others keep their order.
    pub(in crate::query) fn remove(&mut self, key: &str) {
        match self {
            Self::Few(members) => members.retain(|(known, _)| **known != *key),
            Self::Many(members) => {
                members.shift_remove(key);
            }
        }
    }

    /// The members in order.
    pub(in crate::query) fn iter(&self) -> impl Iterator<Item = (&Text, &Value)> {
        let (few, many) = match self {
            Self::Few(members) => (Some(members.iter().map(|(key, value)| (key, value))), None),
            Self::Many(members) => (None, Some(members.iter())),
        };
        few.into_iter().flatten().chain(many.into_iter().flatten())
    }

    /// The members in the order of their keys.
    pub(in crate::query) fn sorted(&self) -> Vec<(&Text, &Value)> {
        let mut members: Vec<_> = self.iter().collect();
        members.sort_unstable_by_key(|(key, _)| *key);
        members
    }

    /// The member at a place.
    pub(in crate::query) fn at(&self, place: usize) -> Option<(&Text, &Value)> {
        match self {
            Self::Few(members) => members.get(place).map(|(key, value)| (key, value)),
            Self::Many(members) => members.get_index(place),
        }
    }

    /// The value at a place, to change.
    pub(in crate::query) fn value_at(&mut self, place: usize) -> Option<&mut Value> {
        match self {
            Self::Few(members) => members.get_mut(place).map(|(_, value)| value),
            Self::Many(members) => members.get_index_mut(place).map(|(_, value)| value),
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_keep_their_order_however_many_they_are() {
        for count in [3, FEW, FEW + 1, 100] {
            let key = |i: usize| format!("k{}", (i * 7) % count);
            let mut map: Map = (0..count).map(|i| (Text::from(format!("k{i}")), Value::from(i))).collect();
            (0..count).for_each(|i| map.insert(Text::from(key(i)), Value::from(1.5)));
            map.remove("k1");
            let keys: Vec<String> = map.iter().map(|(key, _)| key.to_string()).collect();
            let expected: Vec<String> = (0..count).filter(|i| *i != 1).map(|i| format!("k{i}")).collect();
            assert_eq!(keys, expected);
            assert!(map.get("k1").is_none() && map.get("k2").is_some_and(|value| value.as_f64() == Some(1.5)));
        }
    }
}
