//! The real Claude Code, Codex, Gemini CLI and opencode with scripted models, before and after `lro setup`.
//!
//! Their packages are installed once, from the lock file of `tests/clients`, into the target folder.

use std::io::{self, Write};
use std::path::Path;
use std::process::Command;

use lro_tests::{command, peers};

#[test]
fn clients() {
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("clients");
    let target = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let folder = peers::javascript(&sources, target).unwrap_or_else(|reason| panic!("{reason}"));
    let mut suite = Command::new("node");
    suite.args(["--test", "--test-concurrency=2"]).current_dir(folder);
    suite.env("LRO", command::lro()).env("LRO_CLIENTS", sources.join("../../embed/clients"));
    let output = suite.output().expect("what has been installed can be started");
    let text = [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).join("\n");
    // What a model sees, and how it went. Not by `println!`, whose lines are only shown of tests that fail.
    for line in text.lines().filter(|line| line.starts_with("# ") && !line.starts_with("# Subtest")) {
        writeln!(io::stdout(), "{line}").expect("standard output can be written to");
    }
    assert!(output.status.success(), "{text}");
}
