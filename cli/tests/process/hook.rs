//! `lro hook` lets a result through when anything is wrong: exit status 0, nothing on standard output and standard error,
//! and a line in the log. What clients send and get is in `tests/golden/hook`.

use std::fs;
use std::io::Write;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::thread;

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::{LRO, cache, records, say};

/// A home with a session of Claude Code, and an output directory.
struct Home {
    root: TempDir,
}

impl Home {
    fn new() -> Self {
        let root = TempDir::new().unwrap();
        let home = Self { root };
        fs::create_dir_all(home.results()).unwrap();
        home
    }

    fn path(&self, name: &str) -> PathBuf {
        self.root.path().canonicalize().unwrap().join(name)
    }

    /// The folder in which Claude Code saves large results of the session.
    fn results(&self) -> PathBuf {
        self.path(".claude/projects/-home/5f/tool-results")
    }

    fn command(&self, client: &str) -> Command {
        let mut command = Command::new(LRO);
        command.args(["hook", client, "--output-dir"]).arg(self.path("out")).env_clear();
        command.env("HOME", self.path("")).env("LRO_CACHE_DIR", cache()).env("TMPDIR", self.path(""));
        command
    }

    /// Runs the hook of Claude Code.
    fn hook(&self, event: &[u8]) -> Output {
        run(self.command("claude"), event)
    }

    fn log(&self) -> String {
        fs::read_to_string(self.path(".local/state/lro/hook.log")).unwrap_or_default()
    }

    fn event(&self, tool: &str, response: &Value) -> Vec<u8> {
        let transcript = self.path(".claude/projects/-home/5f.jsonl");
        let event = json!({"session_id": "5f", "transcript_path": transcript, "hook_event_name": "PostToolUse",
            "tool_name": tool, "tool_input": {}, "tool_response": response});
        event.to_string().into_bytes()
    }

    /// The event of a result of MCP with this text.
    fn text(&self, text: &str) -> Vec<u8> {
        self.event("mcp__files__list", &json!([{"type": "text", "text": text}]))
    }

    /// Files of results in the output directory.
    fn stored(&self) -> usize {
        fs::read_dir(self.path("out")).map_or(0, Iterator::count)
    }
}

fn run(mut command: Command, event: &[u8]) -> Output {
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    // A hook may end before it has read all.
    let _ = input.write_all(event);
    drop(input);
    child.wait_with_output().unwrap()
}

/// Asserts that a hook has let the result through.
fn is_let_through(output: &Output, about: &str) {
    let said = [&output.stdout, &output.stderr].map(|bytes| String::from_utf8_lossy(bytes).into_owned());
    assert_eq!((output.status.code(), said), (Some(0), [String::new(), String::new()]), "{about}");
}

/// The response in the answer of Claude Code.
fn response(output: &Output) -> Value {
    assert!(output.status.success() && output.stderr.is_empty(), "{output:?}");
    let answer: Value = serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("no answer: {output:?}"));
    let updated = &answer["hookSpecificOutput"]["updatedToolOutput"];
    let text = [&updated[0]["text"], &updated["stdout"], updated].into_iter().find_map(Value::as_str).unwrap();
    // Words may follow it.
    serde_json::from_str(text.lines().next().unwrap()).unwrap()
}

/// The lines of the file that a response names, without its header.
fn records_of(response: &Value) -> usize {
    fs::read_to_string(response["file_path"].as_str().unwrap()).unwrap().lines().count() - 1
}

#[test]
fn a_hook_never_fails() {
    let home = Home::new();
    let event = home.text(&records(3000));
    for (garbage, reason) in [
        (&b""[..], "not a JSON object"),
        (b"garbage", "not a JSON object"),
        (b"[]", "not a JSON object"),
        (&event[..event.len() - 9], "not a JSON object"),
        (b"{\"a\":\"\xff\"}", "not valid UTF-8"),
    ] {
        is_let_through(&home.hook(garbage), reason);
        assert!(home.log().lines().last().is_some_and(|line| line.contains(reason)), "{}", home.log());
    }
    is_let_through(&home.hook(&home.event("Bash", &json!({"output": "x"}))), "an unknown shape");
    assert!(home.log().contains("does not have the shape"), "{}", home.log());
    let mut command = home.command("claude");
    command.arg("--no-such-flag");
    is_let_through(&run(command, &event), "a wrong command line");
    assert!(home.log().contains("--no-such-flag"), "{}", home.log());
    let mode = fs::metadata(home.path(".local/state/lro/hook.log")).unwrap().permissions().mode();
    assert_eq!((mode & 0o777, home.stored()), (0o600, 0));
}

