//! The command `lro`.

mod commands;

use std::process::ExitCode;

fn main() -> ExitCode {
    #[cfg(unix)]
    commands::system::keep_new_files_private();
    commands::main()
}
