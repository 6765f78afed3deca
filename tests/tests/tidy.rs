//! House rules that a machine can check (docs/STYLE.md, docs/ARCHITECTURE.md).

mod tidy {
    mod locks;
    mod manifests;
    mod unsafes;
}

use std::fs;
use std::path::PathBuf;

use lro_tests::sources::{Source, root};

/// A longer file is about two things.
const MOST_LINES: usize = 400;

/// A larger file was made or downloaded, and not written. The largest of ours are fixtures and vocabularies.
const MOST_BYTES: u64 = 2 << 20;

/// Mutants of the conformance suite: one for each kind of promise.
const LEAST_MUTANTS: usize = 40;

/// Parts of the standard library that reach outside, which only `disk` may do (invariant 1).
const OUTSIDE: [&str; 6] = ["fs", "time", "env", "net", "process", "thread"];

/// The text files of the repository but for this one: it names what it forbids.
fn sources() -> Vec<Source> {
    lro_tests::sources::sources().into_iter().filter(|source| source.path != "tests/tests/tidy.rs").collect()
}

/// Files below a folder whose names end so.
fn below(folder: &str, end: &str) -> Vec<Source> {
    let wanted = |source: &Source| source.path.starts_with(folder) && source.path.ends_with(end);
    let found: Vec<Source> = sources().into_iter().filter(wanted).collect();
    assert!(!found.is_empty(), "no {end} file is found in {folder}");
    found
}

/// Fails with every place where a line is found guilty.
fn forbid(sources: &[Source], why: &str, is_guilty: impl Fn(&str) -> bool) {
    let mut guilty = Vec::new();
    for source in sources {
        for (number, line) in (1..).zip(source.text.lines()) {
            if is_guilty(line) {
                guilty.push(format!("{}:{number}: {}", source.path, line.trim()));
            }
        }
    }
    assert!(guilty.is_empty(), "{why}:\n{}", guilty.join("\n"));
}

/// The text in front of the tests at the end of a module.
fn without_tests(source: Source) -> Source {
    let end = source.text.find("#[cfg(test)]\nmod tests").unwrap_or(source.text.len());
    Source { text: source.text[..end].to_owned(), ..source }
}

/// True for a line that names a part of a library which reaches outside.
fn reaches_outside(line: &str) -> bool {
    let words = || line.split(|character: char| !character.is_alphanumeric() && character != '_');
    let group = line.trim_start().starts_with("use std::{");
    OUTSIDE.iter().any(|part| line.contains(&format!("std::{part}")) || group && words().any(|word| word == *part))
        || line.contains("wasip2::")
        || line.contains("getrandom::")
}

#[test]
fn only_disk_reaches_outside() {
    let rows = [("use std::fs;", true), ("use std::{fmt, env};", true), ("use std::{fmt, io};", false)];
    for (line, expected) in rows {
        assert_eq!(reaches_outside(line), expected, "{line}");
    }
    let logic: Vec<Source> = below("guest/src/", ".rs")
        .into_iter()
        .filter(|source| !source.path.starts_with("guest/src/disk/"))
        .map(without_tests)
        .collect();
    forbid(&logic, "a module beside `disk` reaches outside", reaches_outside);
}

#[test]
fn only_component_knows_the_contracts_bindings() {
    let others: Vec<Source> =
        below("guest/src/", ".rs").into_iter().filter(|source| source.path != "guest/src/component.rs").collect();
    forbid(&others, "only component.rs knows WIT", |line| line.contains("wit_bindgen") || line.contains("bindings::"));
}

#[test]
fn the_host_does_not_know_the_guests_crate() {
    for package in ["host", "cli", "conformance"] {
        let mut host = below(&format!("{package}/src/"), ".rs");
        host.extend(below(&format!("{package}/Cargo.toml"), ""));
        forbid(&host, "WIT is all that guest and host share", |line| {
            line.contains("lro_guest") || line.contains("lro-guest")
        });
    }
}

#[test]
fn no_file_is_long() {
    for source in below("", ".rs") {
        let lines = source.text.lines().count();
        assert!(lines <= MOST_LINES, "{} has {lines} lines: it is about two things", source.path);
    }
}

#[test]
fn no_file_is_large() {
    for path in lro_tests::sources::paths() {
        let bytes = fs::symlink_metadata(root().join(&path)).map_or(0, |metadata| metadata.len());
        assert!(bytes <= MOST_BYTES, "{path} has {bytes} bytes: did it get here by mistake?");
    }
}

#[test]
fn nothing_is_left_undone_or_switched_off() {
    let words = ["todo!", "unimplemented!", "dbg!", "#[ignore"];
    forbid(&below("", ".rs"), "this is left undone or switched off", |line| {
        words.iter().any(|word| line.contains(word))
    });
}

