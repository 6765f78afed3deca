//! The log: what goes wrong in a hook is nobody's answer, so it goes to a file and never into the conversation.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use crate::{days, private_file};

/// A log that is longer becomes the older one, of which there is one: both together have half a megabyte.
const MOST_BYTES: u64 = 256 * 1024;

/// A line that is longer is cut: it may quote what others have written.
const MOST_LINE_BYTES: usize = 2000;

/// Appends a line. A log that cannot be written is not worth a failure.
pub(super) fn append(client: &str, line: &str) {
    if let Some(folder) = folder() {
        let line = format!("{} {client}: {}", days::instant(days::now()), cut(line.trim_end()));
        let _ = append_to(&folder, &line);
    }
}

/// The user's folder for the state of programs: `$XDG_STATE_HOME/lro`, or `~/.local/state/lro`.
fn folder() -> Option<PathBuf> {
    let folder = |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|folder| folder.is_absolute());
    let state = match cfg!(windows) {
        true => folder("LOCALAPPDATA"),
        false => folder("XDG_STATE_HOME").or_else(|| Some(folder("HOME")?.join(".local/state"))),
    };
    Some(state?.join("lro"))
}

fn append_to(folder: &Path, line: &str) -> io::Result<()> {
    fs::create_dir_all(folder)?;
    let file = folder.join("hook.log");
    if fs::symlink_metadata(&file).is_ok_and(|metadata| metadata.len() > MOST_BYTES) {
        fs::rename(&file, folder.join("hook.log.1"))?;
    }
    // One write, so that lines of hooks at the same time do not mix.
    private_file::append_to(&file)?.write_all(format!("{line}\n").as_bytes())
}

fn cut(line: &str) -> &str {
    let end = (0..=MOST_LINE_BYTES.min(line.len())).rev().find(|end| line.is_char_boundary(*end));
    &line[..end.unwrap_or_default()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_log_is_bounded_and_private() {
        let root = tempfile::tempdir().unwrap();
        let folder = root.path().join("lro");
        for _ in 0..400 {
            append_to(&folder, cut(&"é".repeat(5000))).unwrap();
        }
        let bytes = |name: &str| fs::metadata(folder.join(name)).unwrap().len();
        assert!(bytes("hook.log") <= MOST_BYTES + 2001 && bytes("hook.log.1") <= MOST_BYTES + 2001);
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            assert_eq!(fs::metadata(folder.join("hook.log")).unwrap().permissions().mode() & 0o777, 0o600);
        }
    }
}
