//! The npm package of `embed/js`: built from the component of the built command, all conformance cases on it, and its own
//! suite; and its command before the reference servers of `tests/peers`.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use lro_tests::{adapter, command, peers, suite};

const TARGET: &str = env!("CARGO_TARGET_TMPDIR");

#[test]
fn the_package() {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR"));
    let sources = tests.join("../embed/js");
    let folder = peers::javascript_package(&sources, Path::new(TARGET)).unwrap_or_else(|reason| panic!("{reason}"));
    let mut build = Command::new("node");
    build.arg("scripts/build.js").current_dir(&folder).env("LRO", command::lro());
    build.env("LRO_REPOSITORY", tests.join(".."));
    peers::run(&mut build).unwrap_or_else(|reason| panic!("{reason}"));

    suite::tell(&adapter::played(adapter::player("node test/adapter.js").current_dir(&folder), 0));

    let mut suite = Command::new("node");
    suite.arg("--test").args(suites(&folder)).current_dir(&folder);
    suite.env("LRO_TESTS", tests).env("LRO", command::lro());
    let output = suite.output().expect("node has built the package");
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{text}\n{}", String::from_utf8_lossy(&output.stderr));
    let closes = |line: &&str| ["# tests", "# pass", "# fail"].iter().any(|start| line.starts_with(start));
    text.lines().filter(closes).for_each(suite::tell);
    peers_of_the_command(tests, &folder);
}

/// Reference servers behind the command in JavaScript, as behind the native one (`tests/peers/js`).
fn peers_of_the_command(tests: &Path, package: &Path) {
    let folder =
        peers::javascript(&tests.join("peers/js"), Path::new(TARGET)).unwrap_or_else(|reason| panic!("{reason}"));
    let mut suite = Command::new("node");
    suite.args(["--test", "proxy.test.mjs", "names.test.mjs"]).current_dir(folder);
    suite.env("LRO", package.join("src/command/main.js")).env("LRO_JS", "1").env("LRO_TESTS", tests);
    let output = suite.output().expect("node has run the package's own suite");
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{text}\n{}", String::from_utf8_lossy(&output.stderr));
    text.lines().filter(|line| line.starts_with("# pass")).for_each(suite::tell);
}

/// The files with tests; what they share lies beside them.
fn suites(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder.join("test")).expect("the package has tests");
    let mut suites: Vec<PathBuf> = entries.map(|entry| entry.expect("the folder can be listed").path()).collect();
    suites.retain(|path| path.file_name().and_then(OsStr::to_str).is_some_and(|name| name.ends_with(".test.js")));
    suites.sort();
    assert!(suites.len() > 3, "{suites:?}");
    suites
}
