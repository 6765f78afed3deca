//! The log: what goes wrong in a hook is nobody's answer, so it goes to a file and never into the conversation.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

/// A log that is longer becomes the older one, of which there is one: both together have half a megabyte.
const MOST_BYTES: u64 = 256 * 1024;

/// A line that is longer is cut: it may quote what others have written.
const MOST_LINE_BYTES: usize = 2000;

/// Appends a line. A log that cannot be written is not worth a failure.
pub(super) fn append(client: &str, line: &str) {
    if let Some(folder) = folder() {
        let seconds = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
        let _ = append_to(&folder, &format!("{} {client}: {}", instant(seconds), cut(line.trim_end())));
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
    open(&file)?.write_all(format!("{line}\n").as_bytes())
}

fn open(file: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.append(true).create(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;

        use rustix::fs::OFlags;
        options.mode(0o600).custom_flags((OFlags::NOFOLLOW | OFlags::NONBLOCK).bits().cast_signed());
    }
    options.open(file)
}

fn cut(line: &str) -> &str {
    let end = (0..=MOST_LINE_BYTES.min(line.len())).rev().find(|end| line.is_char_boundary(*end));
    &line[..end.unwrap_or_default()]
}

/// `2026-11-23T07:25:14Z` for seconds since 1970, by the civil calendar in eras of 400 years.
fn instant(seconds: u64) -> String {
    let (days, rest) = (seconds / 86_400 + 719_468, seconds % 86_400);
    let (era, day) = (days / 146_097, days % 146_097);
    let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    // Months are counted from March, so that a leap day is the last day.
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let (year, month) = if month < 10 { (era * 400 + year, month + 3) } else { (era * 400 + year + 1, month - 9) };
    format!("{year:04}-{month:02}-{day:02}T{:02}:{:02}:{:02}Z", rest / 3600, rest / 60 % 60, rest % 60)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn instants_are_readable() {
        let rows = [
            (0, "1970-01-01T00:00:00Z"),
            (951_782_400, "2000-02-29T00:00:00Z"),
            (1_735_689_599, "2024-12-31T23:59:59Z"),
            (1_795_419_276, "2026-11-23T07:34:36Z"),
        ];
        for (seconds, expected) in rows {
            assert_eq!(instant(seconds), expected);
        }
    }

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
