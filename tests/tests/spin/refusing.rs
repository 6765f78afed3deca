//! What is refused, and in which words.

use lro_tests::corpus;
use serde_json::{Value, json};

use crate::client::Answer;
use crate::host::{Setup, Spin};

/// The problem of an answer with this status and case.
fn problem(answer: &Answer, status: u16, case: &str) -> Value {
    assert_eq!((answer.status, answer.header("content-type")), (status, "application/problem+json"), "{answer:?}");
    let problem = answer.json();
    assert_eq!((problem["status"].as_u64(), problem["case"].as_str()), (Some(status.into()), Some(case)), "{problem}");
    problem
}

#[test]
fn names_that_try_to_be_paths_are_refused() {
    let spin = Spin::up(Setup::default());
    let names = [
        "../secret",
        "..",
        ".",
        ".hidden",
        "a/../b",
        "a/b/c",
        "/etc/passwd",
        "a//b",
        "a/",
        "",
        "a%2f..%2fb",
        "%2e%2e",
        "a\\b",
        "atlatl-recall-01M80T1QEH6HDBF8Z5XZ995XKF.jsonl%231",
        "name%00",
    ];
    for name in names {
        for answer in [spin.get(&format!("/results/{name}")), spin.post(&format!("/results/{name}"), r#"{"recipe":1}"#)]
        {
            problem(&answer, 403, "outside");
        }
    }
    let long = "a".repeat(241);
    problem(&spin.get(&format!("/results/{long}")), 403, "outside");
}

#[test]
fn what_does_not_exist_is_not_found() {
    let spin = Spin::up(Setup::default());
    let path = "/results/atlatl-recall-01M80T1QEH6HDBF8Z5XZ995XKF.jsonl";
    for answer in [spin.get(path), spin.delete(path), spin.post(path, r#"{"recipe":1}"#)] {
        let problem = problem(&answer, 404, "not-found");
        assert!(problem["message"].as_str().unwrap().contains("atlatl-recall-01M80T1QEH6HDBF8Z5XZ995XKF.jsonl"));
        assert!(!problem["hint"].as_str().unwrap().is_empty());
    }
    problem(&spin.get("/elsewhere"), 404, "not-found");
    problem(&spin.get("/resultsX"), 404, "not-found");
}

#[test]
fn a_method_that_does_not_fit_names_those_that_do() {
    let spin = Spin::up(Setup::default());
    for (answer, allow) in [
        (spin.post("/", ""), "GET"),
        (spin.get("/offload"), "POST"),
        (spin.get("/cleanup"), "POST"),
        (spin.put("/results/a.jsonl"), "GET, POST, DELETE"),
    ] {
        problem(&answer, 405, "invalid-argument");
        assert_eq!(answer.header("allow"), allow);
    }
}

#[test]
fn a_request_that_makes_no_sense_is_answered_by_the_component() {
    let spin = Spin::up(Setup::default());
    let missing = problem(&spin.post("/offload", "[]"), 400, "invalid-argument");
    assert!(missing["message"].as_str().unwrap().contains("operation"), "{missing}");
    let unknown = problem(&spin.offload(&json!({"operation": "x", "sesion": "y"}), "[]"), 400, "invalid-argument");
    assert!(unknown.to_string().contains("session"), "the known keys are named: {unknown}");

    let path =
        spin.offload(&json!({"operation": "recall"}), corpus::REAL).json()["file_path"].as_str().unwrap().to_owned();
    for body in
        ["", "{}", "[]", "{", r#"{"recipe": 11}"#, r#"{"recipe": 1, "query": "."}"#, r#"{"recipe": 1, "recip": 2}"#]
    {
        problem(&spin.post(&path, body), 400, "invalid-argument");
    }
    let raw = problem(&spin.post(&path, r#"{"recipe": 1, "raw": true}"#), 400, "invalid-argument");
    assert!(raw["message"].as_str().unwrap().contains("`raw`"), "{raw}");
    let into = problem(&spin.post(&path, r#"{"recipe": 1, "into": true}"#), 400, "invalid-argument");
    assert!(into["message"].as_str().unwrap().contains("`store` is `content`"), "{into}");
}

#[test]
fn bodies_are_bounded() {
    let spin = Spin::up(Setup::default());
    let result = "x".repeat(10 * 1024 * 1024 + 1);
    let announced = problem(&spin.offload(&json!({"operation": "read_log"}), &result), 413, "limit-reached");
    assert_eq!((&announced["limit"], &announced["value"]), (&json!("body_bytes"), &json!(10 * 1024 * 1024)));
    problem(&spin.offload_in_pieces(&json!({"operation": "read_log"}), &result), 413, "limit-reached");
    let filter = json!({"query": "x".repeat(64 * 1024)}).to_string();
    problem(&spin.post("/results/a.jsonl", &filter), 413, "limit-reached");
}

#[test]
fn what_is_no_text_is_refused() {
    let spin = Spin::up(Setup::default());
    let answer = spin.post_bytes("/offload", b"[\"\xff\"]");
    assert!(problem(&answer, 400, "invalid-argument")["hint"].as_str().unwrap().contains("UTF-8"));
}

#[test]
fn an_operators_mistake_is_not_the_clients() {
    for (settings, reason) in [("threshold_tokens = 3", "expected"), (r#"{"treshold_tokens": 3}"#, "treshold_tokens")] {
        let spin = Spin::up(Setup { settings: Some(settings.into()), ..Setup::default() });
        let answer = problem(&spin.offload(&json!({"operation": "x"}), "[]"), 500, "other");
        let message = answer["message"].as_str().unwrap();
        assert!(message.contains("LRO_SETTINGS") && message.contains(reason), "{message}");
    }
}
