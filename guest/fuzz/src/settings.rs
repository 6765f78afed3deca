//! Any text as a TOML file, as variables and as explicit settings: refused by name, or resolved to settings that mean the
//! same when they are read again, and that no call fails on.
//!
//! Lines after one that is `---` are variables, and what follows a second one is JSON.

use std::io;

use lro_guest::calls::{self, Source};
use lro_guest::error::Error;
use lro_guest::file::instant::Instant;
use lro_guest::mcp;
use serde_json::{Value, json};

const RECORDS: &str = r#"[{"id":1,"name":"a"},{"id":2,"name":"b","tags":["x"]}]"#;

/// Runs the target.
pub fn run(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let mut parts = text.splitn(3, "---\n");
    let file = parts.next().unwrap_or_default();
    let variables: Vec<(String, String)> = parts.next().unwrap_or_default().lines().map(variable).collect();
    let explicit = parts.next().unwrap_or_default();
    match calls::resolve(file, &variables, explicit) {
        Ok(resolved) => {
            let again = calls::resolve("", &[], &resolved).expect("resolved settings are settings");
            assert_eq!(again, resolved, "settings that are read again mean the same");
            used(&resolved);
        }
        Err(error) => assert!(matches!(error, Error::InvalidArgument(_)), "{}: {error}", error.case()),
    }
}

fn variable(line: &str) -> (String, String) {
    let (name, value) = line.split_once('=').unwrap_or((line, ""));
    let name = if name.starts_with('+') { format!("ATLATL_PROMPT__OFFLOAD__{}", &name[1..]) } else { name.to_owned() };
    (name, value.to_owned())
}

/// Every call accepts them.
fn used(settings: &str) {
    let mut settings: Value = serde_json::from_str(settings).expect("resolved settings are JSON");
    let instant = || -> io::Result<Instant> { Ok(Instant { milliseconds: 1_790_000_000_000, random: 1 }) };
    // Nothing is written, wherever the settings point.
    settings["store"] = "content".into();
    let text = settings.to_string();
    let request = json!({"operation": "recall"}).to_string();
    calls::estimate(RECORDS, &request, &text).expect("records can be estimated");
    let offloaded = calls::offload(RECORDS, &request, &text, instant).expect("records can be offloaded");
    if let calls::Outcome::Offloaded(stored) = offloaded.outcome {
        serde_json::from_str::<Value>(&stored.response).expect("a response is JSON");
        let content = stored.content.expect("a host that stores gets the content");
        let page = calls::extract(Source::Content(&content), r#"{"query":".id"}"#, &text, instant);
        assert_eq!(page.expect("a file can be read").text, b"1\n2\n");
    }
    serde_json::from_str::<Vec<Value>>(&mcp::tools(&text).expect("tools have definitions")).expect("they are JSON");
}
