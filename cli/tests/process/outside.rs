//! Whatever the command is asked for, it opens nothing outside of the output directory, not even to refuse it afterwards
//! (EXTRACT-12). What it answers is tested with the library: `host/tests/component/confinement.rs`.

use std::fs;
use std::os::unix::fs::symlink;
use std::process::Command;

use tempfile::TempDir;

use crate::{LRO, cache, say};

/// The name of every file that must not be reached; it would be one of ours.
const CANARY: &str = "atlatl-recall-01KCANARY00000000000000000.jsonl";

/// Links in the output directory to a canary, to a folder of one, and to the folder above.
const LINKS: [(&str, &str); 3] =
    [("atlatl-recall-01KTEST0000000000000000010.jsonl", CANARY), ("s-2", "elsewhere"), ("s-3", ".")];

/// What is asked for; `ROOT` holds the output directory.
const PATHS: [&str; 25] = [
    "ROOT/CANARY",
    "ROOT/output/../CANARY",
    "ROOT/output/s-1/../../CANARY",
    "ROOT/output/s-1/deeper/CANARY",
    "ROOT/elsewhere/CANARY",
    "ROOT/output2/CANARY",
    "../CANARY",
    "../elsewhere/CANARY",
    "./CANARY",
    "~/CANARY",
    "file:///ROOT/output/CANARY",
    "%2e%2e/CANARY",
    "..\\CANARY",
    "ROOT/output/nowhere/../../CANARY",
    "ROOT/output",
    "ROOT/output/",
    "/etc/passwd",
    "",
    ".",
    "..",
    "ROOT/output/notes.jsonl",
    "CANARY",
    "atlatl-recall-01KTEST0000000000000000010.jsonl",
    "ROOT/output/s-2/CANARY",
    "ROOT/output/s-3/CANARY",
];

/// An output directory with links out of it, and canaries around it.
fn place() -> TempDir {
    let root = TempDir::new().unwrap();
    for folder in ["output/s-1/deeper", "elsewhere", "output2", "."] {
        fs::create_dir_all(root.path().join(folder)).unwrap();
        fs::write(root.path().join(folder).join(CANARY), "{\"id\":\"canary\"}\n").unwrap();
    }
    fs::write(root.path().join("output/notes.jsonl"), "{\"id\":\"m1\"}\n").unwrap();
    for (link, target) in LINKS {
        symlink(root.path().join(target), root.path().join("output").join(link)).unwrap();
    }
    root
}

#[test]
fn nothing_outside_is_opened() {
    let place = place();
    // As the kernel names it.
    let root = place.path().canonicalize().unwrap();
    let root = root.to_str().unwrap();
    let output_dir = format!("{root}/output");
    let mut calls =
        vec![vec!["cleanup".to_owned(), "--ttl".into(), "0".into(), "--output-dir".into(), output_dir.clone()]];
    calls.extend(PATHS.map(|path| {
        let path = path.replace("ROOT", root).replace("CANARY", CANARY);
        ["extract", "--query", ".", "--output-dir", &output_dir, "--", &path].map(str::to_owned).to_vec()
    }));
    for call in calls {
        let Some(opened) = opened(&call) else {
            return say("which files are opened, since strace is missing or not permitted here");
        };
        assert!(opened.contains(&output_dir), "{call:?}: {opened:?}");
        let canary = opened.iter().find(|path| path.contains(CANARY) || path.contains("/elsewhere"));
        assert_eq!(canary, None, "{call:?}");
    }
}

/// The paths that a call of the command opens, links resolved; nothing where that cannot be seen.
fn opened(arguments: &[String]) -> Option<Vec<String>> {
    let trace = tempfile::NamedTempFile::new().unwrap();
    let mut command = Command::new("strace");
    command.args(["-f", "-y", "-e", "trace=open,openat,openat2", "-o"]).arg(trace.path());
    command.arg(LRO).args(arguments).env("LRO_CACHE_DIR", cache());
    let output = command.output().ok()?;
    let trace = fs::read_to_string(trace.path()).unwrap();
    let path = |line: &str| Some(line.rsplit_once(" = ")?.1.split_once('<')?.1.split_once('>')?.0.to_owned());
    (output.status.code().is_some() && trace.contains(" = ")).then(|| trace.lines().filter_map(path).collect())
}
