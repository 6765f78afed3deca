//! Takes a tool's result apart: where its records are, and the text around them. No tree is built.

use std::borrow::Cow;
use std::ops::Range;

use lro_query::json::{Scan, array_elements, elements, place, values};
use serde_json::json;

use crate::payload::Payload;
use crate::payload::frame::{Form, Frame, ListLocation, Piece};
use crate::payload::keyed::Look;
use crate::payload::lists::{self, List};
use crate::payload::notation::Reading;
use crate::payload::path::Path;
use crate::payload::texts::Texts;
use crate::payload::wrapping;

/// A list counts when it has at least this part of a document. More lists than this would each be a file of little use.
const LEAST_PART: usize = 10;

/// Lists are the bulk of a document when together they have at least this part of it. Otherwise the document is one
/// record.
const BULK_PART: usize = 2;

/// The text around the lists is kept in a header, which every call reads: a larger header is not written.
const MOST_FRAME_BYTES: usize = 1 << 20;

/// A result that is JSON.
#[derive(Debug)]
pub struct Document<'a> {
    /// The text around the records.
    pub frame: Frame,
    /// The records of each list, in the order of the frame, each with its text in the result.
    pub lists: Vec<Texts<'a>>,
    /// The members of an object other than its lists, as the text of an object, in order.
    pub inline: Option<String>,
    /// The list that was asked for is not there.
    pub not_found: bool,
}

impl<'a> Document<'a> {
    /// Takes a result apart. `chosen` is where the records are, when the caller knows.
    ///
    /// Returns `None` for what is not JSON, or empty, and for JSON with more around its records than a header can keep.
    pub fn read(payload: &'a Payload<'_>, chosen: Option<&Path>) -> Option<Self> {
        let text = payload.text();
        let mut document = match array_elements(text) {
            Some(elements) => Self::array(text, elements),
            None => Self::of_values(text, chosen)?,
        };
        if document.frame.texts().map(str::len).sum::<usize>() > MOST_FRAME_BYTES {
            return None;
        }
        let found = |path: &Path| document.frame.lists.iter().any(|list| list.path == *path);
        document.not_found |= chosen.is_some_and(|path| !path.0.is_empty() && !found(path));
        Some(document.within(payload))
    }

    /// Takes the values of a text apart.
    fn of_values(text: &'a str, chosen: Option<&Path>) -> Option<Self> {
        Some(match values(text) {
            None => Self::embedded(text)?,
            Some(values) => match &values[..] {
                [only] if only.starts_with('[') => Self::array(text, elements(only)),
                [only] if only.starts_with('{') => Self::object(text, only, chosen),
                _ => {
                    let is_bare = |value: &&str| !value.starts_with(['{', '[']);
                    if values.len() > 1 && values.iter().any(is_bare) && !on_lines(text, &values) {
                        // Words that happen to be numbers are no JSON Lines.
                        return None;
                    }
                    Self::lines(text, values)
                }
            },
        })
    }

    /// What a text that is not JSON is read as; `None` if that has more around its records than a header can keep.
    pub fn of_notation(reading: Reading<'a>, payload: &Payload<'_>, chosen: Option<&Path>) -> Option<Self> {
        let (name, document) = match reading {
            Reading::Records { name, records, other_lines } => {
                let frame = Frame { other_lines: u32::try_from(other_lines).unwrap_or(u32::MAX), ..Frame::text() };
                (name, Self { frame, lists: vec![records], inline: None, not_found: false })
            }
            Reading::Document { name, text, has_no_number, breaks_off } => {
                let inner = Payload::whole(&text);
                let document = Document::read(&inner, chosen)?;
                let owned = |mut list: Texts<'_>| -> Texts<'_> {
                    list.records().drain(..).map(|text| Cow::Owned(text.into_owned())).collect::<Vec<_>>().into()
                };
                let Document { frame, lists, inline, not_found } = document;
                let frame = Frame { has_no_number, breaks_off, ..frame };
                (name, Self { frame, lists: lists.into_iter().map(owned).collect(), inline, not_found })
            }
        };
        let frame = Frame { notation: Some(name.to_owned()), ..document.frame };
        Some(Self { frame, ..document }.within(payload))
    }

