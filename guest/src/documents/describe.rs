//! Describes a file in a page that a model can read: header, size, shape, fields (GATE-11).

use std::io::{self, BufRead};

use lro_query::json::{self, cut, unquote};
use serde::Serialize;
use serde::de::IgnoredAny;
use serde_json::{Map, Value, json};

use crate::fields::inference::{Field, Inference};
use crate::fields::survey::Types;
use crate::file::completeness::{MeasuredReader, difference};
use crate::file::header::Header;
use crate::file::kind::Kind;
use crate::payload::frame::ListLocation;
use crate::payload::path::key;
use crate::payload::shown;
use crate::recipes;

/// Longer descriptions leave fields out, the deepest first: clients cut what is longer than 8 KB themselves.
pub const MOST_BYTES: usize = 8 * 1024;

/// Room for the count of the fields that are left out.
const MORE_FIELDS_BYTES: usize = 32;

/// How much is shown besides the fields: the first level that leaves room for them.
const LEVELS: [DetailLevel; 4] = [
    DetailLevel { header_characters: 200, lists: 10, preview: 5 },
    DetailLevel { header_characters: 100, lists: 4, preview: 3 },
    DetailLevel { header_characters: 40, lists: 1, preview: 1 },
    DetailLevel { header_characters: 8, lists: 0, preview: 0 },
];

/// This part of a description is kept for fields.
const FIELDS_PART: usize = 3;

/// A longer key is data: only this much of it is shown.
const KEY_CHARACTERS: usize = 64;

#[derive(Debug, Clone, Copy)]
struct DetailLevel {
    /// Characters of a text in the header.
    header_characters: usize,
    /// Lists of the document that are named, and recipes of the caller's.
    lists: usize,
    /// Lines of a text.
    preview: usize,
}

/// At most this many of a field's values are listed, each cut to this many characters.
const MOST_VALUES: usize = 8;
const VALUE_CHARACTERS: usize = 40;

/// Lines of text are cut to this many characters.
const PREVIEW_CHARACTERS: usize = 120;

/// A file, described.
#[derive(Debug, Serialize)]
pub struct Description {
    /// The header's eight fields.
    pub header: Map<String, Value>,
    /// What kind of lines it has.
    pub kind: Kind,
    /// Its size.
    pub bytes: u64,
    /// Its lines, that of the header included.
    pub lines: u32,
    /// Such as `array(500) of object(6 keys)`.
    pub shape: String,
    /// How its length differs from what its header says.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub incomplete: Option<String>,
    /// Lines that are not JSON.
    #[serde(skip_serializing_if = "is_zero")]
    pub malformed: u32,
    /// Of text: characters of the longest line.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub longest_line: Option<u32>,
    /// Of text: the first lines.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub preview: Vec<String>,
    /// The fields of the records, those at the top first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub fields: Vec<Value>,
    /// Fields that are left out.
    #[serde(skip_serializing_if = "is_zero")]
    pub more_fields: u32,
    /// Recipes that the caller gave, by number and name.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub recipes: Vec<String>,
    /// The lists of the document that the records came in, and where they are.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub document: Option<Value>,
}

fn is_zero(number: &u32) -> bool {
    *number == 0
}

/// Describes a file by its header and what follows it, in at most `most` bytes of JSON.
pub fn describe(header: &Header, header_bytes: u64, body: impl BufRead, most: usize) -> io::Result<String> {
    let mut body = MeasuredReader::new(body);
    let mut description = match header.lro.kind {
        Kind::Text => text(&mut body)?,
        Kind::Memories | Kind::Records => records(&mut body)?,
    };
    description.incomplete = difference(body.end(), header);
    description.bytes += header_bytes;
    description.lines += 1;
    description.kind = header.lro.kind;
    Ok(description.written(header, most))
}

/// The header's eight fields, as much of each as the level shows.
fn shown_header(header: &Header, level: &DetailLevel) -> Map<String, Value> {
    let Ok(Value::Object(mut fields)) = serde_json::to_value(header) else { return Map::new() };
    fields.remove("lro");
    for field in fields.values_mut() {
        if let Value::String(text) = field {
            *text = cut(text, level.header_characters);
        }
    }
    fields
}

/// The lists of the document that the records came in, or the file that knows it.
fn document(header: &Header, level: &DetailLevel) -> Option<Value> {
    if let Some(section) = &header.lro.section {
        let file = json::middle_cut(&section.of, level.header_characters);
        return Some(json!({"records": shown::path(&section.path), "file": file}));
    }
    let frame = header.lro.document.as_ref()?;
    let list = |list: &ListLocation| match &list.file {
        Some(file) => {
            json!({"records": shown::path(&list.path), "file": json::middle_cut(file, level.header_characters)})
        }
        None => json!({"records": shown::path(&list.path)}),
    };
    let lists: Vec<Value> = frame.lists.iter().take(level.lists).map(list).collect();
    let rebuilds = if frame.exact { "exactly" } else { "as equal JSON" };
    let mut document = json!({"form": frame.form, "lists": lists, "rebuilds": rebuilds});
    if let Some(notation) = &frame.notation {
        document["notation"] = shown::name(notation).into();
    }
    if let Some(file) = &frame.original {
        document["text"] = json::middle_cut(file, level.header_characters).into();
    }
    Some(document)
}

impl Description {
    fn empty() -> Self {
        Self {
            header: Map::new(),
            kind: Kind::default(),
            bytes: 0,
            lines: 0,
            shape: String::new(),
            incomplete: None,
            malformed: 0,
            longest_line: None,
            preview: Vec::new(),
            fields: Vec::new(),
            more_fields: 0,
            recipes: Vec::new(),
            document: None,
        }
    }

