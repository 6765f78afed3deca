//! What a file of ours holds, in a page that a model can read: header, size, shape, fields (GATE-11).

use std::io::{self, BufRead};

use serde::Serialize;
use serde::de::IgnoredAny;
use serde_json::{Map, Value, json};

use crate::completeness::Measured;
use crate::header::Header;
use crate::inference::{Field, Inference};
use crate::path::Path;
use crate::recipes::Kind;
use crate::scan::unquoted;
use crate::survey::Types;
use crate::text::cut;

/// Longer descriptions leave fields out, the deepest first: clients cut what is longer than 8 KB themselves.
pub const MOST_BYTES: usize = 8 * 1024;

/// Room for the count of the fields that are left out.
const MORE_FIELDS_BYTES: usize = 32;

/// So much of the header's query is shown.
const QUERY_CHARACTERS: usize = 200;

/// So many of a field's values are listed, each cut to so many characters.
const MOST_VALUES: usize = 8;
const VALUE_CHARACTERS: usize = 40;

/// So many lines of a text are shown, each cut to so many characters.
const PREVIEW_LINES: usize = 5;
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
    /// In which way it is not as long as its header says.
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
    /// The lists of the document that the records came in, and where they are.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub document: Option<Value>,
}

fn is_zero(number: &u32) -> bool {
    *number == 0
}

/// Describes a file by its header and what follows it, in at most so many bytes of JSON.
pub fn describe(header: &Header, header_bytes: u64, body: impl BufRead, most: usize) -> io::Result<Description> {
    let mut body = Measured::new(body);
    let mut description = match header.lro.kind {
        Kind::Text => text(&mut body)?,
        Kind::Memories | Kind::Records => records(&mut body)?,
    };
    description.incomplete = body.end().differs_from(header);
    description.bytes += header_bytes;
    description.lines += 1;
    description.kind = header.lro.kind;
    if let Ok(Value::Object(mut fields)) = serde_json::to_value(header) {
        fields.remove("lro");
        if let Some(Value::String(query)) = fields.get_mut("query") {
            *query = cut(query, QUERY_CHARACTERS);
        }
        description.header = fields;
    }
    description.document = header.lro.document.as_ref().map(|document| {
        let lists: Vec<Value> = document
            .lists
            .iter()
            .map(|list| match &list.file {
                Some(file) => json!({"records": list.path, "file": file}),
                None => json!({"records": list.path}),
            })
            .collect();
        json!({"form": document.form, "lists": lists, "rebuilds": if document.exact { "exactly" } else { "as equal JSON" }})
    });
    if let Some(section) = &header.lro.section {
        description.document = Some(json!({"records": section.path, "file": section.of}));
    }
    description.shorten(most);
    Ok(description)
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
            document: None,
        }
    }

    /// Leaves fields out until it has at most so many bytes. Each field has a size of its own: they are weighed once.
    fn shorten(&mut self, most: usize) {
        let all = std::mem::take(&mut self.fields);
        let rest = serde_json::to_string(self).map_or(0, |text| text.len()) + MORE_FIELDS_BYTES;
        self.fields = all;
        let mut left = most.saturating_sub(rest);
        let mut fits = |field: &Value| {
            let bytes = field.to_string().len() + 1;
            let fits = left.checked_sub(bytes);
            left = fits.unwrap_or(0);
            fits.is_some()
        };
        let kept = self.fields.iter().take_while(|field| fits(field)).count();
        self.more_fields = u32::try_from(self.fields.len() - kept).unwrap_or(u32::MAX);
        self.fields.truncate(kept);
    }
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
        if description.preview.len() < PREVIEW_LINES {
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
                let key = Path(vec![inner.key.clone()]);
                let path = format!("{path}{key}");
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
    let value = |json: &str| cut(&if json.starts_with('"') { unquoted(json) } else { json.into() }, VALUE_CHARACTERS);
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
mod tests {
    use super::*;

    #[test]
    fn records_have_a_shape_and_fields() {
        let lines: String =
            (0..50).map(|n| format!(r#"{{"n":{n},"s":"{}","t":[{{"u":"x{n}"}}]}}"#, n % 2) + "\n").collect();
        let description = records(format!("{lines}no json\n").as_bytes()).unwrap();
        assert_eq!(description.shape, "array(50) of object(3 keys)");
        assert_eq!((description.lines, description.malformed), (51, 1));
        let paths: Vec<_> = description.fields.iter().map(|field| field["path"].as_str().unwrap()).collect();
        assert_eq!(paths, [".n", ".s", ".t", ".t[]", ".t[].u"]);
        assert_eq!(
            description.fields[1],
            json!({"path": ".s", "types": ["string"], "present": 50, "distinct": 2, "values": {"0": 25, "1": 25}})
        );
    }

    #[test]
    fn other_shapes_have_names() {
        for (lines, expected) in [
            ("", "array(0)"),
            ("1\n\"a\"\n", "array(2) of string | number"),
            ("{\"a\":1}\n", "array(1) of object(1 key)"),
        ] {
            assert_eq!(records(lines.as_bytes()).unwrap().shape, expected);
        }
        let text = text("a\nbb".as_bytes()).unwrap();
        assert_eq!((text.shape.as_str(), text.longest_line, text.preview.len()), ("text(2 lines)", Some(2), 2));
    }

    #[test]
    fn a_description_is_a_page() {
        let wide: Vec<String> =
            (0..60).map(|n| format!(r#""a long key that is number {n}":{{"inner":"{}"}}"#, "v".repeat(60))).collect();
        let mut description = records(format!("{{{}}}\n", wide.join(",")).as_bytes()).unwrap();
        description.shorten(MOST_BYTES);
        assert!(description.more_fields > 0);
        assert!(serde_json::to_string(&description).unwrap().len() <= MOST_BYTES);
    }
}
