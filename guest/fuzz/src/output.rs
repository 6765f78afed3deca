//! The output directory of a target: one for each process, below `TMPDIR`, which `run` sets.

use std::fs;
use std::sync::OnceLock;

/// The directory of this process, which exists.
pub(crate) fn directory() -> &'static str {
    static DIRECTORY: OnceLock<String> = OnceLock::new();
    DIRECTORY.get_or_init(|| {
        let path = std::env::temp_dir().join(format!("lro-fuzz-{}", std::process::id()));
        fs::create_dir_all(&path).expect("the output directory can be created");
        path.into_os_string().into_string().expect("the path is Unicode")
    })
}

/// Removes everything in it, one folder deep, and returns the names of the files.
pub(crate) fn clear() -> Vec<String> {
    let mut names = Vec::new();
    let files = |path: &str| fs::read_dir(path).expect("the output directory can be read");
    for entry in files(directory()) {
        let path = entry.expect("an entry can be read").path();
        let text = path.to_str().expect("names are Unicode").to_owned();
        if path.is_dir() {
            names.extend(files(&text).map(|entry| entry.expect("an entry can be read").path().display().to_string()));
            fs::remove_dir_all(&path).expect("a folder can be removed");
        } else {
            names.push(text);
            fs::remove_file(&path).expect("a file can be removed");
        }
    }
    names
}
