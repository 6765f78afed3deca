//! The artefacts of a release: built by `packaging/build` of the built command, each installed into an empty environment
//! and used there.

use std::path::Path;
use std::process::Command;

use lro_tests::{peers, suite};

const TARGET: &str = env!("CARGO_TARGET_TMPDIR");

#[test]
fn artefacts() {
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("../packaging/tests");
    let target = Path::new(TARGET);
    let node = peers::javascript(&sources.join("npm"), target).unwrap_or_else(|reason| panic!("{reason}"));
    let python = peers::python(&sources.join("python"), target).unwrap_or_else(|reason| panic!("{reason}"));
    let mut suite = Command::new(python);
    suite.args(["-m", "unittest", "discover", "--start-directory"]).arg(sources.join("python"));
    // The packages that artefacts are built with are where those of the other suites are.
    let packages = target.parent().expect("it is in the target folder");
    suite.env("CARGO_TARGET_DIR", packages).env("LRO_NODE_PACKAGES", node).env("PYTHONDONTWRITEBYTECODE", "1");
    suite::passes(&mut suite, suite::is_count_of_unittest);
}
