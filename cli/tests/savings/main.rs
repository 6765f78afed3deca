//! `lro audit`, the ledger and `lro stats`: what offloading saves, and what it loses.
//!
//! `tests/transcripts` has what the real Claude Code and Codex wrote with a scripted model, with and without LRO
//! (`tests/clients/record.mjs`).

#![cfg(unix)]

mod audit;
mod hostile;
mod ledger;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::OnceLock;

use serde_json::Value;
use tempfile::TempDir;

const LRO: &str = env!("CARGO_BIN_EXE_lro");
const TRANSCRIPTS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/transcripts");
const CACHE: &str = concat!(env!("CARGO_TARGET_TMPDIR"), "/compiled");

/// A home with nothing in it, and a folder for temporary files.
struct Home {
    _root: TempDir,
    path: PathBuf,
}

impl Home {
    fn new() -> Self {
        let root = TempDir::new().unwrap();
        let path = root.path().canonicalize().unwrap();
        fs::create_dir(path.join("tmp")).unwrap();
        Self { _root: root, path }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }

    fn write(&self, name: &str, text: &str) -> PathBuf {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        path
    }

    /// Puts what a client has recorded where it keeps it. Returns the transcript.
    fn record(&self, recorded: &str) -> PathBuf {
        let from = Path::new(TRANSCRIPTS).join(recorded);
        let text = fs::read_to_string(from.join("session.jsonl")).unwrap();
        let text = text.replace("HOME_FOLDER", self.path.to_str().unwrap());
        if recorded.starts_with("codex") {
            return self.write(".codex/sessions/2026/11/25/rollout-1.jsonl", &text);
        }
        // Its folder for results has the name of the session, which the transcript repeats.
        let session = text.split(r#""sessionId":""#).nth(1).unwrap().split('"').next().unwrap();
        let folder = format!(".claude/projects/-home-project/{session}");
        let saved = fs::read_dir(from.join("tool-results")).into_iter().flatten().flatten();
        for file in saved {
            let name = format!("{folder}/tool-results/{}", file.file_name().to_str().unwrap());
            self.write(&name, &fs::read_to_string(file.path()).unwrap());
        }
        self.write(&format!("{folder}.jsonl"), &text)
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(LRO);
        command.args(arguments).current_dir(&self.path).env_clear().env("PATH", "/usr/bin:/bin");
        command.env("HOME", &self.path).env("TMPDIR", self.path("tmp")).env("LRO_CACHE_DIR", cache());
        command
    }

    fn run(&self, arguments: &[&str]) -> Output {
        self.command(arguments).output().unwrap()
    }

    /// The report of an audit.
    fn audit(&self, arguments: &[&str]) -> Value {
        let output = self.run(&[&["audit", "--json"], arguments].concat());
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        serde_json::from_slice(&output.stdout).unwrap()
    }

    /// What is in the folder for temporary files.
    fn left(&self) -> Vec<String> {
        let entries = fs::read_dir(self.path("tmp")).unwrap().flatten();
        entries.map(|entry| entry.file_name().to_str().unwrap().to_owned()).collect()
    }
}

/// The folder with the compiled components, which exist from now on.
fn cache() -> &'static str {
    static COMPILED: OnceLock<()> = OnceLock::new();
    COMPILED.get_or_init(|| {
        for tokenizer in ["chars", "o200k_base"] {
            let mut compile = Command::new(LRO);
            let compiled = compile.args(["estimate", "--tokenizer", tokenizer]).env("LRO_CACHE_DIR", CACHE).output();
            assert!(compiled.is_ok_and(|output| output.status.success()));
        }
    });
    CACHE
}

/// The row of a tool.
fn row<'a>(report: &'a Value, tool: &str) -> &'a Value {
    let tools = report["clients"][0]["tools"].as_array().unwrap();
    tools.iter().find(|row| row["tool"] == tool).unwrap_or_else(|| panic!("no {tool}: {report}"))
}

/// A number of a row, at a path with slashes.
fn number(row: &Value, path: &str) -> i64 {
    row.pointer(&format!("/{path}")).and_then(Value::as_i64).unwrap_or_else(|| panic!("no {path}: {row}"))
}

/// Records, about 36 tokens each.
fn records(count: usize) -> String {
    let record =
        |id| format!(r#"{{"id":{id},"title":"issue number {id} of the tracker","state":"open","author":"person"}}"#);
    format!("[{}]", (0..count).map(record).collect::<Vec<_>>().join(","))
}
