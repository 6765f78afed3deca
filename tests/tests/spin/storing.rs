//! Results in the key-value store: whole or not at all, and deleted when they are old.

use lro_tests::corpus;
use serde_json::{Value, json};

use crate::host::{Setup, Spin};
use crate::store::Pairs;

/// An application with one stored result: its path, and its name in the store.
fn stored() -> (Spin, Pairs, String, String) {
    let setup = Setup::default();
    let spin = Spin::up(setup.clone());
    let response = spin.offload(&json!({"operation": "recall"}), corpus::REAL).json();
    let path = response["file_path"].as_str().unwrap().to_owned();
    let name = path.strip_prefix("/results/").unwrap().to_owned();
    (spin, setup.pairs, path, name)
}

fn clean(spin: &Spin, ttl_seconds: u32) -> Value {
    let answer = spin.post("/cleanup", &json!({"ttl_seconds": ttl_seconds}).to_string());
    assert_eq!(answer.status, 200, "{answer:?}");
    answer.json()
}

#[test]
fn a_result_can_be_deleted() {
    let (spin, pairs, path, _) = stored();
    let answer = spin.delete(&path);
    assert_eq!((answer.status, answer.body.as_str(), answer.header("content-length")), (204, "", ""));
    assert!(pairs.keys().is_empty());
    assert_eq!(spin.delete(&path).status, 404);
}

#[test]
fn old_results_are_cleaned_up() {
    let (spin, pairs, path, name) = stored();
    let young = spin.offload(&json!({"operation": "recall"}), corpus::REAL).json();
    made_older(&pairs, &name, 3600);
    assert_eq!(clean(&spin, 3700), json!({"deleted": 0, "freed_bytes": 0, "kept": 2}));
    let bytes = spin.get(&path).body.len();
    assert_eq!(clean(&spin, 3600), json!({"deleted": 1, "freed_bytes": bytes, "kept": 1}));
    assert_eq!(spin.get(&path).status, 404);
    assert_eq!(spin.get(young["file_path"].as_str().unwrap()).status, 200);
    assert_eq!(pairs.keys().len(), 3, "no part of the old one stays: {:?}", pairs.keys());
}

/// Moves the time at which a result was stored into the past.
fn made_older(pairs: &Pairs, name: &str, seconds: u64) {
    let mut record: Value = serde_json::from_slice(&pairs.get(name).unwrap()).unwrap();
    record["stored"] = json!(record["stored"].as_u64().unwrap() - seconds);
    pairs.set(name, record.to_string().as_bytes());
}

#[test]
fn cleanup_leaves_alone_what_is_not_ours() {
    let (spin, pairs, _, _) = stored();
    pairs.set("users", br#"["mine"]"#);
    pairs.set("a key: with spaces", b"x");
    assert_eq!(clean(&spin, 0)["deleted"], 1);
    assert_eq!(pairs.keys(), ["a key: with spaces", "users"]);
}

#[test]
fn an_interrupted_write_is_not_read_and_is_cleaned_up() {
    let (spin, pairs, path, name) = stored();
    pairs.delete(&format!("{name}#2"));
    assert_eq!(spin.get(&path).status, 404);
    assert_eq!(spin.post(&path, r#"{"recipe": 6}"#).status, 404);
    assert_eq!(clean(&spin, 0)["deleted"], 1);
    assert!(pairs.keys().is_empty());
}

#[test]
fn a_part_that_is_short_is_not_read() {
    let (spin, pairs, path, name) = stored();
    pairs.set(&format!("{name}#2"), b"{}");
    let answer = spin.post(&path, r#"{"recipe": 6}"#);
    assert_eq!((answer.status, answer.json()["case"].as_str()), (503, Some("io")), "{answer:?}");
}

#[test]
fn a_value_of_somebody_else_is_no_result() {
    let (spin, pairs, _, _) = stored();
    pairs.set("users", br#"["mine"]"#);
    assert_eq!(spin.get("/results/users").status, 404);
    assert_eq!(spin.delete("/results/users").status, 404);
    assert!(pairs.get("users").is_some());
}

#[test]
fn a_cleanup_says_from_which_age_on() {
    let (spin, _, path, _) = stored();
    for body in ["", "{}", r#"{"ttl_seconds": -1}"#, r#"{"ttl_seconds": 0, "dry_run": true}"#] {
        let answer = spin.post("/cleanup", body);
        assert_eq!((answer.status, answer.json()["case"].as_str()), (400, Some("invalid-argument")), "{body}");
    }
    assert_eq!(spin.get(&path).status, 200);
}
