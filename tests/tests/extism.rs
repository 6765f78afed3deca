//! The Extism plug-in of `embed/extism`: built, and run by the runtimes of two SDKs: that for Python, which is that of most
//! SDKs, and that for JavaScript, which has a runtime of its own.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use lro_tests::{adapter, imports, peers, suite, wasm};

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

    let python_tests = sources.join("tests/python");
    let variables = [
        // Extism keeps the compiled plug-in in the user's cache folder.
        ("XDG_CACHE_HOME", Path::new(TARGET).join("cache")),
        ("LRO_PLUGIN", plugin.clone()),
        ("PYTHONPATH", root.join("tests/python")),
        ("PYTHONDONTWRITEBYTECODE", "1".into()),
    ];
    let mut player = adapter::player(&format!("'{}' adapter.py", python.display()));
    player.args(["--gaps", "known-gaps.json"]).current_dir(&python_tests).envs(variables.clone());
    suite::tell(&adapter::played(&mut player, 0));
    let mut suite = Command::new(python);
    let text = finished(suite.args(["-m", "pytest"]).current_dir(&python_tests).envs(variables));
    suite::tell(text.lines().next_back().expect("pytest says how it went"));

    // What that runtime cannot do, the adapter says.
    let mut player = adapter::player("node adapter.mjs");
    suite::tell(&adapter::played(player.current_dir(&node).env("LRO_PLUGIN", &plugin), 6));
    let mut suite = Command::new("node");
    suite.arg("--test").current_dir(node).env("LRO_ROOT", root);
    let text = finished(suite.env("LRO_PLUGIN", &plugin));
    text.lines().filter(|line| line.starts_with("# pass") || line.starts_with("# fail")).for_each(suite::tell);
}

/// Builds the plug-in as its README says, but into a target folder beside this test's.
fn built(sources: &Path) -> PathBuf {
    let target = Path::new(TARGET).join("extism");
    let mut build = wasm::cargo(sources, "wasm32-wasip1");
    finished(build.args(["build", "--release", "--locked", "--quiet", "--target-dir"]).arg(&target));
    target.join("wasm32-wasip1/release/lro.wasm")
}

/// What a command put out. Fails with that where the command fails.
fn finished(command: &mut Command) -> String {
    let output = command.output().unwrap_or_else(|error| panic!("cannot start `{command:?}`: {error}"));
    let [text, remarks] = [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
    assert!(output.status.success(), "{text}\n{remarks}");
    text
}
