//! Hosts of components that are programs of their own: the real wassette with `lro-tools.wasm` of `embed/tools`, and the real
//! runtime of wasmCloud with the application of `embed/wasmcloud`.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use lro_tests::{command, imports, peers, wasm};

const TARGET: &str = env!("CARGO_TARGET_TMPDIR");

#[test]
fn wassette_and_a_registry() {
    wasm::require("wasm32-unknown-unknown", &folder("tools"));
    let tools = target("lro-tools.wasm");
    let mut build = Command::new("bash");
    build.arg(folder("tools").join("build.sh")).arg(&tools);
    finished(build.env("LRO", command::lro()).env("TOOLS_TARGET_DIR", target("lro-tools")));

    // The tools in front of the component ask the host for nothing more.
    imports::check("lro", &fs::read(&tools).expect("it has been made"));
    passes(suite("tools").env("LRO_TOOLS", tools));
}

#[test]
fn wasmcloud() {
    let component = target("wasmcloud-lro.wasm");
    finished(Command::new(command::lro()).args(["component", "-o"]).arg(&component));
    // In a target folder of its own: that of these tests is locked while they are built.
    let built = target("lro-wasmcloud");
    let mut build = wasm::cargo(&folder("wasmcloud"), "wasm32-wasip2");
    build.args(["build", "--quiet", "--locked", "--release", "--target", "wasm32-wasip2", "--target-dir"]).arg(&built);
    finished(&mut build);

    let application = built.join("wasm32-wasip2/release/lro_wasmcloud.wasm");
    imports::check("wasmcloud", &fs::read(&application).expect("it has been built"));
    passes(suite("wasmcloud").env("LRO_COMPONENT", component).env("LRO_APPLICATION", application));
}

fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../embed").join(name)
}

fn target(name: &str) -> PathBuf {
    Path::new(TARGET).join(name)
}

/// The Python tests of a folder. Both have the packages of `embed/tools/tests`.
fn suite(name: &str) -> Command {
    let packages = folder("tools").join("tests");
    let python = peers::python(&packages, Path::new(TARGET)).unwrap_or_else(|reason| panic!("{reason}"));
    let mut suite = Command::new(python);
    suite.args(["-m", "unittest", "discover", "--start-directory"]).arg(folder(name).join("tests"));
    suite.env("PYTHONDONTWRITEBYTECODE", "1");
    suite
}

/// Runs a suite and prints what it closes with.
fn passes(suite: &mut Command) {
    let text = finished(suite);
    for line in text.lines().filter(|line| line.starts_with("Ran ") || *line == "OK") {
        // Not by `println!`, whose lines are only shown of tests that fail.
        writeln!(io::stdout(), "{line}").expect("standard output can be written to");
    }
}

/// What a command put out. Fails with that where the command fails.
fn finished(command: &mut Command) -> String {
    let Output { status, stdout, stderr } = command.output().expect("what has been installed can be started");
    let text = [stdout, stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).join("\n");
    assert!(status.success(), "{text}");
    text
}
