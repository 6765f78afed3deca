//! The text files of this repository, for tests of its house rules.

use std::fs;
use std::path::Path;
use std::process::Command;

/// A file of ours as the rules see it: its path from the root of the repository, and its text.
pub struct Source {
    /// With `/` between folders.
    pub path: String,
    /// All of it.
    pub text: String,
}

/// The root of the repository.
pub fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("tests/ is in the repository")
}

/// The paths of all files that git knows or would add.
pub fn paths() -> Vec<String> {
    let listed = Command::new("git")
        .args(["ls-files", "-z", "--cached", "--others", "--exclude-standard"])
        .current_dir(root())
        .output()
        .expect("git can be started");
    assert!(listed.status.success(), "{}", String::from_utf8_lossy(&listed.stderr));
    let paths = String::from_utf8(listed.stdout).expect("names of our files are Unicode");
    paths.split_terminator('\0').map(str::to_owned).collect()
}

/// The text files among them, without the fixtures.
pub fn sources() -> Vec<Source> {
    let ours = |path: &String| !path.starts_with("tests/fixtures/");
    let read = |path: String| {
        let text = fs::read_to_string(root().join(&path)).ok()?;
        Some(Source { path, text })
    };
    let sources: Vec<Source> = paths().into_iter().filter(ours).filter_map(read).collect();
    assert!(sources.len() > 50, "only {} files are found", sources.len());
    sources
}
