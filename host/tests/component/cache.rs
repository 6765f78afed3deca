//! The compiled component on disk: used when it fits, never needed, never trusted when others can write to it.

use std::fs;
use std::path::{Path, PathBuf};

use lro::{CompiledCache, Lro, Options};

/// The smallest component. It compiles in no time, and is refused only after it was loaded: it exports nothing.
const EMPTY: [u8; 8] = *b"\0asm\x0d\0\x01\0";

/// What opening that component says.
fn opened_with(cache: CompiledCache) -> String {
    let options = Options::default().component(EMPTY.to_vec()).compiled_cache(cache);
    Lro::open(&options).err().expect("it has no function of the contract").to_string()
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

/// One bit of code more or less is another program.
#[test]
fn what_is_damaged_is_compiled_again() {
    let cache = tempfile::tempdir().unwrap();
    open_with(cache.path());
    let file = &files(cache.path())[0];
    let whole = fs::read(file).unwrap();
    let places = (0..50).map(|place| place * (whole.len() - 1) / 49);
    for (bit, place) in places.enumerate() {
        let mut damaged = whole.clone();
        damaged[place] ^= 1 << (bit % 8);
        fs::write(file, &damaged).unwrap();
        open_with(cache.path());
        assert_eq!(fs::read(file).unwrap(), whole, "a bit of byte {place}");
    }
    let mut damaged = whole.clone();
    damaged[whole.len() / 3..][..4096.min(whole.len() / 3)].fill(0);
    fs::write(file, &damaged).unwrap();
    open_with(cache.path());
    assert_eq!(fs::read(file).unwrap(), whole, "a page of zeros");
}

/// Files that were renamed by hand, or restored to the wrong name: code of another component answers as that one does.
#[test]
fn code_of_another_component_is_compiled_again() {
    let (cache, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    open_with(cache.path());
    let with_section = [&EMPTY[..], b"\0\x01\0"].concat();
    let options = Options::default().component(with_section);
    let folder = CompiledCache::Directory(other.path().to_owned());
    assert!(Lro::open(&options.compiled_cache(folder)).is_err(), "it has no function of the contract");
    let (file, foreign) = (&files(cache.path())[0], &files(other.path())[0]);
    let (whole, swapped) = (fs::read(file).unwrap(), fs::read(foreign).unwrap());
    assert_ne!(whole, swapped);
    fs::rename(foreign, file).unwrap();
    open_with(cache.path());
    assert_eq!(fs::read(file).unwrap(), whole);
}

#[test]
fn what_killed_writers_and_old_versions_left_is_removed() {
    let cache = tempfile::tempdir().unwrap();
    let old = |name: &str, hours: u64| {
        let file = fs::File::create(cache.path().join(name)).unwrap();
        file.set_modified(std::time::SystemTime::now() - std::time::Duration::from_secs(hours * 3600)).unwrap();
    };
    old("0123-4567.cwasm.8a.part", 2);
    old("0123-4567.cwasm.8b.part", 0);
    old("0123-4567.cwasm", 31 * 24);
    old("0123-4568.cwasm", 24);
    old("notes.txt", 1000);
    open_with(cache.path());
    let mut left: Vec<String> =
        files(cache.path()).iter().map(|file| file.file_name().unwrap().to_str().unwrap().to_owned()).collect();
    left.retain(|name| name.starts_with("0123") || name == "notes.txt");
    left.sort();
    assert_eq!(left, ["0123-4567.cwasm.8b.part", "0123-4568.cwasm", "notes.txt"]);
}

#[cfg(unix)]
#[test]
fn a_link_is_not_followed() {
    use std::os::unix::fs::symlink;
    let cache = tempfile::tempdir().unwrap();
    let real = cache.path().join("real");
    open_with(&real);
    let link = cache.path().join("link");
    symlink(&real, &link).unwrap();
    fs::remove_file(&files(&real)[0]).unwrap();
    open_with(&link);
    assert!(files(&real).is_empty(), "nothing is written through the link of a folder");

    open_with(&real);
    let file = &files(&real)[0];
    let elsewhere = cache.path().join("elsewhere");
    fs::rename(file, &elsewhere).unwrap();
    symlink(&elsewhere, file).unwrap();
    open_with(&real);
    assert!(fs::symlink_metadata(file).unwrap().is_file(), "the link of a file is replaced");
}
