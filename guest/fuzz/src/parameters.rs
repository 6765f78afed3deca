//! Any text as what a caller passes beside a filter: it stays data, and criteria are met or refused.

use std::io;

use lro_guest::calls::{Source, extract};
use lro_guest::error::Error;
use lro_guest::file::instant::Instant;
use serde_json::{Value, json};

const CONTENT: &str = concat!(
    r#"{"type":"lro_header","operation":"recall","query":null,"count":2,"schema_version":"1.0.0","timestamp":"2026-01-01T00:00:00Z","estimated_tokens":1,"detail":"full"}"#,
    "\n",
    r#"{"id":"m1","title":"A keyword","tags":["a"],"n":1.50,"deep":{"a":[1,{"b":"x"}]}}"#,
    "\n",
    r#"{"id":"m2","title":null}"#,
    "\n",
);

fn extracted(request: &str) -> Result<String, Error> {
    let page = extract(Source::Content(CONTENT), request, "", || -> io::Result<Instant> {
        Err(io::ErrorKind::Unsupported.into())
    })?;
    assert_eq!(page.failed, 0, "{request}");
    Ok(String::from_utf8(page.text).expect("results are text"))
}

/// Runs the target.
pub fn run(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    // A variable is the text that it was bound to.
    let bound = extracted(&json!({"query": "$x", "params": {"x": text}, "limit": 1}).to_string())
        .expect("any text can be bound");
    assert_eq!(serde_json::from_str::<Value>(&bound).expect("a result is JSON"), text);
    // A keyword is a regular expression, or an error that says so.
    let _ = extracted(&json!({"recipe": 2, "params": {"namespace": text}}).to_string());
    // As a literal, what is looked for is found.
    let found = json!({"where": [{"field": "id", "op": "contains", "value": text}], "count": true}).to_string();
    let expected = ["m1", "m2"].iter().filter(|id| id.contains(&text.to_lowercase())).count();
    if text.is_ascii() {
        assert_eq!(extracted(&found).expect("any text can be looked for").trim(), expected.to_string(), "{text:?}");
    }
    for request in [
        json!({"where": [text], "select": ["id"]}),
        json!({"where": [{"field": [text], "op": "exists"}], "count": true}),
        json!({"select": [text]}),
        json!({"group_by": text}),
        json!({"sort_by": text}),
        json!({"where": [format!("id=m1 or {text}")], "count": true}),
        json!({"aggregate": [text, format!("sum({text})")]}),
        json!({"group_by": [[text], ["id"]], "aggregate": ["count"]}),
    ] {
        match extracted(&request.to_string()) {
            Ok(_) | Err(Error::InvalidArgument(_)) => {}
            Err(error) => panic!("{request}: {error}"),
        }
    }
    // As a request it is one, or none.
    if !text.contains("query") && !text.contains("into") && !text.contains("\\u") && !text.contains("recipe") {
        let _ = extracted(text);
    }
}
