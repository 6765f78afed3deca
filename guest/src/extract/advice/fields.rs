//! The fields of a file, from a bounded number of its first records.

use std::io::{self, Read};

use serde_json::Value;

use super::alike::Alike;
use super::front::front;
use super::nearest::nearest;
use crate::extract::look::value_of;
use crate::fields::survey::Types;
use crate::payload::path::key;
use crate::payload::shown;

/// So much of a file is looked at: a hundred records of usual size, read in about a millisecond.
const MOST_BYTES: u64 = 128 << 10;
const MOST_RECORDS: u32 = 100;

/// Deeper fields are seldom asked for.
const MOST_DEPTH: usize = 4;

/// Records with keys made of data would fill an answer. Fields of the records themselves have as much room again: it is said of
/// them that no record has one.
const MOST_FIELDS: usize = 256;

/// A longer key is data, and nobody mistypes it.
const MOST_KEY_BYTES: usize = 80;

/// Elements of an array that are looked at.
const MOST_ELEMENTS: usize = 20;

/// A sentence lists at most this many fields.
const MOST_LISTED: usize = 12;

/// An object with so many lists, or so many objects, has keys that are data.
const LEAST_KEYS: usize = 5;

/// Stands in a path for the elements of an array.
const ELEMENTS: &str = "[]";

/// The fields of some records.
#[derive(Debug, Default)]
pub struct Fields {
    fields: Vec<SeenField>,
    records: u32,
    is_all: bool,
    /// The only record is a document.
    is_document: bool,
}

/// A field, at any depth.
#[derive(Debug)]
pub(super) struct SeenField {
    path: Vec<String>,
    pub(super) types: Types,
    pub(super) alike: Alike,
    present: u32,
    latest: u32,
}

impl Fields {
    /// Reads the first records of an input, and skips lines that are not JSON.
    pub fn sample(input: impl Read) -> io::Result<Self> {
        let (bytes, is_all) = front(input, MOST_BYTES)?;
        let mut fields = Self { is_all, ..Self::default() };
        for line in bytes.split(|byte| *byte == b'\n') {
            let Some(record) = value_of(line) else { continue };
            if fields.records == MOST_RECORDS {
                fields.is_all = false;
                break;
            }
            fields.records += 1;
            fields.look_into(&record, &mut Vec::new());
        }
        Ok(fields)
    }

    /// Reads a document that a filter ran on. Nothing is known of one that is too large to be read whole.
    pub fn of_document(input: impl Read) -> io::Result<Self> {
        let mut text = Vec::new();
        input.take(MOST_BYTES).read_to_end(&mut text)?;
        let mut fields = Self { is_all: true, is_document: true, records: 1, ..Self::default() };
        if let Some(document) = value_of(&text) {
            fields.look_into(&document, &mut Vec::new());
        }
        if fields.fields.len() == MOST_FIELDS {
            fields.fields.clear();
        }
        Ok(fields)
    }

    fn look_into(&mut self, value: &Value, path: &mut Vec<String>) {
        if path.len() > MOST_DEPTH {
            return;
        }
        match value {
            Value::Object(members) => {
                for (key, value) in members.iter().filter(|(key, _)| key.len() <= MOST_KEY_BYTES) {
                    path.push(key.clone());
                    self.note(path, value);
                    self.look_into(value, path);
                    path.pop();
                }
            }
            Value::Array(elements) => {
                path.push(ELEMENTS.to_owned());
                let most = if self.is_document { elements.len() } else { MOST_ELEMENTS };
                for element in elements.iter().take(most) {
                    self.look_into(element, path);
                }
                path.pop();
            }
            _ => {}
        }
    }

    fn note(&mut self, path: &[String], value: &Value) {
        let types = type_of(value);
        let records = self.records;
        let alike = Alike::of(value);
        if let Some(field) = self.fields.iter_mut().find(|field| field.path == path) {
            field.types = field.types.and(types);
            field.alike = field.alike.and(alike);
            field.present += u32::from(field.latest != records);
            field.latest = records;
        } else if self.fields.len() < if path.len() == 1 { 2 * MOST_FIELDS } else { MOST_FIELDS } {
            self.fields.push(SeenField { path: path.to_vec(), types, alike, present: 1, latest: records });
        }
    }

    /// True for a document that nothing is known of.
    pub(super) fn is_unknown_document(&self) -> bool {
        self.is_document && self.fields.is_empty()
    }

    /// True if no fields were found.
    pub(super) fn is_empty(&self) -> bool {
        self.fields.is_empty()
    }

    /// Says that something is nowhere among the records that were looked at.
    pub(super) fn lack(&self, what: &str) -> String {
        match (self.is_document, self.is_all) {
            (true, _) => format!("the document has no `{what}`"),
            (false, true) => format!("no record has `{what}`"),
            (false, false) => format!("none of the first {} records has `{what}`", self.records),
        }
    }

    /// A sentence on what there is: `records have …`.
    pub(super) fn have(&self) -> String {
        let listed = self.listed();
        let listed = if listed.is_empty() { "no fields" } else { &listed };
        format!("{} {listed}", if self.is_document { "it has" } else { "records have" })
    }

