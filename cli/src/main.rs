//! The command `lro`.

mod commands;

use std::process::ExitCode;

fn main() -> ExitCode {
    #[cfg(unix)]
    commands::system::keep_new_files_private();
    survive_a_limit_on_files();
    commands::main()
}

/// A write beyond `ulimit -f` is a write that fails, which an offload survives (LRO-37). By default it ends the process.
#[cfg(unix)]
#[allow(unsafe_code, reason = "the standard library cannot ignore a signal")]
fn survive_a_limit_on_files() {
    // SAFETY: SIG_IGN is a valid disposition, no handler runs, and no other thread runs yet.
    unsafe { libc::signal(libc::SIGXFSZ, libc::SIG_IGN) };
}

/// Elsewhere there is no such signal.
#[cfg(not(unix))]
fn survive_a_limit_on_files() {}
