//! Two real hosts of wasmCloud that share a real NATS server, with the application of `embed/wasmcloud` from a real registry:
//! `tests/scale`.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use lro_tests::{command, peers, wasm};

const TARGET: &str = env!("CARGO_TARGET_TMPDIR");

#[test]
fn results_that_any_host_can_read() {
    let component = target("scale-lro.wasm");
    finished(Command::new(command::lro()).args(["component", "-o"]).arg(&component));
    // The folder of the suite `hosts`, which may build at the same time: cargo waits for its turn.
    let built = target("lro-wasmcloud");
    let mut build = wasm::cargo(&repository().join("embed/wasmcloud"), "wasm32-wasip2");
    build.args(["build", "--quiet", "--locked", "--release", "--target", "wasm32-wasip2", "--target-dir"]).arg(&built);
    finished(&mut build);

    let packages = repository().join("embed/tools/tests");
    let python = peers::python(&packages, Path::new(TARGET)).unwrap_or_else(|reason| panic!("{reason}"));
    let mut suite = Command::new(python);
    suite.args(["-m", "unittest", "-v", "test_scale"]).current_dir(repository().join("tests/scale"));
    suite.env("PYTHONDONTWRITEBYTECODE", "1").env("LRO", command::lro()).env("LRO_COMPONENT", component);
    suite.env("LRO_APPLICATION", built.join("wasm32-wasip2/release/lro_wasmcloud.wasm"));
    let text = finished(&mut suite);
    // The table, and what it closes with. Not by `println!`, whose lines are only shown of tests that fail.
    let is_shown = |line: &&str| ["| ", "|-", "- ", "Ran ", "OK"].iter().any(|begin| line.starts_with(begin));
    for line in text.lines().filter(is_shown) {
        writeln!(io::stdout(), "{line}").expect("standard output can be written to");
    }
}

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn target(name: &str) -> PathBuf {
    Path::new(TARGET).join(name)
}

/// What a command put out. Fails with that where the command fails.
fn finished(command: &mut Command) -> String {
    let Output { status, stdout, stderr } = command.output().expect("what has been installed can be started");
    let text = [stdout, stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).join("\n");
    assert!(status.success(), "{text}");
    text
}