    /// A field by its path.
    pub(super) fn get(&self, path: &[&str]) -> Option<&SeenField> {
        self.fields.iter().find(|field| field.path.iter().map(String::as_str).eq(path.iter().copied()))
    }

    /// The keys that lead to the field with this name: a key, or keys between dots.
    pub(super) fn named(&self, name: &str) -> Option<Vec<String>> {
        let keys: Vec<&str> = name.split('.').collect();
        [vec![name], keys].into_iter().find_map(|path| self.get(&path)).map(SeenField::keys)
    }

    /// True if some record has null or nothing there.
    pub(super) fn may_be_null(&self, path: &[&str]) -> bool {
        self.get(path).is_none_or(|field| field.present < self.records || field.types.has(Types::NULL))
    }

    /// The deeper fields of that key.
    pub(super) fn deeper(&self, key: &str) -> impl Iterator<Item = &SeenField> {
        self.fields.iter().filter(move |field| field.path.len() > 1 && field.key() == key)
    }

    /// The deeper fields of that key as jq writes them. Those in the values of an object whose keys are data are one:
    /// `.releases[][].size`.
    pub(super) fn places_of(&self, key: &str) -> Vec<String> {
        let mut places: Vec<String> = Vec::new();
        for field in self.deeper(key) {
            let place = self.without_data(&field.path).unwrap_or_else(|| field.jq());
            if !places.contains(&place) {
                places.push(place);
            }
        }
        places
    }

    /// A path with `[]` in place of a key that is data: its siblings are many, and all are lists or all are objects.
    fn without_data(&self, path: &[String]) -> Option<String> {
        let mut path: Vec<&str> = path.iter().map(String::as_str).collect();
        let at = (1..path.len() - 1).find(|at| {
            let siblings: Vec<&SeenField> = self.below(&path[..*at]).collect();
            let are = |kind: Types| siblings.iter().all(|field| field.types == kind);
            siblings.len() >= LEAST_KEYS && (are(Types::ARRAY) || are(Types::OBJECT))
        })?;
        path[at] = ELEMENTS;
        Some(jq(&path))
    }

    /// The keys that lead to fields of that name, without the arrays in between.
    pub(super) fn paths_to(&self, key: &str) -> impl Iterator<Item = Vec<String>> {
        self.fields.iter().filter(move |field| field.key() == key).map(SeenField::keys)
    }

    /// The path whose keys with dots between them are this text.
    pub(super) fn dotted(&self, text: &str) -> Option<Vec<String>> {
        self.fields.iter().map(SeenField::keys).find(|keys| keys.join(".") == text)
    }

    /// The keys that lead to the field that jq writes so.
    pub(super) fn keys_of(&self, jq: &str) -> Option<Vec<String>> {
        self.fields.iter().find(|field| field.jq() == jq).map(SeenField::keys)
    }

    /// Keys of the records themselves that could have been meant.
    pub(super) fn near(&self, wrong: &str) -> Vec<&str> {
        nearest(wrong, self.top().map(SeenField::key))
    }

    /// Paths of fields at any depth that could have been meant.
    pub(super) fn near_anywhere(&self, wrong: &str) -> Vec<String> {
        let near = nearest(wrong, self.fields.iter().map(SeenField::key));
        near.into_iter()
            .filter_map(|key| self.fields.iter().find(|field| field.key() == key))
            .map(SeenField::jq)
            .collect()
    }

    /// The fields of the records themselves.
    pub(super) fn top(&self) -> impl Iterator<Item = &SeenField> {
        self.fields.iter().filter(|field| field.path.len() == 1)
    }

    /// The fields below a path.
    pub(super) fn below<'a>(&'a self, path: &'a [&str]) -> impl Iterator<Item = &'a SeenField> {
        self.fields.iter().filter(move |field| {
            field.path.len() == path.len() + 1 && field.path.iter().map(String::as_str).zip(path).all(|(a, b)| a == *b)
        })
    }

    /// Where a path leads last, if records have its beginning and not all of it: how many of its keys they have, and what is
    /// there instead of the next one. Nothing where fields were left out.
    pub(super) fn end_of(&self, path: &[&str]) -> Option<(usize, String)> {
        if self.fields.len() >= MOST_FIELDS {
            return None;
        }
        let is_known = |length: &usize| self.with_keys(&path[..*length]).next().is_some();
        let length = (1..path.len()).rev().find(is_known).filter(|length| *length <= MOST_DEPTH)?;
        let keys = &path[..length];
        let has = |kind: Types| self.with_keys(keys).any(|field| field.types.has(kind));
        let inside = self.fields.iter().filter(|field| {
            let inner = field.keys();
            inner.len() == length + 1 && inner.iter().zip(keys).all(|(a, b)| a == b)
        });
        let listed = listed(inside);
        let told = match (has(Types::OBJECT), listed.is_empty()) {
            (true, true) => "has no fields".to_owned(),
            (false, true) => format!("is {}", with_article(&self.with_keys(keys).next()?.type_names())),
            (_, false) => format!("has {listed}"),
        };
        Some((length, told))
    }

