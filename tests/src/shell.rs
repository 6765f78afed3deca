//! A real POSIX shell, as a model's own tool would run a command.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

/// What a process printed, and how it ended.
#[derive(Debug)]
pub struct Printed {
    /// Its standard output.
    pub stdout: String,
    /// Its standard error.
    pub stderr: String,
    /// Its exit status; for a pipeline that of the last command, and `None` after a signal.
    pub status: Option<i32>,
}

/// Runs a command line with `sh -c` in a folder.
pub fn run(command_line: &str, folder: &Path) -> Printed {
    finish(Command::new("sh").args(["-c", command_line]).current_dir(folder), "")
}

/// Runs a process to its end.
pub(crate) fn finish(command: &mut Command, input: &str) -> Printed {
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap_or_else(|error| panic!("cannot start {command:?}: {error}"));
    let mut stdin = child.stdin.take().expect("standard input is a pipe");
    let output = std::thread::scope(|scope| {
        // A process that ends before it has read everything has its reasons: they are in its output.
        scope.spawn(move || stdin.write_all(input.as_bytes()));
        child.wait_with_output().expect("a child of ours can be waited for")
    });
    let text = |bytes| String::from_utf8(bytes).expect("what the tests run prints UTF-8");
    Printed { stdout: text(output.stdout), stderr: text(output.stderr), status: output.status.code() }
}
