//! Where else in the records a condition would hold: below its field, deeper, or in another field.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use serde_json::Value;

use super::sample::Sample;
use crate::extract::advice::fields::jq;

/// Deeper paths are not said: a condition has at most five keys.
pub(super) const MOST_KEYS: usize = 5;

/// More places are not counted: every matching value is looked up among them.
const MOST_PLACES: usize = 40;

/// A longer key is data.
const MOST_KEY_BYTES: usize = 80;

/// A shorter text occurs in other fields by chance.
pub(super) const LEAST_LETTERS: usize = 3;

/// Where values meet a condition, with the number of records.
#[derive(Debug, Default)]
pub(super) struct Places {
    records: BTreeMap<Vec<String>, (u32, usize)>,
    /// How often, deeper than a path goes.
    pub(super) too_deep: u32,
}

impl Places {
    /// The places that `fits` lets pass, by the keys that lead there.
    pub(super) fn of(sample: &Sample<'_>, meets: &impl Fn(&Value) -> bool, fits: &impl Fn(&[&str]) -> bool) -> Self {
        let mut places = Self::default();
        for (number, record) in sample.records.iter().enumerate() {
            places.walk(record, &mut Vec::new(), &mut |path, value| (fits(path) && meets(value)).then_some(number));
        }
        places
    }

    fn walk<'v>(
        &mut self,
        value: &'v Value,
        path: &mut Vec<&'v str>,
        met: &mut impl FnMut(&[&str], &Value) -> Option<usize>,
    ) {
        match value {
            Value::Object(members) => {
                for (key, value) in members.iter().filter(|(key, _)| key.len() <= MOST_KEY_BYTES) {
                    path.push(key);
                    self.walk(value, path, met);
                    path.pop();
                }
            }
            Value::Array(elements) => elements.iter().for_each(|element| self.walk(element, path, met)),
            scalar => {
                if let Some(record) = met(path, scalar) {
                    self.note(path, record);
                }
            }
        }
    }

    fn note(&mut self, path: &[&str], record: usize) {
        if path.is_empty() || path.len() > MOST_KEYS {
            self.too_deep += 1;
            return;
        }
        let is_known = |known: &Vec<String>| known.iter().map(String::as_str).eq(path.iter().copied());
        if let Some((_, (records, latest))) = self.records.iter_mut().find(|(known, _)| is_known(known)) {
            *records += u32::from(*latest != record);
            *latest = record;
        } else if self.records.len() < MOST_PLACES {
            self.records.insert(path.iter().map(|key| (*key).to_owned()).collect(), (1, record));
        }
    }

    /// The paths, that of the most records first, and of equal ones the shorter one.
    pub(super) fn paths(&self) -> Vec<(&[String], u32)> {
        let mut all: Vec<(&[String], u32)> =
            self.records.iter().map(|(path, (records, _))| (path.as_slice(), *records)).collect();
        all.sort_by_key(|(path, records)| (Reverse(*records), path.len()));
        all
    }
}

/// True for a text that is long enough to be somewhere on purpose.
pub(super) fn is_telling(text: &str) -> bool {
    text.split(|c: char| !c.is_alphanumeric()).any(|word| word.chars().count() >= LEAST_LETTERS)
}

/// A path as jq writes it, with the arrays on it: `.labels[]?.name`.
pub(super) fn path_into(sample: &Sample<'_>, keys: &[String]) -> Option<String> {
    sample.records.iter().find_map(|record| {
        let mut place = (record, String::new());
        for key in keys {
            place = inside_of_arrays(place);
            place = (place.0.get(key)?, place.1 + &jq(&[key]));
        }
        Some(inside_of_arrays(place).1)
    })
}

fn inside_of_arrays((mut value, mut path): (&Value, String)) -> (&Value, String) {
    while let Some(first) = value.as_array().and_then(|elements| elements.first()) {
        value = first;
        path.push_str("[]?");
    }
    (value, path)
}

/// True if the value or one inside of it meets a test.
pub(super) fn has_some(value: &Value, meets: &impl Fn(&Value) -> bool) -> bool {
    match value {
        Value::Array(elements) => elements.iter().any(|element| has_some(element, meets)),
        Value::Object(members) => members.values().any(|member| has_some(member, meets)),
        scalar => meets(scalar),
    }
}
