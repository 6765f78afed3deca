use super::OutputDir;

#[test]
fn paths_are_presented_as_the_component_knows_them() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().canonicalize().unwrap();
    std::fs::create_dir_all(root.join("output/session")).unwrap();
    std::fs::create_dir(root.join("elsewhere")).unwrap();
    std::os::unix::fs::symlink(root.join("output"), root.join("alias")).unwrap();
    std::os::unix::fs::symlink(root.join("elsewhere"), root.join("output/way-out")).unwrap();
    let output_dir = OutputDir::new(&root.join("alias"));
    let cases = [
        ("alias/a.jsonl", "output/a.jsonl"),
        ("alias/session/a.jsonl", "output/session/a.jsonl"),
        ("output/../output/./a.jsonl", "output/a.jsonl"),
        ("output/../elsewhere/a.jsonl", "elsewhere/a.jsonl"),
        ("output/way-out/a.jsonl", "output/way-out/a.jsonl"),
        ("missing/a.jsonl", "missing/a.jsonl"),
    ];
    for (given, expected) in cases {
        let given = root.join(given).display().to_string();
        assert_eq!(output_dir.present(&given), root.join(expected).display().to_string());
    }
    assert_eq!(output_dir.present("a.jsonl"), "a.jsonl");
    assert!(!output_dir.is_shared());
}

#[test]
fn a_directory_that_is_missing_is_created_for_its_owner_alone() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("new/nested");
    let output_dir = OutputDir::new(&path);
    assert!(output_dir.canonical().is_none());
    output_dir.prepare().unwrap();
    assert!(output_dir.canonical().is_some());
    for path in [&*path, path.parent().unwrap()] {
        assert_eq!(std::fs::metadata(path).unwrap().permissions().mode() & 0o777, 0o700);
    }
    // An existing directory is not changed.
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
    output_dir.prepare().unwrap();
    assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o755);
}

#[test]
fn a_directory_that_cannot_be_created_is_told_with_the_reason() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("file"), "mine").unwrap();
    std::os::unix::fs::symlink("nowhere", folder.path().join("link")).unwrap();
    let rows = [
        ("file", "there is something of this name that is not a directory"),
        ("link", "there is something of this name that is not a directory"),
        ("file/below", "a part of its path is not a directory"),
    ];
    for (name, reason) in rows {
        let path = folder.path().join(name);
        let error = OutputDir::new(&path).prepare().unwrap_err();
        let expected = format!("cannot use `{}` as the output directory: {reason}", path.display());
        assert_eq!((error.case(), error.message()), ("io", expected.as_str()));
        assert!(error.hint().contains("--output-dir"), "{error:?}");
    }
    assert_eq!(std::fs::read_to_string(folder.path().join("file")).unwrap(), "mine");
}

#[test]
fn the_directory_of_a_user_is_not_taken_from_others() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let folder = tempfile::tempdir().unwrap();
    let of_user = |name: &str| OutputDir {
        given: folder.path().join(name),
        store: None,
        is_default: true,
        canonical: std::sync::OnceLock::new(),
    };
    std::fs::create_dir(folder.path().join("elsewhere")).unwrap();
    symlink("elsewhere", folder.path().join("link")).unwrap();
    assert!(of_user("link").canonical().is_none());
    let error = of_user("link").prepare().unwrap_err();
    assert!(error.message().contains("as the output directory"), "{error}");

    let wide = folder.path().join("wide");
    std::fs::create_dir(&wide).unwrap();
    std::fs::set_permissions(&wide, std::fs::Permissions::from_mode(0o755)).unwrap();
    of_user("wide").prepare().unwrap();
    assert_eq!(std::fs::metadata(&wide).unwrap().permissions().mode() & 0o777, 0o700);
}

/// A process that runs for days may see its directory go, and somebody else's come.
#[test]
fn the_directory_of_a_user_is_judged_at_each_call() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("lro-7");
    let directory =
        OutputDir { given: path.clone(), store: None, is_default: true, canonical: std::sync::OnceLock::new() };
    directory.prepare().unwrap();
    assert!(directory.canonical().is_some());
    std::fs::remove_dir(&path).unwrap();
    std::fs::create_dir(folder.path().join("elsewhere")).unwrap();
    symlink("elsewhere", &path).unwrap();
    assert_eq!(directory.canonical(), None, "a link");
    std::fs::remove_file(&path).unwrap();
    std::fs::create_dir(&path).unwrap();
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o777)).unwrap();
    assert_eq!(directory.canonical(), None, "others can write to it");
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o700)).unwrap();
    assert!(directory.canonical().is_some());
}

#[test]
fn a_directory_that_was_deleted_is_created_again_where_it_was() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let folder = tempfile::tempdir().unwrap();
    let (real, link) = (folder.path().join("real/results"), folder.path().join("link"));
    symlink("real/results", &link).unwrap();
    std::fs::create_dir_all(&real).unwrap();
    let output_dir = OutputDir::new(&link);
    output_dir.prepare().unwrap();
    std::fs::remove_dir_all(folder.path().join("real")).unwrap();
    output_dir.restore();
    assert_eq!(std::fs::metadata(&real).unwrap().permissions().mode() & 0o777, 0o700);

    // What stands there now is somebody else's.
    std::fs::remove_dir(&real).unwrap();
    std::fs::write(&real, "mine").unwrap();
    output_dir.restore();
    assert_eq!(std::fs::read_to_string(&real).unwrap(), "mine");
}
