//! Any text as a filter: it is refused, or it runs; and what runs on the bytes of a record says what the general engine
//! says.

use std::io;

use lro_guest::calls::{Source, extract};
use lro_guest::file::instant::Instant;
use lro_query::{Arena, Limits, Query, compile, from_json, outputs};
use serde_json::json;

const RECORD: &str = r#"{"id":"m1","title":null,"tags":["a","b"],"n":1.50,"deep":{"a":[1,{"b":"x"}]}}"#;
const HEADER: &str = r#"{"type":"lro_header","operation":"recall","query":null,"count":1,"schema_version":"1.0.0","timestamp":"2026-01-01T00:00:00Z","estimated_tokens":1,"detail":"full"}"#;

/// What can run for ever or take all memory, as it may: only a host can end it. Such filters are compiled and not run.
pub(crate) const ENDLESS: [&str; 17] = [
    "def",
    "repeat",
    "until",
    "while",
    "range",
    "recurse",
    "limit",
    "combinations",
    "*",
    "..",
    "walk",
    "reduce",
    "foreach",
    "paths",
    "splits",
    "gsub",
    "=",
];

/// Runs the target.
pub fn run(data: &[u8]) {
    let Ok(filter) = std::str::from_utf8(data) else { return };
    let (arena, limits) = (Arena::default(), Limits::default());
    let compiled = Query::parse(filter, &arena, &limits).and_then(|query| compile(&query, &[]));
    if compiled.is_err() || ENDLESS.iter().any(|word| filter.contains(word)) {
        return;
    }
    // A number such as 1e9 is a place in an array, and fills the memory up to it.
    if filter.bytes().filter(u8::is_ascii_digit).count() > 4
        || filter.contains(['E', 'e']) && filter.contains(|c: char| c.is_ascii_digit())
    {
        return;
    }
    let content = format!("{HEADER}\n{RECORD}\n");
    let request = json!({"query": filter}).to_string();
    let planned = extract(Source::Content(&content), &request, "", || -> io::Result<Instant> {
        Err(io::ErrorKind::Unsupported.into())
    });
    let record = from_json(RECORD).expect("the record is JSON");
    let Ok((outputs, error)) = outputs(filter, record, &limits) else { return };
    match planned {
        Ok(page) => {
            let lines = String::from_utf8(page.text).expect("results are text");
            assert_eq!(lines.lines().collect::<Vec<_>>(), outputs, "{filter}");
            assert_eq!(page.failed, u32::from(error.is_some()), "{filter}");
        }
        Err(_) => assert!(error.is_some(), "{filter}: {outputs:?}"),
    }
}
