//! The output directory: where it is on this machine, and how a path of a caller is presented to the component.

use std::fs::DirEntry;
use std::io::{self, ErrorKind};
use std::path::{Component, Path, PathBuf};
use std::sync::{Arc, OnceLock};

use crate::error::{Case, Error, Problem};
use crate::folder::{self, Folder};
use crate::object_store::{self, ObjectStore, PUBLIC};
use crate::sandbox::Place;
use crate::windows;

/// The output directory. It may appear after the component was opened, and is made canonical once. A store has no path on
/// this machine; all of its files begin with [`PUBLIC`].
#[derive(Clone, Debug)]
pub(crate) struct OutputDir {
    given: PathBuf,
    store: Option<Arc<dyn ObjectStore>>,
    /// Nobody has named it: it has to be this user's alone.
    is_default: bool,
    canonical: OnceLock<PathBuf>,
}

impl OutputDir {
    /// `given` may be relative to the current directory.
    pub(crate) fn new(given: &Path) -> Self {
        let given = std::path::absolute(given).unwrap_or_else(|_| given.to_owned());
        Self { given, store: None, is_default: false, canonical: OnceLock::new() }
    }

    /// What is in a store.
    pub(crate) fn of_store(store: Arc<dyn ObjectStore>) -> Self {
        let place = PathBuf::from(PUBLIC);
        Self { given: place.clone(), store: Some(store), is_default: false, canonical: OnceLock::from(place) }
    }

    /// The default directory: `lro-UID` in the system's temporary directory, private to this user.
    pub(crate) fn of_user() -> Self {
        Self { given: temporary().join(user_folder()), store: None, is_default: true, canonical: OnceLock::new() }
    }

    /// Makes sure that there is a directory to write to. One that does not exist is created, with the folders above it,
    /// for this user alone.
    ///
    /// # Errors
    /// `io`: it cannot be created or written to, or somebody else has taken the place of the user's own.
    pub(crate) fn prepare(&self) -> Result<(), Error> {
        if self.store.is_some() {
            // Whether it takes anything shows when it is given something.
            return Ok(());
        }
        let prepared = match self.is_default {
            true => Folder::secluded(&self.given, true).map(|_| ()),
            false => folder::create(&self.given).and_then(|()| is_writable(&self.given)),
        };
        prepared.map_err(|error| self.unusable(&error))?;
        // From now on its place is known.
        self.canonical();
        Ok(())
    }

    /// Creates a directory again that somebody has deleted since it was prepared, such as who tidies up the temporary
    /// directory. Where that fails, the write that follows says why.
    pub(crate) fn restore(&self) {
        let Some(path) = self.canonical.get().filter(|path| self.store.is_none() && !path.exists()) else { return };
        let _ = match self.is_default {
            true => Folder::secluded(&self.given, true).map(|_| ()),
            false => folder::create(path),
        };
    }

    /// Explains an error of reading a file from here: if the directory is missing, that is why the file is not found.
    pub(crate) fn explained(&self, error: Error) -> Error {
        match error {
            Error::Case(Case::NotFound(Problem { message, .. })) if self.canonical().is_none() => {
                let end = message.rfind(": ").unwrap_or(message.len());
                let message = format!("{}: there is no directory `{}`", &message[..end], self.given.display());
                let hint = "check the path; the directory with the file may have been deleted".to_owned();
                Case::NotFound(Problem { message, hint }).into()
            }
            error => error,
        }
    }

    fn unusable(&self, error: &io::Error) -> Error {
        // The system's word for a file in the way is that it exists, which reads as if all were well.
        let reason = match error.kind() {
            ErrorKind::AlreadyExists => "there is something of this name that is not a directory".to_owned(),
            // Such as below /proc.
            ErrorKind::NotFound => "nothing can be created there".to_owned(),
            ErrorKind::NotADirectory => "a part of its path is not a directory".to_owned(),
            _ => error.to_string(),
        };
        Case::Io(Problem {
            message: format!("cannot use `{}` as the output directory: {reason}", self.given.display()),
            hint: "name a directory that you can write to (`--output-dir` of the command)".to_owned(),
        })
        .into()
    }

    /// Its canonical path, or `None` while there is no such directory.
    pub(crate) fn canonical(&self) -> Option<&Path> {
        // Where it lies others can write: when it goes, for example because it is old, they can put something in its place.
        if self.is_default {
            Folder::secluded(&self.given, false).ok()?;
        }
        if self.canonical.get().is_none() {
            let canonical = self.given.canonicalize().ok().filter(|path| path.is_dir())?;
            // Another thread may have been faster, with the same answer.
            let _ = self.canonical.set(without_verbatim_prefix(canonical));
        }
        self.canonical.get().map(PathBuf::as_path)
    }

    pub(crate) fn object_store(&self) -> Option<&Arc<dyn ObjectStore>> {
        self.store.as_ref()
    }