    /// Adds what surrounded the payload: its other members join those of the document.
    fn within(self, payload: &Payload<'_>) -> Self {
        let inline = match (payload.beside(), self.inline) {
            (Some(outer), Some(inner)) => Some(joined(outer, &inner)),
            (outer, inner) => inner.or(outer.map(str::to_owned)),
        };
        Self { frame: payload.framed(self.frame), inline, ..self }
    }

    /// Reads text that is one JSON document with a few words around it. The words become a member outside the records.
    fn embedded(text: &'a str) -> Option<Self> {
        let place = wrapping::embedded(text)?;
        let only = &text[place.clone()];
        let document =
            if only.starts_with('[') { Self::array(text, elements(only)) } else { Self::object(text, only, None) };
        let words = [&text[..place.start], &text[place.end..]].map(str::trim).join("\n");
        let words = json!({ "text": words.trim() }).to_string();
        let inline = document.inline.as_deref().map(|inner| joined(&words, inner)).unwrap_or(words);
        Some(Self { inline: Some(inline), ..document })
    }

    fn array(text: &'a str, elements: Vec<Cow<'a, str>>) -> Self {
        let mut document = DocumentBuilder::new(Form::Array, text);
        document.add_slices(Path::default(), elements);
        document.finished()
    }

    fn lines(text: &'a str, values: Vec<&'a str>) -> Self {
        let mut document = DocumentBuilder::new(Form::Lines, text);
        document.add_slices(Path::default(), values.into_iter().map(Cow::Borrowed).collect());
        document.finished()
    }

    fn object(text: &'a str, object: &'a str, chosen: Option<&Path>) -> Self {
        let mut lists = Vec::from_iter(chosen.and_then(|path| lists::at(object, path)));
        if lists.is_empty() && chosen.is_none_or(|path| !path.0.is_empty()) {
            for look in [Look::First, Look::Again] {
                lists.clear();
                lists::find(object, &Path::default(), object.len() / LEAST_PART, look, &mut lists);
                if lists.iter().map(|list| list.text.len()).sum::<usize>() >= object.len() / BULK_PART {
                    break;
                }
                lists.clear();
            }
        }
        let around = text.len() - lists.iter().map(|list| list.text.len()).sum::<usize>();
        if lists.is_empty() || around > MOST_FRAME_BYTES {
            return Self::lines(text, vec![object]);
        }
        let places: Vec<Range<usize>> = lists.iter().map(|list| place(text, list.text)).collect();
        let inline = (places[0] != place(text, object)).then(|| without(text, object, &places));
        let mut document = DocumentBuilder::new(Form::Object, text);
        lists.into_iter().for_each(|list| document.add(list));
        Self { inline: inline.filter(|inline| inline != "{}"), ..document.finished() }
    }
}

/// A document whose lists are being added, in their order.
struct DocumentBuilder<'a> {
    text: &'a str,
    /// So much of the text is in the frame.
    end: usize,
    frame: Frame,
    lists: Vec<Texts<'a>>,
}

impl<'a> DocumentBuilder<'a> {
    fn new(form: Form, text: &'a str) -> Self {
        Self { text, end: 0, frame: Frame::of(form), lists: Vec::new() }
    }

    fn add(&mut self, list: List<'a>) {
        let records = list.records();
        if !list.keyed {
            return self.add_slices(list.path, records);
        }
        self.add_hole(place(self.text, list.text));
        self.frame.lists.push(ListLocation { path: list.path, separator: ",".into(), keyed: true, file: None });
        self.lists.push(records.into());
    }

    /// Adds a list whose records are slices of the text.
    fn add_slices(&mut self, path: Path, slices: Vec<Cow<'a, str>>) {
        let canonical = if self.frame.form == Form::Lines { "\n" } else { "," };
        let separator = separator(self.text, &slices);
        self.frame.exact &= separator.is_some();
        if let (Some(first), Some(last)) = (slices.first(), slices.last()) {
            self.add_hole(place(self.text, first).start..place(self.text, last).end);
        }
        let separator = separator.unwrap_or(canonical).to_owned();
        self.frame.lists.push(ListLocation { path, separator, ..ListLocation::default() });
        self.lists.push(slices.into());
    }

    /// The next list is here.
    fn add_hole(&mut self, place: Range<usize>) {
        self.frame.pieces.push(Piece::Text(self.text[self.end..place.start].to_owned()));
        self.frame.pieces.push(Piece::List(self.lists.len()));
        self.end = place.end;
    }