    /// Returns the description as JSON in at most `most` bytes, with a count of the fields that are left out.
    fn written(mut self, header: &Header, most: usize) -> String {
        let fields = std::mem::take(&mut self.fields);
        // Without fields there is nothing to keep room for.
        let room = if fields.is_empty() { most } else { most - most / FIELDS_PART };
        let mut rest = String::new();
        for level in &LEVELS {
            self.header = shown_header(header, level);
            self.document = document(header, level);
            self.recipes = recipes::set(&header.lro, header.detail).given_names(level.lists);
            self.preview.truncate(level.preview);
            rest = json(&self);
            if rest.len() + MORE_FIELDS_BYTES <= room {
                break;
            }
        }
        let left = most.saturating_sub(rest.len() + MORE_FIELDS_BYTES);
        let all = fields.len();
        self.fields = fitting(fields, left);
        self.more_fields = u32::try_from(all - self.fields.len()).unwrap_or(u32::MAX);
        json(&self)
    }
}

/// JSON as it leaves: each text of others can be seen.
fn json(value: &impl Serialize) -> String {
    json::escape_hidden(serde_json::to_string(value).expect("texts and numbers are written as JSON"))
}

/// Returns the first fields that fit. Each has its own size, which is computed once.
fn fitting(mut fields: Vec<Value>, mut left: usize) -> Vec<Value> {
    let mut fits = |field: &Value| {
        let fits = left.checked_sub(json(field).len() + 1);
        left = fits.unwrap_or(0);
        fits.is_some()
    };
    let kept = fields.iter().take_while(|field| fits(field)).count();
    fields.truncate(kept);
    fields
}

/// A description that has the size of its lines, and each of them handed on.
fn of_lines(mut body: impl BufRead, mut each: impl FnMut(&mut Description, &[u8])) -> io::Result<Description> {
    let mut description = Description::empty();
    let mut line = Vec::new();
    loop {
        line.clear();
        let bytes = body.read_until(b'\n', &mut line)?;
        if bytes == 0 {
            return Ok(description);
        }
        description.bytes += bytes as u64;
        description.lines += 1;
        each(&mut description, &line);
    }
}

fn text(body: impl BufRead) -> io::Result<Description> {
    let mut longest = 0;
    let mut description = of_lines(body, |description, line| {
        let text = String::from_utf8_lossy(line);
        let text = text.trim_end_matches(['\n', '\r']);
        longest = longest.max(text.chars().count());
        if description.preview.len() < LEVELS[0].preview {
            description.preview.push(cut(text, PREVIEW_CHARACTERS));
        }
    })?;
    description.longest_line = u32::try_from(longest).ok();
    description.shape = format!("text({} lines)", description.lines);
    Ok(description)
}

fn records(body: impl BufRead) -> io::Result<Description> {
    let mut inference = Inference::default();
    let mut description = of_lines(body, |description, line| match std::str::from_utf8(line) {
        Ok(text) if text.trim().is_empty() => {}
        Ok(text) if serde_json::from_str::<IgnoredAny>(text).is_ok() => inference.add(text),
        _ => description.malformed += 1,
    })?;
    description.shape = shape(&inference);
    description.fields = fields(&inference);
    Ok(description)
}

/// `array(500) of object(6 keys)`.
fn shape(inference: &Inference) -> String {
    let root = &inference.root;
    let more = if root.is_open { "+" } else { "" };
    let keys = root.fields.len();
    let name = |name: &'static str| match name {
        "object" => format!("object({keys}{more} {})", if keys == 1 { "key" } else { "keys" }),
        other => other.to_owned(),
    };
    let names: Vec<String> = root.types.names().map(name).collect();
    match names.is_empty() {
        true => "array(0)".to_owned(),
        false => format!("array({}) of {}", inference.count, names.join(" | ")),
    }
}

/// The fields with what is known of them, level by level.
fn fields(inference: &Inference) -> Vec<Value> {
    let mut described = Vec::new();
    let mut level: Vec<(String, &Field)> = vec![(String::new(), &inference.root)];
    while !level.is_empty() {
        let mut next = Vec::new();
        for (path, field) in level {
            for inner in &field.fields {
                let path = format!("{path}.{}", key(&cut(&inner.key, KEY_CHARACTERS)));
                described.push(described_field(&path, inner));
                next.push((path, inner));
            }
            if let Some(items) = field.items.as_deref().filter(|items| items.present > 0) {
                let path = format!("{}[]", if path.is_empty() { "." } else { &path });
                described.push(described_field(&path, items));
                next.push((path, items));
            }
        }
        level = next;
    }
    described
}

fn described_field(path: &str, field: &Field) -> Value {
    let types: Vec<&str> = field.types.names().collect();
    let mut described = json!({"path": path, "types": types, "present": field.present});
    if let Some(format) = field.strings.format() {
        described["format"] = format.into();
    }
    let value = |json: &str| cut(&if json.starts_with('"') { unquote(json) } else { json.into() }, VALUE_CHARACTERS);
    if let Some(categories) = field.categories() {
        described["distinct"] = categories.len().into();
        let mut often: Vec<_> = categories.iter().collect();
        often.sort_by_key(|(_, times)| std::cmp::Reverse(*times));
        let values = often.into_iter().take(MOST_VALUES).map(|(json, times)| (value(json), Value::from(*times)));
        described["values"] = Value::Object(values.collect());
    } else if field.types.meets(Types::SCALARS) {
        let examples = field.values.few.iter().filter(|(json, _)| json != "null").take(2);
        let examples: Vec<Value> = examples.map(|(json, _)| value(json).into()).collect();
        if !examples.is_empty() {
            described["examples"] = examples.into();
        }
    }
    described
}

#[cfg(test)]
mod tests;
