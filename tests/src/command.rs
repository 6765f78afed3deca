//! The command `lro`, built for tests that start it.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

/// The path of the command, built as these tests were built.
pub fn lro() -> &'static Path {
    static LRO: OnceLock<PathBuf> = OnceLock::new();
    LRO.get_or_init(build)
}

/// The folder of the profile that this program was built in: tests are in `deps` below it, other programs in it.
pub fn profile() -> PathBuf {
    let this = std::env::current_exe().expect("a program has a path");
    let folder = this.parent().expect("a program is in a folder");
    let is_test = folder.ends_with("deps");
    if is_test { folder.parent().expect("tests are in <target>/<profile>/deps").to_owned() } else { folder.to_owned() }
}

/// Builds the command and finds it in the same profile.
fn build() -> PathBuf {
    let folder = profile();
    let mut build = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    build.args(["build", "--quiet", "--package", "lro-cli", "--bin", "lro"]);
    if folder.ends_with("release") {
        build.arg("--release");
    }
    assert!(build.status().is_ok_and(|status| status.success()), "the command can be built");
    folder.join("lro").with_extension(std::env::consts::EXE_EXTENSION)
}
