//! What records of any shape have in common, from one look at each: fields at any depth with their types, few distinct
//! values, formats. Memory is bounded, whatever the records are.

mod structures;

use lro_query::Budget;
use lro_query::json::{Scan, Type, same, unquote};
use memchr::memchr;
use structures::{Structures, joined};

use crate::fields::sorted::SortedIndex;
use crate::fields::survey::Types;

/// Fields are distinguished this deep; elements of arrays count as one level.
const DEEPEST: u32 = 6;

/// At most this many keys of one object are distinguished: more are data, not names.
const MOST_KEYS: usize = 64;

/// A field with more distinct values than this is not a category.
pub const MOST_VALUES: usize = 24;

/// A value with more bytes than this is not a category either.
const VALUE_BYTES: usize = 64;

/// This many texts are searched for a word: if they have none, the others rarely do.
const TRIED_TEXTS: u32 = 20;

/// Shorter words say little of a text.
pub const WORD_LETTERS: usize = 4;

/// What the records have in common.
#[derive(Debug, Default)]
pub struct Inference {
    /// Records.
    pub count: u32,
    /// The records themselves, as the value of a field.
    pub root: Field,
    structures: Structures,
}

/// What is known of the values at one place.
#[derive(Debug, Default)]
pub struct Field {
    /// The key; empty for records and for elements.
    pub key: String,
    /// The types of the values.
    pub types: Types,
    /// Objects that have it.
    pub present: u32,
    /// Fields of those values that are objects, in the order in which they first came.
    pub fields: Vec<Field>,
    /// There are more fields than these.
    pub is_open: bool,
    /// Elements of those values that are arrays.
    pub items: Option<Box<Field>>,
    /// Values that are objects.
    pub objects: u32,
    /// Values that are strings.
    pub strings: Strings,
    /// Values that are numbers.
    pub numbers: Numbers,
    /// The values that are neither arrays nor objects.
    pub values: Values,
    /// The fields by their keys.
    sorted: SortedIndex,
    /// Its number, which identifies it in a structure.
    id: u32,
    /// The object, counted from 1, that had it last.
    latest: u32,
    /// The key as it first stood in a record, with its colon.
    opening: String,
}

/// What is known of strings.
#[derive(Debug, Default)]
pub struct Strings {
    /// How many there are.
    pub count: u32,
    /// Bytes in all, as they are written in JSON.
    pub bytes: u64,
    /// Those of several words.
    pub phrases: u32,
    /// The formats that one of them does not have.
    lacks: Lacks,
    /// The beginning of one of the first that has a word in it; empty where none has.
    pub example: String,
}

/// Formats that not all strings have. Nobody looks for one of these again.
#[derive(Debug, Default)]
struct Lacks {
    date_time: bool,
    uri: bool,
}

/// What is known of numbers.
#[derive(Debug, Default)]
pub struct Numbers {
    /// How many there are.
    pub count: u32,
    /// One of them is written with a point or an exponent.
    has_fraction: bool,
}

/// Distinct values with how often they came, as JSON texts in the order in which they first came.
#[derive(Debug, Default)]
pub struct Values {
    /// At most [`MOST_VALUES`].
    pub few: Vec<(String, u32)>,
    /// There are more, or longer ones.
    pub are_many: bool,
    /// The place of the one that came last.
    latest: usize,
}

impl Inference {
    /// Looks at all records.
    pub fn of<S: AsRef<str>>(records: impl IntoIterator<Item = S>) -> Self {
        let mut inference = Self::default();
        records.into_iter().for_each(|record| inference.add(record.as_ref()));
        inference
    }

    /// Looks at one more record.
    pub fn add(&mut self, record: &str) {
        // Once the budget is used up, what is found is used by nobody.
        if Budget::read(record.len()).is_err() {
            return;
        }
        self.root.present += 1;
        self.structures.begin();
        let structure = look(&mut self.root, &mut Scan::of(record), DEEPEST, &mut self.structures);
        self.structures.end(structure, self.count);
        self.count += 1;
    }

