//! Any text as a filter: it is refused, or it runs and ends within its budget; and what runs on the bytes of a record says what the general engine
//! says.

use std::io;

use lro_guest::calls::{Source, extract};
use lro_guest::error::Error;
use lro_guest::file::instant::Instant;
use lro_query::{Arena, Budget, Gauge, Limits, Query, compile, from_json, outputs};
use serde_json::json;

const RECORD: &str = r#"{"id":"m1","title":null,"tags":["a","b"],"n":1.50,"deep":{"a":[1,{"b":"x"}]}}"#;
const HEADER: &str = r#"{"type":"lro_header","operation":"recall","query":null,"count":1,"schema_version":"1.0.0","timestamp":"2026-01-01T00:00:00Z","estimated_tokens":1,"detail":"full"}"#;

/// So many steps are soon taken; most filters need a few hundred.
const BUDGET: Budget = Budget {
    steps: 100_000,
    milliseconds: 10_000,
    memory_bytes: 256 << 20,
    stack_bytes: 512 << 10,
    gauge: Gauge::default,
};

/// Runs the target.
pub fn run(data: &[u8]) {
    let Ok(filter) = std::str::from_utf8(data) else { return };
    let (arena, limits) = (Arena::default(), Limits::default());
    let compiled = Query::parse(filter, &arena, &limits).and_then(|query| compile(&query, &[]));
    if compiled.is_err() {
        return;
    }
    let content = format!("{HEADER}\n{RECORD}\n");
    // Without `on`, one that fails on each record may mean the document (decision 226).
    let request = json!({"query": filter, "on": "records"}).to_string();
    let planned = extract(Source::Content(&content), &request, r#"{"max_steps":100000}"#, || -> io::Result<Instant> {
        Err(io::ErrorKind::Unsupported.into())
    });
    let record = from_json(RECORD).expect("the record is JSON");
    let Ok((outputs, error)) = BUDGET.within(|| outputs(filter, record, &limits)) else { return };
    match planned {
        Ok(page) => {
            let lines = String::from_utf8(page.text).expect("results are text");
            assert_eq!(lines.lines().collect::<Vec<_>>(), outputs, "{filter}");
            assert_eq!(page.failed, u32::from(error.is_some()), "{filter}");
        }
        // A plan and the general engine take different steps.
        Err(Error::LimitReached { .. }) => {}
        Err(_) => assert!(error.is_some(), "{filter}: {outputs:?}"),
    }
}