#[test]
fn a_directory_that_cannot_be_used_lets_the_result_through() {
    let home = Home::new();
    let event = home.text(&records(3000));
    fs::write(home.path("out"), "in the way").unwrap();
    is_let_through(&home.hook(&event), "a file in the way");
    assert!(home.log().contains("cannot use"), "{}", home.log());
    let mut command = home.command("claude");
    command.args(["--settings-file", "/no/such/file.toml"]);
    is_let_through(&run(command, &event), "settings that cannot be read");
    let mut command = home.command("claude");
    command.env_remove("HOME").env_remove("TMPDIR");
    is_let_through(&run(command, &event), "no home");
    fs::remove_file(home.path("out")).unwrap();
    let mut command = home.command("claude");
    command.env_remove("HOME");
    assert_eq!(response(&run(command, &event))["offloaded"], true);
}

#[test]
fn a_full_disk_lets_the_result_through() {
    let home = Home::new();
    fs::create_dir(home.path("out")).unwrap();
    let event = home.text(&records(5000));
    fs::write(home.path("event.json"), &event).unwrap();
    let mut command = Command::new("sh");
    // Room for the log, not for the file.
    command.args(["-c", "ulimit -f 8; exec \"$0\" hook claude --output-dir out < event.json", LRO]);
    command.current_dir(home.path("")).env_clear().env("HOME", home.path("")).env("LRO_CACHE_DIR", cache());
    let output = command.output().unwrap();
    is_let_through(&output, "no room for the file");
    assert!(home.log().contains("OffloadWriteFailed"), "{}", home.log());
    assert_eq!(home.stored(), 0);
    fs::set_permissions(home.path("out"), fs::Permissions::from_mode(0o500)).unwrap();
    let output = home.hook(&event);
    match fs::write(home.path("out/probe"), "") {
        Err(_) => is_let_through(&output, "a directory for reading only"),
        Ok(()) => say("a directory for reading only: root writes anywhere"),
    }
    fs::set_permissions(home.path("out"), fs::Permissions::from_mode(0o700)).unwrap();
}

#[test]
fn a_saved_result_is_followed() {
    let home = Home::new();
    let all = records(3000);
    let saved = home.results().join("b1.txt");
    fs::write(&saved, &all).unwrap();
    let bash = json!({"stdout": &all[..3000], "stderr": "", "interrupted": false, "isImage": false,
        "persistedOutputPath": saved, "persistedOutputSize": all.len()});
    let output = home.hook(&home.event("Bash", &bash));
    assert_eq!(records_of(&response(&output)), 3000);
    let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
    let updated = answer["hookSpecificOutput"]["updatedToolOutput"].as_object().unwrap().clone();
    assert_eq!(updated.keys().collect::<Vec<_>>(), ["stdout", "stderr", "interrupted", "isImage"]);
    let oversized = oversized(&saved, all.len());
    assert_eq!(records_of(&response(&home.hook(&home.event("mcp__files__list", &oversized)))), 3000);
    let blocks = json!([{"type": "text", "text": all}, {"type": "text", "text": "é"}]).to_string();
    fs::write(&saved, &blocks).unwrap();
    let oversized = self::oversized(&saved, blocks.chars().count());
    let output = home.hook(&home.event("mcp__files__list", &oversized));
    assert_eq!((&response(&output)["offloaded"], records_of(&response(&output))), (&json!(true), 3000));
    assert!(String::from_utf8_lossy(&output.stdout).contains("}\\né\""), "{output:?}");
}

