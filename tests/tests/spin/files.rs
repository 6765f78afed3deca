//! The variant for a developer's machine (`spin-files.toml`): results are files in a mounted folder.

use std::fs;

use lro_tests::corpus;
use serde_json::json;
use tempfile::TempDir;

use crate::host::{Setup, Spin};
use crate::shape::settings_of;

fn spin(folder: &TempDir) -> (Spin, Setup) {
    let setup = Setup {
        settings: Some(settings_of("spin-files.toml")),
        files: Some((folder.path().to_owned(), "/results")),
        ..Setup::default()
    };
    (Spin::up(setup.clone()), setup)
}

#[test]
fn results_are_files() {
    let folder = TempDir::new().unwrap();
    let (spin, setup) = spin(&folder);
    let answer = spin.offload(&json!({"operation": "recall"}), corpus::REAL);
    assert_eq!(answer.status, 201, "{answer:?}");
    let path = answer.json()["file_path"].as_str().unwrap().to_owned();
    let file = folder.path().join(path.strip_prefix("/results/").unwrap());
    assert_eq!(fs::read_to_string(file).unwrap().lines().count(), 363);
    assert!(setup.pairs.keys().is_empty());
    assert_eq!(spin.extract(&path, &json!({"query": ".id"}))["count"], 362);
    assert_eq!(spin.get(&path).status, 405, "the file is there to be read");

    let cleaned = spin.post("/cleanup", r#"{"ttl_seconds": 0}"#);
    assert_eq!((cleaned.status, &cleaned.json()["deleted"]), (200, &json!(1)), "{cleaned:?}");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
    let gone = spin.post(&path, r#"{"recipe": 6}"#);
    assert_eq!((gone.status, gone.json()["case"].as_str()), (404, Some("not-found")));
}

#[test]
fn a_folder_that_is_not_mounted_truncates() {
    let setup = Setup { settings: Some(settings_of("spin-files.toml")), ..Setup::default() };
    let answer = Spin::up(setup).offload(&json!({"operation": "recall"}), corpus::REAL);
    assert_eq!((answer.status, answer.header("lro-outcome")), (200, "truncated"), "{answer:?}");
}
