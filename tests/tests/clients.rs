//! The real Claude Code, Codex, Gemini CLI and opencode with scripted models, before and after `lro setup`.
//!
//! Their packages are installed once, from the lock file of `tests/clients`, into the target folder.

use std::path::Path;
use std::process::Command;

use lro_tests::{peers, suite};

#[test]
fn clients() {
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("clients");
    let target = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let folder = peers::javascript(&sources, target).unwrap_or_else(|reason| panic!("{reason}"));
    let mut suite = Command::new("node");
    suite.args(["--test", "--test-concurrency=2"]).current_dir(folder);
    suite.env("LRO_CLIENTS", sources.join("../../embed/clients"));
    // What a model sees, and how it went.
    suite::passes(&mut suite, |line| line.starts_with("# ") && !line.starts_with("# Subtest"));
}
