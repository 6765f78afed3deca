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

#[test]
fn every_selection_of_packages_shares_one_build_of_wasmtime() {
    let command = packages(&["--package", "lro-cli", "--edges", "normal,no-proc-macro"]);
    assert!(command.iter().any(|package| package.starts_with("wasmtime v")), "{command:?}");
    let selections = [&["--workspace"][..], &["--package", "lro-cli"], &["--package", "lro-tests"]];
    for selection in selections {
        let tests = packages(&[selection, &["--edges", "normal,dev,no-proc-macro"]].concat());
        let missing: Vec<&String> = command.difference(&tests).collect();
        let name = |package: &str| package.split(' ').next().unwrap_or_default().to_owned();
        let instead: Vec<&String> = tests
            .difference(&command)
            .filter(|package| missing.iter().any(|other| name(other) == name(package)))
            .collect();
        assert!(
            missing.is_empty(),
            "{selection:?} builds {instead:#?}\nthe command {missing:#?}\nfeatures/Cargo.toml makes them equal"
        );
    }
}
