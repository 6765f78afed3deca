//! The places of a list in the order of their keys, so that a key is found without looking at all others. The list
//! itself stays in its own order.

use lro_query::json::compare;

/// Places by their keys.
#[derive(Debug, Clone, Default)]
pub struct SortedIndex(Vec<u32>);

impl SortedIndex {
    /// The place that has a key; where there is none, the position among these that it would have. `key_at` gives the
    /// key of a place.
    pub fn find<'k>(&self, key: &str, key_at: impl Fn(usize) -> &'k str) -> Result<usize, usize> {
        let order = |place: &u32| compare(key_at(*place as usize).as_bytes(), key.as_bytes());
        self.0.binary_search_by(order).map(|position| self.0[position] as usize)
    }

    /// Adds a place at the position that its key has among these. That moves all that follow, so the list should be
    /// short.
    pub fn insert(&mut self, position: usize, place: usize) {
        self.0.insert(position, u32::try_from(place).unwrap_or(u32::MAX));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_found_by_its_key() {
        let (mut keys, mut sorted): (Vec<&str>, _) = (Vec::new(), SortedIndex::default());
        for key in ["m", "b", "z", "", "bb"] {
            let position = sorted.find(key, |place| keys[place]).unwrap_err();
            sorted.insert(position, keys.len());
            keys.push(key);
        }
        for (place, key) in keys.iter().enumerate() {
            assert_eq!(sorted.find(key, |place| keys[place]), Ok(place));
        }
        assert_eq!(sorted.find("c", |place| keys[place]), Err(3));
    }
}
