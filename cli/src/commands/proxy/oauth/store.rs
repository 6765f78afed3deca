//! The file that tokens are kept in: one for each server and client, in the state folder of the user, for the user alone.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use tempfile::NamedTempFile;

use super::random;
use super::tokens::Kept;

/// How often it is looked whether another process is ready.
const INTERVAL: Duration = Duration::from_millis(100);

/// A file of tokens, which need not be there.
pub(super) struct Store {
    path: PathBuf,
}

/// The file is ours until this is dropped: a refresh token is good for one use, so two processes must not use it at once.
pub(super) struct Turn(#[allow(dead_code, reason = "closing the file gives the turn away")] File);

impl Store {
    /// The file for a server and a client. `None` for a user without a home.
    pub(super) fn of(server: &str, host: &str, client: Option<&str>) -> Option<Self> {
        let digest = random::digest(&format!("{server}\n{}", client.unwrap_or_default()));
        let host: String = host.chars().map(|c| if c.is_ascii_alphanumeric() || c == '.' { c } else { '-' }).collect();
        let host: String = host.chars().take(60).collect();
        Some(Self { path: folder()?.join("oauth").join(format!("{host}-{digest}.json")) })
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Waits until no other process uses the file, at most until `deadline`.
    pub(super) fn turn(&self, deadline: Instant) -> io::Result<Turn> {
        make_folder(self.path.parent().unwrap_or(&self.path))?;
        let mut options = OpenOptions::new();
        options.create(true).truncate(false).write(true);
        private(&mut options);
        let lock = options.open(self.path.with_extension("lock"))?;
        loop {
            match lock.try_lock() {
                Ok(()) => return Ok(Turn(lock)),
                Err(TryLockError::WouldBlock) if Instant::now() < deadline => thread::sleep(INTERVAL),
                Err(TryLockError::WouldBlock) => return Err(io::ErrorKind::TimedOut.into()),
                Err(TryLockError::Error(error)) => return Err(error),
            }
        }
    }

    /// What is kept, if it can be read and nobody else could.
    ///
    /// # Errors
    /// Why it is not used.
    pub(super) fn load(&self) -> Result<Option<Kept>, String> {
        let reason = |error: &dyn std::fmt::Display| format!("cannot use `{}`: {error}", self.path.display());
        let bytes = match fs::read(&self.path) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(reason(&error)),
        };
        if is_open_to_others(&self.path).map_err(|error| reason(&error))? {
            return Err(reason(&"other users can read or write it"));
        }
        // An error of the parser would quote what it found.
        serde_json::from_slice(&bytes).map(Some).map_err(|_| reason(&"it is not a file of tokens"))
    }

    /// Replaces the file at once. The new one is for this user alone from its first byte.
    pub(super) fn save(&self, kept: &Kept) -> io::Result<()> {
        let folder = self.path.parent().unwrap_or(&self.path);
        make_folder(folder)?;
        let mut file = NamedTempFile::new_in(folder)?;
        file.write_all(&serde_json::to_vec_pretty(kept)?)?;
        file.as_file().sync_all()?;
        file.persist(&self.path)?;
        Ok(())
    }

    /// Deletes the file. False when there was none.
    pub(super) fn delete(&self) -> io::Result<bool> {
        match fs::remove_file(&self.path) {
            Ok(()) => Ok(true),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
            Err(error) => Err(error),
        }
    }
}

/// The user's state folder for us.
fn folder() -> Option<PathBuf> {
    let folder = |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|folder| folder.is_absolute());
    if let Some(own) = folder("LRO_STATE_DIR") {
        return Some(own);
    }
    if cfg!(windows) {
        return Some(folder("LOCALAPPDATA")?.join("lro"));
    }
    folder("XDG_STATE_HOME").or_else(|| Some(folder("HOME")?.join(".local/state"))).map(|state| state.join("lro"))
}

fn make_folder(folder: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

#[cfg(unix)]
fn private(options: &mut OpenOptions) {
    std::os::unix::fs::OpenOptionsExt::mode(options, 0o600);
}

#[cfg(not(unix))]
fn private(_options: &mut OpenOptions) {}

#[cfg(unix)]
fn is_open_to_others(path: &Path) -> io::Result<bool> {
    use std::os::unix::fs::PermissionsExt;
    Ok(fs::metadata(path)?.permissions().mode() & 0o077 != 0)
}

/// The folder is the user's own.
#[cfg(not(unix))]
fn is_open_to_others(_path: &Path) -> io::Result<bool> {
    Ok(false)
}
