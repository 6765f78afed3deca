//! Embeds the component and the conformance suite, so that the library has both.
//!
//! The guest is a module for wasm32-unknown-unknown, and `wit-component` makes a component of it: its imports are those of
//! its own calls of WASI. The standard library for wasm32-wasip2 would import ten more interfaces when it starts.

use std::collections::hash_map::DefaultHasher;
use std::env;
use std::hash::Hasher;
use std::path::{Path, PathBuf};
use std::process::exit;

use wit_component::ComponentEncoder;

/// The version and layer of a component, after the `\0asm` that modules have too.
const COMPONENT_LAYER: [u8; 4] = [0x0d, 0, 1, 0];

fn main() {
    // Else any file of this package counts.
    println!("cargo:rerun-if-changed=build.rs");
    embed(&component_of(lro_component::GUEST));
    gather_suite(&workspace().join("tests"));
}

/// The component that a module describes in its custom sections. A component stays as it is.
fn component_of(guest: &[u8]) -> Vec<u8> {
    if guest.get(4..8) == Some(&COMPONENT_LAYER) {
        return guest.to_vec();
    }
    let component = ComponentEncoder::default().validate(true).module(guest).and_then(|mut encoder| encoder.encode());
    component.unwrap_or_else(|error| fail(&format!("cannot make a component of the guest: {error:#}")))
}

/// Puts the component where the library includes it from, and names its hash: the key of its compiled form.
fn embed(component: &[u8]) {
    let copy = Path::new(&variable("OUT_DIR")).join("lro.wasm");
    if let Err(error) = std::fs::write(&copy, component) {
        fail(&format!("cannot write `{}`: {error}", copy.display()));
    }
    let mut hasher = DefaultHasher::new();
    hasher.write(component);
    println!("cargo:rustc-env=LRO_COMPONENT_FILE={}", copy.display());
    println!("cargo:rustc-env=LRO_COMPONENT_HASH={:016x}", hasher.finish());
}

/// Writes `cases.rs`: every case, the clauses, the known gaps and the fixtures, each with its text.
fn gather_suite(tests: &Path) {
    let mut cases = Vec::new();
    collect_cases(&tests.join("cases"), "", &mut cases);
    cases.sort();
    let entries: String = cases
        .iter()
        .map(|(name, file)| format!("    ({name:?}, include_str!({:?})),\n", file.display().to_string()))
        .collect();
    let text = |name: &str| {
        let file = tests.join(name);
        println!("cargo:rerun-if-changed={}", file.display());
        format!("include_str!({:?})", file.display().to_string())
    };
    let source = format!(
        "static CASES: [(&str, &str); {}] = [\n{entries}];\n\
         static CLAUSES: &str = {};\n\
         static GAPS: &str = {};\n\
         static FIXTURES: [(&str, &str); 1] = [(\"mif-memories.json\", {})];\n",
        cases.len(),
        text("clauses.json"),
        text("known-gaps.json"),
        text("fixtures/mif-memories.json"),
    );
    let file = Path::new(&variable("OUT_DIR")).join("cases.rs");
    if let Err(error) = std::fs::write(&file, source) {
        fail(&format!("cannot write `{}`: {error}", file.display()));
    }
}

/// The case files below a folder with their names; those of the first level are schemas.
fn collect_cases(folder: &Path, prefix: &str, cases: &mut Vec<(String, PathBuf)>) {
    println!("cargo:rerun-if-changed={}", folder.display());
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let (path, name) = (entry.path(), entry.file_name().to_string_lossy().into_owned());
        if path.is_dir() {
            collect_cases(&path, &format!("{prefix}{name}/"), cases);
        } else if let Some(name) = name.strip_suffix(".json").filter(|_| !prefix.is_empty()) {
            cases.push((format!("{prefix}{name}"), path));
        }
    }
}

fn workspace() -> PathBuf {
    Path::new(&variable("CARGO_MANIFEST_DIR")).parent().expect("host/ is in a workspace").to_owned()
}

/// A variable that cargo sets for build scripts.
fn variable(name: &str) -> String {
    env::var(name).unwrap_or_else(|_| fail(&format!("cargo did not set {name}")))
}

/// Ends the build with one line.
fn fail(message: &str) -> ! {
    eprintln!("lro: {message}");
    exit(1)
}
