//! Puts a file aside, so that it outlives its session: a copy of it in a folder outside the output directory, with the
//! files of its document.

use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind, Read, Seek, SeekFrom, Write};
use std::path::{Component, Path, PathBuf};

use serde::Deserialize;

use crate::answer::Source;
use crate::error::Error;
use crate::folder;
use crate::object_store::ObjectReader;
use crate::offloader::Lro;
use crate::sandbox::Place;

/// What a file is called while it is copied: a cleanup knows such names.
const PART: &str = ".part";

/// What has been put aside.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Kept {
    /// The copies, the one of the file that was asked for first.
    pub files: Vec<PathBuf>,
    /// Files of its document that are gone: it cannot be rebuilt.
    pub missing: Vec<String>,
}

/// What the component says about copies.
#[derive(Deserialize)]
struct Copies {
    files: Vec<FileCopy>,
    missing: Vec<String>,
}

#[derive(Deserialize)]
struct FileCopy {
    file_name: Option<String>,
    header: String,
    header_bytes: u64,
}

impl Lro {
    /// Copies a file, with the files of its document, to a folder outside the output directory, where no cleanup reaches
    /// it. The copies keep their names, do not expire, and are for this user alone; a missing folder is created. `to` may
    /// also end with the name of the file. What is there already is overwritten only if `replaces`.
    ///
    /// # Errors
    /// `invalid-argument` for a place that makes no sense; `not-found`, `outside`, `not-an-offload`, `io`.
    pub fn keep(&self, file: &str, to: &Path, replaces: bool) -> Result<Kept, Error> {
        let copies = self.copies(&Source::File(file.to_owned()))?;
        let Copies { files, missing } =
            serde_json::from_str(&copies).map_err(|error| Error::io("read what to copy", &io::Error::from(error)))?;
        let place = self.settings.output_dir.place().unwrap_or(Place::Directory(self.settings.output_dir.public()));
        let names: Vec<&str> = files.iter().filter_map(|copy| copy.file_name.as_deref()).map(bare).collect();
        let folder = self.folder_for(to, names.first().copied().unwrap_or_default())?;
        if !replaces {
            // Before anything is copied: a document is kept as a whole.
            let mut paths = names.iter().map(|name| folder.join(name));
            if let Some(path) = paths.find(|path| path.symlink_metadata().is_ok()) {
                return Err(exists(&path));
            }
        }
        let mut kept = Vec::new();
        for copy in &files {
            let Some(name) = &copy.file_name else { continue };
            let path = folder.join(bare(name));
            copy.write(place, &path, replaces).map_err(|error| match error.kind() {
                ErrorKind::AlreadyExists => exists(&path),
                _ => Error::io(&format!("keep `{name}` as `{}`", path.display()), &error),
            })?;
            kept.push(path);
        }
        Ok(Kept { files: kept, missing })
    }

    /// The folder that copies go to, which is created.
    fn folder_for(&self, to: &Path, name: &str) -> Result<PathBuf, Error> {
        let refused = |reason: &str| {
            Error::invalid_argument_with(
                format!("cannot keep `{name}` as `{}`: {reason}", to.display()),
                "name a folder outside the output directory; the file keeps its name",
            )
        };
        let folder = match to.file_name() {
            Some(last) if last == name && !to.is_dir() => to.parent().unwrap_or(Path::new("")),
            Some(last) if !to.is_dir() && is_file_name(last.as_ref()) => {
                return Err(refused("under another name it could not be read again"));
            }
            _ => to,
        };
        let folder = if folder == Path::new("") { Path::new(".") } else { folder };
        // Judged before it is created, by the part of it that exists.
        let absolute = std::path::absolute(folder).unwrap_or_else(|_| folder.to_owned());
        let output_dir = self.settings.output_dir.canonical();
        let is_inside = |path: &Path| {
            let existing = path.ancestors().find_map(|above| above.canonicalize().ok()).unwrap_or_default();
            output_dir.is_some_and(|directory| existing.starts_with(directory))
        };
        // What does not exist yet may be followed by `..`.
        if is_inside(&absolute) || is_inside(&without_parents(&absolute)) {
            return Err(refused("it is in the output directory, where a purge deletes it"));
        }
        folder::create(folder).map_err(|error| match error.kind() {
            ErrorKind::AlreadyExists | ErrorKind::NotADirectory => refused("there is a file of this name"),
            _ => Error::io(&format!("create `{}`", folder.display()), &error),
        })?;
        Ok(folder.to_owned())
    }
}

