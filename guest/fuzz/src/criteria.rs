//! Any text as a request of criteria: it is refused with a way out, or its parts agree: as many rows as it counts, each of
//! them a record as it is written, and the groups are the whole.

use std::io;

use lro_guest::calls::{self, Source};
use lro_guest::error::Error;
use lro_guest::file::instant::Instant;
use serde_json::{Map, Value, json};

const HEADER: &str = r#"{"type":"lro_header","operation":"list","query":null,"count":5,"schema_version":"1.0.0","timestamp":"2026-01-01T00:00:00Z","estimated_tokens":1,"detail":"full","lro":{"kind":"records"}}"#;
const RECORDS: [&str; 5] = [
    r#"{"id":1,"name":"Ada","tags":["a","b"],"size":1.50,"at":"2026-01-01T10:00:00Z","deep":{"a":[1,{"b":"x"}]}}"#,
    r#"{"id":2,"name":null,"tags":[],"size":12345678901234567890,"at":"2026-01-02","open":true}"#,
    r#"{"id":"3","name":"ädä ☆","tags":["b"],"size":-0,"at":1767225600,"open":false,"a b":{"c.d":1}}"#,
    r#"{"id":4,"NAME":"Bob","size":"7","deep":{"a":[]}}"#,
    r#"{"id":5,"name":"Ada","tags":"a","size":1.5,"deep":null,"":0}"#,
];

/// Runs the target.
pub fn run(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let Ok(Value::Object(mut request)) = serde_json::from_str::<Value>(text) else {
        // One condition as a text.
        let request = json!({"where": [text]});
        return agrees(request.as_object().expect("it is an object"));
    };
    // Those have targets of their own.
    for key in ["query", "into", "next", "recipe", "params"] {
        request.remove(key);
    }
    agrees(&request);
}

fn agrees(request: &Map<String, Value>) {
    let Some(whole) = extracted(request) else { return };
    let conditions = Map::from_iter(request.get("where").map(|conditions| ("where".to_owned(), conditions.clone())));
    if conditions.is_empty() {
        return;
    }
    let rows = extracted(&conditions).unwrap_or_else(|| panic!("{request:?} is accepted, and its conditions are not"));
    let records: Vec<&str> = rows.lines().collect();
    assert!(records.iter().all(|row| RECORDS.contains(row)), "{conditions:?}: {rows}");
    let counted = extracted(&with(&conditions, "count", json!(true))).expect("what is met can be counted");
    assert_eq!(counted.trim().parse(), Ok(records.len()), "{conditions:?}");
    let sorted = extracted(&with(&conditions, "sort_by", json!("-id"))).expect("what is met can be sorted");
    assert_eq!(sorted.lines().count(), records.len(), "{conditions:?}");
    let groups = extracted(&with(&conditions, "group_by", json!("id"))).expect("what is met can be grouped");
    let counts = groups.lines().filter_map(|group| serde_json::from_str::<Value>(group).ok()?["count"].as_u64());
    assert_eq!(counts.sum::<u64>(), records.len() as u64, "{conditions:?}: {groups}");
    assert!(
        whole.lines().all(|line| serde_json::from_str::<&serde_json::value::RawValue>(line).is_ok())
            || request.contains_key("raw")
    );
}

fn with(request: &Map<String, Value>, key: &str, value: Value) -> Map<String, Value> {
    let mut request = request.clone();
    request.insert(key.to_owned(), value);
    request
}

/// The results; `None` where the request is refused.
fn extracted(request: &Map<String, Value>) -> Option<String> {
    let file = format!("{HEADER}\n{}\n", RECORDS.join("\n"));
    let request = Value::Object(request.clone()).to_string();
    let instant = || -> io::Result<Instant> { Err(io::ErrorKind::Unsupported.into()) };
    match calls::extract(Source::Content(&file), &request, "", instant) {
        Ok(page) => Some(String::from_utf8(page.text).expect("results are text")),
        Err(Error::InvalidArgument(problem)) => {
            assert!(!problem.message.is_empty());
            None
        }
        // A page with fewer bytes than a result.
        Err(Error::LimitReached { .. }) if request.contains("bytes") => None,
        Err(error) => panic!("{request}: {}: {error}", error.case()),
    }
}
