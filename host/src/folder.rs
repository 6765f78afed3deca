//! A folder that is this user's alone, opened once: what is checked is what is read and written.

use std::fs::{DirBuilder, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use crate::owner::{is_ours, is_writable_by_others};

/// What the names of files end with that are being written.
pub(crate) const PART: &str = "part";

/// A folder that this user owns and nobody else can write to.
pub(crate) struct Folder {
    path: PathBuf,
    #[cfg(unix)]
    opened: File,
}

impl Folder {
    /// Opens a folder, which is created with mode 0700 when it is missing. Its last name may not be a link.
    pub(crate) fn private(path: &Path) -> io::Result<Self> {
        let opened = match Self::open(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                create(path)?;
                Self::open(path)?
            }
            opened => opened?,
        };
        let metadata = opened.metadata()?;
        if !metadata.is_dir() {
            return Err(io::ErrorKind::NotADirectory.into());
        }
        if !is_ours(&metadata) {
            return Err(io::Error::new(io::ErrorKind::PermissionDenied, "it belongs to another user"));
        }
        if is_writable_by_others(&metadata) {
            return Err(io::Error::new(io::ErrorKind::PermissionDenied, "other users can write to it"));
        }
        Ok(opened)
    }

    /// Opens a folder and sets its mode to 0700, so that nobody else can read it.
    pub(crate) fn secluded(path: &Path, create: bool) -> io::Result<Self> {
        if !create {
            // Nothing is to be made by looking.
            std::fs::symlink_metadata(path)?;
        }
        let folder = Self::private(path)?;
        folder.seclude()?;
        Ok(folder)
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Opens a regular file of this user that nobody else can write to.
    pub(crate) fn open_own(&self, name: &str) -> io::Result<File> {
        let file = self.open_file(name)?;
        let metadata = file.metadata()?;
        match metadata.is_file() && is_ours(&metadata) && !is_writable_by_others(&metadata) {
            true => Ok(file),
            false => Err(io::ErrorKind::PermissionDenied.into()),
        }
    }

    /// Creates a file of this user alone, which must not exist, with the given bytes.
    pub(crate) fn write(&self, name: &str, bytes: &[&[u8]]) -> io::Result<()> {
        let mut file = self.create_file(name)?;
        bytes.iter().try_for_each(|bytes| file.write_all(bytes))?;
        file.sync_data()
    }

    /// Writes a file of this user alone under a temporary name and renames it, so that a reader never sees half a file.
    pub(crate) fn replace(&self, name: &str, bytes: &[&[u8]]) -> io::Result<()> {
        let part = format!("{name}.{:x}.{PART}", std::process::id());
        self.write(&part, bytes).and_then(|()| self.rename(&part, name)).inspect_err(|error| {
            // That of another thread is not ours to remove.
            if error.kind() != io::ErrorKind::AlreadyExists {
                _ = self.remove(&part);
            }
        })
    }

    /// Returns the names of its files, and how long ago each was written.
    pub(crate) fn ages(&self) -> Vec<(String, Duration)> {
        let now = SystemTime::now();
        let age = |entry: &std::fs::DirEntry| now.duration_since(entry.metadata().ok()?.modified().ok()?).ok();
        let entries = std::fs::read_dir(&self.path).into_iter().flatten().flatten();
        entries.filter_map(|entry| Some((entry.file_name().into_string().ok()?, age(&entry)?))).collect()
    }
}

/// Creates a folder, and missing ones above it, for this user alone. An existing folder is not changed.
pub(crate) fn create(path: &Path) -> io::Result<()> {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(path)
}

#[cfg(unix)]
impl Folder {
    fn open(path: &Path) -> io::Result<Self> {
        use rustix::fs::{Mode, OFlags, open};
        let how = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        Ok(Self { path: path.to_owned(), opened: File::from(open(path, how, Mode::empty())?) })
    }

    fn metadata(&self) -> io::Result<std::fs::Metadata> {
        self.opened.metadata()
    }

    fn seclude(&self) -> io::Result<()> {
        use std::os::unix::fs::{MetadataExt, PermissionsExt};
        match self.metadata()?.mode() & 0o077 {
            0 => Ok(()),
            _ => self.opened.set_permissions(std::fs::Permissions::from_mode(0o700)),
        }
    }

    fn open_file(&self, name: &str) -> io::Result<File> {
        use rustix::fs::{Mode, OFlags, openat};
        // A pipe would make it wait for another end.
        let how = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        Ok(File::from(openat(&self.opened, name, how, Mode::empty())?))
    }

    fn create_file(&self, name: &str) -> io::Result<File> {
        use rustix::fs::{Mode, OFlags, openat};
        let how = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        Ok(File::from(openat(&self.opened, name, how, Mode::RUSR | Mode::WUSR)?))
    }

    pub(crate) fn rename(&self, from: &str, to: &str) -> io::Result<()> {
        Ok(rustix::fs::renameat(&self.opened, from, &self.opened, to)?)
    }

    pub(crate) fn remove(&self, name: &str) -> io::Result<()> {
        Ok(rustix::fs::unlinkat(&self.opened, name, rustix::fs::AtFlags::empty())?)
    }
}

#[cfg(not(unix))]
impl Folder {
    fn open(path: &Path) -> io::Result<Self> {
        std::fs::metadata(path).map(|_| Self { path: path.to_owned() })
    }

    fn metadata(&self) -> io::Result<std::fs::Metadata> {
        std::fs::metadata(&self.path)
    }

    fn seclude(&self) -> io::Result<()> {
        Ok(())
    }

    fn open_file(&self, name: &str) -> io::Result<File> {
        File::open(self.path.join(name))
    }

    fn create_file(&self, name: &str) -> io::Result<File> {
        std::fs::OpenOptions::new().write(true).create_new(true).open(self.path.join(name))
    }

    pub(crate) fn rename(&self, from: &str, to: &str) -> io::Result<()> {
        std::fs::rename(self.path.join(from), self.path.join(to))
    }

    pub(crate) fn remove(&self, name: &str) -> io::Result<()> {
        std::fs::remove_file(self.path.join(name))
    }
}
