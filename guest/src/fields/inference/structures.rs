//! Finds records that differ in keys or types: one of each structure represents all.

use std::collections::BTreeSet;

/// At most this many structures are distinguished: a bound on memory, and more than the records of one source have.
const MOST_STRUCTURES: usize = 1024;

/// At most this many fields are distinguished in total: a bound on memory.
pub(super) const MOST_FIELDS: u32 = 400;

/// The structures of records: two records have the same one if they have the same keys with values of the same types,
/// in the same order, at any depth.
#[derive(Debug, Default)]
pub(super) struct Structures {
    /// Fields that are distinguished so far.
    fields: u32,
    known: BTreeSet<u64>,
    /// The places of records that together have all structures.
    samples: Vec<u32>,
    /// The current record has keys or depths that are not distinguished.
    is_unclear: bool,
}

impl Structures {
    /// Begins with a record.
    pub(super) fn begin(&mut self) {
        self.is_unclear = false;
    }

    /// The current record has something that is not distinguished.
    pub(super) fn blur(&mut self) {
        self.is_unclear = true;
    }

    /// Keeps a record's place unless a record before had its structure.
    pub(super) fn end(&mut self, structure: u64, place: u32) {
        let is_new = self.is_unclear
            || !self.known.contains(&structure)
                && (self.known.len() == MOST_STRUCTURES || self.known.insert(structure));
        if is_new {
            self.samples.push(place);
        }
    }

    /// The number of one more field, if there may be one.
    pub(super) fn next_field(&mut self) -> Option<u32> {
        let id = self.fields + 1;
        (id <= MOST_FIELDS).then(|| {
            self.fields = id;
            id
        })
    }

    /// The places of records that together have all structures.
    pub(super) fn samples(&self) -> impl Iterator<Item = usize> {
        self.samples.iter().map(|place| *place as usize)
    }

    /// Returns how many fields are distinguished.
    #[cfg(test)]
    pub(super) fn fields(&self) -> u32 {
        self.fields
    }
}

/// A structure with one more part.
pub(super) fn joined(structure: u64, part: u64) -> u64 {
    // The golden ratio spreads the bits of neighbours. Nobody gains by making two structures look the same: at worst a
    // recipe is advertised that fails on a record.
    (structure.rotate_left(5) ^ part).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

#[cfg(test)]
mod tests {
    use crate::fields::inference::Inference;

    #[test]
    fn samples_have_every_structure() {
        let records = [
            r#"{"a":1,"b":["x"]}"#,
            r#"{"a":2,"b":["y","z"]}"#,
            r#"{"a":null,"b":["x"]}"#,
            r#"{"b":["x"],"a":1}"#,
            r#"{"a":1,"b":["x",1]}"#,
            r#"{"a":1,"b":[1,2]}"#,
            r#"{"a":1,"b":[]}"#,
            r#"{"a":1}"#,
            r#"{"a":true,"b":{"a":1}}"#,
            r#"{"a":false,"b":{"a":2}}"#,
            "1",
            "2",
        ];
        let samples = |records: &[&str]| Inference::of(records).samples().collect::<Vec<_>>();
        assert_eq!(samples(&records), [0, 2, 3, 4, 5, 6, 7, 8, 10]);
        // What is not looked at may be anything.
        let deep = format!("{}1{}", r#"{"a":"#.repeat(100), "}".repeat(100));
        assert_eq!(samples(&[&deep, &deep, "1", "1"]), [0, 1, 2]);
        let wide: Vec<String> = (0..5000).map(|n| format!(r#"{{"key{n}":1}}"#)).collect();
        assert_eq!(Inference::of(&wide).samples().count(), wide.len());
    }
}
