//! The integrations of the packages in frameworks for agents: each framework as it is published, with its own fake model,
//! real tools and a real server of MCP.
//!
//! Their packages are installed once, from lock files, into the target folder: for JavaScript 184 packages with 640 MB, of
//! which 360 MB are the program that the Claude Agent SDK starts, in half a minute.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use lro_tests::{command, peers, suite};

const TARGET: &str = env!("CARGO_TARGET_TMPDIR");

/// Copies the sources of a Python package (`$1`) to a folder (`$2`), and puts the component and its schema beside them.
const COPY: &str = r#"
rm -rf "$2"; mkdir -p "$2"; cp -r "$1/src/lro" "$2/lro"
cp "$1/../../wit/settings.schema.json" "$2/lro/"; "$LRO" component -o "$2/lro/lro.wasm"
"#;

fn sources(language: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("frameworks").join(language)
}

#[test]
fn javascript() {
    let folder =
        peers::javascript_package(&sources("js"), Path::new(TARGET)).unwrap_or_else(|reason| panic!("{reason}"));
    let package = package();
    peers::run(Command::new("node").arg("place.mjs").arg(&package).current_dir(&folder))
        .unwrap_or_else(|e| panic!("{e}"));
    suite::passes(Command::new("node").arg("--test").current_dir(folder), suite::is_count_of_node);
}

/// The npm package, built in a folder of its own: the suite `javascript` may be building at the same time.
fn package() -> PathBuf {
    let target = Path::new(TARGET).join("frameworks");
    fs::create_dir_all(&target).expect("the target folder can be written to");
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("../embed/js");
    let folder = peers::javascript_package(&sources, &target).unwrap_or_else(|reason| panic!("{reason}"));
    let mut build = Command::new("node");
    build.arg("scripts/build.js").current_dir(&folder).env("LRO", command::lro());
    build.env("LRO_REPOSITORY", Path::new(env!("CARGO_MANIFEST_DIR")).join(".."));
    peers::run(&mut build).unwrap_or_else(|reason| panic!("{reason}"));
    folder
}

#[test]
fn python() {
    let package = Path::new(env!("CARGO_MANIFEST_DIR")).join("../embed/python");
    let python = peers::python(&sources("python"), Path::new(TARGET)).unwrap_or_else(|reason| panic!("{reason}"));
    let pyright =
        peers::javascript(&package.join("pyright"), Path::new(TARGET)).unwrap_or_else(|reason| panic!("{reason}"));
    // A copy with a component of its own: the suite `python` may be building the package at this time.
    let copy = Path::new(TARGET).join("frameworks-python");
    suite::passes(Command::new("bash").args(["-euc", COPY, "copy"]).args([&package, &copy]), |_| false);

    let mut suite = Command::new(python);
    suite.args(["-W", "ignore", "-m", "unittest"]).current_dir(sources("python"));
    suite.env("PYTHONPATH", copy).env("PYTHONDONTWRITEBYTECODE", "1").env("LRO_PYRIGHT", pyright);
    suite::passes(&mut suite, suite::is_count_of_unittest);
}
