//! Looks at every record once, for what a response says about them.

use std::borrow::Cow;
use std::collections::BTreeMap;

use lro_query::Budget;
use lro_query::json::{Scan, Type, unquote};
use serde::Serialize;

use crate::fields::literals::Literals;
use crate::fields::memory::{Memory, MemoryKey};
use crate::fields::sorted::SortedIndex;
use crate::payload::detail::Detail;

/// More distinct keys than this are not distinguished: records with keys made of data would fill the memory.
const MOST_FIELDS: usize = 256;

/// A response names at most this many namespaces (LRO-18).
const MOST_NAMESPACES: usize = 5;

/// A namespace is named with at most this many characters of JSON text, so that a response stays small whatever records
/// hold.
const NAMESPACE_CHARACTERS: usize = 80;

/// A set of JSON types.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Types(u8);

impl Types {
    const NAMES: [&'static str; 6] = ["string", "number", "boolean", "array", "object", "null"];

    /// String alone.
    pub const STRING: Self = Self(1);

    /// Number alone.
    pub const NUMBER: Self = Self(1 << 1);

    /// Array alone.
    pub const ARRAY: Self = Self(1 << 3);

    /// Object alone.
    pub const OBJECT: Self = Self(1 << 4);

    /// Null alone.
    pub const NULL: Self = Self(1 << 5);

    /// All but arrays and objects.
    pub const SCALARS: Self = Self(0b10_0111);

    /// Returns the type of a JSON text by its first byte.
    pub fn of(text: &str) -> Self {
        let position = match Type::of(text) {
            Type::String => 0,
            Type::Number => 1,
            Type::Boolean => 2,
            Type::Array => 3,
            Type::Object => 4,
            Type::Null => 5,
        };
        Self(1 << position)
    }

    /// The set as a number.
    pub fn bits(self) -> u64 {
        self.0.into()
    }

    /// Both sets together.
    pub fn and(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// The names of the types, as JSON Schema spells them.
    pub fn names(self) -> impl Iterator<Item = &'static str> {
        Self::NAMES.into_iter().enumerate().filter(move |(i, _)| self.0 & (1 << i) != 0).map(|(_, name)| name)
    }

    /// True if all of these are in it.
    pub fn has(self, types: Self) -> bool {
        self.0 & types.0 == types.0
    }

    /// True if it has no type that the other set lacks.
    pub fn within(self, other: Self) -> bool {
        self.0 & !other.0 == 0
    }

    /// True if it has a type in common with the other set.
    pub fn meets(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    /// True for the empty set.
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }
}

/// What is known of a field.
#[derive(Debug, Clone, Default)]
pub struct MemoryField {
    /// The field's key.
    pub key: String,
    /// The types that its values have.
    pub types: Types,
    /// Records that have it.
    pub present: u32,
    /// Records in which it is a string.
    pub strings: u32,
    /// The record, counted from 1, that had it last, and whether it was a string there.
    latest: (u32, bool),
    /// The key as it first stood in a record, with its colon.
    opening: String,
    known: Option<MemoryKey>,
}

impl MemoryField {
    /// The record with this number has a value of this type. Of duplicate keys the last one counts, and the record counts once.
    fn add(&mut self, record: u32, types: Types) {
        self.types = self.types.and(types);
        let is_string = types == Types::STRING;
        match self.latest {
            (latest, was_string) if latest == record => self.strings -= u32::from(was_string),
            _ => self.present += 1,
        }
        self.strings += u32::from(is_string);
        self.latest = (record, is_string);
    }
}

/// What was seen.
#[derive(Debug, Default)]
pub struct Survey {
    /// Records.
    pub count: u32,
    /// Records that are objects.
    pub objects: u32,
    /// The types of the records.
    pub types: Types,
    /// Their top-level fields, in the order in which they first came.
    pub fields: Vec<MemoryField>,
    /// The types of `.provenance.confidence`.
    pub confidence: Types,
    /// Records in which that is a number.
    pub confident: u32,
    /// Which literals of the recipes occur in them.
    pub literals: Literals,
    namespaces: BTreeMap<String, u32>,
    sorted: SortedIndex,
}

/// The least and the greatest score.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct ScoreRange(pub f64, pub f64);

impl Survey {
    /// Looks at all records.
    pub fn of<S: AsRef<str>>(records: impl IntoIterator<Item = S>) -> Self {
        let mut survey = Self::default();
        records.into_iter().for_each(|record| survey.add(record.as_ref()));
        survey
    }

