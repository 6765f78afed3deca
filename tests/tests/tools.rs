//! `lro-tools.wasm` of `embed/tools`: made with the component of the built command, and its whole suite, which loads it into
//! the real wassette, and pushes it to a real registry and pulls it back.

use std::io::{self, Write};
use std::path::Path;
use std::process::{Command, Output};

use lro_tests::{command, imports, peers};

const TARGET: &str = env!("CARGO_TARGET_TMPDIR");

#[test]
fn the_tools() {
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("../embed/tools");
    let tools = Path::new(TARGET).join("lro-tools.wasm");
    let mut build = Command::new("bash");
    build.arg(sources.join("build.sh")).arg(&tools).env("LRO", command::lro());
    finished(build.env("TOOLS_TARGET_DIR", Path::new(TARGET).join("lro-tools")));

    // The tools in front of the component ask the host for nothing more.
    imports::check("lro", &std::fs::read(&tools).expect("it has been made"));

    let python = peers::python(&sources.join("tests"), Path::new(TARGET)).unwrap_or_else(|reason| panic!("{reason}"));
    let mut suite = Command::new(python);
    suite.args(["-m", "unittest", "discover", "--start-directory"]).arg(sources.join("tests"));
    suite.env("LRO_TOOLS", &tools).env("PYTHONDONTWRITEBYTECODE", "1");
    let text = finished(&mut suite);
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