    /// Where its files are, or `None` while there is no such directory.
    pub(crate) fn place(&self) -> Option<Place<'_>> {
        match &self.store {
            Some(store) => Some(Place::Store(store)),
            None => self.canonical().map(Place::Directory),
        }
    }

    /// Its path for people and models: canonical where it exists, else absolute as given.
    pub(crate) fn public(&self) -> &Path {
        self.canonical().unwrap_or(&self.given)
    }

    /// True when it is the system's temporary directory, which other programs use too.
    pub(crate) fn is_shared(&self) -> bool {
        if self.store.is_some() {
            return false;
        }
        let temporary = temporary().canonicalize().map(without_verbatim_prefix);
        temporary.is_ok_and(|temporary| self.canonical() == Some(&temporary))
    }

    /// A file's path as the component should see it: a bare name unchanged, anything else absolute. Symbolic links in the
    /// folder's path are followed if and only if that leads into this directory; the component judges the result.
    pub(crate) fn present(&self, file: &str) -> String {
        if self.store.is_some() || file.starts_with(PUBLIC) {
            return file.to_owned();
        }
        let path = Path::new(file);
        let is_plain = path.components().all(|part| matches!(part, Component::Normal(_)));
        let is_bare = is_plain && path.components().count() < 2;
        // The name of a session's file as an offload answers it, unless it means something from here.
        let is_answered = || is_plain && !path.exists() && self.size_of(file) > 0;
        if is_bare || is_answered() {
            return file.to_owned();
        }
        if self.is_on_another_machine(file) {
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

    /// True for a path of Windows that names a machine or a device, unless the directory is there too. Looking it up would
    /// connect to a machine that a model has named, with this user's credentials.
    fn is_on_another_machine(&self, file: &str) -> bool {
        cfg!(windows) && windows::leads_away(file, self.public().to_str().unwrap_or_default())
    }

    /// The size in bytes of the file that a presented path means, which the limits of an extraction depend on; 0 when
    /// there is none.
    pub(crate) fn size_of(&self, file: &str) -> u64 {
        if let Some(store) = &self.store {
            return object_store::size_of(&**store, file);
        }
        let file = file.strip_prefix(PUBLIC).unwrap_or(file);
        let Some(directory) = self.canonical().filter(|_| !self.is_on_another_machine(file)) else { return 0 };
        match std::fs::symlink_metadata(directory.join(file)) {
            Ok(metadata) => metadata.len(),
            Err(_) => size_meant(directory, file),
        }
    }
}

/// The size of the largest file that an id or a name without its folder may mean. Which file it is, the component
/// decides.
fn size_meant(directory: &Path, file: &str) -> u64 {
    if file.is_empty() || file.contains(['/', '\\', '\0']) {
        return 0;
    }
    let stem = file.rsplit_once('.').map_or(file, |(stem, _)| stem);
    // The id of an artifact ends with a ULID, and names of files with all of it or with its random part.
    let id = file.strip_prefix("art_").and_then(|id| id.rsplit('_').next()).map(str::to_ascii_uppercase);
    let random = id.as_deref().map(|ulid| ulid.get(ulid.len().saturating_sub(16)..).unwrap_or(ulid));
    let is_meant = |name: &str| name.starts_with(stem) || random.is_some_and(|random| name.contains(random));
    let entries = |folder: &Path| std::fs::read_dir(folder).into_iter().flatten().flatten();
    let size = |entry: &DirEntry| {
        let is_meant = entry.file_name().to_str().is_some_and(is_meant);
        let metadata = is_meant.then(|| entry.metadata().ok()).flatten().filter(std::fs::Metadata::is_file);
        metadata.map_or(0, |metadata| metadata.len())
    };
    let is_folder = |entry: &DirEntry| entry.file_type().is_ok_and(|kind| kind.is_dir());
    let below = entries(directory).filter(is_folder).flat_map(|folder| entries(&folder.path()).collect::<Vec<_>>());
    entries(directory).chain(below).map(|entry| size(&entry)).max().unwrap_or(0)
}

/// Returns the directory that files go to, the default without a choice, and why none can be written there, if so.
/// Nothing is created or tried out.
///
/// ```
/// let (folder, problem) = lro::examine_output_dir(Some(std::path::Path::new("/dev/null/results")));
/// assert_eq!(folder, std::path::Path::new("/dev/null/results"));
/// assert!(problem.is_some());
/// ```
pub fn examine_output_dir(given: Option<&Path>) -> (PathBuf, Option<Error>) {
    let directory = given.map_or_else(OutputDir::of_user, OutputDir::new);
    let first_there = directory.given.ancestors().find(|folder| folder.symlink_metadata().is_ok());
    let examined = match first_there {
        Some(folder) if directory.is_default && folder == directory.given => {
            Folder::secluded(folder, false).map(|_| ())
        }
        Some(folder) if !folder.is_dir() => Err(ErrorKind::NotADirectory.into()),
        Some(folder) => is_writable(folder),
        None => Err(ErrorKind::NotFound.into()),
    };
    (directory.given.clone(), examined.err().map(|error| directory.unusable(&error)))
}

/// Fails where this user cannot create files in a directory. A question to the system: nothing is tried out.
#[cfg(unix)]
fn is_writable(directory: &Path) -> io::Result<()> {
    use rustix::fs::{Access, AtFlags, CWD, accessat};
    use rustix::io::Errno;
    match accessat(CWD, directory, Access::WRITE_OK | Access::EXEC_OK, AtFlags::EACCESS) {
        Err(refused @ (Errno::ACCESS | Errno::PERM | Errno::ROFS)) => Err(refused.into()),
        // Where the system cannot say, writing will show it.
        _ => Ok(()),
    }
}

/// Elsewhere writing shows it.
#[cfg(not(unix))]
fn is_writable(_: &Path) -> io::Result<()> {
    Ok(())
}

/// The system's temporary directory. A variable that is empty, or that no setting can name, does not count.
fn temporary() -> PathBuf {
    let temporary = std::env::temp_dir();
    let is_usable = temporary.is_absolute() && temporary.to_str().is_some();
    if is_usable || cfg!(not(unix)) { temporary } else { PathBuf::from("/tmp") }
}

#[cfg(unix)]
fn user_folder() -> String {
    format!("lro-{}", crate::owner::user())
}

/// Elsewhere the temporary directory is the user's own.
#[cfg(not(unix))]
fn user_folder() -> String {
    "lro".to_owned()
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
    let plain = path.to_str().filter(|_| cfg!(windows)).and_then(windows::without_prefix);
    plain.map_or(path, PathBuf::from)
}

#[cfg(all(test, unix))]
mod tests;