    /// The fields that these keys lead to, whether through lists or not.
    fn with_keys<'a>(&'a self, keys: &'a [&str]) -> impl Iterator<Item = &'a SeenField> {
        self.fields.iter().filter(move |field| field.keys().iter().map(String::as_str).eq(keys.iter().copied()))
    }

    /// True if a field that ends with this path is known: a filter may have gone there step by step.
    pub(super) fn has_end(&self, path: &[&str]) -> bool {
        self.fields.iter().any(|field| {
            let keys = field.keys();
            keys.len() >= path.len() && keys[keys.len() - path.len()..].iter().zip(path).all(|(a, b)| a == b)
        })
    }

    /// Says of a field that it is null everywhere, if it is.
    pub(super) fn only_null(&self, path: &[&str]) -> Option<String> {
        let is_null = self.get(path).is_some_and(|field| field.types == Types::NULL && field.present == self.records);
        is_null.then(|| match (self.is_document, self.is_all) {
            (true, _) => format!("`{}` is null in the document", jq(path)),
            (false, true) => format!("`{}` is null in every record", jq(path)),
            (false, false) => format!("`{}` is null in each of the first {} records", jq(path), self.records),
        })
    }

    /// The fields of the records with their types: `id (string), title (string or null)`.
    pub(super) fn listed(&self) -> String {
        listed(self.top())
    }
}

/// Types in words, as what something is: `a number or null`.
fn with_article(types: &str) -> String {
    match types.as_bytes().first() {
        Some(b'a' | b'o') => format!("an {types}"),
        _ if types == "null" => types.to_owned(),
        _ => format!("a {types}"),
    }
}

/// A short list of fields with their types.
pub(super) fn listed<'a>(fields: impl Iterator<Item = &'a SeenField>) -> String {
    let all: Vec<String> =
        fields.map(|field| format!("{} ({})", shown::name(field.key()), field.type_names())).collect();
    let more = all.len().saturating_sub(MOST_LISTED);
    let text = all[..all.len() - more].join(", ");
    if more > 0 { format!("{text}, and {more} more") } else { text }
}

impl SeenField {
    /// Its last key.
    pub(super) fn key(&self) -> &str {
        self.path.last().map_or("", String::as_str)
    }

    /// The path of what it is a field of.
    pub(super) fn parent(&self) -> &[String] {
        &self.path[..self.path.len() - 1]
    }

    fn keys(&self) -> Vec<String> {
        self.path.iter().filter(|part| *part != ELEMENTS).cloned().collect()
    }

    /// Its path as jq writes it: `.provenance.confidence`, `.entities[].name`.
    pub(super) fn jq(&self) -> String {
        jq(&self.path.iter().map(String::as_str).collect::<Vec<_>>())
    }

    /// Its types in words: `string or null`.
    pub(super) fn type_names(&self) -> String {
        self.types.names().collect::<Vec<_>>().join(" or ")
    }
}

/// A path as jq writes it.
pub(super) fn jq(path: &[&str]) -> String {
    let mut text = String::new();
    for part in path {
        match *part {
            ELEMENTS => text.push_str(if text.is_empty() { ".[]" } else { ELEMENTS }),
            name => text.extend([".", &key(name)]),
        }
    }
    text
}

fn type_of(value: &Value) -> Types {
    Types::of(match value {
        Value::Null => "null",
        Value::Bool(_) => "true",
        Value::Number(_) => "1",
        Value::String(_) => "\"",
        Value::Array(_) => "[",
        Value::Object(_) => "{",
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_known_at_any_depth_with_their_types() {
        let text =
            "{\"a\":1,\"b\":{\"c\":\"x\"},\"d\":[{\"e\":1},{\"e\":null}]}\nnot json\n{\"a\":null,\"x-y\":true}\n";
        let fields = Fields::sample(text.as_bytes()).unwrap();
        let seen: Vec<String> = fields.fields.iter().map(|f| format!("{} {}", f.jq(), f.type_names())).collect();
        let expected = [".a number or null", ".b object", ".b.c string", ".d array", ".d[].e number or null"];
        assert_eq!(seen[..5], expected);
        assert_eq!(seen[5], ".\"x-y\" boolean");
        assert!(fields.may_be_null(&["a"]) && fields.may_be_null(&["b", "c"]) && fields.is_all);
        assert_eq!(fields.deeper("c").map(SeenField::jq).collect::<Vec<_>>(), [".b.c"]);
    }

    #[test]
    fn fields_of_records_are_known_where_others_are_too_many() {
        let keys: Vec<String> = (0..MOST_FIELDS).map(|n| format!("\"k{n}\":{{\"v\":1}}")).collect();
        let fields = Fields::sample(format!("{{\"map\":{{{}}},\"last\":1}}\n", keys.join(",")).as_bytes()).unwrap();
        assert!(fields.get(&["last"]).is_some());
    }

    #[test]
    fn a_large_file_is_looked_at_in_part() {
        let text = "{\"a\":1}\n".repeat(50_000);
        let fields = Fields::sample(text.as_bytes()).unwrap();
        assert_eq!((fields.records, fields.is_all), (MOST_RECORDS, false));
    }
}
