//! What the program `targets` does on this machine, with the real rustup and without one.

use std::env;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// A target that nobody asks for here.
const ELSEWHERE: &str = "riscv32im-unknown-none-elf";

fn rustc(arguments: &[&str]) -> PathBuf {
    let output = Command::new("rustc").args(arguments).output().expect("rustc can be started");
    PathBuf::from(String::from_utf8_lossy(&output.stdout).trim())
}

/// Asks for a target with programs found in these folders alone.
fn targets(target: &str, path: &[&Path]) -> (bool, String) {
    let path = env::join_paths(path).expect("folders have no colons");
    let mut targets = Command::new(env!("CARGO_BIN_EXE_targets"));
    let Output { status, stderr, .. } = targets.arg(target).env("PATH", path).output().expect("it has been built");
    (status.success(), String::from_utf8_lossy(&stderr).into_owned())
}

#[test]
fn a_target_that_is_there_is_left_alone() {
    let host = rustc(&["--print", "host-tuple"]);
    let toolchain = rustc(&["--print", "sysroot"]).join("bin");
    let (ended_well, said) = targets(&host.display().to_string(), &[&toolchain]);
    assert!(ended_well && said.is_empty(), "{said}");
}

#[test]
fn what_cannot_be_added_says_why_and_what_to_do() {
    let toolchain = rustc(&["--print", "sysroot"]).join("bin");
    let path = env::var_os("PATH").expect("there is a path");
    let mut everywhere: Vec<PathBuf> = env::split_paths(&path).collect();
    everywhere.insert(0, toolchain.clone());
    let everywhere: Vec<&Path> = everywhere.iter().map(PathBuf::as_path).collect();
    let rows = [
        ("without rustup", ELSEWHERE, &[toolchain.as_path()][..], "https://rustup.rs"),
        ("an unknown target", "wasm32-nobody-nowhere", &everywhere[..], "rustup target add wasm32-nobody-nowhere"),
    ];
    for (name, target, path, hint) in rows {
        let (ended_well, said) = targets(target, path);
        assert!(!ended_well, "{name}: {said}");
        let begins = format!("lro: the Rust target {target} is missing: adding it through rustup");
        assert!(said.starts_with(&begins) && said.contains(hint), "{name}: {said}");
    }
}
