//! A file that is put aside outlives its session: the copy is its owner's alone, does not expire, and replaces nothing.

use std::fs;
use std::path::Path;

use lro::{CleanupRequest, ExtractRequest, Kept, Lro, OffloadRequest, Source};

use crate::given::{self, FUTURE, PAST, Place, file, name, records};

fn read(folder: &Path, file: &Path) -> String {
    let name = file.file_name().unwrap().to_str().unwrap();
    given::lro(folder).extract(&Source::File(name.to_owned()), &ExtractRequest::of_query(".id")).unwrap().results
}

fn kept(lro: &Lro, file: &str, to: &Path) -> Kept {
    lro.keep(file, to, false).unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn a_copy_is_private_and_does_not_expire() {
    let place = Place::new();
    fs::create_dir(place.inside("s-1")).unwrap();
    let expired = format!("s-1/{}", name(1));
    fs::write(place.inside(&expired), file(PAST)).unwrap();
    let source = Source::File(expired.clone());
    assert_eq!(place.lro.describe(&source).unwrap_err().case(), "not-found", "it has expired");
    let folder = place.beside("kept/deeper");
    let Kept { files, missing, .. } = kept(&place.lro, &expired, &folder);
    assert_eq!((files.as_slice(), missing.len()), ([folder.join(name(1))].as_slice(), 0));
    #[cfg(unix)]
    for (path, mode) in [(&folder, 0o700), (&files[0], 0o600)] {
        use std::os::unix::fs::PermissionsExt;
        assert_eq!(fs::metadata(path).unwrap().permissions().mode() & 0o777, mode, "{}", path.display());
    }
    assert_eq!(read(&folder, &files[0]), "\"m1\"\n");
    let request = CleanupRequest::default().ttl_seconds(0);
    assert_eq!(given::lro(&folder).cleanup(&request).unwrap().deleted, 0);
    assert_eq!(place.lro.cleanup(&CleanupRequest::default()).unwrap().deleted, 1, "the original goes");
    assert_eq!(read(&folder, &files[0]), "\"m1\"\n");
}

#[test]
fn a_document_is_kept_whole_and_rebuilt() {
    let place = Place::new();
    let list = |key: &str| format!("\"{key}\":{}", records(300));
    let document = format!("{{{},{}}}", list("a"), list("b"));
    let request = OffloadRequest::of("recall").session("s-1");
    let stored = given::stored(place.lro.offload(&document, &request).unwrap());
    let section = &stored.sections[0].file_name;
    let folder = place.beside("kept");
    let Kept { files, .. } = kept(&place.lro, section, &folder);
    assert_eq!((files.len(), files[0].file_name()), (2, Path::new(section).file_name()));
    place.lro.cleanup(&CleanupRequest::default().all(true)).unwrap();
    for file in files {
        let name = file.file_name().unwrap().to_str().unwrap().to_owned();
        assert_eq!(given::lro(&folder).rebuild(&Source::File(name)).unwrap(), document);
    }
}

#[test]
fn nothing_is_replaced_unless_that_is_wanted() {
    let place = Place::new();
    fs::write(place.inside(&name(1)), file(FUTURE)).unwrap();
    let folder = place.beside("kept");
    fs::create_dir(&folder).unwrap();
    let taken = folder.join(name(1));
    fs::write(&taken, "mine").unwrap();
    let error = place.lro.keep(&name(1), &folder, false).unwrap_err();
    assert_eq!(error.case(), "invalid-argument");
    assert!(error.message().ends_with("there is one already") && error.hint().contains("--force"), "{error:?}");
    assert_eq!(fs::read_to_string(&taken).unwrap(), "mine");
    // Under the full name too.
    assert_eq!(place.lro.keep(&name(1), &taken, false).unwrap_err().case(), "invalid-argument");
    assert_eq!(place.lro.keep(&name(1), &taken, true).unwrap().files, std::slice::from_ref(&taken));
    assert_eq!(read(&folder, &taken), "\"m1\"\n");
    assert_eq!(fs::read_dir(&folder).unwrap().count(), 1, "no part is left");
}

#[cfg(unix)]
#[test]
fn a_link_in_its_place_is_neither_followed_nor_written_through() {
    use std::os::unix::fs::symlink;
    let place = Place::new();
    fs::write(place.inside(&name(1)), file(FUTURE)).unwrap();
    let (folder, victim) = (place.beside("kept"), place.beside("victim"));
    fs::create_dir(&folder).unwrap();
    fs::write(&victim, "mine").unwrap();
    symlink(&victim, folder.join(name(1))).unwrap();
    assert_eq!(place.lro.keep(&name(1), &folder, false).unwrap_err().case(), "invalid-argument");
    symlink(&victim, folder.join(format!("{}.part", name(1)))).unwrap();
    assert_eq!(place.lro.keep(&name(1), &folder, true).unwrap_err().case(), "invalid-argument");
    assert_eq!(fs::read_to_string(&victim).unwrap(), "mine");
    // What is kept is a file of ours, not what a link leads to.
    symlink(&victim, place.inside(&name(2))).unwrap();
    assert_eq!(place.lro.keep(&name(2), &place.beside("other"), false).unwrap_err().case(), "outside");
    assert!(!place.beside("other").exists());
}

#[test]
fn a_place_that_makes_no_sense_is_refused_before_it_is_made() {
    let place = Place::new();
    fs::write(place.inside(&name(1)), file(FUTURE)).unwrap();
    fs::write(place.beside("file"), "mine").unwrap();
    let rows = [
        (place.beside("m1.jsonl"), "under another name it could not be read again"),
        (place.inside("s-1"), "it is in the output directory, where a purge deletes it"),
        (place.inside(""), "it is in the output directory, where a purge deletes it"),
        (place.beside("kept/../output/s-1/deeper"), "it is in the output directory, where a purge deletes it"),
        (place.beside("file"), "there is a file of this name"),
        (place.beside("file/below"), "there is a file of this name"),
    ];
    let before = place.listing();
    for (to, reason) in rows {
        let error = place.lro.keep(&name(1), &to, false).unwrap_err();
        assert_eq!(error.case(), "invalid-argument", "{error}");
        assert!(error.message().ends_with(reason), "{error}");
        assert_eq!(place.listing(), before);
    }
}
