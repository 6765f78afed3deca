//! Questions to real servers behind the proxy (tests/questions/README.md): asked by its runner, with the official client of
//! Python and packages from lock files.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::Command;

use lro_tests::{command, peers};

const TARGET: &str = env!("CARGO_TARGET_TMPDIR");

fn sources() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("questions")
}

/// The folder of an environment of Python, whose interpreter `peers` gives.
fn environment(name: &str) -> PathBuf {
    let python = peers::python(&sources().join(name), Path::new(TARGET)).unwrap_or_else(|reason| panic!("{reason}"));
    python.ancestors().nth(2).expect("the interpreter lies in <environment>/bin").to_owned()
}

#[test]
fn questions_are_answered_in_two_calls_and_traps_are_told() {
    let npm = peers::javascript(&sources().join("npm"), Path::new(TARGET)).unwrap_or_else(|reason| panic!("{reason}"));
    let (python, python1) = (environment("python"), environment("python1"));
    let mut suite = Command::new(python.join("bin/python"));
    suite.arg(sources().join("run.py")).env("PYTHONDONTWRITEBYTECODE", "1").env("LRO", command::lro());
    suite.env("LRO_QUESTIONS_NPM", npm).env("LRO_QUESTIONS_PYTHON", python).env("LRO_QUESTIONS_PYTHON1", python1);
    let output = suite.output().expect("what has been installed can be started");
    let text = [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).join("\n");
    for line in text.lines().filter(|line| line.starts_with('|') || line.contains(" passed, ")) {
        // Not by `println!`, whose lines are only shown of tests that fail.
        writeln!(io::stdout(), "{line}").expect("standard output can be written to");
    }
    assert!(output.status.success(), "{text}");
}
