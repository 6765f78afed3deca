//! The page of `embed/browser`: what is checked in is what its build makes, and its own suite plays it in Chromium, served by
//! the built command.

use std::fs;
use std::path::Path;
use std::process::Command;

use lro_tests::{command, peers, suite};

const TARGET: &str = env!("CARGO_TARGET_TMPDIR");

/// What the build makes and the command serves.
const BUILT: [&str; 2] = ["page.js", "worker.js"];

#[test]
fn the_page() {
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("../embed/browser");
    let folder = peers::javascript_package(&sources, Path::new(TARGET)).unwrap_or_else(|reason| panic!("{reason}"));
    let built = folder.join("built-again");
    let mut build = Command::new("node");
    // The sources share modules with `embed/js`, which lies beside them.
    build
        .arg("scripts/build.js")
        .arg(&built)
        .current_dir(&folder)
        .env("LRO_BROWSER", &sources)
        .env("LRO", command::lro());
    peers::run(&mut build).unwrap_or_else(|reason| panic!("{reason}"));
    for name in BUILT {
        let text = |folder: &Path| fs::read_to_string(folder.join(name)).unwrap_or_default();
        let is_same = text(&built) == text(&sources.join("built"));
        assert!(
            is_same,
            "embed/browser/built/{name} is not what its build makes: `npm run build` there, and compile again"
        );
    }

    let mut tests = Command::new("node");
    tests.arg("--test").current_dir(&folder).env("LRO_BROWSER", &sources).env("LRO", command::lro());
    let output = tests.output().expect("node has built the page");
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{text}\n{}", String::from_utf8_lossy(&output.stderr));
    let closes = |line: &&str| ["# tests", "# pass", "# fail"].iter().any(|start| line.starts_with(start));
    text.lines().filter(closes).for_each(suite::tell);
    let passed = text.lines().find_map(|line| line.strip_prefix("# pass ")).and_then(|count| count.parse::<u32>().ok());
    assert!(passed.is_some_and(|count| count >= 10), "the suite is not found: {text}");
}
