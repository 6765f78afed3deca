//! What takes longer than half a second shows that on a terminal, and nowhere else.
//!
//! The terminal is a real one, which `script` of util-linux makes.

#![cfg(target_os = "linux")]

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use tempfile::TempDir;

const LRO: &str = env!("CARGO_BIN_EXE_lro");
const CACHE: &str = concat!(env!("CARGO_TARGET_TMPDIR"), "/compiled");

/// How a line of progress begins.
const SIGN: &str = "\r\u{1b}[K| ";

/// What clears it.
const CLEAR: &str = "\r\u{1b}[K";

/// The line comes at once, however quick this machine is.
const AT_ONCE: (&str, &str) = ("LRO_PROGRESS_DELAY", "0");

struct Place {
    _root: TempDir,
    path: PathBuf,
}

impl Place {
    /// A folder with a result of so many records, and its file.
    fn of(records: u32) -> Self {
        let root = TempDir::new().unwrap();
        let path = root.path().canonicalize().unwrap();
        let place = Self { _root: root, path };
        let record = |id| format!(r#"{{"id":{id},"title":"a title that is not short, {id}","tags":["a","b"]}}"#);
        let records: Vec<String> = (0..records).map(record).collect();
        fs::write(place.path.join("large.json"), format!("[{}]", records.join(","))).unwrap();
        let offloaded = place.piped("lro offload large.json --operation list --output-dir out > response", &[]);
        assert!(offloaded.status.success(), "{offloaded:?}");
        place
    }

    fn shell(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        let programs = Path::new(LRO).parent().unwrap().display().to_string();
        command.current_dir(&self.path).env_clear().env("PATH", format!("{programs}:/usr/bin:/bin"));
        command.env("HOME", &self.path).env("TERM", "xterm-256color").env("LRO_CACHE_DIR", CACHE);
        command
    }

    /// Runs a line of a shell with pipes.
    fn piped(&self, line: &str, variables: &[(&str, &str)]) -> Output {
        self.shell("sh").args(["-c", line]).envs(variables.iter().copied()).output().unwrap()
    }

    /// Runs a line of a shell on a terminal. Returns what it has shown.
    fn terminal(&self, line: &str, variables: &[(&str, &str)]) -> String {
        let mut script = self.shell("script");
        script.args(["--quiet", "--return", "--command", line, "/dev/null"]).envs(variables.iter().copied());
        let output = script.output().expect("util-linux has `script`");
        assert!(output.status.success(), "{line}: {output:?}");
        String::from_utf8_lossy(&output.stdout).into_owned()
    }
}

#[test]
fn a_terminal_shows_it_and_a_pipe_does_not() {
    let place = Place::of(40_000);
    let commands = [
        ("offloading", "lro offload large.json --operation list --output-dir more"),
        ("extracting", "lro extract out/*.jsonl --query 'select(.title == \"x\")' --threads 2"),
        (
            "extracting",
            "lro extract out/*.jsonl --query 'map(.title | ascii_upcase | explode | add) | add' --slurp --timeout 60",
        ),
        ("rebuilding", "lro rebuild out/*.jsonl > /dev/null"),
        ("running cases", "lro conformance"),
    ];
    for (what, line) in commands {
        let shown = place.terminal(line, &[AT_ONCE]);
        assert!(shown.contains(&format!("{SIGN}{what}")), "{line}: no progress: {shown:?}");
        // Nothing of it is left: the last thing that is said of the line is that it is cleared.
        let last = shown.rsplit(CLEAR).next().unwrap();
        assert!(!last.contains(" s\r") && !last.starts_with(['|', '/', '-', '\\']), "{line}: {shown:?}");
        let piped = place.piped(line, &[]);
        // A filter that finds nothing is explained, with or without a terminal.
        for stream in [&piped.stderr, &piped.stdout] {
            let text = String::from_utf8_lossy(stream);
            assert!(!text.contains(['\r', '\u{1b}']) && !text.contains(what), "{line}: {text}");
        }
    }
}

#[test]
fn how_far_it_has_come_is_shown_where_it_is_known() {
    // Which take long enough to be shown half done.
    let place = Place::of(400_000);
    let shown = place.terminal("lro extract out/*.jsonl --query 'select(.title == \"x\")' --threads 2", &[AT_ONCE]);
    assert!(shown.contains(" MB, ") && shown.contains(" %, "), "{shown:?}");
    let shown = place.terminal("lro conformance > /dev/null", &[AT_ONCE]);
    assert!(shown.contains("running cases, ") && shown.contains(" of 5"), "{shown:?}");
}

#[test]
fn variables_switch_it_off() {
    let place = Place::of(40_000);
    let line = "lro offload large.json --operation list --output-dir more > response";
    for variable in [("NO_COLOR", "1"), ("CI", "true"), ("TERM", "dumb"), ("TERM", "")] {
        assert_eq!(place.terminal(line, &[AT_ONCE, variable]), "", "{variable:?}");
    }
    assert_eq!(place.terminal(line, &[("LRO_PROGRESS_DELAY", "3600000")]), "");
    assert!(place.terminal(line, &[AT_ONCE]).contains(SIGN));
}

#[test]
fn the_first_compile_shows_it() {
    let root = TempDir::new().unwrap();
    fs::set_permissions(root.path(), fs::Permissions::from_mode(0o700)).unwrap();
    let place = Place { path: root.path().canonicalize().unwrap(), _root: root };
    let cache = place.path.join("cache");
    let shown = place.terminal("lro demo", &[("LRO_CACHE_DIR", cache.to_str().unwrap())]);
    assert!(shown.contains("lro: compiling the component"), "{shown:?}");
    assert!(shown.contains("| compiling the component, 0 s"), "{shown:?}");
    let (_, demo) = shown.rsplit_once(CLEAR).unwrap();
    assert!(demo.starts_with("Large Result Offloading"), "{demo:?}");
    fs::remove_dir_all(cache).unwrap();
}
