//! The text of a tool's result, taken apart: where its records are, and what stands around them. No tree is built.

use std::borrow::Cow;
use std::ops::Range;

use serde_json::Deserializer;
use serde_json::value::RawValue;

use crate::frame::{Form, Frame, Piece, Place, quoted};
use crate::gathered;
use crate::path::Path;
use crate::scan::{Scan, unquoted};

/// A list counts when it has at least this part of a document. More lists than this would each be a file of little use.
const LEAST_PART: usize = 10;

/// Lists are the bulk of a document when together they have at least this part of it. Otherwise the document is one
/// record.
const BULK_PART: usize = 2;

/// Lists are looked for this deep in a document.
const DEEPEST: usize = 8;

/// What stands around the lists is kept in a header, which is read by every call: a larger one is not made.
const MOST_FRAME_BYTES: usize = 1 << 20;

/// The text of a result; that of a JSON document which stood in a JSON string is unescaped (USER-06).
#[derive(Debug)]
pub struct Payload<'a> {
    text: Cow<'a, str>,
    /// It stood in a JSON string; true if escaping it again gives the very same string.
    quoted: Option<bool>,
}

impl<'a> Payload<'a> {
    /// Looks at a result.
    pub fn of(text: &'a str) -> Self {
        let plain = Self { text: text.into(), quoted: None };
        if !text.trim_start().starts_with('"') || serde_json::from_str::<&RawValue>(text).is_err() {
            return plain;
        }
        let inner = unquoted(text.trim());
        let is_document = inner.trim_start().starts_with(['[', '{']) && values(&inner).is_some();
        let quoted = Some(quoted(&inner) == text);
        if is_document { Self { text: inner, quoted } } else { plain }
    }

    /// Its text.
    pub fn text(&self) -> &str {
        &self.text
    }
}

/// True for a text that is JSON, or JSON Lines.
pub fn is_json(text: &str) -> bool {
    values(text).is_some()
}

/// A result that is JSON.
#[derive(Debug)]
pub struct Document<'a> {
    /// What stands around the records.
    pub frame: Frame,
    /// The records of each list, in the order of the frame, each as its text stands in the result.
    pub lists: Vec<Vec<Cow<'a, str>>>,
    /// The members of an object that are none of its lists, as the text of an object, in order.
    pub inline: Option<String>,
    /// The list that was asked for is not there.
    pub not_found: bool,
}

impl<'a> Document<'a> {
    /// Takes a result apart. `chosen` is where the records are, when the caller knows.
    ///
    /// Answers `None` for what is not JSON, or empty.
    pub fn read(payload: &'a Payload<'_>, chosen: Option<&Path>) -> Option<Self> {
        let text = &*payload.text;
        let values = values(text)?;
        let mut document = match &values[..] {
            [only] if only.starts_with('[') => {
                let elements = elements(only);
                Self::of(Form::Array, text, vec![(Path::default(), elements)])
            }
            [only] if only.starts_with('{') => Self::object(text, only, chosen),
            _ => {
                let is_bare = |value: &&str| !value.starts_with(['{', '[']);
                if values.len() > 1 && values.iter().any(is_bare) && !on_lines(text, &values) {
                    // Words that happen to be numbers are no JSON Lines.
                    return None;
                }
                Self::of(Form::Lines, text, vec![(Path::default(), values.into_iter().map(Cow::Borrowed).collect())])
            }
        };
        let found = |path: &Path| document.frame.lists.iter().any(|list| list.path == *path);
        if let Some(is_exact) = payload.quoted {
            document.frame.quoted = true;
            document.frame.exact &= is_exact;
        }
        document.not_found |= chosen.is_some_and(|path| !path.0.is_empty() && !found(path));
        Some(document)
    }

    /// A document with these lists, whose records are slices of its text.
    fn of(form: Form, text: &'a str, lists: Vec<(Path, Vec<Cow<'a, str>>)>) -> Self {
        let mut frame = Frame { form, pieces: Vec::new(), lists: Vec::new(), quoted: false, exact: true };
        let mut records = Vec::with_capacity(lists.len());
        let mut end = 0;
        for (number, (path, slices)) in lists.into_iter().enumerate() {
            let canonical = if form == Form::Lines { "\n" } else { "," };
            let separator = separator(text, &slices);
            frame.exact &= separator.is_some();
            if let (Some(first), Some(last)) = (slices.first(), slices.last()) {
                frame.pieces.push(Piece::Text(text[end..place(text, first).start].to_owned()));
                frame.pieces.push(Piece::List(number));
                end = place(text, last).end;
            }
            frame.lists.push(Place { path, separator: separator.unwrap_or(canonical).to_owned(), file: None });
            records.push(slices);
        }
        frame.pieces.push(Piece::Text(text[end..].to_owned()));
        Self { frame, lists: records, inline: None, not_found: false }
    }

    fn object(text: &'a str, object: &'a str, chosen: Option<&Path>) -> Self {
        let mut lists = match chosen {
            Some(path) => at(object, path).map(|list| vec![(path.clone(), list)]).unwrap_or_default(),
            None => Vec::new(),
        };
        if lists.is_empty() && chosen.is_none_or(|path| !path.0.is_empty()) && !is_memory(object) {
            find(object, &Path::default(), object.len() / LEAST_PART, &mut lists);
            let bytes: usize = lists.iter().map(|(_, list)| list.len()).sum();
            if bytes < object.len() / BULK_PART {
                lists.clear();
            }
        }
        let around = text.len() - lists.iter().map(|(_, list)| list.len()).sum::<usize>();
        if lists.is_empty() || around > MOST_FRAME_BYTES {
            return Self::of(Form::Lines, text, vec![(Path::default(), vec![object.into()])]);
        }
        let places: Vec<Range<usize>> = lists.iter().map(|(_, list)| place(text, list)).collect();
        let inline = without(text, object, &places);
        let lists = lists.into_iter().map(|(path, list)| (path, elements(list))).collect();
        Self { inline: Some(inline).filter(|inline| inline != "{}"), ..Self::of(Form::Object, text, lists) }
    }
}