    /// The places of records that together have every structure that any record has: what depends on keys and types
    /// alone is the same for all records as for these.
    pub fn samples(&self) -> impl Iterator<Item = usize> {
        self.structures.samples()
    }
}

/// Reads the next value, advances past it, and returns its structure.
fn look(field: &mut Field, scan: &mut Scan<'_>, depth: u32, structures: &mut Structures) -> u64 {
    match scan.peek() {
        b'{' => {
            field.types = field.types.and(Types::OBJECT);
            field.objects += 1;
            if depth == 0 {
                field.is_open = true;
                structures.blur();
                scan.value();
                return 0;
            }
            members(field, scan, depth, structures)
        }
        b'[' => {
            field.types = field.types.and(Types::ARRAY);
            if depth == 0 {
                structures.blur();
                scan.value();
                return 0;
            }
            let items = field.items.get_or_insert_default();
            let (mut whole, mut latest) = (Types::ARRAY.bits(), 0);
            scan.elements(|scan| {
                items.present += 1;
                let structure = look(items, scan, depth - 1, structures);
                // How many there are of the same structure makes no difference.
                if structure != latest {
                    whole = joined(whole, structure);
                    latest = structure;
                }
            });
            whole
        }
        _ => field.scalar(scan.value()),
    }
}

/// Looks at the members of the object that comes next. Objects mostly have the keys of the one before, in its order.
fn members(field: &mut Field, scan: &mut Scan<'_>, depth: u32, structures: &mut Structures) -> u64 {
    let (objects, mut position) = (field.objects, 0);
    let mut whole = Types::OBJECT.bits();
    scan.members_by(|scan| {
        let likely = field.fields.get(position).is_some_and(|field| scan.eat(&field.opening));
        let found = if likely { Some(position) } else { field.position(scan.any_key(), structures) };
        let Some(found) = found else {
            field.is_open = true;
            structures.blur();
            scan.value();
            return;
        };
        position = found + 1;
        let member = &mut field.fields[found];
        if member.latest != objects {
            member.latest = objects;
            member.present += 1;
        }
        let id = member.id;
        let structure = look(member, scan, depth - 1, structures);
        whole = joined(joined(whole, u64::from(id)), structure);
    });
    whole
}

impl Field {
    /// Where a key's field is.
    fn position(&mut self, key: &str, structures: &mut Structures) -> Option<usize> {
        let name = unquote(key);
        let position = match self.sorted.find(&name, |place| &self.fields[place].key) {
            Ok(place) => return Some(place),
            Err(position) => position,
        };
        let place = self.fields.len();
        if place == MOST_KEYS {
            return None;
        }
        let id = structures.next_field()?;
        let opening = format!("{key}:");
        self.sorted.insert(position, place);
        self.fields.push(Self { key: name.into_owned(), id, opening, ..Self::default() });
        Some(place)
    }

    fn scalar(&mut self, value: &str) -> u64 {
        let types = Types::of(value);
        self.types = self.types.and(types);
        match Type::of(value) {
            Type::String => self.strings.add(value),
            Type::Number => {
                self.numbers.count += 1;
                self.numbers.has_fraction =
                    self.numbers.has_fraction || !value.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-');
            }
            _ => {}
        }
        self.values.add(value);
        types.bits()
    }

    /// True if a key of these fields, at any depth, satisfies a predicate.
    pub fn any_key(&self, is_so: &impl Fn(&str) -> bool) -> bool {
        let inner = self.fields.iter().any(|field| is_so(&field.key) || field.any_key(is_so));
        inner || self.items.as_ref().is_some_and(|items| items.any_key(is_so))
    }

    /// A field by its key.
    pub fn field(&self, key: &str) -> Option<&Field> {
        self.fields.iter().find(|field| field.key == key)
    }

    /// True if no value is an array or an object.
    pub fn is_scalar(&self) -> bool {
        !self.types.is_empty() && self.types.within(Types::SCALARS)
    }

