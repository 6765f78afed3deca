//! Packages of other languages for tests: installed once from a lock file, into a folder that is named by its digest.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Mutex, PoisonError};

/// Folders of a package that are made, by npm and by its build.
const NOT_SOURCES: [&str; 2] = ["node_modules", "component"];

/// A folder in `target` with the packages of `sources/package-lock.json`, and with the other files of `sources`, so that
/// they find them.
///
/// # Errors
/// One line that says what is missing or failed.
pub fn javascript(sources: &Path, target: &Path) -> Result<PathBuf, String> {
    let folder = installed("npm", sources, target)?;
    copy_files(sources, &folder)?;
    Ok(folder)
}

/// A folder in `target` with the packages of `sources/package-lock.json`, and with all files below `sources` as they are
/// now, but for what is installed or built there.
///
/// # Errors
/// One line that says what is missing or failed.
pub fn javascript_package(sources: &Path, target: &Path) -> Result<PathBuf, String> {
    let folder = javascript(sources, target)?;
    let copy = || {
        for entry in fs::read_dir(sources)? {
            let path = entry?.path();
            let name = path.file_name().unwrap_or_default();
            if path.is_dir() && !NOT_SOURCES.iter().any(|other| name == *other) {
                // What has been deleted here is not to be found there.
                let _ = fs::remove_dir_all(folder.join(name));
                copy_tree(&path, &folder.join(name))?;
            }
        }
        Ok(())
    };
    copy().map_err(|error: std::io::Error| format!("cannot copy `{}`: {error}", sources.display()))?;
    Ok(folder)
}

/// The interpreter of an environment in `target` with the packages of `sources/requirements.txt`.
///
/// # Errors
/// One line that says what is missing or failed.
pub fn python(sources: &Path, target: &Path) -> Result<PathBuf, String> {
    Ok(installed("python", sources, target)?.join("bin/python"))
}

/// The folder of a lock file, filled by `tests/packages.sh` when that has not been done yet.
fn installed(kind: &str, sources: &Path, target: &Path) -> Result<PathBuf, String> {
    // Tests of one program run side by side.
    static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());
    let _turn = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("packages.sh");
    let output = Command::new("bash").arg(script).arg(kind).args([sources, target]).stderr(Stdio::inherit()).output();
    let output = output.map_err(|error| format!("cannot start bash: {error}"))?;
    if !output.status.success() {
        let sources = sources.display();
        return Err(format!(
            "cannot install the {kind} packages of `{sources}`; `bash tests/run needs` tells what is missing"
        ));
    }
    Ok(PathBuf::from(String::from_utf8_lossy(&output.stdout).trim_end()))
}

/// Copies a folder with all that is in it.
pub(crate) fn copy_tree(from: &Path, to: &Path) -> std::io::Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let path = entry?.path();
        let target = to.join(path.file_name().unwrap_or_default());
        if path.is_dir() { copy_tree(&path, &target)? } else { fs::copy(&path, target).map(drop)? }
    }
    Ok(())
}

/// Copies the files of a folder, without the folders in it.
fn copy_files(from: &Path, to: &Path) -> Result<(), String> {
    let copy = || {
        for entry in fs::read_dir(from)? {
            let path = entry?.path();
            if let (true, Some(name)) = (path.is_file(), path.file_name()) {
                fs::copy(&path, to.join(name))?;
            }
        }
        Ok(())
    };
    copy().map_err(|error: std::io::Error| format!("cannot copy `{}`: {error}", from.display()))
}

/// Runs a command to its end.
///
/// # Errors
/// One line that says that it failed, or cannot be started.
pub fn run(command: &mut Command) -> Result<(), String> {
    let program = command.get_program().to_string_lossy().into_owned();
    match command.status() {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("`{program}` failed with {status}; its reason stands above")),
        Err(error) => Err(format!("cannot start `{program}`: {error}; `bash tests/run needs` tells what is missing")),
    }
}
