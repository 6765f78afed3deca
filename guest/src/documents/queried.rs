//! A document as a filter sees it: its lists, as far as the filter can run on their records, and its text.

use std::io::BufRead;

use lro_query::json::{Scan, on_one_line, unquote, values};

use crate::documents::address::Origin;
use crate::error::Error;
use crate::file::header::{Deviations, Header};
use crate::file::kind::Kind;
use crate::payload::frame::{Form, Frame, ListLocation};
use crate::payload::{keyed, wrapping};

use super::rebuild::frame_of;

/// The name of the field for a key is within so many bytes of a record.
const NAME_BYTES: u64 = 64;

/// What a filter that is meant for a document can run on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    /// The document is an array: the array of all records.
    Array,
    /// Several values, each of which is a record: each of them.
    Values,
    /// Only the document itself.
    Whole,
}

/// A list of a document that a filter begins with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundList {
    /// Its path, as jq writes it.
    pub path: String,
    /// The keys of that path; none for a document that is an array or a map itself.
    pub keys: Vec<String>,
    /// The file that has it, where that is not the one that was asked for.
    pub file: Option<String>,
    /// Its records are its elements as they came, so far as the frame knows: a filter can run on them.
    pub is_as_it_came: bool,
    /// It is a map, whose keys a path may go on with.
    pub is_map: bool,
}

impl FoundList {
    /// Says that a filter ran on the document because it begins with this list.
    pub fn remark(&self) -> String {
        match self.keys[..] {
            [_, ..] => format!("the filter begins with `{}`, so it ran on the document", self.path),
            [] => "the filter fails on each record, so it ran on the document, which is an array".to_owned(),
        }
    }
}

impl Origin {
    /// The frame of the document.
    pub fn frame(&self) -> Frame {
        frame_of(&self.header)
    }

    /// The file that knows the document, where that is another one than the one that was asked for.
    pub fn main(&self) -> Option<&str> {
        self.main.as_deref()
    }

    /// The notation of a document that is text; `None` for JSON.
    pub fn text(&self) -> Option<Option<String>> {
        let frame = self.frame();
        (frame.form == Form::Text || frame.notation.is_some()).then_some(frame.notation)
    }

    /// What a filter can run on.
    pub fn shape(&self) -> Shape {
        let frame = self.frame();
        match frame.form {
            _ if frame.original.is_some() => Shape::Whole,
            Form::Array => Shape::Array,
            Form::Lines => Shape::Values,
            Form::Object | Form::Text => Shape::Whole,
        }
    }

    /// True for a document of several values, or of one that stands alone.
    pub fn has_values(&self) -> bool {
        self.frame().form == Form::Lines
    }

    /// The path of the records that the file has, as jq writes it; `None` where a filter cannot name them so.
    pub fn own_list(&self) -> Option<String> {
        let is_listed = !self.path.0.is_empty() || self.shape() == Shape::Array;
        is_listed.then(|| self.path.to_string())
    }

    /// The list at a path.
    pub fn list_at(&self, path: &[String]) -> Option<FoundList> {
        let frame = self.frame();
        if path.is_empty() && frame.form != Form::Array && !self.is_map() {
            return None;
        }
        let list = frame.lists.iter().find(|list| list.path.0 == path)?;
        let is_alone = frame.form == Form::Array || is_single(&frame.hollow(), path);
        Some(FoundList {
            path: list.path.to_string(),
            keys: path.to_vec(),
            file: self.file_with(list),
            is_as_it_came: !list.keyed && frame.original.is_none() && is_alone,
            is_map: list.keyed,
        })
    }

    /// True if the document is a map itself, whose values are the records.
    pub fn is_map(&self) -> bool {
        self.frame().lists.iter().any(|list| list.keyed && list.path.0.is_empty())
    }

    /// True if the document is an object with this key.
    pub fn has_key(&self, key: &str) -> bool {
        let frame = self.frame();
        frame.form == Form::Object && count_of(frame.hollow().trim_start_matches(|c| c != '{'), key).1 > 0
    }

    fn file_with(&self, list: &ListLocation) -> Option<String> {
        match self.path == list.path {
            true => None,
            false => list.file.clone().or_else(|| self.main.clone()),
        }
    }
}

