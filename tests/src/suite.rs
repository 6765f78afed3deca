//! Suites of other languages: run, shown how they closed, and failed with their output.

use std::io::{self, Write};
use std::process::Command;

use crate::command;

/// Runs a suite on the built command, prints the lines with which it closes, and panics with its output where it fails.
///
/// # Panics
/// If the suite fails, or cannot be started.
pub fn passes(suite: &mut Command, is_closing: fn(&str) -> bool) {
    let output = suite.env("LRO", command::lro()).output().expect("what has been installed can be started");
    let text = [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).join("\n");
    text.lines().filter(|line| is_closing(line)).for_each(tell);
    assert!(output.status.success(), "{text}");
}

/// Prints a line, also of a test that passes: `println!` shows those of tests that fail.
///
/// # Panics
/// If standard output is closed.
pub fn tell(line: &str) {
    writeln!(io::stdout(), "{line}").expect("standard output can be written to");
}

/// True for the counts of node's runner.
pub fn is_count_of_node(line: &str) -> bool {
    ["# tests", "# pass", "# fail"].iter().any(|start| line.starts_with(start))
}

/// True for the closing lines of unittest.
pub fn is_count_of_unittest(line: &str) -> bool {
    line.starts_with("Ran ") || line == "OK" || line.starts_with("FAILED")
}
