//! Proves that the conformance suite catches components that lie: builds mutants of the guest, runs the suite on each,
//! and checks that the clause which the mutant breaks fails.
//!
//! Run it with `cargo run -p lro-tests --bin mutants`; a name as argument picks one. `tests/mutants/mutants.json` lists
//! them. It is not part of the test command: every mutant is a build of the guest.

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::{env, fs};

use lro::conformance::{ComponentEngine, Report, cases, clauses, gaps};
use serde_json::Value;

fn main() -> ExitCode {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("tests/ is in a workspace");
    let list = fs::read_to_string(root.join("tests/mutants/mutants.json")).expect("the list of mutants can be read");
    let mutants: Vec<Value> = serde_json::from_str(&list).expect("the list of mutants is JSON");
    let wanted = env::args().nth(1);
    let target = target_folder();
    let (mut passed, mut failed) = (0, 0);
    for mutant in mutants.iter().filter(|mutant| wanted.as_deref().is_none_or(|name| mutant["name"] == name)) {
        let (name, clause) = (text(&mutant["name"]), text(&mutant["clause"]));
        match examine(root, &target, mutant) {
            Ok(broken) if broken.iter().any(|found| found == clause) => {
                println!("{name}: caught by {}", broken.join(", "));
                passed += 1;
            }
            Ok(broken) => {
                println!("{name}: NOT CAUGHT by {clause}; failed: {}", broken.join(", "));
                failed += 1;
            }
            Err(error) => {
                println!("{name}: {error}");
                failed += 1;
            }
        }
    }
    println!("mutants: {passed} passed, {failed} failed");
    if failed == 0 && passed > 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Builds a mutant and answers the clauses that fail on it.
fn examine(root: &Path, target: &Path, mutant: &Value) -> Result<Vec<String>, String> {
    let copy = tempfile::tempdir().map_err(|error| error.to_string())?;
    for part in ["guest", "wit", "Cargo.toml", "Cargo.lock", "rust-toolchain.toml"] {
        copy_all(&root.join(part), &copy.path().join(part)).map_err(|error| format!("cannot copy {part}: {error}"))?;
    }
    let manifest = copy.path().join("Cargo.toml");
    apply(&manifest, r#"default-members = ["host"]"#, "")?;
    apply(
        &manifest,
        r#"members = ["component", "features", "guest", "host", "tests", "toolchain"]"#,
        r#"members = ["guest"]"#,
    )?;
    for edit in mutant["edits"].as_array().into_iter().flatten() {
        apply(&copy.path().join(text(&edit["file"])), text(&edit["find"]), text(&edit["replace"]))?;
    }
    let component = build(copy.path(), target)?;
    let engine = ComponentEngine::open(Some(component)).map_err(|error| error.to_string())?;
    let report = Report::of(&engine, &cases()?, clauses()?, &gaps()?);
    let broken = report.clauses.iter().filter(|row| row.passed < row.cases);
    Ok(broken.map(|row| row.clause.clone()).collect())
}

fn apply(file: &Path, find: &str, replace: &str) -> Result<(), String> {
    let source = fs::read_to_string(file).map_err(|error| format!("{}: {error}", file.display()))?;
    match source.matches(find).count() {
        0 => Err(format!("stale: `{find}` is not in the source any more")),
        _ => fs::write(file, source.replace(find, replace)).map_err(|error| error.to_string()),
    }
}

/// A quick build: what matters is what the mutant does, not how fast. Plain cargo makes a component for wasm32-wasip2.
fn build(copy: &Path, target: &Path) -> Result<Vec<u8>, String> {
    lro_tests::wasm::require("wasm32-wasip2", copy);
    let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let output = Command::new(cargo)
        .current_dir(copy)
        .env("CARGO_TARGET_DIR", target)
        .args([
            "build",
            "--quiet",
            "--package",
            "lro-guest",
            "--lib",
            "--target",
            "wasm32-wasip2",
            "--profile",
            "mutant",
        ])
        .output()
        .map_err(|error| error.to_string())?;
    if !output.status.success() {
        return Err(format!("does not compile: {}", String::from_utf8_lossy(&output.stderr)));
    }
    fs::read(target.join("wasm32-wasip2/mutant/lro_guest.wasm")).map_err(|error| error.to_string())
}

/// Beside this program's own target folder, so that dependencies are built once for all mutants.
fn target_folder() -> PathBuf {
    let this = env::current_exe().expect("a program has a path");
    this.ancestors().nth(2).expect("programs lie in <target>/<profile>").join("lro-mutants")
}

fn copy_all(from: &Path, to: &Path) -> std::io::Result<()> {
    if !from.is_dir() {
        fs::create_dir_all(to.parent().expect("a file has a folder"))?;
        return fs::copy(from, to).map(|_| ());
    }
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        copy_all(&entry.path(), &to.join(entry.file_name()))?;
    }
    Ok(())
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}
