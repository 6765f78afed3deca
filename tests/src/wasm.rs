//! Builds of WebAssembly within tests: artefacts of `embed`, which have workspaces of their own.

use std::env;
use std::path::Path;
use std::process::Command;

/// Adds a target to the toolchain of a folder of sources where it is missing.
///
/// # Panics
/// If it cannot be added, with the reason.
pub fn require(target: &str, sources: &Path) {
    let added = lro_toolchain::require(target, sources, |message| eprintln!("{message}"));
    added.unwrap_or_else(|reason| panic!("{reason}"));
}

/// Returns a cargo that builds in a folder of sources for a target, which is added where it is missing. It inherits nothing
/// of the build of the tests: its flags are for another target.
///
/// # Panics
/// If the target cannot be added.
pub fn cargo(sources: &Path, target: &str) -> Command {
    require(target, sources);
    let cargo = env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned());
    lro_toolchain::clean_command(cargo, sources)
}
