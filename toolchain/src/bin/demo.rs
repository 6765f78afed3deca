//! Runs the command `lro` from the sources, behind the alias `cargo demo`.
//!
//! Building it takes minutes, and cargo builds the guest in the middle of them. What would stop that shows here, at once.

use std::env;
use std::path::Path;
use std::process::{Command, ExitCode};

/// The target of the guest.
const TARGET: &str = "wasm32-unknown-unknown";

fn main() -> ExitCode {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("toolchain/ is in the repository");
    if let Err(reason) = lro_toolchain::require(TARGET, root, |message| eprintln!("lro: {message}")) {
        eprintln!("lro: {reason}");
        return ExitCode::FAILURE;
    }
    let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let ended = Command::new(cargo).args(["run", "--package", "lro-cli", "--"]).args(env::args_os().skip(1)).status();
    match ended.map(|status| status.code()) {
        Ok(Some(0)) => ExitCode::SUCCESS,
        Ok(code) => code.and_then(|code| u8::try_from(code).ok()).map_or(ExitCode::FAILURE, ExitCode::from),
        Err(error) => {
            eprintln!("lro: cannot start cargo: {error}");
            ExitCode::FAILURE
        }
    }
}
