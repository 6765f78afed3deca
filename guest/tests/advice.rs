//! What a caller is told about the mistakes that models make, one golden file (USER-15).
//!
//! `advice/mistakes.txt` has a paragraph for each: the filter, after `slurp:` where it runs on all records, then what
//! is answered. `BLESS=1` renews the answers; the difference is read like code.

use std::fs;
use std::path::Path;

use lro_guest::calls::{Source, extract};
use lro_guest::disk::instant;
use lro_guest::error::Error;
use serde_json::json;

/// One of these stands in every answer.
const ADVICE: [&str; 2] = ["  hint: ", "  remark: "];

#[test]
fn every_mistake_is_answered_with_its_mending() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/advice");
    let content = fs::read_to_string(folder.join("records.jsonl")).unwrap();
    let golden = folder.join("mistakes.txt");
    let text = fs::read_to_string(&golden).unwrap();
    let mut found = String::new();
    let mut count = 0;
    for paragraph in text.trim_end().split("\n\n") {
        let filter = paragraph.lines().next().unwrap();
        if !found.is_empty() {
            found.push('\n');
        }
        match filter.starts_with('#') {
            true => found.push_str(&format!("{paragraph}\n")),
            false => {
                count += 1;
                found.push_str(&format!("{filter}\n{}", answer(filter, &content)));
            }
        }
    }
    if std::env::var_os("BLESS").is_some() {
        fs::write(&golden, &found).unwrap();
    }
    println!("{count} mistakes");
    assert!(count >= 30, "only {count} mistakes are listed");
    let unadvised =
        found.split("\n\n").find(|one| !one.starts_with('#') && !ADVICE.iter().any(|mark| one.contains(mark)));
    assert_eq!(unadvised, None, "it is answered without advice");
    let expected = fs::read_to_string(&golden).unwrap();
    let difference = found.lines().zip(expected.lines()).find(|(found, expected)| found != expected);
    assert_eq!(difference, None, "BLESS=1 renews the answers");
    assert_eq!(found.len(), expected.len(), "BLESS=1 renews the answers");
}

/// The answer as indented lines, the advice among them.
fn answer(line: &str, content: &str) -> String {
    let (filter, slurp) = line.strip_prefix("slurp: ").map_or((line, false), |filter| (filter, true));
    let request = json!({"query": filter, "slurp": slurp}).to_string();
    let mut lines = Vec::new();
    match extract(Source::Content(content), &request, "", instant) {
        Ok(page) => {
            lines.push(format!("results: {}", page.count));
            if let Some(first) = page.failures.first() {
                lines.push(format!("failed: {}; line {}: {}", page.failed, first.line, first.message));
                lines.extend(Some(&first.hint).filter(|hint| !hint.is_empty()).map(|hint| format!("hint: {hint}")));
            }
            lines.extend(page.remarks.iter().map(|remark| format!("remark: {remark}")));
        }
        Err(Error::InvalidQuery { problem, known }) => {
            lines.push(format!("error: {}", problem.message));
            lines.extend(Some(&problem.hint).filter(|hint| !hint.is_empty()).map(|hint| format!("hint: {hint}")));
            if !known.is_empty() {
                lines.push(format!("known: {}", known.join(", ")));
            }
        }
        Err(error) => panic!("`{line}`: {error}"),
    }
    lines.iter().map(|line| format!("  {line}\n")).collect()
}
