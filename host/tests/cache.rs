//! The compiled component on disk: used when it fits, never needed, never trusted when others can write to it.

use std::path::Path;

use lro::{CompiledCache, Lro, OffloadRequest, Options};

fn works_with(cache: &Path) -> bool {
    let options = Options { compiled_cache: CompiledCache::Directory(cache.to_owned()), ..Options::default() };
    Lro::open(options).unwrap().estimate("[]", &OffloadRequest::of("recall")).is_ok()
}

fn files(folder: &Path) -> Vec<std::path::PathBuf> {
    std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect()
}

#[test]
fn what_does_not_fit_is_replaced() {
    let parent = tempfile::tempdir().unwrap();
    let cache = parent.path().join("new/lro");
    assert!(works_with(&cache));
    let [file] = &files(&cache)[..] else { panic!("one file is expected in {}", cache.display()) };
    let whole = std::fs::read(file).unwrap();
    std::fs::remove_file(file).unwrap();
    std::fs::write(file, &whole[..whole.len() / 2]).unwrap();
    assert!(works_with(&cache));
    assert_eq!(std::fs::read(file).unwrap().len(), whole.len());
}

#[cfg(unix)]
#[test]
fn a_folder_that_others_can_write_to_is_not_used() {
    use std::os::unix::fs::PermissionsExt;
    let cache = tempfile::tempdir().unwrap();
    std::fs::set_permissions(cache.path(), std::fs::Permissions::from_mode(0o777)).unwrap();
    assert!(works_with(cache.path()));
    assert!(files(cache.path()).is_empty());
}
