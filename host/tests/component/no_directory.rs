//! A host without an output directory: what needs no file works, and what needs one says so.

use lro::{Case, CleanupRequest, Error, ExtractRequest, Lro, OffloadRequest, Options, Outcome, Source};
use serde_json::json;
use tempfile::TempDir;

use crate::given::{self, records};

/// The component with an output directory that does not exist.
fn without_directory(settings: serde_json::Value) -> (TempDir, Lro) {
    let root = TempDir::new().unwrap();
    let settings = settings.as_object().unwrap().clone();
    let output_dir = root.path().join("missing/nowhere");
    let options = Options::of(output_dir).prepare_output_dir(false).settings(settings);
    (root, given::with(options))
}

#[test]
fn one_that_is_missing_is_created_when_results_are_to_be_stored() {
    let root = TempDir::new().unwrap();
    let output_dir = root.path().join("new/nested");
    let lro = given::lro(&output_dir);
    assert!(output_dir.is_dir());
    given::stored(lro.offload(&records(300), &OffloadRequest::of("recall")).unwrap());
    for settings in [json!({ "store": "content" }), json!({ "enabled": false })] {
        let output_dir = root.path().join("unneeded");
        let settings = settings.as_object().unwrap().clone();
        given::with(Options::of(output_dir.clone()).settings(settings));
        given::with(Options::of(output_dir.clone()).read_only(true));
        assert!(!output_dir.exists());
    }
}

#[test]
fn one_that_cannot_be_created_is_an_error_of_opening() {
    let root = TempDir::new().unwrap();
    let file = root.path().join("file");
    std::fs::write(&file, "mine").unwrap();
    let mut impossible = vec![file.clone(), file.join("below")];
    if cfg!(target_os = "linux") {
        impossible.push("/proc/x".into());
    }
    for output_dir in impossible {
        let options = Options::of(output_dir.clone());
        let error = given::lro(root.path()).reopen(&options).err().expect("it cannot be created");
        assert!(matches!(error, Error::Case(Case::Io(_))), "{error:?}");
        assert!(error.message().starts_with(&format!("cannot use `{}`", output_dir.display())), "{error}");
    }
    assert_eq!(std::fs::read_to_string(file).unwrap(), "mine");
}

#[test]
fn estimating_and_deciding_need_none() {
    let (_root, lro) = without_directory(json!({}));
    let request = OffloadRequest::of("recall");
    assert_eq!(lro.estimate(r#"[{"id":"m1"}]"#, &request).unwrap(), 3);
    assert!(matches!(lro.offload(&records(3), &request).unwrap().outcome, Outcome::Unchanged));
    assert!(matches!(lro.offload(&records(300), &request).unwrap().outcome, Outcome::Truncated(_)));
}

#[test]
fn a_result_is_offloaded_into_the_answer_and_extracted_from_it() {
    let (root, lro) = without_directory(json!({ "store": "content", "public_dir": "/files" }));
    let request = OffloadRequest::of("recall").memories(true);
    let stored = given::stored(lro.offload(&records(300), &request).unwrap());
    let response: serde_json::Value = serde_json::from_str(&stored.response).unwrap();
    assert_eq!(response["file_path"], format!("/files/{}", stored.file_name));
    let content = Source::Content(stored.content.unwrap());
    let query = ExtractRequest::default().query(".id").limit(2);
    assert_eq!(lro.extract(&content, &query).unwrap().results, "\"memory-0\"\n\"memory-1\"\n");
    let recipe = ExtractRequest::default().recipe(6);
    assert_eq!(lro.extract(&content, &recipe).unwrap().results, "{\"namespace\":null,\"count\":300}\n");
    assert_eq!(std::fs::read_dir(root.path()).unwrap().count(), 0);
}

#[test]
fn content_needs_a_header_too() {
    let (_root, lro) = without_directory(json!({}));
    let query = ExtractRequest::default().query(".");
    for text in ["", "\n", "{\"id\":\"m1\"}\n", "\u{0}"] {
        let answer = lro.extract(&Source::Content(text.to_owned()), &query);
        assert!(matches!(answer, Err(Error::Case(Case::NotAnOffload(_)))), "{text:?}: {answer:?}");
    }
}

#[test]
fn files_are_not_found() {
    let (_root, lro) = without_directory(json!({}));
    let recipe = ExtractRequest::default().recipe(1);
    let answer = lro.extract(&Source::File(given::name(1)), &recipe);
    assert!(
        matches!(&answer, Err(Error::Case(Case::NotFound(problem))) if problem.message.contains("no directory")),
        "{answer:?}"
    );
    let answer = lro.cleanup(&CleanupRequest::default());
    assert!(matches!(answer, Err(Error::Case(Case::NotFound(_)))), "{answer:?}");
}

#[test]
fn a_directory_may_appear_later() {
    let (root, lro) = without_directory(json!({}));
    assert!(matches!(
        lro.offload(&records(300), &OffloadRequest::of("recall")).unwrap().outcome,
        Outcome::Truncated(_)
    ));
    std::fs::create_dir_all(root.path().join("missing/nowhere")).unwrap();
    given::stored(lro.offload(&records(300), &OffloadRequest::of("recall")).unwrap());
}
