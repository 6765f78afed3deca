//! Manifests: what several packages share is written once, in their workspace.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;

use toml::{Table, Value};

/// What every package of a workspace shares.
const SHARED: [&str; 5] = ["version", "edition", "rust-version", "license", "publish"];

/// Packages of which two workspaces need different versions, with the reason.
const APART: [(&str, &str); 1] =
    [("wit-component", "the library has that of wasmtime, and what packs the tools that of wac")];

/// All manifests of the repository by their paths from its root.
fn manifests() -> BTreeMap<String, Table> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("tests/ is in the repository");
    let mut list = Command::new("git");
    list.args(["ls-files", "-z", "--cached", "--others", "--exclude-standard", "Cargo.toml", "*/Cargo.toml"]);
    let listed = list.current_dir(root).output().expect("git can be started");
    let paths = String::from_utf8(listed.stdout).expect("names of our files are Unicode");
    let read = |path: &str| {
        let text = fs::read_to_string(root.join(path)).ok()?;
        Some((path.to_owned(), text.parse().unwrap_or_else(|error| panic!("{path}: {error}"))))
    };
    let manifests: BTreeMap<String, Table> =
        paths.split('\0').filter(|path| !path.is_empty()).filter_map(read).collect();
    assert!(manifests.len() > 10, "only {} manifests are found", manifests.len());
    manifests
}

/// A value below a table by its path, if it is there.
fn at<'a>(table: &'a Table, path: &[&str]) -> Option<&'a Value> {
    let (last, folders) = path.split_last()?;
    folders.iter().try_fold(table, |table, name| table.get(*name)?.as_table())?.get(*last)
}

/// The dependencies of a table of a manifest: of the manifest itself, or of one of its targets.
fn dependencies(table: &Table) -> impl Iterator<Item = (&String, &Value)> {
    ["dependencies", "dev-dependencies", "build-dependencies"]
        .into_iter()
        .filter_map(|kind| table.get(kind)?.as_table())
        .flatten()
}

/// The dependencies of a manifest, those of its targets among them.
fn all_dependencies(manifest: &Table) -> impl Iterator<Item = (&String, &Value)> {
    let targets = manifest.get("target").and_then(Value::as_table).into_iter().flatten();
    targets.filter_map(|(_, table)| table.as_table()).chain([manifest]).flat_map(dependencies)
}

/// True for `{ workspace = true, … }` that says nothing else of where a package is from.
fn is_inherited(value: &Value) -> bool {
    let Some(table) = value.as_table() else { return false };
    let own = ["version", "path", "git", "default-features"];
    table.get("workspace") == Some(&Value::Boolean(true)) && own.iter().all(|key| !table.contains_key(*key))
}

#[test]
fn every_package_inherits_lints_and_versions() {
    for (path, manifest) in manifests() {
        let Some(package) = manifest.get("package").and_then(Value::as_table) else { continue };
        assert!(at(&manifest, &["lints", "workspace"]).is_some(), "{path} does not inherit the lints of its workspace");
        for key in SHARED {
            let is_shared = package.get(key).is_some_and(is_inherited);
            assert!(is_shared, "{path} has a `{key}` of its own");
        }
        for (name, dependency) in all_dependencies(&manifest) {
            assert!(is_inherited(dependency), "{path} does not take `{name}` from [workspace.dependencies]");
        }
        let is_root = manifest.contains_key("workspace");
        assert!(
            is_root || !manifest.contains_key("profile"),
            "{path} has a profile, which cargo reads in a workspace only"
        );
    }
}

#[test]
fn workspaces_agree() {
    let manifests = manifests();
    let project = &manifests["Cargo.toml"];
    for (path, workspace) in manifests.iter().filter(|(_, manifest)| manifest.contains_key("workspace")) {
        assert_eq!(at(workspace, &["workspace", "lints"]), at(project, &["workspace", "lints"]), "lints of {path}");
        for key in SHARED {
            let place = ["workspace", "package", key];
            assert_eq!(at(workspace, &place), at(project, &place), "`{key}` of {path}");
        }
        let versions = at(workspace, &["workspace", "dependencies"]).and_then(Value::as_table);
        for (name, version) in versions.into_iter().flatten().filter(|(_, version)| number(version).is_some()) {
            let ours = at(project, &["workspace", "dependencies", name]);
            let is_apart = APART.iter().any(|(apart, _)| apart == name);
            assert!(
                ours.is_none_or(|ours| is_apart || number(ours) == number(version)),
                "{path} has another version of `{name}` than Cargo.toml"
            );
        }
    }
}

#[test]
fn every_shared_dependency_is_used() {
    let manifests = manifests();
    let roots: Vec<&str> = manifests.keys().filter_map(|path| path.strip_suffix("Cargo.toml")).collect();
    for (path, workspace) in manifests.iter().filter(|(_, manifest)| manifest.contains_key("workspace")) {
        let root = path.strip_suffix("Cargo.toml").expect("a manifest is called so");
        // Members of a workspace lie below it, and below no other one that is deeper.
        let is_inner = |other: &&&str| {
            other.len() > root.len()
                && other.starts_with(root)
                && manifests[&format!("{other}Cargo.toml")].contains_key("workspace")
        };
        let inner: Vec<&&str> = roots.iter().filter(is_inner).collect();
        let members = manifests
            .iter()
            .filter(|(member, _)| member.starts_with(root) && !inner.iter().any(|other| member.starts_with(**other)));
        let used: Vec<&String> =
            members.flat_map(|(_, member)| all_dependencies(member)).map(|(name, _)| name).collect();
        let shared = at(workspace, &["workspace", "dependencies"]).and_then(Value::as_table).into_iter().flatten();
        for (name, _) in shared {
            assert!(used.contains(&name), "{path} has a version of `{name}`, which no member uses");
        }
    }
}

/// The version that a dependency asks for.
fn number(dependency: &Value) -> Option<&str> {
    dependency.as_str().or_else(|| dependency.get("version")?.as_str())
}