/// What Claude Code says in place of a result that it has saved.
fn oversized(path: &Path, characters: usize) -> Value {
    format!(
        "Error: result ({characters} characters) exceeds maximum allowed tokens. Output has been saved to {}.\n\
         Format: Plain text\nYou MUST read all of it.",
        path.display()
    )
    .into()
}

#[test]
fn a_hostile_event_names_no_other_file() {
    let home = Home::new();
    let secret = home.path("secret.txt");
    fs::write(&secret, records(3000)).unwrap();
    let bytes = fs::metadata(&secret).unwrap().len();
    let results = home.results();
    symlink(&secret, results.join("link.txt")).unwrap();
    symlink(home.path(""), results.join("out")).unwrap();
    fs::write(results.join("other.txt"), records(2999)).unwrap();
    let passwd = fs::metadata("/etc/passwd").map_or(0, |metadata| metadata.len());
    let status = Command::new("mkfifo").arg(results.join("pipe.txt")).status().unwrap();
    assert!(status.success());
    let paths = [
        (secret.clone(), bytes),
        (results.join("link.txt"), bytes),
        (results.join("out/secret.txt"), bytes),
        (results.join("../../../../../secret.txt"), bytes),
        (results.join("other.txt"), bytes),
        (results.join("pipe.txt"), 0),
        (results.clone(), bytes),
        (PathBuf::from("/etc/passwd"), passwd),
        (PathBuf::from("secret.txt"), bytes),
    ];
    for (path, bytes) in paths {
        let bash = json!({"stdout": "x", "stderr": "", "persistedOutputPath": path, "persistedOutputSize": bytes});
        is_let_through(&home.hook(&home.event("Bash", &bash)), &path.display().to_string());
        let oversized = oversized(&path, usize::try_from(bytes).unwrap());
        is_let_through(&home.hook(&home.event("mcp__files__list", &oversized)), &path.display().to_string());
    }
    assert!(home.log().contains("is not followed"), "{}", home.log());
    assert_eq!(home.stored(), 0);
}

#[test]
fn a_second_hook_changes_nothing() {
    let home = Home::new();
    let first = response(&home.hook(&home.text(&records(3000))));
    let mut command = home.command("claude");
    command.args(["--threshold-tokens", "10", "--min-saving", "0"]);
    is_let_through(&run(command, &home.text(&first.to_string())), "a response");
    let read = format!("cat {}", first["file_path"].as_str().unwrap());
    let event = json!({"hook_event_name": "PostToolUse", "tool_name": "Bash", "tool_input": {"command": read},
        "tool_response": {"stdout": records(3000), "stderr": ""}});
    is_let_through(&home.hook(event.to_string().as_bytes()), "what is read back");
    assert_eq!((home.stored(), &*home.log()), (1, ""));
}

#[test]
fn parallel_calls_have_a_file_each() {
    let home = Home::new();
    thread::scope(|scope| {
        let hooks: Vec<_> = (1..=8)
            .map(|turn| {
                let event = home.text(&records(1000 * turn));
                let home = &home;
                scope.spawn(move || (records_of(&response(&home.hook(&event))), 1000 * turn as usize))
            })
            .collect();
        for hook in hooks {
            let (found, expected) = hook.join().unwrap();
            assert_eq!(found, expected);
        }
    });
    assert_eq!((home.stored(), &*home.log()), (8, ""));
}

#[test]
fn sixty_megabytes_are_offloaded() {
    let home = Home::new();
    let text = records(1_250_000);
    assert!(text.len() > 55 << 20, "{}", text.len());
    let response = response(&home.hook(&home.text(&text)));
    assert_eq!((records_of(&response), &*home.log()), (1_250_000, ""));
    let codex = json!({"hook_event_name": "PostToolUse", "turn_id": "t", "tool_name": "Bash", "tool_input": {},
        "tool_response": text});
    let output = run(home.command("codex"), codex.to_string().as_bytes());
    let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
    let response: Value = serde_json::from_str(answer["reason"].as_str().unwrap()).unwrap();
    assert_eq!(records_of(&response), 1_250_000);
}
