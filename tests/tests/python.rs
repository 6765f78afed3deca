//! The Python package of `embed/python`: built with the component of the built command, all conformance cases on it, and
//! its own suite, which has pyright check it.

use std::env;
use std::path::Path;
use std::process::{Command, Output};

use lro_tests::{adapter, command, peers, suite};

const TARGET: &str = env!("CARGO_TARGET_TMPDIR");

#[test]
fn the_package() {
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("../embed/python");
    let python = peers::python(&sources, Path::new(TARGET)).unwrap_or_else(|reason| panic!("{reason}"));
    let pyright =
        peers::javascript(&sources.join("pyright"), Path::new(TARGET)).unwrap_or_else(|reason| panic!("{reason}"));
    finished(Command::new("bash").arg(sources.join("build.sh")).env("LRO", command::lro()));

    let lent = sources.join("../../tests/python");
    let path = env::join_paths([sources.join("src"), lent]).expect("our paths have no separator");
    let interpreter = python.display();
    let mut player = adapter::player(&format!("'{interpreter}' tests/adapter.py"));
    player.args(["--gaps", "tests/known-gaps.json"]).current_dir(&sources).env("PYTHONPATH", path);
    suite::tell(&adapter::played(player.env("PYTHONDONTWRITEBYTECODE", "1"), 0));

    let mut suite = Command::new(python);
    suite.args(["-m", "pytest"]).current_dir(&sources).env("LRO", command::lro()).env("LRO_PYRIGHT", pyright);
    suite.env("PYTHONPATH", sources.join("src")).env("PYTHONDONTWRITEBYTECODE", "1");
    let output = finished(&mut suite);
    let text = String::from_utf8_lossy(&output.stdout);
    suite::tell(text.lines().last().expect("pytest says how it went"));
}

/// FastMCP 2 and 3, and version 1 of the official SDK, which both are on.
#[test]
fn older_servers() {
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("../embed/python");
    finished(Command::new("bash").arg(sources.join("build.sh")).env("LRO", command::lro()));
    for version in ["fastmcp2", "fastmcp3"] {
        let older = sources.join("older");
        let python = peers::python(&older.join(version), Path::new(TARGET)).unwrap_or_else(|reason| panic!("{reason}"));
        let mut suite = Command::new(python);
        suite.args(["-W", "ignore", "-m", "unittest", "test_older"]).current_dir(older);
        suite.env("PYTHONPATH", sources.join("src")).env("PYTHONDONTWRITEBYTECODE", "1");
        let output = finished(&mut suite);
        let text = String::from_utf8_lossy(&output.stderr);
        suite::tell(text.lines().rfind(|line| line.starts_with("Ran ")).expect("unittest says how it went"));
    }
}

/// What a command put out. Fails with that where the command fails.
fn finished(command: &mut Command) -> Output {
    let output = command.output().expect("what has been installed can be started");
    let text = [&output.stdout, &output.stderr].map(|bytes| String::from_utf8_lossy(bytes).into_owned()).join("\n");
    assert!(output.status.success(), "{text}");
    output
}
