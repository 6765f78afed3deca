//! Builds of WebAssembly within tests: artefacts of `embed`, which have workspaces of their own.

use std::env;
use std::path::Path;
use std::process::Command;

/// Returns a cargo that builds in a folder of sources for a target, which is added where it is missing. It inherits nothing
/// of the build of the tests: its flags are for another target.
///
/// # Panics
/// If the target is missing and cannot be added.
pub fn cargo(sources: &Path, target: &str) -> Command {
    lro_toolchain::require(target, sources, |message| eprintln!("{message}"))
        .unwrap_or_else(|reason| panic!("{reason}"));
    let cargo = env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned());
    lro_toolchain::clean_command(cargo, sources)
}