/// True if a document has each key of a path once: of keys that occur twice, jq knows the last one only.
fn is_single(document: &str, path: &[String]) -> bool {
    let Some(start) = document.find('{') else { return false };
    let mut value = &document[start..];
    for key in path {
        let (found, count) = count_of(value, key);
        if count != 1 {
            return false;
        }
        value = found;
    }
    true
}

/// The last value of a key in an object, and how often the object has it.
fn count_of<'a>(object: &'a str, key: &str) -> (&'a str, usize) {
    let (mut found, mut count) = ("", 0);
    if object.starts_with('{') {
        Scan::of(object).members(|scan, name| {
            let value = scan.value();
            if unquote(name) == *key {
                found = value;
                count += 1;
            }
        });
    }
    (found, count)
}

/// True if one of the records, which were members of a map, is of this key.
pub fn have_key(key: &str, records: impl BufRead) -> bool {
    records.split(b'\n').map_while(Result::ok).any(|record| keyed::key_of(&record).is_some_and(|own| own == key))
}

/// The name of the field that each of these records has for its key in the map.
pub fn field_of_keys(records: impl BufRead) -> Option<String> {
    let mut front = Vec::new();
    records.take(NAME_BYTES).read_until(b':', &mut front).ok()?;
    keyed::name_of_key(&front).map(str::to_owned)
}

/// The lines that a filter reads of a document, each a JSON value; `None` if the text is not JSON.
pub fn lines_of(text: String, frame: &Frame) -> Option<Vec<u8>> {
    if frame.form == Form::Lines {
        let lines: Vec<_> = values(&text)?.into_iter().map(on_one_line).collect();
        return Some((lines.join("\n") + "\n").into_bytes());
    }
    let begins = |text: &str| text.trim_start_matches('\u{feff}').trim_start().starts_with(['[', '{']);
    let mut line = match begins(&text) {
        true => text.into_bytes(),
        // A few words may be around the document.
        false => text[wrapping::embedded(&text)?].as_bytes().to_vec(),
    };
    if line.starts_with("\u{feff}".as_bytes()) {
        line[..3].fill(b' ');
    }
    // Strings of JSON have no raw newlines: these are space between tokens.
    line.iter_mut().filter(|byte| matches!(byte, b'\n' | b'\r')).for_each(|byte| *byte = b' ');
    line.push(b'\n');
    Some(line)
}

/// The header of so many values as records.
pub fn header_of_values(of: &Header, count: usize) -> Header {
    let lro = Deviations { kind: Kind::Records, ..Deviations::default() };
    Header { count: u32::try_from(count).unwrap_or(u32::MAX), query: None, lro, ..of.clone() }
}