    fn finished(mut self) -> Document<'a> {
        self.frame.pieces.push(Piece::Text(self.text[self.end..].to_owned()));
        Document { frame: self.frame, lists: self.lists, inline: None, not_found: false }
    }
}

/// The members of two objects.
fn joined(first: &str, second: &str) -> String {
    let members = |object: &str| object.trim().trim_start_matches('{').to_owned();
    let first = first.trim().strip_suffix('}').unwrap_or(first);
    format!("{first},{}", members(second))
}

/// Returns the text between slices, if it is the same everywhere. With a single slice it is never used.
fn separator<'a>(text: &'a str, slices: &[Cow<'a, str>]) -> Option<&'a str> {
    let gap = |pair: &[Cow<'a, str>]| &text[place(text, &pair[0]).end..place(text, &pair[1]).start];
    let mut gaps = slices.windows(2).map(gap);
    let first = gaps.next().unwrap_or(",");
    gaps.all(|gap| gap == first).then_some(first)
}

/// True if each value begins on a line of its own.
fn on_lines(text: &str, values: &[&str]) -> bool {
    values.windows(2).all(|pair| text[place(text, pair[0]).end..place(text, pair[1]).start].contains('\n'))
}

/// An object without its lists (SECTION-02): every other member unchanged, in order. A member that holds only lists
/// goes with them.
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
    use crate::payload::frame::join;

    /// A document, its form, and the paths and the records of its lists.
    type Row = (&'static str, Form, &'static [&'static str], &'static [&'static [&'static str]]);

    /// The records of each list.
    fn records<'d>(document: &'d Document<'_>) -> Vec<Vec<Cow<'d, str>>> {
        document.lists.iter().map(|list| list.iter().collect()).collect()
    }

    fn rebuilt(document: &Document<'_>) -> String {
        let lists = document.lists.iter().zip(&document.frame.lists).collect::<Vec<_>>();
        let fill = |place: &ListLocation, text: &mut String| {
            let (records, _) = lists.iter().find(|(_, known)| *known == place).unwrap();
            join(text, records.iter(), &place.separator);
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
            (r#"{"a":1}{"a":2}"#, Form::Lines, &["."], &[&["{\"a\":1}", "{\"a\":2}"]]),
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
            assert_eq!(records(&document), lists, "{text}");
            assert!(document.frame.exact);
            assert_eq!(rebuilt(&document), text);
        }
    }

    #[test]
    fn a_document_that_cannot_be_put_together_exactly_says_so() {
        for text in ["[1,2, 3]", "{\"a\":1}\n\n{\"a\":2}\n{\"a\":3}", r#""[\"\u00e9\"]""#] {
            let payload = Payload::of(text);
            let document = Document::read(&payload, None).unwrap();
            assert!(!document.frame.exact, "{text}");
            // What it is put together to is equal JSON.
            let read = |text: &str| -> Vec<serde_json::Value> {
                serde_json::Deserializer::from_str(text).into_iter().map(Result::unwrap).collect()
            };
            assert_eq!(read(&rebuilt(&document)), read(text), "{text}");
        }
    }

    #[test]
    fn a_header_keeps_a_mebibyte_around_the_records_and_no_more() {
        let space = |text: &str, bytes: usize| text.to_owned() + &" ".repeat(bytes);
        let form = |text: &str, chosen: Option<Path>| -> Option<Form> {
            Document::read(&Payload::of(text), chosen.as_ref()).map(|document| document.frame.form)
        };
        // The brackets of a list are part of what is around. An object with more is one record.
        for (around, of_array, of_object) in [
            (MOST_FRAME_BYTES, Some(Form::Array), Some(Form::Object)),
            (MOST_FRAME_BYTES + 1, None, None),
            (MOST_FRAME_BYTES + 2, None, None),
            (MOST_FRAME_BYTES + 3, None, Some(Form::Lines)),
        ] {
            assert_eq!(form(&space("[1,2]", around - "[]".len()), None), of_array, "{around}");
            let object = space(r#"{"a":[1]}"#, around - r#"{"a":[]}"#.len());
            assert_eq!(form(&object, Path::parse(".a")), of_object, "{around}");
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
        assert_eq!(records(&read(".b.c")), [["\"x\""]]);
        assert_eq!(records(&read(".")), [[text]]);
        assert!(!read(".").not_found && !read(".b.c").not_found);
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
