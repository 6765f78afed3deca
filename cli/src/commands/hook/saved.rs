//! Reads a file that an event names. The name may come from the text of a server, so little is believed: the file is in the
//! client's own folder for such files and nowhere else, no link leads out of it, and it is what the event says.

use std::fs::{File, OpenOptions};
use std::io::Read;
use std::path::{Path, PathBuf};

use lro_clients::hook::{Place, Saved};

/// More is left to the client, which has said where it is.
const MOST_BYTES: u64 = 64 << 20;

/// Reads the file.
///
/// # Errors
/// Why it is not followed.
pub(super) fn read(saved: &Saved) -> Result<String, String> {
    let refused = |reason: String| format!("`{}` is not followed: {reason}", saved.path.display());
    read_from(saved, &folder(&saved.place).ok_or_else(|| refused("its folder is not known".to_owned()))?)
        .map_err(refused)
}

fn read_from(saved: &Saved, folder: &Path) -> Result<String, String> {
    let folder = folder.canonicalize().map_err(|error| format!("its folder: {error}"))?;
    let parent = saved.path.parent().and_then(|parent| parent.canonicalize().ok());
    let name = saved.path.file_name().filter(|_| parent.as_ref() == Some(&folder) && saved.path.is_absolute());
    let name = name.ok_or("it is not in the client's folder for results")?;
    let mut file = open(&folder.join(name))?;
    let mut bytes = Vec::new();
    file.by_ref().take(MOST_BYTES + 1).read_to_end(&mut bytes).map_err(|error| error.to_string())?;
    if bytes.len() as u64 > MOST_BYTES {
        return Err(format!("it has more than {MOST_BYTES} bytes"));
    }
    let bytes_read = bytes.len() as u64;
    let text = String::from_utf8(bytes).unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned());
    let is_expected = saved.check.fits(bytes_read, &text);
    is_expected.then_some(text).ok_or_else(|| "it is not what the event says".to_owned())
}

/// Opens a regular file of this user, never through a link.
fn open(path: &Path) -> Result<File, String> {
    let mut options = OpenOptions::new();
    options.read(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;

        use rustix::fs::OFlags;
        // A pipe would wait for its writer.
        options.custom_flags((OFlags::NOFOLLOW | OFlags::NONBLOCK).bits().cast_signed());
    }
    #[cfg(not(unix))]
    if path.is_symlink() {
        return Err("it is a link".to_owned());
    }
    let file = options.open(path).map_err(|error| error.to_string())?;
    let metadata = file.metadata().map_err(|error| error.to_string())?;
    if !metadata.is_file() {
        return Err("it is not a regular file".to_owned());
    }
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        if metadata.uid() != crate::system::user() {
            return Err("it belongs to another user".to_owned());
        }
    }
    Ok(file)
}

/// The folder, with what the environment says about it.
fn folder(place: &Place) -> Option<PathBuf> {
    let variable = |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|folder| folder.is_absolute());
    match place {
        Place::Folder(folder) => Some(folder.clone()),
        Place::BelowData(path) => {
            let data = variable("XDG_DATA_HOME").or_else(|| {
                // Programs that have this folder everywhere have it below the home folder on Windows too.
                Some(variable(if cfg!(windows) { "USERPROFILE" } else { "HOME" })?.join(".local/share"))
            });
            Some(data?.join(&**path))
        }
    }
}

#[cfg(all(test, unix))]
mod tests {
    use std::fs;

    use lro_clients::hook::Check;

    use super::*;

    fn saved(path: PathBuf, check: Check) -> Saved {
        Saved { path, place: Place::Folder(PathBuf::new()), check, may_be_blocks: false }
    }

    #[test]
    fn only_what_is_expected_in_the_folder_is_read() {
        let root = tempfile::tempdir().unwrap();
        let folder = root.path().join("tool-results");
        fs::create_dir(&folder).unwrap();
        fs::write(root.path().join("secret.txt"), "text é😀").unwrap();
        fs::write(folder.join("a.txt"), "text é😀").unwrap();
        fs::create_dir(folder.join("below")).unwrap();
        fs::write(folder.join("below/a.txt"), "text é😀").unwrap();
        std::os::unix::fs::symlink(root.path().join("secret.txt"), folder.join("link.txt")).unwrap();
        std::os::unix::fs::symlink(root.path(), folder.join("out")).unwrap();
        let found = |path: PathBuf, check: Check| read_from(&saved(path, check), &folder);
        let bytes = || Check::Bytes(11);
        assert_eq!(found(folder.join("a.txt"), bytes()).unwrap(), "text é😀");
        assert!(found(folder.join("a.txt"), Check::Utf16(8)).is_ok());
        assert!(found(folder.join("a.txt"), Check::EndsWith("é😀".to_owned())).is_ok());
        for (path, check) in [
            (folder.join("a.txt"), Check::Bytes(10)),
            (folder.join("a.txt"), Check::Utf16(7)),
            (folder.join("a.txt"), Check::EndsWith("x".to_owned())),
            (folder.join("link.txt"), bytes()),
            (folder.join("below/a.txt"), bytes()),
            (folder.join("out/secret.txt"), bytes()),
            (folder.join("../secret.txt"), bytes()),
            (root.path().join("secret.txt"), bytes()),
            (folder.join("below"), bytes()),
            (folder.join("missing.txt"), bytes()),
            (PathBuf::from("a.txt"), bytes()),
            (PathBuf::from("/etc/passwd"), bytes()),
        ] {
            let name = format!("{} {check:?}", path.display());
            assert!(found(path, check).is_err(), "{name}");
        }
    }
}
