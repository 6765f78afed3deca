//! Lock files of other languages: each package is known by a hash, and nothing of it runs while it is installed.

use std::collections::BTreeMap;

use lro_tests::sources::{Source, sources};
use serde_json::{Map, Value};

/// Packages that would run a script when they are installed, were it not forbidden (tests/packages.sh), and why they may.
const WITH_SCRIPTS: [(&str, &str); 3] = [
    ("@github/keytar", "builds a library for keys, which the client does without"),
    ("esbuild", "checks its program, which works without the check"),
    ("node-pty", "builds a library for terminals, which the client does without"),
];

/// Packages of other systems that others name and nobody has published in that version: there is nothing to hash.
const UNPUBLISHED: [&str; 3] = [
    "@bytecodealliance/jco-node-fs-linux-arm64-musl",
    "@bytecodealliance/jco-node-fs-win32-arm64-msvc",
    "@bytecodealliance/jco-node-fs-win32-x64-msvc",
];

/// The files of a name, wherever they are.
fn named(name: &str) -> Vec<Source> {
    let found: Vec<Source> = sources().into_iter().filter(|source| source.path.ends_with(name)).collect();
    assert!(found.len() > 5, "only {} files are called {name}", found.len());
    found
}

/// The packages of a lock file of npm, by their places.
fn packages(source: &Source) -> Map<String, Value> {
    let mut lock: Value = serde_json::from_str(&source.text).expect("a lock file is JSON");
    assert_eq!(lock["lockfileVersion"], 3, "{}", source.path);
    let Value::Object(packages) = lock["packages"].take() else { panic!("{} has no packages", source.path) };
    packages
}

/// What is wrong with an entry of npm's lock file.
fn fault_of(place: &str, package: &Value) -> Option<&'static str> {
    let name = place.rsplit("node_modules/").next().unwrap_or(place);
    let hash = package["integrity"].as_str().unwrap_or_default();
    // Part of the package that it lies in, whose hash is over both.
    let is_part = package["inBundle"] == true;
    let runs = package["hasInstallScript"] == true;
    match () {
        () if package["link"] == true => Some("is a link to a folder"),
        // The registry is that of the machine, and the hash says that it has the same package.
        () if package.get("resolved").is_some() => {
            Some("names where it is from, which may be another place than the registry")
        }
        () if UNPUBLISHED.contains(&name) && hash.is_empty() && package["optional"] == true => None,
        () if !is_part && !hash.starts_with("sha512-") => Some("has no hash of SHA-512"),
        () if runs && !WITH_SCRIPTS.iter().any(|(known, _)| *known == name) => {
            Some("runs a script when it is installed")
        }
        () => None,
    }
}

#[test]
fn every_package_of_npm_has_a_hash_and_no_place_of_its_own() {
    let package = |text: &str| serde_json::from_str::<Value>(text).expect("it is JSON");
    let rows = [
        (r#"{"integrity":"sha512-x"}"#, None),
        (r#"{"inBundle":true}"#, None),
        (r#"{}"#, Some("has no hash of SHA-512")),
        (r#"{"integrity":"sha1-x"}"#, Some("has no hash of SHA-512")),
        (r#"{"integrity":"sha512-x","hasInstallScript":true}"#, Some("runs a script when it is installed")),
    ];
    for (text, expected) in rows {
        assert_eq!(fault_of("node_modules/a", &package(text)), expected, "{text}");
    }
    for lock in named("package-lock.json") {
        // The first is the folder itself.
        for (place, package) in packages(&lock).iter().filter(|(place, _)| !place.is_empty()) {
            assert_eq!(fault_of(place, package), None, "{place} in {}", lock.path);
        }
    }
}

#[test]
fn scripts_of_packages_are_listed_where_they_are() {
    let locks = named("package-lock.json");
    let places: Vec<String> =
        locks.iter().flat_map(|lock| packages(lock).into_iter().map(|(place, _)| place)).collect();
    for name in WITH_SCRIPTS.iter().map(|(name, _)| *name).chain(UNPUBLISHED) {
        assert!(
            places.iter().any(|place| place.ends_with(&format!("node_modules/{name}"))),
            "{name} is not in use any more"
        );
    }
}

/// The hashes of each package in a list of pip's.
fn hashes(source: &Source) -> BTreeMap<&str, usize> {
    let mut packages = BTreeMap::new();
    let mut last = None;
    for line in source.text.lines() {
        let line = line.trim().trim_end_matches('\\').trim_end();
        if let Some(hash) = line.strip_prefix("--hash=sha256:") {
            let is_hash = hash.len() == 64 && hash.bytes().all(|byte| byte.is_ascii_hexdigit());
            assert!(is_hash, "{}: {line}", source.path);
            *last.and_then(|name| packages.get_mut(name)).expect("a hash belongs to a package") += 1;
        } else if !line.is_empty() {
            let exact = line.split_once("==").map(|(name, _)| name);
            assert!(exact.is_some(), "{}: `{line}` is not one version from the index", source.path);
            last = exact;
            packages.extend(exact.map(|name| (name, 0)));
        }
    }
    packages
}

#[test]
fn every_package_of_python_has_one_version_and_its_hashes() {
    for list in named("requirements.txt") {
        let hashes = hashes(&list);
        assert!(!hashes.is_empty(), "{} is empty", list.path);
        for (name, count) in hashes {
            assert!(count > 0, "{name} in {} has no hash; `bash tests/pins.sh` writes them", list.path);
        }
    }
}

#[test]
fn packages_are_installed_by_their_hashes_and_run_nothing() {
    let install =
        sources().into_iter().find(|source| source.path == "tests/packages.sh").expect("it installs packages");
    for option in ["npm ci --ignore-scripts", "--require-hashes", "--only-binary :all:", "--no-deps"] {
        assert!(install.text.contains(option), "tests/packages.sh does without `{option}`");
    }
}