/// The path as it reads, each `..` taken together with the name before it.
fn without_parents(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for component in path.components() {
        if component == Component::ParentDir {
            plain.pop();
        } else {
            plain.push(component);
        }
    }
    plain
}

impl FileCopy {
    /// What follows the header of the file.
    fn records<'a>(&'a self, place: Place<'a>) -> io::Result<Box<dyn Read + 'a>> {
        let name = self.file_name.as_deref().unwrap_or_default();
        Ok(match place {
            Place::Directory(directory) => {
                let mut file = opened(directory, name)?;
                file.seek(SeekFrom::Start(self.header_bytes))?;
                Box::new(file)
            }
            Place::Store(store) => Box::new(ObjectReader::open(&**store, name, self.header_bytes)?),
        })
    }

    fn write(&self, place: Place<'_>, to: &Path, replaces: bool) -> io::Result<()> {
        let mut records = self.records(place)?;
        let mut part = to.as_os_str().to_owned();
        part.push(PART);
        let part = PathBuf::from(part);
        let mut copy = created(&part)?;
        let written = copy
            .write_all(self.header.as_bytes())
            .and_then(|()| copy.write_all(b"\n"))
            .and_then(|()| io::copy(&mut records, &mut copy))
            .and_then(|_| copy.sync_data())
            .and_then(|()| put(&part, to, replaces));
        if written.is_err() {
            _ = fs::remove_file(&part);
        }
        written
    }
}

/// Gives a complete file its name.
fn put(part: &Path, to: &Path, replaces: bool) -> io::Result<()> {
    if replaces {
        return fs::rename(part, to);
    }
    // A link fails if the name is taken, which a renaming would replace.
    match fs::hard_link(part, to) {
        Ok(()) => fs::remove_file(part),
        Err(error) if error.kind() == ErrorKind::AlreadyExists => Err(error),
        // A file system without links.
        Err(_) if to.symlink_metadata().is_err() => fs::rename(part, to),
        Err(_) => Err(ErrorKind::AlreadyExists.into()),
    }
}

/// A file below the output directory, whose name is one that the component returned.
#[cfg(unix)]
fn opened(directory: &Path, name: &str) -> io::Result<File> {
    use rustix::fs::{CWD, Mode, OFlags, openat};
    let plain = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let mut opened = File::from(openat(CWD, directory, plain | OFlags::DIRECTORY, Mode::empty())?);
    for part in name.split('/') {
        opened = File::from(openat(&opened, part, plain | OFlags::NOFOLLOW, Mode::empty())?);
    }
    match opened.metadata()?.is_file() {
        true => Ok(opened),
        false => Err(io::Error::other("not a regular file")),
    }
}

#[cfg(not(unix))]
fn opened(directory: &Path, name: &str) -> io::Result<File> {
    File::open(directory.join(name))
}

/// A new file of this user alone.
fn created(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

fn bare(name: &str) -> &str {
    name.rsplit('/').next().unwrap_or(name)
}

/// True for the last name of a path that hardly means a folder.
fn is_file_name(name: &Path) -> bool {
    name.extension().is_some_and(|extension| ["jsonl", "json", "txt", "part"].iter().any(|known| extension == *known))
}

fn exists(path: &Path) -> Error {
    Error::invalid_argument_with(
        format!("cannot keep a file as `{}`: there is one already", path.display()),
        "name another folder, or let it be overwritten (`--force` of the command)",
    )
}
