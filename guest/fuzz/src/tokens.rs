//! Any text as the `next` of a page: it continues a page, or it is refused by name. It never shows what is not in the file,
//! and tokens that we give are read again.

use std::io;

use lro_guest::calls::{self, Source};
use lro_guest::error::Error;
use lro_guest::file::instant::Instant;
use lro_query::{Continuation, Piece, Position};
use serde_json::{Value, json};

const HEADER: &str = r#"{"type":"lro_header","operation":"recall","query":null,"count":6,"schema_version":"1.0.0","timestamp":"2026-01-01T00:00:00Z","estimated_tokens":1,"detail":"full","lro":{"kind":"records"}}"#;
const RECORDS: [&str; 6] = [
    r#"{"id":3,"name":"c","tags":["x","y"]}"#,
    r#"{"id":1,"name":"a ☆","tags":[]}"#,
    r#"{"id":2,"name":"b","tags":["z"]}"#,
    r#"{"id":6,"name":"a long one that is cut into pieces, since a page has fewer bytes than it","tags":["x"]}"#,
    r#"{"id":5,"name":"e","tags":["x","y","z"]}"#,
    r#"{"id":4,"name":"ü","tags":["y"]}"#,
];

fn requests() -> [Value; 7] {
    [
        json!({"query": ".", "limit": 2}),
        json!({"query": ".tags[]", "limit": 1}),
        json!({"query": "sort_by(.id)", "slurp": true, "chunk_bytes": 40}),
        json!({"query": "sort_by(.id)", "slurp": true, "limit": 1}),
        json!({"recipe": 9, "chunk_bytes": 20}),
        json!({"where": [{"field": "id", "op": "gt", "value": 1}], "sort_by": "-id", "limit": 2}),
        json!({"line": 2, "lines": 5, "limit": 1}),
    ]
}

fn instant() -> io::Result<Instant> {
    Ok(Instant { milliseconds: 1_767_225_600_000, random: 1 })
}

/// Runs the target.
pub fn run(data: &[u8]) {
    let Ok(token) = std::str::from_utf8(data) else { return };
    parsed(token);
    let file = format!("{HEADER}\n{}\n", RECORDS.join("\n"));
    let source = Source::Content(&file);
    for mut request in requests() {
        request["next"] = token.into();
        match calls::extract(source, &request.to_string(), "", instant) {
            Ok(page) => {
                let text = String::from_utf8(page.text).expect("results are text");
                assert!(text.lines().all(|line| shows(line, &request)), "{request}: {text}");
                if let Some(next) = page.next {
                    request["next"] = next.into();
                    calls::extract(source, &request.to_string(), "", instant).expect("a token of ours is read");
                }
            }
            Err(error) => refused(&error, &request),
        }
    }
    for (read, key) in [(json!({"next": token}), "read"), (json!({"next": token, "pattern": "a"}), "search")] {
        let answer = match key {
            "read" => calls::read(source, &read.to_string(), "", instant).map(|passage| passage.text),
            _ => calls::search(source, &read.to_string(), "", instant)
                .map(|found| found.hits.into_iter().map(|hit| hit.text).collect()),
        };
        match answer {
            Ok(text) => assert!(file.contains(text.trim_end_matches('\n')) || key == "search", "{text:?}"),
            Err(error) => refused(&error, &read),
        }
    }
}

/// True for a result that the request has on some page.
fn shows(line: &str, request: &Value) -> bool {
    // A piece of a result says so.
    if line.starts_with("{\"piece\":") {
        return true;
    }
    match request["query"].as_str() {
        Some(".tags[]") => matches!(line, "\"x\"" | "\"y\"" | "\"z\""),
        _ => RECORDS.contains(&line) || request["recipe"] == 9,
    }
}

fn refused(error: &Error, request: &Value) {
    assert!(matches!(error, Error::InvalidArgument(_)), "{request}: {}: {error}", error.case());
    assert!(!error.hint().is_empty(), "{request}: {error}");
}

/// A token that is read is written as it was, but for numbers with signs and zeros in front.
fn parsed(token: &str) {
    if let Ok(position) = Position::from_token(token) {
        assert_eq!(Position::from_token(&position.to_token()).ok(), Some(position));
    }
    if let Ok((start, Some(continuation))) = Continuation::part(token) {
        let mut again = String::from("1.2.3.4");
        continuation.add_to(&mut again);
        let (_, read) = Continuation::part(&again).expect("what was written is read");
        assert_eq!(read, Some(continuation), "{start}");
    }
    if let Some(piece) = Piece::of(token) {
        assert_eq!(Piece::of(&piece.to_token()), Some(piece));
    }
}
