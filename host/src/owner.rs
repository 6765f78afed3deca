//! Whose a file or folder is, and whether others may write to it.

use std::fs::Metadata;

/// True when this user owns the file or folder.
#[cfg(unix)]
pub(crate) fn is_ours(metadata: &Metadata) -> bool {
    std::os::unix::fs::MetadataExt::uid(metadata) == user()
}

/// True when somebody else may write to it.
#[cfg(unix)]
pub(crate) fn is_writable_by_others(metadata: &Metadata) -> bool {
    std::os::unix::fs::MetadataExt::mode(metadata) & 0o022 != 0
}

/// The user that this process acts as.
#[cfg(unix)]
pub(crate) fn user() -> u32 {
    rustix::process::geteuid().as_raw()
}

/// Elsewhere the user's folders are private by their access lists.
#[cfg(not(unix))]
pub(crate) fn is_ours(_: &Metadata) -> bool {
    true
}

/// Elsewhere the user's folders are private by their access lists.
#[cfg(not(unix))]
pub(crate) fn is_writable_by_others(_: &Metadata) -> bool {
    false
}
