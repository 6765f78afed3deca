//! The command `lro`, built for tests that start it.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

/// The path of the command, built as these tests were built.
pub fn lro() -> &'static Path {
    static LRO: OnceLock<PathBuf> = OnceLock::new();
    LRO.get_or_init(build)
}

/// Builds the command and finds it beside the tests.
fn build() -> PathBuf {
    let this = std::env::current_exe().expect("a test has a path");
    let folder = this.ancestors().nth(2).expect("tests lie in <target>/<profile>/deps").to_owned();
    let mut build = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    build.args(["build", "--quiet", "--package", "lro-cli", "--bin", "lro"]);
    if folder.ends_with("release") {
        build.arg("--release");
    }
    assert!(build.status().is_ok_and(|status| status.success()), "the command can be built");
    folder.join("lro").with_extension(std::env::consts::EXE_EXTENSION)
}