/// The JSON values of a text; `None` when there is none, or something else.
fn values(text: &str) -> Option<Vec<&str>> {
    // A byte order mark is not JSON, but some servers send one.
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut values = Vec::new();
    for value in Deserializer::from_str(text).into_iter::<&RawValue>() {
        gathered::push(&mut values, text, value.ok()?.get());
    }
    Some(values).filter(|values| !values.is_empty())
}

fn elements(array: &str) -> Vec<Cow<'_, str>> {
    let mut elements = Vec::new();
    Scan::of(array).elements(|scan| gathered::push(&mut elements, array, scan.value()));
    elements
}

/// Where a slice of a text stands in it.
fn place(text: &str, slice: &str) -> Range<usize> {
    let start = slice.as_ptr() as usize - text.as_ptr() as usize;
    start..start + slice.len()
}

/// What stands between slices, if that is the same everywhere. The one of a single slice is never used.
fn separator<'a>(text: &'a str, slices: &[Cow<'a, str>]) -> Option<&'a str> {
    let gap = |pair: &[Cow<'a, str>]| &text[place(text, &pair[0]).end..place(text, &pair[1]).start];
    let mut gaps = slices.windows(2).map(gap);
    let first = gaps.next().unwrap_or(",");
    gaps.all(|gap| gap == first).then_some(first)
}

/// True when each value begins on a line of its own.
fn on_lines(text: &str, values: &[&str]) -> bool {
    values.windows(2).all(|pair| text[place(text, pair[0]).end..place(text, pair[1]).start].contains('\n'))
}

/// A single memory is a record, whatever lists it has.
fn is_memory(object: &str) -> bool {
    let mut is_memory = false;
    Scan::of(object).members(|scan, key| {
        is_memory |= key == "\"memory_type\"";
        scan.value();
    });
    is_memory
}

/// The list at a path of an object; an empty one is none.
fn at<'a>(object: &'a str, path: &Path) -> Option<&'a str> {
    let found = path.0.iter().try_fold(object, |value, wanted| {
        let mut found = None;
        let mut scan = Scan::of(value);
        if scan.peek() == b'{' {
            scan.members(|scan, key| {
                let value = scan.value();
                if unquoted(key) == *wanted {
                    found = Some(value);
                }
            });
        }
        found
    })?;
    is_list(found).then_some(found)
}

fn is_list(value: &str) -> bool {
    value.starts_with('[') && !value[1..].trim_start().starts_with(']')
}

/// The lists of an object that have at least so many bytes, in order.
fn find<'a>(object: &'a str, path: &Path, least: usize, lists: &mut Vec<(Path, &'a str)>) {
    Scan::of(object).members(|scan, key| {
        let value = scan.value();
        if value.len() < least {
        } else if is_list(value) {
            lists.push((path.then(&unquoted(key)), value));
        } else if value.starts_with('{') && path.0.len() < DEEPEST {
            find(value, &path.then(&unquoted(key)), least, lists);
        }
    });
}

