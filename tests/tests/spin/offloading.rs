//! A tool's result in: the same bytes out, or a response.

use lro_tests::corpus;
use serde_json::json;

use crate::client::Answer;
use crate::host::{Setup, Spin};
use crate::store::Pairs;

/// An application, and what it stores.
fn spin() -> (Spin, Pairs) {
    let setup = Setup::default();
    (Spin::up(setup.clone()), setup.pairs)
}

#[test]
fn a_small_result_comes_back_as_it_is() {
    let (spin, pairs) = spin();
    let result = r#"[ {"id": 1},  {"id": 2} ]"#;
    let answer = spin.offload(&json!({"operation": "list_things"}), result);
    assert_eq!((answer.status, answer.body.as_str()), (200, result));
    assert_eq!(answer.header("content-type"), "application/json", "that of the request");
    assert_eq!((answer.header("lro-outcome"), answer.header("lro-estimated-tokens")), ("unchanged", "5"));
    assert!(pairs.keys().is_empty());
}

#[test]
fn a_projected_result_comes_back_inline() {
    let (spin, _) = spin();
    let memory = json!([{"id": "1", "title": "t", "content": "long"}]);
    let answer = spin.offload(&json!({"operation": "recall", "detail": "light"}), &memory.to_string());
    assert_eq!((answer.status, answer.header("lro-outcome")), (200, "inline"));
    assert_eq!(answer.json()[0]["title"], "t");
    assert!(answer.json()[0].get("content").is_none(), "{}", answer.body);
}

#[test]
fn a_large_result_is_stored_under_its_name() {
    let (spin, pairs) = spin();
    let answer = spin.offload(&json!({"operation": "recall"}), corpus::REAL);
    assert_eq!((answer.status, answer.header("lro-outcome")), (201, "offloaded"), "{answer:?}");
    let response = answer.json();
    let file_path = response["file_path"].as_str().unwrap();
    assert_eq!(answer.header("location"), file_path);
    assert_eq!(response["summary"]["count"], 362);
    assert!(response["guidance"].as_str().unwrap().contains("lro_extract"), "no shell is assumed");

    let name = file_path.strip_prefix("/results/").unwrap();
    // 1.6 MB are two values of at most one megabyte.
    assert_eq!(pairs.keys(), [name.to_owned(), format!("{name}#1"), format!("{name}#2")]);
    let stored = [1, 2].map(|part| pairs.get(&format!("{name}#{part}")).unwrap()).concat();
    let file = spin.get(file_path);
    assert_eq!((file.status, file.header("content-type")), (200, "application/jsonl"));
    assert_eq!(file.body.as_bytes(), stored);
    let records = serde_json::from_str::<Vec<Box<serde_json::value::RawValue>>>(corpus::REAL).unwrap();
    assert_eq!(file.body.lines().count(), 1 + records.len());
}

#[test]
fn text_is_kept_as_it_came() {
    let (spin, _) = spin();
    let log = "12:00 ERROR nothing works\n".repeat(1000);
    let response = spin.offload(&json!({"operation": "read_log"}), &log).json();
    let file = spin.get(response["file_path"].as_str().unwrap());
    assert_eq!(file.header("content-type"), "text/plain; charset=utf-8");
    assert!(file.body.ends_with(&log));
}

#[test]
fn a_document_has_a_file_for_each_list() {
    let (spin, pairs) = spin();
    let list = |name: &str| (0..400).map(|id| json!({"id": id, name: format!("{name} {id}")})).collect::<Vec<_>>();
    let document = json!({"users": list("user"), "orders": list("order"), "page": 1});
    let response = spin.offload(&json!({"operation": "get_all"}), &document.to_string()).json();
    let sections = response["sections"].as_array().unwrap();
    assert_eq!(sections.len(), 2, "{response}");
    for (section, key) in sections.iter().zip(["user", "order"]) {
        let found =
            spin.extract(section["file_path"].as_str().unwrap(), &json!({"query": format!(".{key}"), "limit": 1}));
        assert_eq!(found["results"], json!([format!("{key} 0")]), "{section}");
    }
    let names = pairs.keys().into_iter().filter(|key| !key.contains('#')).count();
    assert_eq!(names, 2);
}

