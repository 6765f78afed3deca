//! `--store` of the command: two proxies before a real server of MCP on a real Redis, a server that speaks S3, and a folder.

use std::path::Path;
use std::process::Command;

use lro_tests::{command, peers, suite};

const TARGET: &str = env!("CARGO_TARGET_TMPDIR");

#[test]
fn the_command_on_stores() {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR"));
    // The packages of the Python package's tests have all of it: the official client, and a server that speaks S3.
    let package = tests.join("../embed/python");
    let python = peers::python(&package, Path::new(TARGET)).unwrap_or_else(|reason| panic!("{reason}"));
    let mut suite = Command::new(python);
    suite.args(["-m", "unittest", "discover", "--start-directory"]).arg(tests.join("store"));
    suite.env("LRO", command::lro()).env("PYTHONPATH", package.join("tests")).env("PYTHONDONTWRITEBYTECODE", "1");
    suite::passes(&mut suite, suite::is_count_of_unittest);
}
