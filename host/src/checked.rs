//! Which files of the cache were found whole since the system started: they need no second look.
//!
//! The mark of a file lies beside it, and says which file was looked at, and when it was changed last. Whoever writes to the
//! file changes that time, which no program can set. A mark does not survive a start of the system, and so a disk that loses
//! bits is noticed then.

use std::fs::File;
use std::io::Read;
use std::path::Path;
#[cfg(target_os = "linux")]
use std::time::Duration;

use crate::folder::Folder;

/// What the names of marks end with.
pub(crate) const MARK: &str = "checked";

/// A file that was changed so recently gets no mark: a second change could have the same time, since clocks of file systems
/// tick. FAT's ticks are the longest, with two seconds.
#[cfg(target_os = "linux")]
const SETTLED: Duration = Duration::from_secs(3);

/// No mark is longer: the name of a start, and four numbers.
const MAX_BYTES: u64 = 256;

/// What tells a file, as it is now, from all others since the system started.
pub(crate) struct Stamp {
    text: String,
    settled: bool,
}

impl Stamp {
    /// The stamp of an open file; `None` where the system does not say enough.
    #[cfg(target_os = "linux")]
    pub(crate) fn of(file: &File) -> Option<Self> {
        use std::os::unix::fs::MetadataExt;
        let metadata = file.metadata().ok()?;
        let start = std::fs::read_to_string("/proc/sys/kernel/random/boot_id").ok()?;
        let changed = Duration::new(metadata.ctime().try_into().ok()?, metadata.ctime_nsec().try_into().ok()?);
        let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).ok()?;
        let settled = now.checked_sub(changed).is_some_and(|age| age > SETTLED);
        let (device, number, bytes) = (metadata.dev(), metadata.ino(), metadata.len());
        let text = format!("{} {device} {number} {bytes} {}\n", start.trim(), changed.as_nanos());
        Some(Self { text, settled })
    }

    /// Elsewhere each start looks at the file.
    #[cfg(not(target_os = "linux"))]
    pub(crate) fn of(_: &File) -> Option<Self> {
        None
    }

    /// True if the file that is called so was marked as it is now.
    pub(crate) fn is_marked(&self, folder: &Folder, name: &str) -> bool {
        let mut text = String::new();
        let mark = folder.open_own(&mark_of(name)).and_then(|file| file.take(MAX_BYTES).read_to_string(&mut text));
        mark.is_ok() && text == self.text
    }

    /// Marks the file that is called so, which was found whole after this stamp was taken.
    pub(crate) fn mark(&self, folder: &Folder, name: &str) {
        if self.settled {
            // Without a mark the next start looks again.
            _ = folder.replace(&mark_of(name), &[self.text.as_bytes()]);
        }
    }
}

fn mark_of(name: &str) -> String {
    Path::new(name).with_extension(MARK).display().to_string()
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::fs::File;

    use super::Stamp;
    use crate::folder::Folder;

    impl Stamp {
        /// The stamp of a file that was changed long ago.
        pub(crate) fn of_old(file: &File) -> Self {
            Self { settled: true, ..Self::of(file).unwrap() }
        }
    }

    #[test]
    fn a_mark_is_of_one_file_as_it_is() {
        let place = tempfile::tempdir().unwrap();
        let folder = Folder::private(place.path()).unwrap();
        let path = place.path().join("code");
        std::fs::write(&path, "code").unwrap();
        let is_marked = || Stamp::of(&File::open(&path).unwrap()).unwrap().is_marked(&folder, "code");
        assert!(!is_marked(), "it has no mark");
        Stamp::of_old(&File::open(&path).unwrap()).mark(&folder, "code");
        assert!(is_marked());

        let text = std::fs::read_to_string(place.path().join("code.checked")).unwrap();
        for other in [text[1..].to_owned(), format!("{text}1"), String::new()] {
            std::fs::write(place.path().join("code.checked"), other).unwrap();
            assert!(!is_marked(), "another mark");
        }
        std::fs::write(place.path().join("code.checked"), text).unwrap();
        assert!(is_marked());
        // The clock of a file system ticks every few milliseconds.
        std::thread::sleep(std::time::Duration::from_millis(50));
        std::fs::write(&path, "dode").unwrap();
        assert!(!is_marked(), "it was changed");
    }

    #[test]
    fn what_was_just_changed_gets_no_mark() {
        let place = tempfile::tempdir().unwrap();
        let folder = Folder::private(place.path()).unwrap();
        let file = File::create(place.path().join("code")).unwrap();
        Stamp::of(&file).unwrap().mark(&folder, "code");
        assert!(!place.path().join("code.checked").exists());
    }
}
