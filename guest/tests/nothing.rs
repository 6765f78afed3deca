//! What a caller is told about a request that finds nothing, one golden file (USER-15).
//!
//! `advice/nothing.txt` has a paragraph for each: the records, the request, then what is answered. What a remark
//! proposes is run, and finds something. `BLESS=1` renews the answers; the difference is read like code.

use std::fs;
use std::path::Path;

use lro_guest::calls::{Source, extract, results_text};
use lro_guest::disk::instant;
use serde_json::{Value, json};

/// Phrases that propose a call.
const PROPOSALS: [&str; 9] = [
    "write `",
    "for example `",
    "run the query `",
    "pass `params` ",
    "group by `",
    "select `",
    "sort by `",
    "aggregate `",
    "pass `records` ",
];

#[test]
fn what_finds_nothing_is_answered_with_what_finds_something() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/advice");
    let golden = folder.join("nothing.txt");
    let text = fs::read_to_string(&golden).unwrap();
    let mut found = String::new();
    let (mut count, mut proposals, mut wrong) = (0, 0, Vec::new());
    for paragraph in text.trim_end().split("\n\n") {
        if !found.is_empty() {
            found.push('\n');
        }
        let asked = paragraph.lines().next().unwrap();
        if asked.starts_with('#') {
            found.push_str(&format!("{paragraph}\n"));
            continue;
        }
        let (file, request) = asked.split_once(": ").unwrap();
        let request: Value = serde_json::from_str(request).unwrap_or_else(|error| panic!("{asked}: {error}"));
        let content = fs::read_to_string(folder.join("nothing").join(format!("{file}.jsonl"))).unwrap();
        let (results, said) = answer(&request, &content);
        found.push_str(&format!("{asked}\n  {results}\n"));
        for one in &said {
            found.push_str(&format!("  {one}\n"));
            for call in proposed(one, &request) {
                let (results, _) = answer(&call, &content);
                if !says_something(&results) {
                    wrong.push(format!(
                        "{asked}
{one}
{call} has {results}"
                    ));
                }
                found.push_str(&format!("    {call}: {}\n", results.chars().take(100).collect::<String>()));
                proposals += 1;
            }
        }
        count += 1;
    }
    if std::env::var_os("BLESS").is_some() {
        fs::write(&golden, &found).unwrap();
    }
    assert!(wrong.is_empty(), "a proposal finds nothing:\n{}", wrong.join("\n"));
    println!("{count} requests, {proposals} proposals");
    assert!(count >= 50 && proposals >= 40, "only {count} requests with {proposals} proposals");
    let expected = fs::read_to_string(&golden).unwrap();
    let difference = found.lines().zip(expected.lines()).find(|(found, expected)| found != expected);
    assert_eq!(difference, None, "BLESS=1 renews the answers");
    assert_eq!(found.len(), expected.len(), "BLESS=1 renews the answers");
}

/// Results in one line, and what is said of them.
fn answer(request: &Value, content: &str) -> (String, Vec<String>) {
    match extract(Source::Content(content), &request.to_string(), "", instant) {
        Ok(page) => {
            let said = page.remarks.iter().map(|remark| format!("remark: {remark}"));
            let failed =
                page.failures.iter().take(1).map(|one| format!("failed: {} (hint: {})", one.message, one.hint));
            let said = said.chain(failed).collect();
            (format!("results: {}", results_text(page.text).trim_end().replace('\n', " ")), said)
        }
        Err(error) => (format!("error: {error}"), vec![format!("hint: {}", error.hint())]),
    }
}

fn says_something(results: &str) -> bool {
    let is_null = |word: &str| matches!(word, "null" | "0" | "[]" | "{}");
    let Some(results) = results.strip_prefix("results: ") else { return false };
    !results.is_empty() && !results.split(' ').all(is_null) && !results.starts_with("{\"null\"")
}

/// The calls that a remark proposes.
fn proposed(remark: &str, request: &Value) -> Vec<Value> {
    let mut calls = Vec::new();
    for phrase in PROPOSALS {
        for (at, _) in remark.match_indices(phrase) {
            let rest = &remark[at + phrase.len()..];
            let (text, after) = match phrase {
                "pass `params` " => (&rest[..=rest.find('}').unwrap()], ""),
                "pass `records` " => rest.split_once(" and `where` `").unwrap_or((rest, "")),
                _ => rest.split_once('`').unwrap(),
            };
            calls.push(call(phrase, text, after, remark, request));
        }
    }
    calls
}

fn call(phrase: &str, text: &str, after: &str, remark: &str, request: &Value) -> Value {
    let mut call = request.clone();
    match phrase {
        "run the query `" => {
            let mut query = json!({"query": text, "slurp": after.starts_with(" with `slurp`")});
            if after.contains("the same `records`") {
                query["records"] = request["records"].clone();
            }
            return query;
        }
        "pass `records` " => {
            let address: Value = serde_json::from_str(text).unwrap();
            return match after.split_once('`') {
                Some((condition, _)) => json!({"records": address, "where": [condition], "count": true}),
                None => json!({"records": address, "limit": 2}),
            };
        }
        "group by `" => return json!({"group_by": text}),
        "select `" => return json!({"select": [text]}),
        "aggregate `" => return json!({"aggregate": [text]}),
        "sort by `" => return json!({"sort_by": text}),
        "pass `params` " => call["params"] = serde_json::from_str(text).unwrap(),
        _ if request.get("query").is_some() => call["query"] = text.into(),
        _ => match request["where"].as_array() {
            Some(before) => call["where"] = conditions(text, after, remark, before),
            // A condition says more than a recipe that finds nothing.
            None => return json!({"where": [text]}),
        },
    }
    call
}

/// The conditions that a remark proposes, and those that it is not about.
fn conditions(first: &str, mut after: &str, remark: &str, before: &[Value]) -> Value {
    let mut proposed = vec![first];
    while let Some((next, rest)) = after.strip_prefix(" and `").and_then(|rest| rest.split_once('`')) {
        proposed.push(next);
        after = rest;
    }
    let packed = |text: &str| text.replace(' ', "");
    let is_other = |one: &&Value| {
        let one = one.as_str().unwrap_or_default();
        // A remark may be about one of several alternatives.
        let is_said = |one: &str| packed(remark).contains(&packed(&format!("`{one}`")));
        before.len() > 1 && !one.split(" or ").any(is_said)
    };
    let proposed = proposed.into_iter().map(|text| serde_json::from_str(text).unwrap_or_else(|_| json!(text)));
    proposed.chain(before.iter().filter(is_other).cloned()).collect()
}
