//! What an offloaded file is: its name, its modes, its header, and the records byte for byte.

use std::collections::BTreeSet;
use std::fs;

use lro::{Detail, ExtractRequest, OffloadRequest, Outcome, Source};
use regex::Regex;
use serde_json::Value;
use serde_json::value::RawValue;

use crate::given::{self, MEMORIES, Place, records};

#[test]
fn a_file_is_named_after_its_operation_and_its_moment() {
    let place = Place::new();
    let stored = place.offload(&records(300));
    let pattern = Regex::new(r"^atlatl-recall-[0-7][0-9A-HJKMNP-TV-Z]{25}\.jsonl$").unwrap();
    assert!(pattern.is_match(&stored.file_name), "{}", stored.file_name);
    assert_eq!(stored.content, None);
    let response: Value = serde_json::from_str(&stored.response).unwrap();
    let path = place.inside(&stored.file_name).canonicalize().unwrap();
    assert_eq!(response["file_path"], path.to_str().unwrap());
}

#[test]
fn the_header_has_its_eight_fields_in_order() {
    let place = Place::new();
    let request = OffloadRequest::of("recall").query("\"quoted\"\n").memories(true);
    let payload = records(300);
    let stored = given::stored(place.lro.offload(&payload, &request).unwrap());
    let text = fs::read_to_string(place.inside(&stored.file_name)).unwrap();
    let header: serde_json::Map<String, Value> = serde_json::from_str(text.lines().next().unwrap()).unwrap();
    let keys = ["type", "operation", "query", "count", "schema_version", "timestamp", "estimated_tokens", "detail"];
    assert!(header.keys().eq(keys), "{header:?}");
    assert_eq!(header["count"], 300);
    assert_eq!(header["query"], "\"quoted\"\n");
    assert_eq!(header["estimated_tokens"], place.lro.estimate(&payload, &request).unwrap());
    assert_eq!(text.lines().count(), 301);
    assert!(text.ends_with('\n'));
}

/// A file that is offered is a file that can be read, however long its first line is.
#[test]
fn a_long_query_does_not_hide_the_records() {
    let place = Place::new();
    let request = OffloadRequest::of("recall").query("q".repeat(2 << 20));
    let stored = given::stored(place.lro.offload(&records(300), &request).unwrap());
    let query = ExtractRequest::default().query(".id");
    let page = place.lro.extract(&Source::File(stored.file_name), &query);
    assert_eq!(page.unwrap_or_else(|error| panic!("{error}")).count, 300);
}

#[test]
fn every_line_is_the_bytes_of_its_record() {
    let odd = r#"[ {"b" : 1.10 , "a":1e3,"c":12345678901234567890123,"a":"twice"}  ,
        {"text":"\u00e9\ud83d\ude00\/ é 😀 \u0000"},[ 1,2 ] , 7 ,"text", null,{"id":"last"} ]"#;
    for payload in [odd, MEMORIES] {
        let place = Place::new();
        let request = OffloadRequest::of("recall").tokens(9999);
        let stored = given::stored(place.lro.offload(payload, &request).unwrap());
        let text = fs::read_to_string(place.inside(&stored.file_name)).unwrap();
        let expected: Vec<&RawValue> = serde_json::from_str(payload).unwrap();
        assert!(text.lines().skip(1).eq(expected.iter().map(|record| record.get())));
    }
}

#[test]
fn lines_of_json_lines_are_kept_too() {
    let place = Place::new();
    let lines: String = (0..600).map(|id| format!("{{\"id\": {id}, \"n\": 1.0}}\r\n")).collect();
    let stored = place.offload(&lines);
    let text = fs::read_to_string(place.inside(&stored.file_name)).unwrap();
    assert!(text.lines().skip(1).eq(lines.lines()));
    assert!(!text.contains('\r'));
}

#[test]
fn a_record_on_several_lines_becomes_one_line() {
    let place = Place::new();
    let request = OffloadRequest::of("recall").tokens(9999);
    let payload = "[\n  {\n    \"id\": \"m1\",\r\n    \"text\": \"a  b\\n\"\n  }\n]";
    let stored = given::stored(place.lro.offload(payload, &request).unwrap());
    let text = fs::read_to_string(place.inside(&stored.file_name)).unwrap();
    assert_eq!(text.lines().nth(1), Some(r#"{"id":"m1","text":"a  b\n"}"#));
    assert_eq!(text.lines().count(), 2);
}

#[cfg(unix)]
#[test]
fn a_file_and_the_folder_of_its_session_are_their_owners_alone() {
    use std::os::unix::fs::PermissionsExt;
    let place = Place::new();
    let request = OffloadRequest::of("recall").session("s-1");
    let in_session = given::stored(place.lro.offload(&records(300), &request).unwrap());
    let plain = place.offload(&records(300));
    assert!(in_session.file_name.starts_with("s-1/"), "{}", in_session.file_name);
    let mode = |name: &str| fs::metadata(place.inside(name)).unwrap().permissions().mode() & 0o7777;
    for (name, expected) in [(&*in_session.file_name, 0o600), ("s-1", 0o700), (&*plain.file_name, 0o600)] {
        assert_eq!(mode(name), expected, "{name}: {:o}", mode(name));
    }
}

#[test]
fn files_of_one_moment_have_names_of_their_own() {
    let place = Place::new();
    let names: BTreeSet<String> = std::thread::scope(|scope| {
        let offload = || (0..15).map(|_| place.offload(&records(200)).file_name).collect::<Vec<_>>();
        let threads: Vec<_> = (0..4).map(|_| scope.spawn(offload)).collect();
        threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect()
    });
    assert_eq!(names.len(), 60);
    let left: BTreeSet<String> = fs::read_dir(place.inside(""))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    assert_eq!(left, names, "and nothing else is there, no part of a file either");
}

#[test]
fn what_stays_inline_leaves_no_trace() {
    let place = Place::new();
    let before = place.listing();
    let requests = [
        OffloadRequest::of("recall"),
        OffloadRequest::of("recall").session("s-1"),
        OffloadRequest::of("recall").detail(Detail::Light),
    ];
    for request in requests {
        let answer = place.lro.offload(&records(3), &request).unwrap();
        assert!(matches!(answer.outcome, Outcome::Unchanged | Outcome::Inline(_)));
    }
    assert_eq!(place.listing(), before);
}
