//! What stands for a result that is larger than a page: where it comes from, how large it is, its beginning, and the
//! arguments of the call that reads it in pieces.

use std::borrow::Cow;

use regex::{Regex, RegexBuilder};
use serde_json::Value;
use serde_json::value::RawValue;

use crate::functions::regex::as_jq_reads_it;
use crate::json::{Members, cut, unquote};
use crate::run::page::Origin;
use crate::run::piece::{Piece, written_in};

/// No stub is shorter: its keys alone have so much.
pub(crate) const LEAST_BYTES: usize = 40;

/// Room for the beginning of a result. A page over MCP has eight such stubs.
const BEGINNING_BYTES: usize = 700;

/// A value up to here stands whole in its record's stub: names, numbers, dates, a few tags.
const SMALL_BYTES: usize = 160;

/// So much is shown of a longer text in a record, and of a name.
const SHOWN_BYTES: usize = 120;

/// A pattern that compiles to more is not looked for: the stub has the beginning then.
const MOST_PATTERN_BYTES: usize = 1 << 20;

/// The stub of a result, for a page of so many bytes. Long texts are shown from where the pattern `sought` matches first.
pub(crate) fn of(origin: Origin<'_>, result: &[u8], page_bytes: usize, sought: Option<&str>) -> String {
    let line = origin.position.line;
    let place = match origin.record {
        Some(record) if is_whole(record, result) => format!(r#""line":{line},"#),
        Some(_) => format!(r#""of_line":{line},"#),
        None => String::new(),
    };
    let first_piece = Piece { result: origin.position.skip, from: 0 }.to_token();
    let read = match origin.is_of_set {
        true => format!(r#"{{"next":"{first_piece}"}}"#),
        false => format!(r#"{{"line":{line},"next":"{first_piece}"}}"#),
    };
    let pattern = sought.and_then(|pattern| {
        let mut builder = RegexBuilder::new(&as_jq_reads_it(pattern));
        builder.case_insensitive(true).size_limit(MOST_PATTERN_BYTES).build().ok()
    });
    let shown = Shown { pattern };
    let begins = shown.value(&String::from_utf8_lossy(result), BEGINNING_BYTES.min(page_bytes / 3));
    format!(r#"{{"stub":{{{place}"bytes":{},"begins":{begins},"read":{read}}}}}"#, result.len())
}

/// True for a result that is the record: as it came, or a line of text as JSON.
fn is_whole(record: &[u8], result: &[u8]) -> bool {
    let is_its_text = || std::str::from_utf8(result).is_ok_and(|text| unquote(text).as_bytes() == record);
    record == result || result.starts_with(b"\"") && is_its_text()
}

/// How the beginning of a result is shown.
struct Shown {
    /// What was looked for.
    pattern: Option<Regex>,
}

impl Shown {
    /// The beginning of a value as JSON, in about so many bytes.
    fn value(&self, json: &str, room: usize) -> String {
        if let Some(members) = Members::of(json) {
            return self.object(&members, room);
        }
        match serde_json::from_str::<Vec<&RawValue>>(json) {
            Ok(elements) => self.array(&elements, room),
            Err(_) => self.text(json, room),
        }
    }

    /// The fields in order, as many as there is room for.
    fn object(&self, members: &Members<'_>, room: usize) -> String {
        let field = |(key, value): &(Cow<'_, str>, &str)| {
            format!("{}:{}", Value::from(cut(key, SHOWN_BYTES)), self.small(value))
        };
        let (fields, left) = fitting(members.0.iter().map(field), members.0.len(), room);
        let more = (left > 0).then(|| format!(r#""…":"{left} more fields""#));
        format!("{{{}}}", fields.into_iter().chain(more).collect::<Vec<_>>().join(","))
    }

    fn array(&self, elements: &[&RawValue], room: usize) -> String {
        let texts = elements.iter().map(|element| self.small(element.get()));
        let (shown, left) = fitting(texts, elements.len(), room);
        let more = (left > 0).then(|| format!(r#""… {left} more elements""#));
        format!("[{}]", shown.into_iter().chain(more).collect::<Vec<_>>().join(","))
    }

    /// A value inside of another one: whole where it is small, else what it is.
    fn small(&self, json: &str) -> String {
        if json.len() <= SMALL_BYTES {
            return json.to_owned();
        }
        if let Some(members) = Members::of(json) {
            return format!(r#""… object({} keys)""#, members.0.len());
        }
        match serde_json::from_str::<Vec<&RawValue>>(json) {
            Ok(elements) => format!(r#""… array({})""#, elements.len()),
            Err(_) => self.text(json, SHOWN_BYTES),
        }
    }

    /// The beginning of a text, or what is around the first match, in about so many bytes, with signs of how much is
    /// missing. What is no JSON string is shown as it is written.
    fn text(&self, json: &str, room: usize) -> String {
        let text = if json.starts_with('"') { unquote(json) } else { json.into() };
        let start = self.start(&text, room);
        let shown = written_in(&text[start..], room);
        let more = text[start + shown.len()..].chars().count();
        if (start, more) == (0, 0) {
            return Value::from(text).to_string();
        }
        let before = match text[..start].chars().count() {
            0 => String::new(),
            before => format!("[{before} characters before] …"),
        };
        let after = if more == 0 { String::new() } else { format!("… [{more} more characters]") };
        Value::from(format!("{before}{shown}{after}")).to_string()
    }

    /// Where to begin, so that the first match is seen with what is before it.
    fn start(&self, text: &str, room: usize) -> usize {
        let found = self.pattern.as_ref().and_then(|pattern| pattern.find(text));
        match found.filter(|found| found.end() > room) {
            Some(found) => text.floor_char_boundary(found.start().saturating_sub(room / 3)),
            None => 0,
        }
    }
}

/// As many texts as there is room for, and how many are left.
fn fitting(texts: impl Iterator<Item = String>, all: usize, mut room: usize) -> (Vec<String>, usize) {
    let fits = |text: &String| {
        let has_room = text.len() < room;
        room = room.saturating_sub(text.len() + 1);
        has_room
    };
    let shown: Vec<String> = texts.take_while(fits).collect();
    let left = all - shown.len();
    (shown, left)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Position;

    const HERE: Position = Position { offset: 99, line: 17, skip: 3, before: 0 };

    fn stub(record: Option<&str>, result: &str) -> Value {
        let origin = Origin { position: HERE, record: record.map(str::as_bytes), is_of_set: record.is_none() };
        serde_json::from_str(&of(origin, result.as_bytes(), 6656, None)).unwrap()
    }

    #[test]
    fn a_record_is_told_by_its_line_and_its_first_fields() {
        let long = "word ".repeat(2000);
        let record =
            format!(r#"{{"id": "m1","tags":["a"],"content":"{long}","list":[{}1],"last":1}}"#, "1,".repeat(200));
        let stub = &stub(Some(&record), &record)["stub"];
        assert_eq!((&stub["line"], &stub["read"]), (&17.into(), &serde_json::json!({"line": 17, "next": "3@0"})));
        assert_eq!(stub["bytes"], record.len());
        let begins = &stub["begins"];
        assert_eq!((&begins["id"], &begins["tags"][0], &begins["last"]), (&"m1".into(), &"a".into(), &1.into()));
        assert_eq!(begins["list"], "… array(201)");
        let content = begins["content"].as_str().unwrap();
        assert!(content.starts_with("word word ") && content.ends_with("… [9880 more characters]"), "{content}");
    }

    #[test]
    fn what_a_filter_made_is_told_by_its_line_and_its_number() {
        let rows = [
            (Some("{}"), r#"{"of_line":17,"bytes":20002,"read":{"line":17,"next":"3@0"}}"#),
            (None, r#"{"bytes":20002,"read":{"next":"3@0"}}"#),
        ];
        for (record, expected) in rows {
            let mut found = stub(record, &Value::from("é".repeat(10_000)).to_string())["stub"].take();
            let begins = found.as_object_mut().unwrap().remove("begins").unwrap();
            assert_eq!(found, serde_json::from_str::<Value>(expected).unwrap());
            assert!(begins.as_str().unwrap().ends_with("… [9650 more characters]"));
        }
    }

    #[test]
    fn whatever_the_result_is_a_stub_is_small() {
        let wide = format!("{{{}}}", (0..999).map(|n| format!(r#""k{n}":{n}"#)).collect::<Vec<_>>().join(","));
        let deep = format!("{}1{}", "[".repeat(5000), "]".repeat(5000));
        let key = format!(r#"{{"{}":1}}"#, "k".repeat(9000));
        let control = Value::from("\u{1}".repeat(9000)).to_string();
        for result in [wide.as_str(), &format!("[{}0]", "1,".repeat(5000)), &deep, &key, &control, &"x".repeat(9000)] {
            let text = of(Origin { position: HERE, record: None, is_of_set: true }, result.as_bytes(), 6656, None);
            assert!(text.len() < BEGINNING_BYTES + 300, "{}", text.len());
            assert!(text.len() >= LEAST_BYTES);
            serde_json::from_str::<Value>(&text).unwrap();
        }
        assert_eq!(stub(None, &wide)["stub"]["begins"]["…"], "919 more fields");
    }

    #[test]
    fn a_long_text_is_shown_around_what_was_looked_for() {
        let text = format!("{}Redis{}", "é ".repeat(9000), " word".repeat(900));
        let record = format!(r#"{{"id":1,"content":{},"other":"{}"}}"#, Value::from(text.as_str()), "x".repeat(500));
        let origin = Origin { position: HERE, record: None, is_of_set: true };
        let stub = |result: &str, sought: &str| -> Value {
            serde_json::from_str(&of(origin, result.as_bytes(), 6656, Some(sought))).unwrap()
        };
        let line = stub(&Value::from(text.as_str()).to_string(), "redis");
        let shown = line["stub"]["begins"].as_str().unwrap();
        assert!(shown.starts_with("[17844 characters before] …"), "{shown}");
        assert!(shown.contains("é Redis word") && shown.ends_with(" more characters]"), "{shown}");
        let fields = &stub(&record, "re(d)is$?")["stub"]["begins"];
        assert!(fields["content"].as_str().unwrap().contains("é Redis word"), "{fields}");
        assert!(fields["other"].as_str().unwrap().starts_with("xxx"), "{fields}");
        for nothing in ["absent", "(", "é{1000}{1000}"] {
            let line = stub(&Value::from(text.as_str()).to_string(), nothing);
            assert!(line["stub"]["begins"].as_str().unwrap().starts_with("é é"), "{nothing}");
        }
    }
}
