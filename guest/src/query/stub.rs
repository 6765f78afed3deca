//! What stands for a result that is larger than a page: where it comes from, how large it is, its beginning, and the
//! arguments of the call that reads it in pieces (EXTRACT-20, EXTRACT-21).

use serde_json::Value;
use serde_json::value::RawValue;

use super::page::Origin;
use super::piece::{Piece, written_in};
use crate::members::Members;
use crate::scan::unquoted;
use crate::text::cut;

/// No stub is shorter: its keys alone have so much.
pub(super) const LEAST_BYTES: usize = 40;

/// Room for the beginning of a result. A page over MCP has eight such stubs.
const BEGINNING_BYTES: usize = 700;

/// A value up to here stands whole in its record's stub: names, numbers, dates, a few tags.
const SMALL_BYTES: usize = 160;

/// So much is shown of a longer text in a record, and of a name.
const SHOWN_BYTES: usize = 120;

/// The stub of a result, for a page of so many bytes.
pub(super) fn of(origin: Origin<'_>, result: &[u8], page_bytes: usize) -> String {
    let line = origin.position.line;
    let place = match origin.record {
        Some(record) if record == result => format!(r#""line":{line},"#),
        Some(_) => format!(r#""of_line":{line},"#),
        None => String::new(),
    };
    let first_piece = Piece { result: origin.position.skip, from: 0 }.to_token();
    let read = match origin.is_of_set {
        true => format!(r#"{{"next":"{first_piece}"}}"#),
        false => format!(r#"{{"line":{line},"next":"{first_piece}"}}"#),
    };
    let begins = beginning(&String::from_utf8_lossy(result), BEGINNING_BYTES.min(page_bytes / 3));
    format!(r#"{{"stub":{{{place}"bytes":{},"begins":{begins},"read":{read}}}}}"#, result.len())
}

/// The beginning of a value as JSON, in about so many bytes.
fn beginning(json: &str, room: usize) -> String {
    if let Some(members) = Members::of(json) {
        return of_object(&members, room);
    }
    match serde_json::from_str::<Vec<&RawValue>>(json) {
        Ok(elements) => of_array(&elements, room),
        Err(_) => shortened(json, room),
    }
}

/// The fields in order, as many as there is room for.
fn of_object(members: &Members<'_>, room: usize) -> String {
    let field = |(key, value): &(std::borrow::Cow<'_, str>, &str)| {
        format!("{}:{}", Value::from(cut(key, SHOWN_BYTES)), small(value))
    };
    let (fields, left) = fitting(members.0.iter().map(field), members.0.len(), room);
    let more = (left > 0).then(|| format!(r#""…":"{left} more fields""#));
    format!("{{{}}}", fields.into_iter().chain(more).collect::<Vec<_>>().join(","))
}

fn of_array(elements: &[&RawValue], room: usize) -> String {
    let (shown, left) = fitting(elements.iter().map(|element| small(element.get())), elements.len(), room);
    let more = (left > 0).then(|| format!(r#""… {left} more elements""#));
    format!("[{}]", shown.into_iter().chain(more).collect::<Vec<_>>().join(","))
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

/// A value inside of another one: whole where it is small, else what it is.
fn small(json: &str) -> String {
    if json.len() <= SMALL_BYTES {
        return json.to_owned();
    }
    if let Some(members) = Members::of(json) {
        return format!(r#""… object({} keys)""#, members.0.len());
    }
    match serde_json::from_str::<Vec<&RawValue>>(json) {
        Ok(elements) => format!(r#""… array({})""#, elements.len()),
        Err(_) => shortened(json, SHOWN_BYTES),
    }
}

/// The beginning of a text, in about so many bytes, with a sign of how much is missing. What is no JSON string is shown as
/// it is written.
fn shortened(json: &str, room: usize) -> String {
    let text = if json.starts_with('"') { unquoted(json) } else { json.into() };
    let shown = written_in(&text, room);
    match text[shown.len()..].chars().count() {
        0 => Value::from(text).to_string(),
        more => Value::from(format!("{shown}… [{more} more characters]")).to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::query::Position;

    const HERE: Position = Position { offset: 99, line: 17, skip: 3, before: 0 };

    fn stub(record: Option<&str>, result: &str) -> Value {
        let origin = Origin { position: HERE, record: record.map(str::as_bytes), is_of_set: record.is_none() };
        serde_json::from_str(&of(origin, result.as_bytes(), 6656)).unwrap()
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
            let text = of(Origin { position: HERE, record: None, is_of_set: true }, result.as_bytes(), 6656);
            assert!(text.len() < BEGINNING_BYTES + 300, "{}", text.len());
            assert!(text.len() >= LEAST_BYTES);
            serde_json::from_str::<Value>(&text).unwrap();
        }
        assert_eq!(stub(None, &wide)["stub"]["begins"]["…"], "919 more fields");
    }
}
