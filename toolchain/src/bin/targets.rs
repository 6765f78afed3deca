//! Adds the targets that are named to the toolchain of this folder, unless they are installed.

use std::env;
use std::path::Path;
use std::process::ExitCode;

fn main() -> ExitCode {
    let mut ended = ExitCode::SUCCESS;
    for target in env::args().skip(1) {
        if let Err(reason) = lro_toolchain::require(&target, Path::new("."), |message| eprintln!("lro: {message}")) {
            eprintln!("lro: {reason}");
            ended = ExitCode::FAILURE;
        }
    }
    ended
}
