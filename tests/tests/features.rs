//! The command is built alike for `cargo run` and `cargo test`: otherwise wasmtime is compiled twice.

use std::collections::BTreeSet;
use std::env;
use std::process::Command;

/// The packages that code of a selection is linked from, each with its features.
fn packages(selection: &[&str]) -> BTreeSet<String> {
    let mut tree = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    tree.args(["tree", "--locked", "--quiet", "--prefix", "none", "--format", "{p} with {f}", "--no-dedupe"]);
    let output = tree.args(selection).current_dir(env!("CARGO_MANIFEST_DIR")).output().expect("cargo can be started");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("names of packages are Unicode").lines().map(str::to_owned).collect()
}

/// The name and version of a package.
fn name(package: &str) -> &str {
    package.split(" with ").next().unwrap_or_default()
}

/// Fails where a selection builds one of the packages with other features, so that it is compiled once more.
fn assert_shared(packages_of_the_command: &BTreeSet<String>, selection: &[&str]) {
    let tests = packages(&[selection, &["--edges", "normal,dev,no-proc-macro"]].concat());
    let missing: Vec<&String> = packages_of_the_command.difference(&tests).collect();
    let is_missing = |package: &&String| missing.iter().any(|other| name(other) == name(package));
    let instead: Vec<&String> = tests.difference(packages_of_the_command).filter(is_missing).collect();
    assert!(
        missing.is_empty(),
        "{selection:?} builds {instead:#?}\nthe command {missing:#?}\nfeatures/Cargo.toml makes them equal"
    );
}

#[test]
fn every_selection_of_packages_shares_one_build_of_wasmtime() {
    let command = packages(&["--package", "lro-cli", "--edges", "normal,no-proc-macro"]);
    assert_shared(&command, &["--workspace"]);
    assert_shared(&command, &["--package", "lro-cli"]);

    // These do without what only the command has, and share what the library is built from.
    let library = packages(&["--package", "lro", "--edges", "normal,no-proc-macro"]);
    assert!(library.iter().any(|package| package.starts_with("wasmtime v")), "{library:?}");
    // Our own packages, which have a path, compile in seconds.
    let is_shared =
        |package: &&String| !package.contains("(/") && library.iter().any(|other| name(other) == name(package));
    let shared: BTreeSet<String> = command.iter().filter(is_shared).cloned().collect();
    for package in ["lro", "lro-conformance", "lro-tests"] {
        assert_shared(&shared, &["--package", package]);
    }
}

#[test]
fn the_library_is_built_without_what_the_command_and_the_suite_need() {
    let library = packages(&["--package", "lro", "--edges", "normal"]);
    for other in ["clap", "lro-conformance", "lro-features", "regex", "rmcp", "ureq"] {
        let found = library.iter().find(|package| package.starts_with(&format!("{other} v")));
        assert_eq!(found, None, "the library is built with {other}");
    }
}
