//! What the application is made of: the manifests say what has been tested, and the imports are those on record.

use std::fs;

use lro_tests::imports;
use serde_json::Value;

use crate::application::{composed, folder};
use crate::host::{Setup, Spin};

/// A manifest of the application.
fn manifest(file: &str) -> Value {
    toml::from_str(&fs::read_to_string(folder().join(file)).unwrap()).unwrap()
}

/// The settings that a manifest gives.
pub(crate) fn settings_of(file: &str) -> String {
    manifest(file)["component"]["lro"]["environment"]["LRO_SETTINGS"].as_str().unwrap().to_owned()
}

#[test]
fn the_imports_are_those_on_record() {
    imports::check("spin", composed());
    // What a request can reach is nothing but this: no network, no other store.
    for name in imports::of(composed()) {
        let reaches_out = ["sockets", "outgoing-handler", "sqlite", "redis"].iter().any(|word| name.contains(word));
        assert!(!reaches_out, "{name}");
    }
}

#[test]
fn the_manifests_say_what_is_tested() {
    assert_eq!(manifest("../Cargo.toml")["workspace"]["package"]["version"], env!("CARGO_PKG_VERSION"));
    for file in ["spin.toml", "spin-files.toml"] {
        assert_eq!(manifest(file)["application"]["version"], env!("CARGO_PKG_VERSION"), "{file}");
        let component = &manifest(file)["component"]["lro"];
        assert_eq!(component["source"], "target/wasm32-wasip2/release/lro_spin.wasm", "{file}");
        let dependencies: Vec<&String> = component["dependencies"].as_object().unwrap().keys().collect();
        assert_eq!(dependencies, ["lro:offload/offloader@0.1.0"], "{file}");
        serde_json::from_str::<Value>(&settings_of(file)).unwrap();
    }
    let stores = &manifest("spin.toml")["component"]["lro"]["key_value_stores"];
    assert_eq!(stores[0], "default");
    assert!(manifest("spin.toml")["component"]["lro"].get("files").is_none());
}

#[test]
fn the_settings_of_the_manifest_are_settings() {
    let spin = Spin::up(Setup { settings: Some(settings_of("spin.toml")), ..Setup::default() });
    let answer = spin.offload(&serde_json::json!({"operation": "list_things"}), "[]");
    assert_eq!(answer.status, 200, "{answer:?}");
}

#[test]
fn the_routes_are_listed() {
    let spin = Spin::up(Setup::default());
    let routes = spin.get("/").json();
    let routes: Vec<(&str, &str)> = routes
        .as_array()
        .unwrap()
        .iter()
        .map(|route| (route["method"].as_str().unwrap(), route["path"].as_str().unwrap()))
        .collect();
    let expected = [
        ("GET", "/"),
        ("POST", "/offload"),
        ("POST", "/results/NAME"),
        ("GET", "/results/NAME"),
        ("DELETE", "/results/NAME"),
        ("POST", "/cleanup"),
    ];
    assert_eq!(routes, expected);
}
