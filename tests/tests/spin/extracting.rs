//! Extractions over HTTP are those of the library.

use lro::{Case, Error, ExtractRequest, Lro, Options, Source};
use lro_tests::corpus;
use serde_json::{Value, json};

use crate::host::{Setup, Spin};

/// A stored result, and the library with the same text.
struct Stored {
    spin: Spin,
    path: String,
    lro: Lro,
    source: Source,
}

/// A request as the library takes it.
fn asked(request: &Value) -> ExtractRequest {
    request.as_object().unwrap().clone().into()
}

impl Stored {
    fn of(request: &Value, result: &str) -> Self {
        let spin = Spin::up(Setup::default());
        let answer = spin.offload(request, result);
        assert_eq!(answer.status, 201, "{answer:?}");
        let path = answer.json()["file_path"].as_str().unwrap().to_owned();
        let source = Source::Content(spin.get(&path).body);
        Self { spin, path, lro: Lro::open(&Options::default()).unwrap(), source }
    }

    fn memories() -> Self {
        Self::of(&json!({"operation": "recall", "memories": true}), corpus::REAL)
    }

    /// The results of the library, as JSON values.
    fn expected(&self, mut request: Value) -> Vec<Value> {
        request["raw"] = json!(false);
        let page = self.lro.extract(&self.source, &asked(&request)).unwrap();
        page.results.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }
}

#[test]
fn the_ten_recipes_give_what_the_library_gives() {
    let stored = Stored::memories();
    for recipe in 1..=10 {
        let request = json!({"recipe": recipe});
        let found = stored.spin.extract(&stored.path, &request);
        let expected = stored.expected(request);
        assert_eq!(found["results"], json!(expected), "recipe {recipe}");
        assert_eq!(found["count"], expected.len());
    }
}

#[test]
fn recipes_take_parameters() {
    let stored = Stored::memories();
    for (recipe, params) in [
        (2, json!({"namespace": "reference"})),
        (3, json!({"keyword": "index"})),
        (10, json!({"pattern": "sandbox|cache"})),
    ] {
        let request = json!({"recipe": recipe, "params": params});
        let found = stored.spin.extract(&stored.path, &request);
        assert_eq!(found["results"], json!(stored.expected(request)), "recipe {recipe}");
        assert!(found["count"].as_u64().unwrap() > 0, "recipe {recipe}");
    }
}

#[test]
fn the_recipes_of_text_give_its_lines() {
    let log: String = (0..2000).map(|line| format!("{line} \"quoted\" level=info\n")).collect();
    let stored = Stored::of(&json!({"operation": "read_log"}), &log);
    for recipe in 1..=10 {
        let request = json!({"recipe": recipe});
        assert_eq!(stored.spin.extract(&stored.path, &request)["results"], json!(stored.expected(request)), "{recipe}");
    }
}

#[test]
fn pages_follow_each_other() {
    let stored = Stored::memories();
    let (mut ids, mut next, mut pages) = (Vec::new(), Value::Null, 0);
    loop {
        let page = stored.spin.extract(&stored.path, &json!({"query": ".id", "limit": 150, "next": next}));
        ids.extend(page["results"].as_array().unwrap().clone());
        next = page["next"].clone();
        pages += 1;
        assert_eq!(page["truncated"], !next.is_null());
        if next.is_null() {
            break;
        }
    }
    assert_eq!((ids.len(), pages), (362, 3));
    assert_eq!(ids, stored.expected(json!({"query": ".id"})));
}

#[test]
fn a_record_has_the_bytes_that_it_came_with() {
    let records: Vec<String> =
        (0..500).map(|id| format!(r#"{{"id": {id},  "n": 1.50, "n":12345678901234567890}}"#)).collect();
    let stored = Stored::of(&json!({"operation": "list_numbers"}), &corpus::array(&records));
    // The key is spelled with an escape, as JSON allows.
    let answer = stored.spin.post(&stored.path, r#"{"wher\u0065": ["id=7"]}"#);
    assert!(answer.body.contains(&format!("\"results\":[{}]", records[7])), "{}", answer.body);
}

#[test]
fn failures_and_remarks_are_told() {
    let stored = Stored::memories();
    let request = json!({"query": ".title | ascii_downcase"});
    let found = stored.spin.extract(&stored.path, &request);
    let page = stored.lro.extract(&stored.source, &asked(&request)).unwrap();
    assert_eq!(found["failed"], page.failed);
    assert_eq!(found["failures"][0]["line"], page.failures[0].line);
    assert_eq!(found["failures"][0]["message"], page.failures[0].message);
    let request = json!({"query": "select(.titel != null)"});
    let found = stored.spin.extract(&stored.path, &request);
    assert_eq!(found["remarks"], json!(stored.lro.extract(&stored.source, &asked(&request)).unwrap().remarks));
    assert!(!found["remarks"].as_array().unwrap().is_empty());
}

#[test]
fn a_wrong_filter_is_answered_with_the_contracts_words() {
    let stored = Stored::memories();
    let request = json!({"query": ".title | ascii_lowercase"});
    let answer = stored.spin.post(&stored.path, &request.to_string());
    assert_eq!((answer.status, answer.header("content-type")), (422, "application/problem+json"));
    let Err(Error::Case(Case::InvalidQuery(expected))) = stored.lro.extract(&stored.source, &asked(&request)) else {
        panic!("it is wrong")
    };
    let problem = answer.json();
    assert_eq!(problem["case"], "invalid-query");
    assert_eq!(problem["message"], expected.message);
    assert_eq!(problem["hint"], expected.hint);
    assert_eq!(problem["known"], json!(expected.known));
    assert!(!expected.known.is_empty());
}

#[test]
fn a_page_has_the_size_that_the_operator_allows() {
    let settings = r#"{"max_page_bytes": 2000}"#;
    let spin = Spin::up(Setup { settings: Some(settings.into()), ..Setup::default() });
    let path =
        spin.offload(&json!({"operation": "recall"}), corpus::REAL).json()["file_path"].as_str().unwrap().to_owned();
    let page = spin.extract(&path, &json!({"query": ".id", "max_bytes": 1_000_000}));
    assert_eq!(page["truncated"], true);
    let whole = spin.post(&path, r#"{"query": "map(.content) | add", "slurp": true}"#);
    assert_eq!((whole.status, whole.json()["case"].as_str()), (422, Some("limit-reached")), "{}", whole.body);
    assert_eq!(whole.json()["limit"], "max_page_bytes");
    assert_eq!(whole.json()["value"], 2000);
}
