//! The command among real peers: reference servers and official clients of MCP in JavaScript and Python.
//!
//! Their packages are installed once, from lock files, into the target folder.

use std::path::{Path, PathBuf};
use std::process::Command;

use lro_tests::{peers, suite};

const TARGET: &str = env!("CARGO_TARGET_TMPDIR");

fn sources(language: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("peers").join(language)
}

#[test]
fn javascript() {
    let folder = peers::javascript(&sources("js"), Path::new(TARGET)).unwrap_or_else(|reason| panic!("{reason}"));
    suite::passes(Command::new("node").arg("--test").current_dir(folder), suite::is_count_of_node);
}

#[test]
fn python() {
    let servers = peers::javascript(&sources("js"), Path::new(TARGET)).unwrap_or_else(|reason| panic!("{reason}"));
    let python = peers::python(&sources("python"), Path::new(TARGET)).unwrap_or_else(|reason| panic!("{reason}"));
    let mut suite = Command::new(python);
    suite.args(["-m", "unittest", "discover", "--start-directory"]).arg(sources("python")).env("LRO_PEERS_JS", servers);
    suite.env("PYTHONDONTWRITEBYTECODE", "1");
    suite::passes(&mut suite, suite::is_count_of_unittest);
}