    fn add(&mut self, record: &str) {
        self.count += 1;
        // Once the budget is used up, what is found is used by nobody.
        if Budget::read(record.len()).is_err() {
            return;
        }
        self.types = self.types.and(Types::of(record));
        let mut scan = Scan::of(record);
        if scan.peek() != b'{' {
            return;
        }
        self.objects += 1;
        let (mut memory, mut likely) = (Memory::default(), 0);
        // Records mostly have their keys in the same order.
        scan.members_by(|scan| {
            let is_next = self.fields.get(likely).is_some_and(|field| scan.eat(&field.opening));
            let (found, known) =
                if is_next { (Some(likely), self.fields[likely].known) } else { self.find(scan.any_key()) };
            let types = match known {
                Some(key) => memory.read(key, scan),
                None => Types::of(scan.value()),
            };
            if let Some(place) = found {
                likely = place + 1;
                self.fields[place].add(self.count, types);
            }
        });
        self.literals.add(&memory);
        if let Some(namespace) = memory.get(MemoryKey::Namespace).and_then(text_of) {
            match self.namespaces.get_mut(&*namespace) {
                Some(count) => *count += 1,
                None => _ = self.namespaces.insert(namespace.into_owned(), 1),
            }
        }
        if let Some(confidence) = memory.get(MemoryKey::Confidence) {
            let types = Types::of(confidence);
            self.confidence = self.confidence.and(types);
            self.confident += u32::from(types == Types::NUMBER);
        }
    }

    /// The place of a key's field, which is made if there may be one more, and which key of memories it is.
    fn find(&mut self, key: &str) -> (Option<usize>, Option<MemoryKey>) {
        let name = unquote(key);
        let position = match self.sorted.find(&name, |place| &self.fields[place].key) {
            Ok(place) => return (Some(place), self.fields[place].known),
            Err(position) => position,
        };
        let (place, known) = (self.fields.len(), MemoryKey::of_member(&name));
        if place == MOST_FIELDS {
            return (None, known);
        }
        self.sorted.insert(position, place);
        let opening = format!("{key}:");
        self.fields.push(MemoryField { key: name.into_owned(), opening, known, ..MemoryField::default() });
        (Some(place), known)
    }

    /// A field by its key.
    pub fn field(&self, key: &str) -> Option<&MemoryField> {
        self.fields.iter().find(|field| field.key == key)
    }

    /// Records in which a field is not a string.
    pub fn without_string(&self, key: &str) -> u32 {
        self.count - self.field(key).map_or(0, |field| field.strings)
    }

    /// The level of detail that the records show; `score` is not theirs.
    pub fn detail(&self) -> Detail {
        let fields = self.fields.iter().filter(|field| field.key != "score");
        fields.map(|field| Detail::of_field(&field.key)).max().unwrap_or(Detail::Light)
    }

    /// At most five namespaces, by count descending, then by name (decision 16).
    pub fn top_namespaces(&self) -> Vec<String> {
        let mut namespaces: Vec<_> = self.namespaces.iter().collect();
        namespaces.sort_by_key(|&(name, count)| (std::cmp::Reverse(*count), name));
        namespaces.into_iter().take(MOST_NAMESPACES).map(|(name, _)| shortened(name)).collect()
    }
}

/// The text of a JSON string; `None` for another value, and for a string that is no text.
fn text_of(json: &str) -> Option<Cow<'_, str>> {
    match json.strip_prefix('"')?.strip_suffix('"') {
        Some(plain) if !plain.contains('\\') => Some(plain.into()),
        _ => serde_json::from_str(json).ok().map(Cow::Owned),
    }
}

