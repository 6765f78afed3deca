//! A server that is a process of ours: it is started, spoken to over its standard input and output, and ended.

use std::io;
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use super::lines::Sink;
use super::server::Server;
use crate::commands::Failure;

/// How long a server may take to end after the end of its output, before it is asked to, and then is made to. Most take
/// some milliseconds.
const GRACE: Duration = Duration::from_secs(5);

/// How often a server is looked at that should end.
const LOOK: Duration = Duration::from_millis(10);

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

/// Starts a server. Its standard error is ours.
pub(super) fn start(command: &[String]) -> Result<(Child, Input, ChildStdout), Failure> {
    let [program, arguments @ ..] = command else {
        return Err(Failure::Usage("a command to run is missing; write it after `--`".to_owned()));
    };
    let failure = |error| Failure::file(format!("start `{program}`"), error);
    let mut child = spawn(program, arguments).map_err(failure)?;
    signals::forward_to(&child);
    let (Some(input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
        return Err(failure(io::Error::other("it has no standard input and output")));
    };
    Ok((child, Input(Sink::new(input)), output))
}

fn spawn(program: &str, arguments: &[String]) -> io::Result<Child> {
    let spawn =
        |program: &str| Command::new(program).args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
    match spawn(program) {
        // `npx` and its like are scripts there, which are found by their full name only.
        Err(error) if cfg!(windows) && error.kind() == io::ErrorKind::NotFound => spawn(&format!("{program}.cmd")),
        started => started,
    }
}

/// Waits for the end of a server that says nothing any more and is not listened to, and brings it about when it does not
/// come.
pub(super) fn end(child: &mut Child) -> io::Result<ExitStatus> {
    if let Some(status) = wait_for(child, GRACE)? {
        return Ok(status);
    }
    signals::ask_to_end();
    if let Some(status) = wait_for(child, GRACE)? {
        return Ok(status);
    }
    child.kill()?;
    child.wait()
}

fn wait_for(child: &mut Child, longest: Duration) -> io::Result<Option<ExitStatus>> {
    let start = Instant::now();
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status));
        }
        if start.elapsed() > longest {
            return Ok(None);
        }
        thread::sleep(LOOK);
    }
}

/// The exit status of ours that stands for the server's: 128 and the signal's number where a signal ended it, as shells
/// have it.
pub(super) fn exit_code(status: ExitStatus) -> u8 {
    #[cfg(unix)]
    let signal = std::os::unix::process::ExitStatusExt::signal(&status);
    #[cfg(not(unix))]
    let signal: Option<i32> = None;
    let code = status.code().or(signal.map(|signal| 128 + signal)).unwrap_or(1);
    u8::try_from(code).unwrap_or(1)
}

/// Signals that would end this process are the server's to answer: it ends, and then we do.
#[cfg(unix)]
#[allow(unsafe_code, reason = "the standard library has no signals")]
mod signals {
    use std::process::Child;
    use std::sync::atomic::{AtomicI32, Ordering};

    static SERVER: AtomicI32 = AtomicI32::new(0);

    pub(super) fn forward_to(child: &Child) {
        SERVER.store(i32::try_from(child.id()).unwrap_or(0), Ordering::Relaxed);
        for signal in [libc::SIGTERM, libc::SIGINT, libc::SIGHUP] {
            let handler: extern "C" fn(libc::c_int) = forward;
            // SAFETY: the handler only loads an atomic and calls kill, which are safe in a handler.
            unsafe { libc::signal(signal, handler as libc::sighandler_t) };
        }
    }

    pub(super) fn ask_to_end() {
        forward(libc::SIGTERM);
    }

    extern "C" fn forward(signal: libc::c_int) {
        let server = SERVER.load(Ordering::Relaxed);
        if server > 0 {
            // SAFETY: kill has no preconditions; the process is our child and is reaped only when we end.
            unsafe { libc::kill(server, signal) };
        }
    }
}

/// Elsewhere a process that is told to end ends, and the server sees the end of its input.
#[cfg(not(unix))]
mod signals {
    pub(super) fn forward_to(_: &std::process::Child) {}

    pub(super) fn ask_to_end() {}
}
