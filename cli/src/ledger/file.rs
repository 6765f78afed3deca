//! The file of a ledger: private, bounded, and safe to append to from several processes at once.

use std::io::{self, Write};
use std::path::Path;
use std::sync::Once;

use crate::private_file;

/// A ledger that has more takes nothing: some 150,000 lines. Whoever looks at it decides what is kept.
const MOST_BYTES: u64 = 16 << 20;

/// Appends a line, in one write: lines of several processes do not mix.
pub(super) fn append(path: &Path, line: &str) -> io::Result<()> {
    append_to(path, line, MOST_BYTES)
}

fn append_to(path: &Path, line: &str, most_bytes: u64) -> io::Result<()> {
    let mut file = private_file::append_to(path)?;
    let metadata = file.metadata()?;
    if !metadata.is_file() {
        return Err(io::Error::other("it is not a regular file"));
    }
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        if metadata.uid() != crate::system::user() {
            return Err(io::Error::other("it belongs to another user"));
        }
    }
    if metadata.len() + line.len() as u64 > most_bytes {
        return Err(io::Error::other(format!("it has {most_bytes} bytes, as many as it may have; move it away")));
    }
    file.write_all(line.as_bytes())
}

/// Does this the first time only.
pub(super) fn once(tell: impl FnOnce()) {
    static TOLD: Once = Once::new();
    TOLD.call_once(tell);
}

#[cfg(all(test, unix))]
mod tests {
    use std::fs;
    use std::os::unix::fs::{PermissionsExt, symlink};
    use std::thread;

    use super::*;

    #[test]
    fn writers_at_once_lose_nothing_and_mix_nothing() {
        let root = tempfile::tempdir().unwrap();
        let path = root.path().join("ledger.jsonl");
        thread::scope(|scope| {
            for writer in 0..8 {
                let path = &path;
                scope.spawn(move || {
                    let line = format!("{}\n", writer.to_string().repeat(300));
                    (0..200).for_each(|_| append(path, &line).unwrap());
                });
            }
        });
        let text = fs::read_to_string(&path).unwrap();
        assert_eq!(text.lines().count(), 1600);
        assert!(text.lines().all(|line| line.len() == 300 && line.bytes().all(|byte| byte == line.as_bytes()[0])));
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    }

    #[test]
    fn a_ledger_is_bounded_and_leads_nowhere() {
        let root = tempfile::tempdir().unwrap();
        let path = root.path().join("ledger.jsonl");
        assert!((0..20).filter_map(|_| append_to(&path, "0123456789\n", 100).err()).count() == 11);
        assert_eq!(fs::metadata(&path).unwrap().len(), 99);
        let link = root.path().join("link");
        symlink(&path, &link).unwrap();
        assert!(append(&link, "x\n").is_err());
        assert!(append(root.path(), "x\n").is_err());
        assert!(append(&root.path().join("missing/ledger"), "x\n").is_err());
    }
}
