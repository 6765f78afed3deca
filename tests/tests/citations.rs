//! Whatever cites a clause (`LRO-05`) or a decision (`decision 7`) cites one that exists.

use std::collections::BTreeSet;
use std::fs;

use lro_tests::sources::{Source, root, sources};
use serde_json::Value;

/// The systems that clauses come from, as `tests/clauses.json` names them.
const SYSTEMS: [&str; 8] = ["LRO", "EARLY", "EXTRACT", "PROXY", "SECTION", "GATE", "READ", "USER"];

/// This file cites what does not exist.
const HERE: &str = "tests/tests/citations.rs";

fn cited_in(sources: &[Source], citations: impl Fn(&str) -> Vec<String>) -> Vec<(String, String)> {
    let lines = sources.iter().filter(|source| source.path != HERE).flat_map(|source| {
        (1..).zip(source.text.lines()).map(move |(number, line)| (format!("{}:{number}", source.path), line))
    });
    lines.flat_map(|(place, line)| citations(line).into_iter().map(move |cited| (place.clone(), cited))).collect()
}

/// Fails with every citation of something that is not known.
fn resolve(cited: &[(String, String)], known: &BTreeSet<String>, fewest: usize) {
    assert!(cited.len() >= fewest, "only {} citations are found", cited.len());
    let dangling: Vec<String> = cited
        .iter()
        .filter(|(_, name)| !known.contains(name))
        .map(|(place, name)| format!("{place}: {name} does not exist"))
        .collect();
    assert!(dangling.is_empty(), "{}", dangling.join("\n"));
}

/// The clauses that a line names: a system, a hyphen and two digits.
fn clauses(line: &str) -> Vec<String> {
    let words = line.split(|letter: char| !letter.is_ascii_alphanumeric() && letter != '-' && letter != '_');
    let is_clause = |word: &&str| {
        word.split_once('-').is_some_and(|(system, number)| {
            SYSTEMS.contains(&system) && number.len() == 2 && number.bytes().all(|digit| digit.is_ascii_digit())
        })
    };
    words.filter(is_clause).map(str::to_owned).collect()
}

/// The decisions that a line names: `decision 3`, `decisions 6 to 8 and 26`.
fn decisions(line: &str) -> Vec<String> {
    let lower = line.to_lowercase();
    let mut found = Vec::new();
    for rest in lower.split("decision").skip(1) {
        let words = rest.strip_prefix('s').unwrap_or(rest).strip_prefix(' ').unwrap_or_default().split(' ');
        let numbers =
            words.take_while(|word| matches!(*word, "and" | "to") || word.starts_with(|c: char| c.is_ascii_digit()));
        let digits = numbers.map(|word| word.chars().take_while(char::is_ascii_digit).collect::<String>());
        found.extend(digits.filter(|digits| !digits.is_empty()));
    }
    found
}

#[test]
fn citations_are_found() {
    let rows = [
        ("//! Cleanup (LRO-34, USER-08), and LRO-99.", vec!["LRO-34", "USER-08", "LRO-99"]),
        ("`/tmp/lro-1000`, UTF-16, LRO-1000, THREAD-01, LRO-7", vec![]),
    ];
    for (line, expected) in rows {
        assert_eq!(clauses(line), expected, "{line}");
    }
    let rows = [
        ("(LRO-34, decision 10).", vec!["10"]),
        ("jq succeeds (LRO-26, decisions 6 to 8 and 26), in 5 s", vec!["6", "8", "26"]),
        ("Decisions 20, 27: a decision in 3 steps", vec!["20", "27"]),
        ("the decision falls", vec![]),
    ];
    for (line, expected) in rows {
        assert_eq!(decisions(line), expected, "{line}");
    }
}

#[test]
fn every_clause_that_is_cited_exists() {
    let text = fs::read_to_string(root().join("tests/clauses.json")).expect("the clauses are there");
    let list: Vec<Value> = serde_json::from_str(&text).expect("the clauses are a JSON array");
    let known = list.iter().filter_map(|clause| clause["clause"].as_str().map(str::to_owned)).collect();
    resolve(&cited_in(&sources(), clauses), &known, 500);
}

#[test]
fn every_decision_that_is_cited_exists() {
    let page = fs::read_to_string(root().join("docs/DECISIONS.md")).expect("the decisions are there");
    let numbers = page.lines().filter_map(|line| line.strip_prefix("### ")?.split_once(". ")?.0.parse().ok());
    let mut numbers: Vec<usize> = numbers.collect();
    let headings = page.lines().filter(|line| line.starts_with("### ")).count();
    assert_eq!(numbers.len(), headings, "each heading of a decision begins with its number");
    numbers.sort_unstable();
    assert_eq!(numbers, (1..=headings).collect::<Vec<_>>(), "each number stands once");
    let known = numbers.iter().map(ToString::to_string).collect();
    resolve(&cited_in(&sources(), decisions), &known, 20);
}
