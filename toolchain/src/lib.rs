//! Targets of Rust: one that is missing is added through rustup. For the build of the guest, and for tests that build
//! WebAssembly.

use std::env;
use std::path::Path;
use std::process::Command;
use std::sync::{Mutex, PoisonError};

/// What a nested cargo must not inherit: it describes the outer build, or would apply the outer target's flags to the
/// guest.
const OUTER_BUILD: [&str; 13] = [
    "CARGO",
    "RUSTC",
    "RUSTDOC",
    "RUSTFLAGS",
    "__CARGO",
    "DEP_",
    "TARGET",
    "HOST",
    "OPT_LEVEL",
    "PROFILE",
    "DEBUG",
    "OUT_DIR",
    "NUM_JOBS",
];

/// What it keeps all the same: where cargo's files are, and how it reaches the network.
const KEPT: [&str; 6] =
    ["CARGO_HOME", "CARGO_NET_", "CARGO_HTTP_", "CARGO_REGISTRY_", "CARGO_REGISTRIES_", "CARGO_SOURCE_"];

/// Adds a target to the toolchain of a folder, unless it is installed. `say` is told before rustup starts.
///
/// # Errors
/// What failed, and what to do.
pub fn require(target: &str, folder: &Path, say: impl Fn(&str)) -> Result<(), String> {
    // rustup changes a toolchain for one process at a time; tests of one program run side by side.
    static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());
    let _turn = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
    if is_installed(target, folder)? {
        return Ok(());
    }
    say(&format!("the Rust target {target} is missing: adding it through rustup"));
    let added = clean_command("rustup".to_owned(), folder).args(["target", "add", target]).output();
    match added {
        Ok(output) if output.status.success() && is_installed(target, folder)? => Ok(()),
        Ok(output) if output.status.success() => Err(format!(
            "rustup says that the Rust target {target} is installed, but its library is missing.\n\
             The toolchain is damaged: install it anew, with `rustup toolchain uninstall` and `rustup toolchain install`."
        )),
        Ok(output) => Err(format!(
            "cannot add the Rust target {target}: rustup failed:\n{}\nTo try again: rustup target add {target}",
            String::from_utf8_lossy(&output.stderr).trim_end()
        )),
        Err(error) => Err(format!(
            "the Rust target {target} is missing, and rustup cannot be started to add it: {error}\n\
             Install Rust with rustup (https://rustup.rs), or add the target with what has installed Rust."
        )),
    }
}

/// True if the toolchain of a folder has the standard library for a target.
fn is_installed(target: &str, folder: &Path) -> Result<bool, String> {
    let asked =
        clean_command("rustc".to_owned(), folder).args(["--print", "target-libdir", "--target", target]).output();
    let output = asked.map_err(|error| format!("cannot start rustc: {error}"))?;
    let libraries = String::from_utf8_lossy(&output.stdout).into_owned();
    Ok(output.status.success() && Path::new(libraries.trim()).is_dir())
}

/// Returns a command in a folder without the outer build's environment.
pub fn clean_command(program: String, folder: &Path) -> Command {
    let mut command = Command::new(program);
    command.current_dir(folder);
    for (name, _) in env::vars_os() {
        let text = name.to_string_lossy();
        let begins_with = |prefixes: &[&str]| prefixes.iter().any(|prefix| text.starts_with(prefix));
        if begins_with(&OUTER_BUILD) && !begins_with(&KEPT) {
            command.env_remove(&name);
        }
    }
    command
}
