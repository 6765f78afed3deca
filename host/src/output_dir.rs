//! The output directory: where it is on this machine, and how a path of a caller is presented to the component.

use std::path::{Component, Path, PathBuf};
use std::sync::OnceLock;

/// The output directory. It may appear after the component was opened, and is made canonical once.
#[derive(Debug)]
pub(crate) struct OutputDir {
    given: PathBuf,
    canonical: OnceLock<PathBuf>,
}

impl OutputDir {
    /// `given` may be relative to the current directory.
    pub(crate) fn new(given: &Path) -> Self {
        let given = std::path::absolute(given).unwrap_or_else(|_| given.to_owned());
        Self { given, canonical: OnceLock::new() }
    }

    /// Its canonical path, or `None` while there is no such directory.
    pub(crate) fn canonical(&self) -> Option<&Path> {
        if self.canonical.get().is_none() {
            let canonical = self.given.canonicalize().ok().filter(|path| path.is_dir())?;
            // Another thread may have been faster, with the same answer.
            let _ = self.canonical.set(without_verbatim_prefix(canonical));
        }
        self.canonical.get().map(PathBuf::as_path)
    }

    /// Its path for people and models: canonical where it exists, else absolute as given.
    pub(crate) fn public(&self) -> &Path {
        self.canonical().unwrap_or(&self.given)
    }

    /// True when it is the system's temporary directory, which other programs use too.
    pub(crate) fn is_shared(&self) -> bool {
        let temporary = std::env::temp_dir().canonicalize().map(without_verbatim_prefix);
        temporary.is_ok_and(|temporary| self.canonical() == Some(&temporary))
    }

    /// A file's path as the component should see it: a bare name as it is, anything else absolute. Symbolic links in the
    /// folder's path are followed if and only if that leads into this directory; the component judges the result.
    pub(crate) fn present(&self, file: &str) -> String {
        let path = Path::new(file);
        let is_plain = path.components().all(|part| matches!(part, Component::Normal(_)));
        let is_bare = is_plain && path.components().count() < 2;
        // The name of a session's file as an offload answers it, unless it means something from here.
        let is_answered = || is_plain && !path.exists() && self.size_of(file) > 0;
        if is_bare || is_answered() {
            return file.to_owned();
        }
        let path = lexically_resolved(path);
        let followed = match (path.parent().map(Path::canonicalize), path.file_name()) {
            (Some(Ok(folder)), Some(name)) => without_verbatim_prefix(folder).join(name),
            _ => path.clone(),
        };
        let inside = self.canonical().is_some_and(|directory| followed.starts_with(directory));
        let presented = if inside { followed } else { path };
        presented.into_os_string().into_string().unwrap_or_else(|_| file.to_owned())
    }

    /// The size in bytes of the file that a presented path means, which the limits of an extraction depend on; 0 when
    /// there is none.
    pub(crate) fn size_of(&self, file: &str) -> u64 {
        let metadata = self.canonical().and_then(|directory| std::fs::symlink_metadata(directory.join(file)).ok());
        metadata.map_or(0, |metadata| metadata.len())
    }
}

/// The absolute path with `.` and `..` resolved as text, symbolic links left alone.
fn lexically_resolved(path: &Path) -> PathBuf {
    let absolute = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let mut resolved = PathBuf::new();
    for component in absolute.components() {
        match component {
            Component::ParentDir => {
                resolved.pop();
            }
            Component::CurDir => {}
            other => resolved.push(other),
        }
    }
    resolved
}

/// Windows writes canonical paths with a prefix that few programs understand.
fn without_verbatim_prefix(path: PathBuf) -> PathBuf {
    match path.to_str().and_then(|text| text.strip_prefix(r"\\?\")) {
        Some(plain) if !plain.starts_with("UNC") => PathBuf::from(plain),
        _ => path,
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::OutputDir;

    #[test]
    fn paths_are_presented_as_the_component_knows_them() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        std::fs::create_dir_all(root.join("output/session")).unwrap();
        std::fs::create_dir(root.join("elsewhere")).unwrap();
        std::os::unix::fs::symlink(root.join("output"), root.join("alias")).unwrap();
        std::os::unix::fs::symlink(root.join("elsewhere"), root.join("output/way-out")).unwrap();
        let output_dir = OutputDir::new(&root.join("alias"));
        let cases = [
            ("alias/a.jsonl", "output/a.jsonl"),
            ("alias/session/a.jsonl", "output/session/a.jsonl"),
            ("output/../output/./a.jsonl", "output/a.jsonl"),
            ("output/../elsewhere/a.jsonl", "elsewhere/a.jsonl"),
            ("output/way-out/a.jsonl", "output/way-out/a.jsonl"),
            ("missing/a.jsonl", "missing/a.jsonl"),
        ];
        for (given, expected) in cases {
            let given = root.join(given).display().to_string();
            assert_eq!(output_dir.present(&given), root.join(expected).display().to_string());
        }
        assert_eq!(output_dir.present("a.jsonl"), "a.jsonl");
        assert!(!output_dir.is_shared());
    }
}
