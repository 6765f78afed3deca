//! The command `lro` as a process, also below a tool.

use std::ffi::OsStr;
use std::io::Read;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;

/// A process that takes longer hangs. The slowest is an offload below a tracer on a busy machine.
const LONGEST_SECONDS: &str = "180";

/// What `timeout` ends with when it has ended its program.
const TIMED_OUT: i32 = 124;
const TIMED_OUT_HARD: i32 = 137;

/// How a process ended, and what it printed.
#[derive(Debug)]
pub(super) struct Ran {
    /// `None` after a signal.
    pub(super) status: Option<i32>,
    pub(super) stdout: String,
    pub(super) stderr: String,
}

impl Ran {
    /// An answer or an error, but no panic, no signal, and no wait for ever.
    pub(super) fn has_ended_well(&self) -> Result<(), String> {
        let told = || self.stderr.chars().take(300).collect::<String>();
        if self.stderr.contains("panicked") {
            return Err(format!("it panicked: {}", told()));
        }
        match self.status {
            Some(TIMED_OUT | TIMED_OUT_HARD) => Err(format!("it hung: {}", told())),
            Some(0) => Ok(()),
            Some(1 | 2) if !self.stderr.trim().is_empty() => Ok(()),
            status => Err(format!("it ended with {status:?} and said: {:?}", told())),
        }
    }

    /// An error that says what failed.
    pub(super) fn is_error(&self) -> bool {
        self.status == Some(1)
    }
}

/// `lro`, with the compiled component from a folder of the suites.
pub(super) fn lro(binary: &Path, cache: &Path) -> Command {
    set(Command::new(binary), cache)
}

/// `lro` below a tool that gives it its place, such as `prlimit`.
pub(super) fn lro_within(tool: &[String], binary: &Path, cache: &Path) -> Command {
    let (program, arguments) = tool.split_first().expect("a tool has a name");
    let mut command = Command::new(program);
    command.args(arguments).arg(binary);
    set(command, cache)
}

/// `lro` below a tool, which is given by its words, and which the tool's own time limit ends.
pub(super) fn lro_below(tool: &[String], binary: &Path, cache: &Path) -> Command {
    let mut command = Command::new("timeout");
    command.args(["--kill-after=5", LONGEST_SECONDS]).args(tool).arg(binary);
    set(command, cache)
}

fn set(mut command: Command, cache: &Path) -> Command {
    command.env("LRO_CACHE_DIR", cache).env_remove("RUST_BACKTRACE").stdin(Stdio::null());
    command
}

/// Runs a process to its end.
pub(super) fn run(command: &mut Command) -> Result<Ran, String> {
    let output = command.output().map_err(|error| format!("cannot start {:?}: {error}", command.get_program()))?;
    let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
    Ok(Ran { status: output.status.code(), stdout: text(output.stdout), stderr: text(output.stderr) })
}

/// Starts a process whose output is taken by threads, so that it never waits for a reader.
pub(super) fn start(command: &mut Command) -> Result<Child, String> {
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().map_err(|error| format!("cannot start {:?}: {error}", command.get_program()))?;
    for stream in [
        child.stdout.take().map(|stream| Box::new(stream) as Box<dyn Read + Send>),
        child.stderr.take().map(|stream| Box::new(stream) as Box<dyn Read + Send>),
    ]
    .into_iter()
    .flatten()
    {
        let mut stream = stream;
        // It ends with the process.
        thread::spawn(move || _ = stream.read_to_end(&mut Vec::new()));
    }
    Ok(child)
}

/// True if a program can be started at all.
pub(super) fn has(program: impl AsRef<OsStr>, arguments: &[&str]) -> bool {
    let mut command = Command::new(program);
    command.args(arguments).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}
