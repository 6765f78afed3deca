//! The compiled component on disk: used when it fits, never needed, never trusted when others can write to it.

use std::fs;
use std::path::{Path, PathBuf};

use lro::{CompiledCache, Lro, Options};

/// The smallest component. It compiles in no time, and is refused only after it was loaded: it exports nothing.
const EMPTY: [u8; 8] = *b"\0asm\x0d\0\x01\0";

/// What opening that component says.
fn opened_with(cache: CompiledCache) -> String {
    let options = Options { component: Some(EMPTY.to_vec()), compiled_cache: cache, ..Options::default() };
    Lro::open(options).err().expect("it has no function of the contract").to_string()
}

/// Opens with a cache, and checks that the cache makes no difference.
fn open_with(folder: &Path) {
    let answer = opened_with(CompiledCache::Directory(folder.to_owned()));
    assert_eq!(answer, opened_with(CompiledCache::Off));
}

fn files(folder: &Path) -> Vec<PathBuf> {
    fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect()
}

#[test]
fn what_does_not_fit_is_replaced() {
    let parent = tempfile::tempdir().unwrap();
    let cache = parent.path().join("new/lro");
    open_with(&cache);
    let [file] = &files(&cache)[..] else { panic!("one file is expected in {}", cache.display()) };
    let whole = fs::read(file).unwrap();
    for damaged in [&whole[..whole.len() / 2], b"", b"\x7fELF", &EMPTY] {
        // Not in place: the file may be mapped.
        fs::remove_file(file).unwrap();
        fs::write(file, damaged).unwrap();
        open_with(&cache);
        assert_eq!(fs::read(file).unwrap().len(), whole.len());
        assert_eq!(files(&cache).len(), 1);
    }
}

#[cfg(unix)]
#[test]
fn a_new_folder_is_its_owners_alone() {
    use std::os::unix::fs::PermissionsExt;
    let parent = tempfile::tempdir().unwrap();
    let cache = parent.path().join("new/lro");
    open_with(&cache);
    for folder in [&*cache, cache.parent().unwrap()] {
        assert_eq!(fs::metadata(folder).unwrap().permissions().mode() & 0o777, 0o700);
    }
}

#[cfg(unix)]
#[test]
fn what_others_can_write_to_is_not_used() {
    use std::os::unix::fs::PermissionsExt;
    let writable = |path: &Path| fs::set_permissions(path, fs::Permissions::from_mode(0o777)).unwrap();
    let cache = tempfile::tempdir().unwrap();
    writable(cache.path());
    open_with(cache.path());
    assert!(files(cache.path()).is_empty());

    let cache = tempfile::tempdir().unwrap();
    open_with(cache.path());
    let file = &files(cache.path())[0];
    writable(file);
    open_with(cache.path());
    assert_eq!(fs::metadata(file).unwrap().permissions().mode() & 0o022, 0, "it was replaced");
}
