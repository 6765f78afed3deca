//! The command `lro`, built for tests that start it.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::{env, fs, io};

/// Below the folder of a profile: programs as they were when a long run began. What is built beside it replaces the others.
const COPIES: &str = "copies";

/// The path of the command, built as these tests were built.
pub fn lro() -> &'static Path {
    static LRO: OnceLock<PathBuf> = OnceLock::new();
    LRO.get_or_init(|| copy_of_lro().unwrap_or_else(build))
}

/// The command beside this program, if this is a copy.
fn copy_of_lro() -> Option<PathBuf> {
    let folder = env::current_exe().ok()?.parent()?.to_owned();
    folder.ends_with(COPIES).then(|| folder.join("lro").with_extension(env::consts::EXE_EXTENSION))
}

/// Copies this program and the command to where no build replaces them. Returns the copy of this program, or nothing if this
/// is the copy.
///
/// # Errors
/// One of them cannot be copied.
pub fn copied() -> io::Result<Option<PathBuf>> {
    if copy_of_lro().is_some() {
        return Ok(None);
    }
    let (this, folder) = (env::current_exe()?, profile().join(COPIES));
    fs::create_dir_all(&folder)?;
    for program in [&this, lro()] {
        let copy = folder.join(program.file_name().unwrap_or_default());
        // A copy that still runs is not written to.
        let new = copy.with_extension("new");
        fs::copy(program, &new)?;
        fs::rename(new, copy)?;
    }
    Ok(Some(folder.join(this.file_name().unwrap_or_default())))
}

/// The folder of the profile that this program was built in: tests are in `deps` below it, copies in a folder of theirs, other
/// programs in it.
pub fn profile() -> PathBuf {
    let this = env::current_exe().expect("a program has a path");
    let folder = this.parent().expect("a program is in a folder");
    let is_below = folder.ends_with("deps") || folder.ends_with(COPIES);
    if is_below { folder.parent().expect("both are in <target>/<profile>").to_owned() } else { folder.to_owned() }
}

/// Builds the command and finds it in the same profile.
fn build() -> PathBuf {
    let folder = profile();
    let cargo = env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned());
    // With the variables of this test, build scripts that look at them would run again, and what depends on them be compiled
    // anew: while other tests use it.
    let mut build = lro_toolchain::clean_command(cargo, Path::new(env!("CARGO_MANIFEST_DIR")));
    build.args(["build", "--quiet", "--locked", "--package", "lro-cli", "--bin", "lro"]);
    build.env("CARGO_TARGET_DIR", folder.parent().expect("a profile is in the target folder"));
    if folder.ends_with("release") {
        build.arg("--release");
    }
    assert!(build.status().is_ok_and(|status| status.success()), "the command can be built");
    folder.join("lro").with_extension(env::consts::EXE_EXTENSION)
}
