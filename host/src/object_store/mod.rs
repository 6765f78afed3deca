//! Offloaded files in an object store, in the place of the output directory: results that several machines read.
//!
//! The component sees a directory as always. Its calls of WASI are answered from the store here: a file is written to a
//! temporary one first and goes to the store whole when it gets its name, and it is read in ranges, as the component reads it.

mod calls;
mod directory;
mod reader;
mod spool;
mod window;

use std::fmt;
use std::fs::File;
use std::io;
use std::ops::Range;
use std::time::SystemTime;

pub(crate) use calls::replace;
pub(crate) use directory::Objects;
pub(crate) use reader::ObjectReader;

/// What every name of a file in a store begins with, for people and models (LRO-19).
pub(crate) const PUBLIC: &str = "lro://";

/// A store of objects that have names: S3, Redis, a folder that machines share.
///
/// Names are those of offloaded files, with the session's folder before a slash if there is one: `s-1/atlatl-list-….jsonl`.
/// Calls block, and come from several threads at once. They should fail within some seconds: the text of an error is what a
/// model reads as the reason, and its kind tells `NotFound`, `PermissionDenied` and `StorageFull` from other failures.
pub trait ObjectStore: fmt::Debug + Send + Sync {
    /// Size and time of an object.
    ///
    /// # Errors
    /// `NotFound` for an object that is not there or has expired; what the store says otherwise.
    fn stat(&self, name: &str) -> io::Result<ObjectStatus>;

    /// Bytes of an object: all of the range, which lies inside of it.
    ///
    /// # Errors
    /// As [`ObjectStore::stat`].
    fn read(&self, name: &str, range: Range<u64>) -> io::Result<Vec<u8>>;

    /// Stores all bytes of a file, from its beginning, as a new object. It appears whole or not at all.
    ///
    /// # Errors
    /// What the store says; nothing is stored then.
    fn write(&self, name: &str, content: File, bytes: u64) -> io::Result<()>;

    /// Deletes an object. One that is not there is deleted already.
    ///
    /// # Errors
    /// What the store says.
    fn delete(&self, name: &str) -> io::Result<()>;

    /// Whether [`ObjectStore::list`] works. Where it does not, files cannot be listed or cleaned up: the store has to let them
    /// expire.
    fn can_list(&self) -> bool {
        true
    }

    /// What is directly in a folder, in any order: `""` for the top, else a name with a slash at its end.
    ///
    /// # Errors
    /// `Unsupported` for a store that cannot list; what the store says otherwise.
    fn list(&self, folder: &str) -> io::Result<Vec<Listed>>;
}

/// The size of the object that a path means, which the limits of an extraction depend on; 0 when there is none.
pub(crate) fn size_of(store: &dyn ObjectStore, file: &str) -> u64 {
    let name = file.strip_prefix(PUBLIC).unwrap_or(file);
    // Only a name of ours is one of the store's; a model may write anything.
    let is_name = !name.is_empty() && name.split('/').count() <= 2 && !name.contains(['\\', '\0']);
    let parts_are_names = name.split('/').all(|part| !matches!(part, "" | "." | ".."));
    if !is_name || !parts_are_names {
        return 0;
    }
    // What cannot be read is told when it is read.
    store.stat(name).map_or(0, |status| status.bytes)
}

/// What is known of an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ObjectStatus {
    /// Its size in bytes.
    pub bytes: u64,
    /// When it was written, if the store knows.
    pub modified: Option<SystemTime>,
}

impl ObjectStatus {
    /// An object of this size, written then.
    pub fn new(bytes: u64, modified: Option<SystemTime>) -> Self {
        Self { bytes, modified }
    }
}

/// An entry of a folder.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Listed {
    /// An object, by its name in the folder.
    Object(String, ObjectStatus),
    /// A folder, by its name without a slash.
    Folder(String),
}