fn shortened(name: &str) -> String {
    // A control character has up to six characters in JSON.
    let cost = |character: char| match character {
        '"' | '\\' => 2,
        control if control.is_control() => 6,
        _ => 1,
    };
    let mut left = NAMESPACE_CHARACTERS;
    let too_much = |(_, character): &(usize, char)| {
        let fits = left.checked_sub(cost(*character));
        left = fits.unwrap_or(0);
        fits.is_none()
    };
    match name.char_indices().find(too_much) {
        Some((end, _)) => format!("{}…", &name[..end]),
        None => name.to_owned(),
    }
}

/// Returns the range of scores; anything but finite numbers is ignored (decision 5).
pub fn score_range(scores: impl IntoIterator<Item = f64>) -> Option<ScoreRange> {
    scores.into_iter().filter(|score| score.is_finite()).fold(None, |range, score| {
        let ScoreRange(least, greatest) = range.unwrap_or(ScoreRange(score, score));
        Some(ScoreRange(least.min(score), greatest.max(score)))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_have_types_and_counts() {
        let survey = Survey::of([r#"{"a":1,"b":"x"}"#, r#"{"b":null,"c":[]}"#, "7"]);
        let seen: Vec<_> =
            survey.fields.iter().map(|f| (f.key.as_str(), f.types.names().collect::<Vec<_>>(), f.present)).collect();
        assert_eq!(seen, [("a", vec!["number"], 1), ("b", vec!["string", "null"], 2), ("c", vec!["array"], 1)]);
        assert_eq!((survey.count, survey.objects, survey.without_string("b")), (3, 2, 2));
    }

    #[test]
    fn a_duplicate_key_counts_once_by_its_last_value() {
        let survey = Survey::of([r#"{"a":"x","a":1}"#, r#"{"a":1,"a":"x"}"#, "{}"]);
        assert_eq!((survey.fields[0].present, survey.fields[0].strings), (2, 1));
    }

    #[test]
    fn namespaces_are_ranked_by_count_then_by_name() {
        let record = |name: &str| format!(r#"{{"namespace":{name}}}"#);
        let names = ["\"b\"", "\"a\"", "\"c\"", "\"c\"", "null", "\"d\"", "\"e\"", "\"f\"", "5"];
        let records: Vec<_> = names.map(record).into();
        assert_eq!(Survey::of(&records).top_namespaces(), ["c", "a", "b", "d", "e"]);
    }

    #[test]
    fn a_long_namespace_is_cut_by_what_it_costs_in_json() {
        let short = "n".repeat(NAMESPACE_CHARACTERS);
        assert_eq!(shortened(&short), short);
        assert_eq!(shortened(&format!("{short}n")), format!("{short}…"));
        assert_eq!(shortened(&"\0".repeat(80)).chars().count(), NAMESPACE_CHARACTERS / 6 + 1);
    }

    #[test]
    fn the_detail_is_what_the_records_show() {
        let rows = [
            (r#"{"id":1,"score":2}"#, Detail::Light),
            (r#"{"content":"c"}"#, Detail::Medium),
            (r#"{"provenance":{}}"#, Detail::Full),
            (r#"{"anything":1}"#, Detail::Full),
        ];
        for (record, detail) in rows {
            assert_eq!(Survey::of([record]).detail(), detail, "{record}");
        }
    }

    #[test]
    fn a_score_range_ignores_what_is_no_number() {
        assert_eq!(score_range([0.5, f64::NAN, 0.25]), Some(ScoreRange(0.25, 0.5)));
        assert_eq!(score_range([f64::NAN]), None);
    }
}
