//! Descriptions of files of records and of text.

use super::*;
use crate::file::header::{Deviations, Section};
use crate::payload::detail::Detail;
use crate::payload::frame::Frame;
use crate::payload::path::Path;

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
    for (lines, expected) in
        [("", "array(0)"), ("1\n\"a\"\n", "array(2) of string | number"), ("{\"a\":1}\n", "array(1) of object(1 key)")]
    {
        assert_eq!(records(lines.as_bytes()).unwrap().shape, expected);
    }
    let text = text("a\nbb".as_bytes()).unwrap();
    assert_eq!((text.shape.as_str(), text.longest_line, text.preview.len()), ("text(2 lines)", Some(2), 2));
}

fn header(text: &str) -> Header {
    Header {
        header_type: text.into(),
        operation: text.into(),
        query: Some(text.into()),
        count: u32::MAX,
        schema_version: text.into(),
        timestamp: text.into(),
        estimated_tokens: u32::MAX,
        detail: Detail::Medium,
        lro: Deviations::default(),
    }
}

#[test]
fn a_description_is_a_page() {
    let wide: Vec<String> =
        (0..60).map(|n| format!(r#""a long key that is number {n}":{{"inner":"{}"}}"#, "v".repeat(60))).collect();
    let text = describe(&header("x"), 0, format!("{{{}}}\n", wide.join(",")).as_bytes(), MOST_BYTES).unwrap();
    assert!(text.len() > MOST_BYTES * 9 / 10 && text.len() <= MOST_BYTES, "{}", text.len());
    let description: Value = serde_json::from_str(&text).unwrap();
    assert!(description["more_fields"].as_u64() > Some(0));
}

#[test]
fn whatever_is_in_header_and_keys_a_description_is_a_page() {
    for word in ["x", "\0", "😀", "\u{e0049}", "\u{202e}"] {
        let long = word.repeat(10_000);
        let place =
            ListLocation { path: Path(vec![long.clone()]), file: Some(long.clone()), ..ListLocation::default() };
        let document = Frame { lists: vec![place; 10], ..Frame::array() };
        let lro = Deviations { kind: Kind::Memories, document: Some(document), ..Deviations::default() };
        let header = Header { lro, ..header(&long) };
        let record = json!({long.as_str(): {long.as_str(): long}, "a": 1}).to_string();
        let section = Section { of: long.clone(), path: Path(vec![long]) };
        let in_section = Deviations { section: Some(section), ..Deviations::default() };
        for header in [Header { lro: in_section, ..header.clone() }, header] {
            for most in [2048, MOST_BYTES] {
                let text = describe(&header, 0, record.as_bytes(), most).unwrap();
                assert!(text.len() <= most, "{word:?}: {} > {most}", text.len());
                assert_eq!(text, json::escape_hidden(text.clone()));
                assert!(serde_json::from_str::<Value>(&text).unwrap()["header"].is_object());
            }
        }
    }
}

#[test]
fn a_description_of_records_says_all_of_this() {
    let frame = json!({"form": "object", "pieces": ["{\"a\":[", 0, "],\"b\":[", 1, "]}"], "exact": false, "lists": [
        {"path": ".a", "separator": ","}, {"path": ".b", "separator": ",", "file": "b.jsonl"}]});
    let lines = "{\"n\":1,\"t\":[],\"x\":null}\n\nno json\n{\"n\":2.5,\"t\":[],\"x\":\"é\"}\n";
    let header = super::super::header(2, json!({"kind": "records", "document": frame}));
    let description: Value =
        serde_json::from_str(&describe(&header, 100, lines.as_bytes(), MOST_BYTES).unwrap()).unwrap();
    let expected = json!({
        "header": {"type": "lro_header", "operation": "list", "query": "q", "count": 2, "schema_version": "1.0.0",
            "timestamp": "2026-01-01T00:00:00.000Z", "estimated_tokens": 9, "detail": "full"},
        "kind": "records",
        "bytes": 100 + lines.len(),
        "lines": 5,
        "shape": "array(2) of object(3 keys)",
        "incomplete": "the file has 4 records, and its header says 2: something was added to it",
        "malformed": 1,
        "fields": [
            {"path": ".n", "types": ["number"], "present": 2, "examples": ["1", "2.5"]},
            {"path": ".t", "types": ["array"], "present": 2},
            {"path": ".x", "types": ["string", "null"], "present": 2, "examples": ["é"]},
        ],
        "document": {"form": "object", "lists": [{"records": ".a"}, {"records": ".b", "file": "b.jsonl"}],
            "rebuilds": "as equal JSON"},
    });
    assert_eq!(description, expected);
}

#[test]
fn a_description_of_text_shows_its_first_lines() {
    let header = super::super::header(7, json!({"kind": "text", "section": {"of": "main.jsonl", "path": ".log"}}));
    let lines = "one\r\ntwö\n3\n4\n5\n6\nseven";
    let text = describe(&header, 100, lines.as_bytes(), MOST_BYTES).unwrap();
    let mut description: Value = serde_json::from_str(&text).unwrap();
    description.as_object_mut().unwrap().remove("header");
    let expected = json!({"kind": "text", "bytes": 100 + lines.len(), "lines": 8, "shape": "text(7 lines)", "longest_line": 5,
        "preview": ["one", "twö", "3", "4", "5"], "document": {"records": ".log", "file": "main.jsonl"}});
    assert_eq!(description, expected);
}
