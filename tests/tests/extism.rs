//! The Extism plug-in of `embed/extism`: built, and run by the runtimes of two SDKs. Extism for Python, which is that of
//! most SDKs, runs all cases; Extism for JavaScript, which has a runtime of its own, a handful.

use std::env;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::Command;

use lro_tests::{imports, peers};

const TARGET: &str = env!("CARGO_TARGET_TMPDIR");

#[test]
fn the_plug_in() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("tests/ is in the repository");
    let sources = root.join("embed/extism");
    let plugin = built(&sources);
    imports::check("extism", &fs::read(&plugin).expect("it has been built"));
    let install = |reason: String| -> PathBuf { panic!("{reason}") };
    let python = peers::python(&sources.join("tests/python"), Path::new(TARGET)).unwrap_or_else(install);
    let node = peers::javascript(&sources.join("tests/node"), Path::new(TARGET)).unwrap_or_else(install);

    let mut suite = Command::new(python);
    suite.args(["-m", "pytest"]).current_dir(sources.join("tests/python")).env("PYTHONDONTWRITEBYTECODE", "1");
    // Extism keeps the compiled plug-in in the user's cache folder.
    suite.env("XDG_CACHE_HOME", Path::new(TARGET).join("cache"));
    let text = finished(suite.env("LRO_PLUGIN", &plugin));
    closing(text.lines().next_back().expect("pytest says how it went"));

    let mut suite = Command::new("node");
    suite.arg("--test").current_dir(node).env("LRO_ROOT", root);
    let text = finished(suite.env("LRO_PLUGIN", &plugin));
    text.lines().filter(|line| line.starts_with("# pass") || line.starts_with("# fail")).for_each(closing);
}

/// Builds the plug-in as its README says, but into a target folder beside this test's.
fn built(sources: &Path) -> PathBuf {
    require_target(sources);
    let target = Path::new(TARGET).join("extism");
    let mut build = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    build.args(["build", "--release", "--locked", "--quiet", "--target-dir"]).arg(&target).current_dir(sources);
    // Flags of the outer build would replace those of `.cargo/config.toml`.
    finished(build.env_remove("RUSTFLAGS").env_remove("CARGO_ENCODED_RUSTFLAGS").env_remove("CARGO_BUILD_TARGET"));
    target.join("wasm32-wasip1/release/lro.wasm")
}

/// Fails with one clear line when the plug-in's target is not installed.
fn require_target(sources: &Path) {
    let mut rustc = Command::new("rustc");
    rustc.args(["--print", "target-libdir", "--target", "wasm32-wasip1"]).current_dir(sources);
    let folder = finished(&mut rustc);
    let is_there = Path::new(folder.trim()).is_dir();
    assert!(is_there, "the Rust target wasm32-wasip1 is missing; run: rustup target add wasm32-wasip1");
}

/// What a command put out. Fails with that where the command fails.
fn finished(command: &mut Command) -> String {
    let output = command.output().unwrap_or_else(|error| panic!("cannot start `{command:?}`: {error}"));
    let [text, remarks] = [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
    assert!(output.status.success(), "{text}\n{remarks}");
    text
}

/// Not by `println!`, whose lines are only shown of tests that fail.
fn closing(line: &str) {
    writeln!(io::stdout(), "{line}").expect("standard output can be written to");
}
