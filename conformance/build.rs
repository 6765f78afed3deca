//! Embeds the cases with the clauses that they prove, so that the suite runs in an empty folder.

use std::env;
use std::path::{Path, PathBuf};
use std::process::exit;

fn main() {
    // Else any file of this package counts.
    println!("cargo:rerun-if-changed=build.rs");
    gather_suite(&workspace().join("tests"));
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
    Path::new(&variable("CARGO_MANIFEST_DIR")).parent().expect("conformance/ is in a workspace").to_owned()
}

/// A variable that cargo sets for build scripts.
fn variable(name: &str) -> String {
    env::var(name).unwrap_or_else(|_| fail(&format!("cargo did not set {name}")))
}

/// Ends the build with one line.
fn fail(message: &str) -> ! {
    eprintln!("lro-conformance: {message}");
    exit(1)
}
