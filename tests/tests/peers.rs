//! The command among real peers: reference servers and official clients of MCP in JavaScript and Python.
//!
//! Their packages are installed once, from lock files, into the target folder.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::Command;

use lro_tests::{command, peers};

const TARGET: &str = env!("CARGO_TARGET_TMPDIR");

fn sources(language: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("peers").join(language)
}

/// Runs a suite, prints what it closes with, and fails with its output where it fails.
fn passes(suite: &mut Command, closing: fn(&str) -> bool) {
    let output = suite.env("LRO", command::lro()).output().expect("what has been installed can be started");
    let text = [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).join("\n");
    for line in text.lines().filter(|line| closing(line)) {
        // Not by `println!`, whose lines are only shown of tests that fail.
        writeln!(io::stdout(), "{line}").expect("standard output can be written to");
    }
    assert!(output.status.success(), "{text}");
}

#[test]
fn javascript() {
    let folder = peers::javascript(&sources("js"), Path::new(TARGET)).unwrap_or_else(|reason| panic!("{reason}"));
    passes(Command::new("node").arg("--test").current_dir(folder), |line| {
        line.starts_with("# tests") || line.starts_with("# pass") || line.starts_with("# fail")
    });
}

#[test]
fn python() {
    let servers = peers::javascript(&sources("js"), Path::new(TARGET)).unwrap_or_else(|reason| panic!("{reason}"));
    let python = peers::python(&sources("python"), Path::new(TARGET)).unwrap_or_else(|reason| panic!("{reason}"));
    let mut suite = Command::new(python);
    suite.args(["-m", "unittest", "discover", "--start-directory"]).arg(sources("python")).env("LRO_PEERS_JS", servers);
    suite.env("PYTHONDONTWRITEBYTECODE", "1");
    passes(&mut suite, |line| line.starts_with("Ran ") || line == "OK" || line.starts_with("FAILED"));
}