/// The error of a document that is not JSON, though its records are.
pub fn not_json() -> Error {
    Error::invalid_argument(
        "cannot extract: `on` is \"document\", and the document is not JSON",
        "leave `on` out: the filter then runs on each record",
    )
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::documents::header;
    use crate::payload::path::Path;

    #[test]
    fn a_path_with_a_key_that_occurs_twice_is_not_single() {
        let rows = [
            (r#"{"a":[],"b":1}"#, "a", true),
            (r#"{"a":[],"b":1,"a":[]}"#, "a", false),
            (r#"{"a":[],"\u0061":1}"#, "a", false),
            (r#"{"a":{"b":[]},"b":1}"#, "a b", true),
            (r#"{"a":{"b":[],"b":1}}"#, "a b", false),
            (r#"{"a":[]}"#, "b", false),
            ("Found 2:\n{\"a\":[]}", "a", true),
            ("[]", "a", false),
        ];
        for (document, path, expected) in rows {
            let path: Vec<String> = path.split(' ').map(str::to_owned).collect();
            assert_eq!(is_single(document, &path), expected, "{document}");
        }
    }

    #[test]
    fn a_document_becomes_one_line_and_values_one_each() {
        let rows = [
            (Form::Object, "{\n  \"a\": [1,\r\n 2.0]\n}\n", Some("{   \"a\": [1,   2.0] } \n")),
            (Form::Object, "\u{feff}{\"a\":1}", Some("   {\"a\":1}\n")),
            (Form::Lines, "{\"a\":\n1}\n\n[2]", Some("{\"a\":1}\n[2]\n")),
            (Form::Object, "plain", None),
            (
                Form::Array,
                "Found:\n[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15]",
                Some("[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15]\n"),
            ),
        ];
        for (form, text, expected) in rows {
            let lines = lines_of(text.to_owned(), &Frame::of(form));
            assert_eq!(lines.map(|lines| String::from_utf8(lines).unwrap()).as_deref(), expected, "{text}");
        }
    }
    #[test]
    fn a_filter_knows_the_lists_that_came_as_they_are() {
        let list = |path: &str, file: Option<&str>| json!({"path": path, "separator": ",", "file": file});
        let origin = |form: &str, pieces: Value, lists: Vec<Value>, original: Option<&str>| {
            let frame = json!({"form": form, "pieces": pieces, "lists": lists, "exact": true, "original": original});
            Origin::of(header(2, json!({"kind": "records", "document": frame})))
        };
        let object = |text: &str| json!([text, 0, "],\"b\":[", 1, "]}"]);
        let two = || vec![list(".a", None), list(".b", Some("b.jsonl"))];
        let found = |origin: &Origin, path: &str| {
            let list = origin.list_at(&[path.to_owned()])?;
            Some((list.path, list.file, list.is_as_it_came))
        };
        let plain = origin("object", object("{\"a\":["), two(), None);
        assert_eq!((plain.shape(), plain.has_values(), plain.own_list()), (Shape::Whole, false, Some(".a".into())));
        assert_eq!(found(&plain, "a"), Some((".a".into(), None, true)));
        assert_eq!(found(&plain, "b"), Some((".b".into(), Some("b.jsonl".into()), true)));
        assert_eq!((found(&plain, "c"), plain.list_at(&[])), (None, None));
        // A key that occurs twice, a list that was a map, and records that were made of something else.
        let twice = origin("object", object("{\"a\":1,\"a\":["), two(), None);
        assert_eq!(found(&twice, "a"), Some((".a".into(), None, false)));
        let mut map = list(".a", None);
        map["keyed"] = true.into();
        let maps = origin("object", object("{\"a\":["), vec![map, list(".b", None)], None);
        assert_eq!(found(&maps, "a").map(|list| list.2), Some(false));
        let made = origin("object", object("{\"a\":["), two(), Some("text.txt"));
        assert_eq!(found(&made, "a").map(|list| list.2), Some(false));
        let rows = [("array", None, Shape::Array, true), ("array", Some("t.txt"), Shape::Whole, false)];
        for (form, original, shape, is_listed) in rows.into_iter().chain([("lines", None, Shape::Values, false)]) {
            let origin = origin(form, json!(["[", 0, "]"]), vec![list(".", None)], original);
            assert_eq!((origin.shape(), origin.own_list().is_some()), (shape, is_listed), "{form} {original:?}");
            assert_eq!((origin.has_values(), origin.list_at(&[]).is_some()), (form == "lines", form == "array"));
        }
    }

    #[test]
    fn a_document_has_the_keys_that_stand_beside_its_lists() {
        let of = |form: &str, pieces: Value| {
            let lists = json!([{"path": ".a", "separator": ","}]);
            let frame = json!({"form": form, "pieces": pieces, "lists": lists, "exact": true});
            Origin::of(header(2, json!({"kind": "records", "document": frame})))
        };
        let object = of("object", json!(["Found:\n{\"b\":{\"c\":1},\"\\u0064\":2,\"a\":[", 0, "]}"]));
        assert_eq!(["a", "b", "c", "d", "e"].map(|key| object.has_key(key)), [true, true, false, true, false]);
        assert!(!of("array", json!(["[", 0, "]"])).has_key("a"));
        assert!(!Origin::of(header(2, json!({"kind": "records"}))).has_key("a"));
    }

    #[test]
    fn values_have_a_header_of_their_own() {
        let of = header(70, json!({"kind": "text", "ttl_seconds": 60}));
        assert_eq!(header_of_values(&of, 3), Header { query: None, ..header(3, json!({"kind": "records"})) });
        assert_eq!(Origin::of(of.clone()).main(), None);
        assert_eq!(Origin::of_section(Path::default(), "main.jsonl".into(), of).main(), Some("main.jsonl"));
    }
}