#[test]
fn a_session_is_a_folder_of_names() {
    let (spin, pairs) = spin();
    let response = spin.offload(&json!({"operation": "recall", "session": "s-1"}), corpus::REAL).json();
    let file_path = response["file_path"].as_str().unwrap();
    assert!(file_path.starts_with("/results/s-1/atlatl-recall-"), "{file_path}");
    assert!(pairs.keys()[0].starts_with("s-1/atlatl-recall-"));
    assert_eq!(
        spin.extract(file_path, &json!({"where": ["memory_type=episodic"], "count": true}))["results"],
        json!([11])
    );
}

#[test]
fn results_do_not_mix() {
    let (spin, _) = spin();
    let payload =
        |word: &str| json!((0..500).map(|id| json!({"id": id, "word": word})).collect::<Vec<_>>()).to_string();
    let stored = |word: &str| spin.offload(&json!({"operation": "list_words"}), &payload(word)).json();
    let (one, two) = (stored("one"), stored("two"));
    assert_ne!(one["file_path"], two["file_path"]);
    for (response, word) in [(&one, "one"), (&two, "two")] {
        let path = response["file_path"].as_str().unwrap();
        assert_eq!(spin.extract(path, &json!({"group_by": "word"}))["results"], json!([{"word": word, "count": 500}]));
    }
}

#[test]
fn settings_are_the_operators() {
    let spin = Spin::up(Setup { settings: Some(r#"{"threshold_tokens": 3}"#.into()), ..Setup::default() });
    let result = r#"[{"id": 1}, {"id": 2}]"#;
    assert_eq!(spin.offload(&json!({"operation": "list_things"}), result).status, 201);
}

#[test]
fn the_largest_result_fits_a_small_deployment() {
    let (spin, _) = spin();
    let record = format!(r#"{{"id":1,"text":"{}"}}"#, "x".repeat(1000));
    let count = 10 * 1024 * 1024 / (record.len() + 1) - 1;
    let answer = spin.offload(&json!({"operation": "list_texts"}), &corpus::array(&vec![record; count]));
    assert_eq!(answer.status, 201, "{answer:?}");
    let path = answer.json()["file_path"].as_str().unwrap().to_owned();
    let all = spin.extract(&path, &json!({"query": "map(.id) | add", "slurp": true}));
    assert_eq!(all["results"], json!([count]));
    let page = spin.extract(&path, &json!({"query": "."}));
    assert_eq!(page["count"], count);
}

#[test]
fn a_failed_write_does_not_fail_the_operation() {
    // The record and the first part fit, the second part does not.
    let setup = Setup { pairs: Pairs::of_at_most(1_200_000), ..Setup::default() };
    let answer = Spin::up(setup.clone()).offload(&json!({"operation": "recall"}), corpus::REAL);
    truncated(&answer);
    assert!(setup.pairs.keys().is_empty(), "nothing half written stays: {:?}", setup.pairs.keys());
}

#[test]
fn a_failed_write_of_one_list_takes_the_others_back() {
    let list = |count: usize| (0..count).map(|id| json!({"id": id, "x": "y".repeat(100)})).collect::<Vec<_>>();
    let setup = Setup { pairs: Pairs::of_at_most(100_000), ..Setup::default() };
    let document = json!({"small": list(500), "large": list(900)});
    let answer = Spin::up(setup.clone()).offload(&json!({"operation": "get_all"}), &document.to_string());
    truncated(&answer);
    assert!(setup.pairs.keys().is_empty(), "{:?}", setup.pairs.keys());
}

/// LRO-38, LRO-39.
fn truncated(answer: &Answer) {
    assert_eq!((answer.status, answer.header("lro-outcome")), (200, "truncated"), "{answer:?}");
    assert_eq!(answer.json()["offloaded"], false);
    let warning = answer.json()["warning"].as_str().unwrap().to_owned();
    assert!(warning.starts_with("Offloading failed"), "{warning}");
}
