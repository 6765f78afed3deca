//! A file of this user alone that lines are appended to, by several processes at once.

use std::fs::{File, OpenOptions};
use std::io;
use std::path::Path;

/// Opens or creates it with mode 0600, to append to. A link is not followed, and a pipe does not wait for its reader.
pub(crate) fn append_to(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.append(true).create(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;

        use rustix::fs::OFlags;
        options.mode(0o600).custom_flags((OFlags::NOFOLLOW | OFlags::NONBLOCK).bits().cast_signed());
    }
    options.open(path)
}
