//! Starts other programs.

use std::io;
use std::process::{Child, Command};

/// Descriptors that a program needs while it starts: two for each of its streams that are pipes, two to hear whether it
/// started, and one that wasmtime opens in each forked process. Without that one, wasmtime ends the program without a word.
#[cfg(unix)]
const DESCRIPTORS: usize = 7;

/// Starts a program as it would start without us.
///
/// # Errors
/// There is no such program, it cannot be run, or there are too few descriptors to start it.
pub(crate) fn start(command: &mut Command) -> io::Result<Child> {
    #[cfg(unix)]
    {
        crate::system::start_as_directly(command);
        let room: io::Result<Vec<_>> = (0..DESCRIPTORS).map(|_| std::fs::File::open("/dev/null")).collect();
        drop(room?);
    }
    command.spawn()
}