    /// The values if they are few, and there are more of them than there are different ones.
    pub fn categories(&self) -> Option<&[(String, u32)]> {
        let values = &self.values.few;
        let times: u32 = values.iter().map(|(_, times)| times).sum();
        let repeats = values.len() > 1 && times as usize >= values.len() * 2;
        (self.is_scalar() && !self.values.are_many && repeats).then_some(values)
    }
}

impl Numbers {
    /// True if all are written without point and exponent, and there is one.
    pub fn are_whole(&self) -> bool {
        self.count > 0 && !self.has_fraction
    }
}

impl Strings {
    fn add(&mut self, json: &str) {
        let text = json.as_bytes().get(1..json.len() - 1).unwrap_or_default();
        self.count += 1;
        self.bytes += text.len() as u64;
        if self.example.is_empty() && self.count <= TRIED_TEXTS {
            self.example = beginning_with_a_word(text);
        }
        let beginning = &text[..text.len().min(VALUE_BYTES)];
        self.phrases += u32::from(memchr(b' ', beginning).is_some());
        self.lacks.date_time = self.lacks.date_time || !is_date_time(text);
        self.lacks.uri = self.lacks.uri || !is_uri(text);
    }

    /// The name of the format that all of them have, as JSON Schema spells it.
    pub fn format(&self) -> Option<&'static str> {
        match self.lacks {
            _ if self.count == 0 => None,
            Lacks { date_time: false, .. } => Some("date-time"),
            Lacks { uri: false, .. } => Some("uri"),
            Lacks { .. } => None,
        }
    }

    /// Bytes of one of them, on average.
    pub fn average(&self) -> u64 {
        self.bytes / u64::from(self.count.max(1))
    }
}

/// Returns the beginning of a text up to the first character that JSON escapes; `None` if it contains no word.
fn beginning_with_a_word(text: &[u8]) -> String {
    let text = &text[..text.len().min(VALUE_BYTES)];
    let end = text.iter().position(|byte| !byte.is_ascii() || *byte == b'\\').unwrap_or(text.len());
    let has_word = text[..end].split(|byte| !byte.is_ascii_alphanumeric()).any(|word| word.len() >= WORD_LETTERS);
    if has_word { String::from_utf8_lossy(&text[..end]).into_owned() } else { String::new() }
}

/// True for the address of something on the web.
fn is_uri(text: &[u8]) -> bool {
    (text.starts_with(b"https://") || text.starts_with(b"http://")) && !text.contains(&b' ')
}

/// True for `2026-01-31T12:00:00` and what may follow: a fraction, and where in the world.
fn is_date_time(text: &[u8]) -> bool {
    const PATTERN: &[u8] = b"dddd-dd-ddTdd:dd:dd";
    let fits = |(byte, pattern): (&u8, &u8)| match pattern {
        b'd' => byte.is_ascii_digit(),
        b'T' => matches!(byte, b'T' | b't'),
        other => byte == other,
    };
    let zone = &text[text.len().min(PATTERN.len())..];
    text.len() > PATTERN.len()
        && text.iter().zip(PATTERN).all(fits)
        && zone.len() <= 16
        && (zone.ends_with(b"Z") || zone.iter().any(|byte| matches!(byte, b'+' | b'-')))
}

impl Values {
    fn add(&mut self, value: &str) {
        if self.are_many {
            return;
        }
        if let Some((known, times)) = self.few.get_mut(self.latest)
            && same(known.as_bytes(), value.as_bytes())
        {
            *times += 1;
            return;
        }
        if let Some(found) = self.few.iter().position(|(known, _)| same(known.as_bytes(), value.as_bytes())) {
            self.few[found].1 += 1;
            self.latest = found;
        } else if self.few.len() == MOST_VALUES || value.len() > VALUE_BYTES {
            self.are_many = true;
            // One stays, as an example.
            self.few.truncate(1);
        } else {
            self.latest = self.few.len();
            self.few.push((value.to_owned(), 1));
        }
    }
}

#[cfg(test)]
mod tests;
