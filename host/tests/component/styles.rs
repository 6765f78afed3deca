//! Values, functions and stretches of work (SECTION-10, SECTION-12).

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use lro::{ExtractRequest, Lro, OffloadRequest, Offloaded, Recipe, Section, Source};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::given;

fn opened() -> (TempDir, Lro) {
    let directory = tempfile::tempdir().unwrap();
    let lro = given::lro(directory.path());
    (directory, lro)
}

fn rows(count: usize) -> Value {
    json!({"rows": (0..count).map(|id| json!({"id": id, "kind": if id % 2 == 0 { "even" } else { "odd" }})).collect::<Vec<_>>()})
}

#[test]
fn what_is_not_replaced_is_the_same_value() {
    let (_directory, lro) = opened();
    let operation = lro.operation(OffloadRequest::of("rows"));
    let text = String::from("a text that stays");
    let place = text.as_ptr();
    let Offloaded::Unchanged(same) = operation.offload(text).unwrap() else { panic!("it is small") };
    assert_eq!(same.as_ptr(), place);
    let shared = Arc::new(AtomicUsize::new(7));
    let number = &shared;
    // A value that cannot be cloned comes back, too.
    struct Own<'a>(&'a Arc<AtomicUsize>);
    impl serde::Serialize for Own<'_> {
        fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            serializer.serialize_u64(self.0.load(Ordering::Relaxed) as u64)
        }
    }
    let Offloaded::Unchanged(own) = operation.offload(Own(number)).unwrap() else { panic!("it is small") };
    assert!(Arc::ptr_eq(own.0, number));
}

#[test]
fn a_wrapped_function_returns_its_value_or_the_response() {
    let (_directory, lro) = opened();
    let list = lro.operation(OffloadRequest::of("list_rows")).wrap(rows);
    assert_eq!(list(2).unwrap().to_json().unwrap(), rows(2));
    let response = list(2000).unwrap().to_json().unwrap();
    assert_eq!(response["offloaded"], true);
    assert_eq!(response["summary"]["operation"], "list_rows");
    let answer = lro.operation(OffloadRequest::of("log")).offload("a line of text\n".repeat(900)).unwrap();
    assert_eq!(answer.to_json().unwrap()["summary"]["count"], 900);
}

#[test]
fn a_function_says_what_a_list_is_about_if_the_result_is_large() {
    let (_directory, lro) = opened();
    let calls = Arc::new(AtomicUsize::new(0));
    let seen = calls.clone();
    let recipe = Recipe::of("of a kind", "select(.kind == $kind) | .id").param("kind", "odd");
    let request = OffloadRequest::of("rows").section(".rows", Section::default().recipes([recipe]));
    let operation = lro
        .operation(request)
        .summarise(".rows", move |rows| {
            seen.fetch_add(1, Ordering::Relaxed);
            json!({"rows": rows.as_array().map(Vec::len)})
        })
        .summarise(".missing", |_| "never");
    assert!(matches!(operation.offload(rows(2)).unwrap(), Offloaded::Unchanged(_)));
    assert_eq!(calls.load(Ordering::Relaxed), 0);
    let response = operation.offload(rows(2000)).unwrap().to_json().unwrap();
    assert_eq!(response["summary"]["given"], json!({"rows": 2000}));
    assert_eq!(response["jq_recipes"].as_array().unwrap().len(), 1);
    assert_eq!(calls.load(Ordering::Relaxed), 1);
    let file = Source::File(response["file_path"].as_str().unwrap().to_owned());
    let page = lro.extract(&file, &ExtractRequest::of_recipe(1).limit(2)).unwrap();
    assert_eq!(page.results, "1\n3\n");
    let page = lro.extract(&file, &ExtractRequest::of_recipe(1).param("kind", "even").limit(2)).unwrap();
    assert_eq!(page.results, "0\n2\n");
}

#[test]
fn a_session_is_emptied_when_it_is_dropped() {
    let (directory, lro) = opened();
    let files = |name: &str| std::fs::read_dir(directory.path().join(name)).map_or(0, |files| files.count());
    let session = lro.session("work");
    session.operation(OffloadRequest::of("rows")).offload(rows(2000)).unwrap();
    session.offload(&rows(2000).to_string(), &OffloadRequest::of("rows")).unwrap();
    let kept = lro.session("kept");
    kept.operation(OffloadRequest::of("rows")).offload(rows(2000)).unwrap();
    assert_eq!((session.name(), files("work"), files("kept")), ("work", 2, 1));
    drop(session);
    assert_eq!((files("work"), files("kept")), (0, 1));
    assert_eq!(kept.close().unwrap().deleted, 1);
    assert_eq!(files("kept"), 0);
}