/// An object without its lists (SECTION-02): every other member as it stands, in order. What holds only lists goes with
/// them.
fn without(text: &str, object: &str, lists: &[Range<usize>]) -> String {
    let mut members: Vec<String> = Vec::new();
    Scan::of(object).members(|scan, key| {
        let value = scan.value();
        let range = place(text, value);
        if lists.contains(&range) {
            return;
        }
        let holds_a_list = lists.iter().any(|list| range.start < list.start && list.end <= range.end);
        let value = if holds_a_list { without(text, value, lists) } else { value.to_owned() };
        if !(holds_a_list && value == "{}") {
            members.push(format!("{key}:{value}"));
        }
    });
    format!("{{{}}}", members.join(","))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frame::join;

    /// A document, its form, and the paths and the records of its lists.
    type Row = (&'static str, Form, &'static [&'static str], &'static [&'static [&'static str]]);

    fn rebuilt(document: &Document<'_>) -> String {
        let lists = document.lists.iter().zip(&document.frame.lists).collect::<Vec<_>>();
        let fill = |place: &Place, text: &mut String| {
            let (records, _) = lists.iter().find(|(_, known)| *known == place).unwrap();
            join(text, records.iter().map(AsRef::as_ref), &place.separator);
            Ok::<(), ()>(())
        };
        document.frame.fill(fill).unwrap()
    }

    #[test]
    fn records_are_found_and_the_document_is_put_together_again() {
        let rows: [Row; 13] = [
            (r#"[{"a": 1.10},2]"#, Form::Array, &["."], &[&[r#"{"a": 1.10}"#, "2"]]),
            ("[]", Form::Array, &["."], &[&[]]),
            (" [ null ] \n", Form::Array, &["."], &[&["null"]]),
            ("[1, 2, 3]", Form::Array, &["."], &[&["1", "2", "3"]]),
            ("{\"a\":1}\n{\"a\":2}\n", Form::Lines, &["."], &[&["{\"a\":1}", "{\"a\":2}"]]),
            ("{\"a\":1}\r\n{\"a\":2}", Form::Lines, &["."], &[&["{\"a\":1}", "{\"a\":2}"]]),
            ("[1]\n[2]\n", Form::Lines, &["."], &[&["[1]", "[2]"]]),
            ("\u{feff}[1]", Form::Array, &["."], &[&["1"]]),
            (r#"{"n": 2, "l": [{"a":1}, {"a":2}] }"#, Form::Object, &[".l"], &[&[r#"{"a":1}"#, r#"{"a":2}"#]]),
            (
                r#"{"data":{"x":[[1,2],[3]],"y":[{"z":[1]}]}}"#,
                Form::Object,
                &[".data.x", ".data.y"],
                &[&["[1,2]", "[3]"], &[r#"{"z":[1]}"#]],
            ),
            (r#""[1,{\"a\":\"b\\n\"}]""#, Form::Array, &["."], &[&["1", r#"{"a":"b\n"}"#]]),
            (
                r#"{"title":"a long text that is the bulk","tags":[1]}"#,
                Form::Lines,
                &["."],
                &[&[r#"{"title":"a long text that is the bulk","tags":[1]}"#]],
            ),
            (
                r#"{"memory_type":"semantic","tags":["a","b","c","d","e","f","g"]}"#,
                Form::Lines,
                &["."],
                &[&[r#"{"memory_type":"semantic","tags":["a","b","c","d","e","f","g"]}"#]],
            ),
        ];
        for (text, form, paths, lists) in rows {
            let payload = Payload::of(text);
            let document = Document::read(&payload, None).unwrap();
            let found: Vec<String> = document.frame.lists.iter().map(|list| list.path.to_string()).collect();
            assert_eq!(
                (document.frame.form, found),
                (form, paths.iter().map(|path| (*path).to_owned()).collect()),
                "{text}"
            );
            assert_eq!(document.lists, lists, "{text}");
            assert!(document.frame.exact);
            assert_eq!(rebuilt(&document), text);
        }
    }

    #[test]
    fn a_document_that_cannot_be_put_together_exactly_says_so() {
        for text in ["[1,2, 3]", "{\"a\":1}\n\n{\"a\":2}\n{\"a\":3}", r#""[\"\u00e9\"]""#] {
            assert!(!Document::read(&Payload::of(text), None).unwrap().frame.exact, "{text}");
        }
    }

    #[test]
    fn what_is_not_json_has_no_records() {
        for text in ["", "  ", "plain text", "[1,", "[1] trailing", "{\"a\":1}\nnot json", "1 2 3\n4 5 6", "2026-01-01"]
        {
            assert!(Document::read(&Payload::of(text), None).is_none(), "{text}");
        }
    }

    #[test]
    fn the_choice_can_be_given() {
        let text = r#"{"a":[1,2,3,4,5,6,7,8,9],"b":{"c":["x"]}}"#;
        let payload = Payload::of(text);
        let read = |path: &str| Document::read(&payload, Some(&Path::parse(path).unwrap())).unwrap();
        let paths = |document: &Document<'_>| document.frame.lists[0].path.to_string();
        assert_eq!(paths(&read(".b.c")), ".b.c");
        assert_eq!(read(".b.c").lists, [["\"x\""]]);
        assert_eq!(read(".").lists, [[text]]);
        let missing = read(".nothing");
        assert_eq!((paths(&missing).as_str(), missing.not_found), (".a", true));
    }

    #[test]
    fn what_is_no_list_stays_in_order() {
        let text = r#"{"n":1,"data":{"items":[{"a":"one"},{"a":"two"},{"a":"three"},{"a":"four"}],"page": {"end":"x"}},"only":{"b":[7,7,7,7,7,7,7,7,7,7,7,7,7,7,7,7]},"z":[]}"#;
        let payload = Payload::of(text);
        let document = Document::read(&payload, None).unwrap();
        assert_eq!(document.inline.as_deref(), Some(r#"{"n":1,"data":{"page":{"end":"x"}},"z":[]}"#));
        assert_eq!(Document::read(&Payload::of(r#"{"a":[1]}"#), None).unwrap().inline, None);
    }
}
