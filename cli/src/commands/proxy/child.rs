//! A server that runs as a child process: starts it, talks to it over its standard input and output, and ends it.

use std::io::{self, PipeReader, PipeWriter, Read};
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};

use super::lines::Sink;
use super::server::Server;
use crate::failure::Failure;
#[cfg(unix)]
use crate::system::{self, Watched};

/// The standard input of the process.
pub(super) struct Input(Sink<ChildStdin>);

impl Server for Input {
    fn send(&self, line: &[u8]) -> bool {
        self.0.write(line)
    }

    fn close(&self) {
        self.0.close();
    }
}

/// The standard output of the process. It ends with the process, also when others hold it open that it has started.
pub(super) struct Output {
    stream: ChildStdout,
    /// Ends with the process.
    #[cfg_attr(not(unix), expect(dead_code, reason = "there is no poll for pipes"))]
    alive: PipeReader,
    #[cfg(unix)]
    has_ended: bool,
}

#[cfg(unix)]
impl Read for Output {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            // What the process wrote before its end is available by then, and is read first.
            let longest = self.has_ended.then_some(std::time::Duration::ZERO);
            let mut streams = [Watched::to_read(&self.stream), Watched::to_read(&self.alive).only_if(!self.has_ended)];
            system::poll(&mut streams, longest)?;
            if streams[0].has_come() {
                return self.stream.read(buffer);
            }
            if self.has_ended {
                return Ok(0);
            }
            self.has_ended = streams[1].has_come();
        }
    }
}

#[cfg(not(unix))]
impl Read for Output {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.stream.read(buffer)
    }
}

/// The process itself.
pub(super) struct Process {
    child: Child,
    status: Option<ExitStatus>,
    /// Kept open while the process runs.
    alive: Option<PipeWriter>,
}

/// Starts a server. Its standard error is ours.
pub(super) fn start(command: &[String]) -> Result<(Process, Input, Output), Failure> {
    start_with(command, &|_| {})
}

/// The same with variables or a folder of its own, which `prepare` sets.
pub(super) fn start_with(
    command: &[String],
    prepare: &dyn Fn(&mut Command),
) -> Result<(Process, Input, Output), Failure> {
    let [program, arguments @ ..] = command else {
        return Err(Failure::Usage("a command to run is missing; write it at the end".to_owned()));
    };
    let failure = |error| Failure::file(format!("start `{program}`"), error);
    let (ended, alive) = io::pipe().map_err(failure)?;
    let mut child = spawn(program, arguments, prepare).map_err(failure)?;
    let (Some(input), Some(stream)) = (child.stdin.take(), child.stdout.take()) else {
        return Err(failure(io::Error::other("it has no standard input and output")));
    };
    let output = Output {
        stream,
        alive: ended,
        #[cfg(unix)]
        has_ended: false,
    };
    Ok((Process { child, status: None, alive: Some(alive) }, Input(Sink::new(input)), output))
}

/// `npx --package=FILE lro-component proxy -- npx SERVER` would hand its package and its command to the second `npx`,
/// which would take the name of the server for a command of that package.
const NPX_VARIABLES: [&str; 2] = ["npm_config_package", "npm_config_call"];

fn spawn(program: &str, arguments: &[String], prepare: &dyn Fn(&mut Command)) -> io::Result<Child> {
    let spawn = |program: &str| {
        let mut command = Command::new(program);
        command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped());
        for name in NPX_VARIABLES {
            command.env_remove(name);
        }
        prepare(&mut command);
        crate::start::start(&mut command)
    };
    match spawn(program) {
        // `npx` and its like are scripts there, which are found by their full name only.
        Err(error) if cfg!(windows) && error.kind() == io::ErrorKind::NotFound => spawn(&format!("{program}.cmd")),
        started => started,
    }
}

impl Process {
    /// Its number.
    pub(super) fn id(&self) -> u32 {
        self.child.id()
    }

    /// True when the process has ended; its output ends then.
    pub(super) fn has_ended(&mut self) -> bool {
        #[cfg(unix)]
        let has_ended = self.status.is_some() || system::has_ended(self.child.id());
        #[cfg(not(unix))]
        let has_ended = self.reap().is_some();
        if has_ended {
            self.alive = None;
        }
        has_ended
    }

    /// The status of a process that has ended. From now on its number may be given to another one.
    pub(super) fn reap(&mut self) -> Option<ExitStatus> {
        if self.status.is_none() {
            self.status = self.child.try_wait().ok().flatten();
        }
        self.status
    }

    /// Sends a signal to the process and to those of its group.
    #[cfg(unix)]
    pub(super) fn signal(&self, signal: i32) {
        if self.status.is_none() {
            system::signal_group(self.child.id(), signal);
        }
    }

    /// Elsewhere a process sees the end of its input, and is killed if it does not end then.
    #[cfg(not(unix))]
    pub(super) fn signal(&self, _: i32) {}

    /// Ends the process, and those of its group, at once.
    pub(super) fn kill(&mut self) {
        #[cfg(unix)]
        self.signal(signal_hook::consts::SIGKILL);
        #[cfg(not(unix))]
        // Otherwise it has ended already.
        let _ = self.child.kill();
    }
}

/// Returns our exit status for the server's: 128 plus the number of the signal if a signal ended it, as in shells.
pub(super) fn exit_code(status: ExitStatus) -> u8 {
    let code = status.code().or(signal(status).map(|signal| 128 + signal)).unwrap_or(1);
    u8::try_from(code).unwrap_or(1)
}

/// The name of the signal that ended a server.
#[cfg(unix)]
pub(super) fn signal_name(status: ExitStatus) -> Option<String> {
    let signal = signal(status)?;
    Some(signal_hook::low_level::signal_name(signal).map_or_else(|| format!("signal {signal}"), str::to_owned))
}

#[cfg(not(unix))]
pub(super) fn signal_name(_: ExitStatus) -> Option<String> {
    None
}

#[cfg(unix)]
fn signal(status: ExitStatus) -> Option<i32> {
    std::os::unix::process::ExitStatusExt::signal(&status)
}

#[cfg(not(unix))]
fn signal(_: ExitStatus) -> Option<i32> {
    None
}