#[test]
fn no_path_of_a_machine_is_written_down() {
    forbid(&sources(), "a path of one machine", |line| line.contains("/work/") || line.contains("/root/"));
}

#[test]
fn links_in_markdown_lead_somewhere() {
    for source in below("", ".md") {
        let folder = root().join(&source.path).parent().map(PathBuf::from).unwrap_or_default();
        for target in links(&source.text).into_iter().filter(|target| !target.contains(':')) {
            let (file, heading) = target.split_once('#').unwrap_or((target, ""));
            let path = if file.is_empty() { root().join(&source.path) } else { folder.join(file) };
            assert!(path.exists(), "{} links to `{target}`, which is missing", source.path);
            let text = fs::read_to_string(&path).unwrap_or_default();
            let leads = heading.is_empty() || text.lines().any(|line| line.starts_with('#') && slug(line) == heading);
            assert!(leads, "{} links to `{target}`, and no heading is called so", source.path);
        }
    }
}

/// A heading as links name it.
fn slug(heading: &str) -> String {
    let words = heading.trim_start_matches('#').trim().to_lowercase();
    let kept = words.chars().filter(|&letter| letter.is_alphanumeric() || " -_".contains(letter));
    kept.map(|letter| if letter == ' ' { '-' } else { letter }).collect()
}

#[test]
fn a_heading_is_named_as_on_github() {
    let rows = [("## Any tool's result", "any-tools-result"), ("# jq: `a_b` & c-d", "jq-a_b--c-d")];
    for (heading, expected) in rows {
        assert_eq!(slug(heading), expected);
    }
}

/// Targets of `[text](target)`, but for those in code.
fn links(markdown: &str) -> Vec<&str> {
    let mut in_code = false;
    let mut targets = Vec::new();
    for line in markdown.lines() {
        if line.trim_start().starts_with("```") {
            in_code = !in_code;
        } else if !in_code {
            targets.extend(line.split("](").skip(1).filter_map(|rest| rest.split(')').next()));
        }
    }
    targets
}

#[test]
fn the_readme_begins_with_four_commands() {
    let readme = fs::read_to_string(root().join("README.md")).expect("there is a README");
    let block = readme.split("```console\n").nth(1).and_then(|rest| rest.split("```").next());
    let lines: Vec<&str> = block.expect("the README has a console block").lines().collect();
    let [clone, folder, demo, tests] = lines[..] else { panic!("clone, cd and two commands are expected: {lines:?}") };
    assert!(clone.starts_with("$ git clone "), "{clone}");
    assert!(folder.starts_with("$ cd "), "{folder}");
    assert!(demo.starts_with("$ ") && demo.contains("demo"), "{demo}");
    assert!(tests.starts_with("$ ") && tests.contains("test"), "{tests}");
}

#[test]
fn the_changelog_knows_the_version() {
    let read = |file: &str| fs::read_to_string(root().join(file)).expect("the file is there");
    let (changelog, manifest) = (read("CHANGELOG.md"), read("Cargo.toml"));
    let version =
        manifest.lines().find_map(|line| line.strip_prefix("version = ")).expect("the workspace has a version");
    let headings = changelog.lines().filter_map(|line| line.strip_prefix("## "));
    let released = headings
        .map(|heading| heading.trim_start_matches(['[', 'v']))
        .find(|heading| heading.starts_with(|first: char| first.is_ascii_digit()));
    if let Some(released) = released {
        let number = released.split([' ', ']']).next().unwrap_or_default();
        assert_eq!(version.trim_matches('"'), number, "Cargo.toml and the last release of CHANGELOG.md differ");
    }
}

#[test]
fn the_contract_has_one_version() {
    let packages: Vec<String> = below("wit/", ".wit")
        .iter()
        .flat_map(|source| source.text.lines().filter(|line| line.starts_with("package ")).map(str::to_owned))
        .collect();
    assert!(packages.iter().all(|package| *package == packages[0]), "{packages:?}");
}

#[test]
fn no_mutant_is_stale() {
    let mutants = lro_tests::mutants::list().expect("the list of mutants can be read");
    let stale = lro_tests::mutants::stale(&mutants);
    assert!(stale.is_empty(), "{}", stale.join("\n"));
    assert!(mutants.len() >= LEAST_MUTANTS, "each kind of promise has a mutant");
    let clauses = lro_conformance::clauses().expect("clauses.json can be read");
    for mutant in mutants {
        let is_known = clauses.iter().any(|clause| clause.clause == mutant.clause);
        assert!(is_known, "{} breaks {}, which is no clause", mutant.name, mutant.clause);
    }
}
