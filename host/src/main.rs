//! The command `lro`.

mod commands;

use std::process::ExitCode;

fn main() -> ExitCode {
    keep_new_files_private();
    commands::main()
}

/// Files that this process creates are for this user only (USER-08).
#[cfg(unix)]
#[allow(unsafe_code, reason = "the standard library has no umask")]
fn keep_new_files_private() {
    // SAFETY: umask has no preconditions and cannot fail; no other thread runs yet.
    unsafe { libc::umask(0o077) };
}

/// Elsewhere files inherit the access list of their folder.
#[cfg(not(unix))]
fn keep_new_files_private() {}
