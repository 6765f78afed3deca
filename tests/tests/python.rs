//! The Python package of `embed/python`: built with the component of the built command, checked by pyright, and its whole
//! suite, which runs all cases.

use std::io::{self, Write};
use std::path::Path;
use std::process::{Command, Output};

use lro_tests::{command, peers};

const TARGET: &str = env!("CARGO_TARGET_TMPDIR");

#[test]
fn the_package() {
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("../embed/python");
    let python = peers::python(&sources, Path::new(TARGET)).unwrap_or_else(|reason| panic!("{reason}"));
    let pyright =
        peers::javascript(&sources.join("pyright"), Path::new(TARGET)).unwrap_or_else(|reason| panic!("{reason}"));
    finished(Command::new("bash").arg(sources.join("build.sh")).env("LRO", command::lro()));

    let mut suite = Command::new(python);
    suite.args(["-m", "pytest"]).current_dir(&sources).env("LRO", command::lro()).env("LRO_PYRIGHT", pyright);
    suite.env("PYTHONPATH", sources.join("src")).env("PYTHONDONTWRITEBYTECODE", "1");
    let output = finished(&mut suite);
    let text = String::from_utf8_lossy(&output.stdout);
    let closing = text.lines().last().expect("pytest says how it went");
    // Not by `println!`, whose lines are only shown of tests that fail.
    writeln!(io::stdout(), "{closing}").expect("standard output can be written to");
}

/// What a command put out. Fails with that where the command fails.
fn finished(command: &mut Command) -> Output {
    let output = command.output().expect("what has been installed can be started");
    let text = [&output.stdout, &output.stderr].map(|bytes| String::from_utf8_lossy(bytes).into_owned()).join("\n");
    assert!(output.status.success(), "{text}");
    output
}
