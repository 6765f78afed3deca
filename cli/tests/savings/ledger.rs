//! The ledger of hook, proxy and `lro mcp`, and what `lro stats` makes of it.

use std::fs;
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::process::{Command, Output, Stdio};
use std::thread;

use serde_json::{Value, json};

use crate::{Home, number, records};

fn fed(mut command: Command, input: &str) -> Output {
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let input = input.to_owned();
    let writer = thread::spawn(move || stdin.write_all(input.as_bytes()));
    let output = child.wait_with_output().unwrap();
    // It may end before it has read all.
    _ = writer.join().unwrap();
    output
}

fn event(text: &str) -> String {
    json!({"hook_event_name": "PostToolUse", "tool_name": "mcp__a__list", "tool_input": {"secret": "argument"},
        "tool_response": [{"type": "text", "text": text}]})
    .to_string()
}

/// Runs the hook with a ledger. Returns the response, if there is one.
fn hook(home: &Home, text: &str) -> Option<Value> {
    let mut command = home.command(&["hook", "claude", "--output-dir", "out"]);
    command.env("LRO_LEDGER", home.path("ledger.jsonl"));
    let output = fed(command, &event(text));
    assert!(output.status.success() && output.stderr.is_empty(), "{output:?}");
    let answer: Value = serde_json::from_slice(&output.stdout).ok()?;
    serde_json::from_str(answer.pointer("/hookSpecificOutput/updatedToolOutput/0/text")?.as_str()?).ok()
}

/// Lets a model call tools of `lro mcp`.
fn mcp(home: &Home, calls: &[Value]) {
    let mut lines = vec![
        json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {"protocolVersion": "2025-06-18",
            "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}}),
        json!({"jsonrpc": "2.0", "method": "notifications/initialized"}),
    ];
    lines.extend(
        calls
            .iter()
            .enumerate()
            .map(|(id, call)| json!({"jsonrpc": "2.0", "id": id + 1, "method": "tools/call", "params": call})),
    );
    let input: String = lines.iter().map(|line| format!("{line}\n")).collect();
    let output = fed(home.command(&["mcp", "--output-dir", "out", "--ledger", "ledger.jsonl"]), &input);
    assert!(output.status.success(), "{output:?}");
}

fn lines(home: &Home) -> Vec<Value> {
    let text = fs::read_to_string(home.path("ledger.jsonl")).unwrap_or_default();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn stats(home: &Home, flags: &[&str]) -> Value {
    let output = home.run(&[&["stats", "--ledger", "ledger.jsonl", "--json"], flags].concat());
    assert!(output.status.success(), "{output:?}");
    serde_json::from_slice(&output.stdout).unwrap()
}

#[test]
fn without_the_flag_there_is_no_ledger() {
    let home = Home::new();
    let output = fed(home.command(&["hook", "claude", "--output-dir", "out"]), &event(&records(500)));
    assert!(output.status.success() && !output.stdout.is_empty());
    let found = Command::new("grep").args(["-rl", "\"outcome\""]).arg(&home.path).output().unwrap();
    assert_eq!(String::from_utf8_lossy(&found.stdout), "");
}

#[test]
fn a_hook_and_the_extractions_that_follow_are_added_up() {
    let home = Home::new();
    let response = hook(&home, &records(500)).expect("it is offloaded");
    assert!(hook(&home, "small").is_none());
    let file = response["file_path"].as_str().unwrap();
    mcp(&home, &[json!({"name": "lro_extract", "arguments": {"file_path": file, "query": "select(.id == 7)"}})]);
    let noted = lines(&home);
    let said = |line: &Value| (line["outcome"].clone(), line["tool"].clone(), line["client"].clone());
    assert_eq!(said(&noted[0]), ("offloaded".into(), "mcp__a__list".into(), "claude".into()));
    assert_eq!(said(&noted[1]), ("inline".into(), "mcp__a__list".into(), "claude".into()));
    assert_eq!(said(&noted[2]), ("extracted".into(), "mcp__a__list".into(), "mcp".into()));
    assert_eq!((&noted[1]["before"], &noted[1]["after"]), (&Value::Null, &Value::Null));
    let total = &stats(&home, &[])["total"];
    assert_eq!([number(total, "results"), number(total, "offloaded"), number(total, "extractions")], [2, 1, 1]);
    assert!((-15_000..-13_000).contains(&number(total, "difference")), "{total}");
    let mode = fs::metadata(home.path("ledger.jsonl")).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
}

#[test]
fn a_ledger_has_no_contents_no_arguments_and_no_paths() {
    let home = Home::new();
    let response = hook(&home, &records(500)).unwrap();
    let file = response["file_path"].as_str().unwrap();
    mcp(&home, &[json!({"name": "lro_search", "arguments": {"file_path": file, "pattern": "secret pattern"}})]);
    let text = fs::read_to_string(home.path("ledger.jsonl")).unwrap();
    assert_eq!(text.lines().count(), 2);
    for private in ["issue", "secret", "argument", "pattern", "atlatl", home.path.to_str().unwrap()] {
        assert!(!text.contains(private), "{private}: {text}");
    }
}

#[test]
fn the_cut_of_the_client_bounds_what_is_saved() {
    let home = Home::new();
    let response = hook(&home, &records(3000)).expect("it is offloaded");
    assert_eq!(response["summary"]["count"], 3000);
    let offloaded = &lines(&home)[0];
    // 100,000 tokens and more: Claude Code would have shown its notice.
    assert!(number(offloaded, "bytes") > 200_000 && number(offloaded, "before") < 600, "{offloaded}");
    // So reading everything back is a loss, and shows as one.
    let everything = json!({"name": "lro_read", "arguments": {"file_path": response["file_path"], "lines": "2-200"}});
    mcp(&home, &[everything]);
    let total = &stats(&home, &[])["total"];
    assert!(number(total, "difference") > 1000, "{total}");
    let text = home.run(&["stats", "--ledger", "ledger.jsonl", "--by", "day"]);
    let text = String::from_utf8(text.stdout).unwrap();
    assert!(text.lines().any(|line| line.starts_with("all") && line.ends_with(" lost")), "{text}");
}

#[test]
fn a_proxy_notes_results_and_extractions() {
    let home = Home::new();
    let result = json!({"jsonrpc": "2.0", "id": 1, "result": {"content": [{"type": "text", "text": records(500)}]}});
    home.write("answer.json", &format!("{result}\n"));
    let initialized = json!({"jsonrpc": "2.0", "id": 0, "result": {"protocolVersion": "2025-06-18", "capabilities": {},
        "serverInfo": {"name": "s", "version": "1"}}});
    home.write("initialized.json", &format!("{initialized}\n"));
    let server = "read a; cat initialized.json; read b; cat answer.json; cat > /dev/null";
    let flags =
        ["proxy", "--output-dir", "out", "--session", "s", "--ledger", "ledger.jsonl", "--", "sh", "-c", server];
    let hello = json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {"protocolVersion": "2025-06-18",
        "capabilities": {}, "clientInfo": {"name": "codex-mcp-client", "version": "1"}}});
    let call = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "list", "arguments": {}}});
    let output = fed(home.command(&flags), &format!("{hello}\n{call}\n"));
    assert!(String::from_utf8_lossy(&output.stdout).contains("offloaded"), "{output:?}");
    let noted = lines(&home);
    let offloaded = noted.iter().find(|line| line["outcome"] == "offloaded").unwrap_or_else(|| panic!("{noted:?}"));
    assert_eq!((&offloaded["client"], &offloaded["tool"]), (&"codex-mcp-client".into(), &"list".into()));
    // Codex would have shown 12,000 characters.
    assert!((2500..4500).contains(&number(offloaded, "before")), "{offloaded}");
}

#[test]
fn a_ledger_that_cannot_be_written_changes_nothing() {
    let home = Home::new();
    fs::create_dir(home.path("ledger.jsonl")).unwrap();
    assert!(hook(&home, &records(500)).is_some());
    let log = fs::read_to_string(home.path(".local/state/lro/hook.log")).unwrap();
    assert!(log.contains("nothing is written to the ledger"), "{log}");
}

#[test]
fn charts_are_written_and_lines_of_others_are_skipped() {
    let home = Home::new();
    let line = |time: &str, tool: &str, before: u32, after: u32| {
        let line = json!({"time": time, "client": "claude", "tool": tool, "outcome": "offloaded", "before": before, "after": after});
        format!("{line}\n")
    };
    let ledger = [
        line("2026-11-22T10:00:00Z", "a", 9000, 300),
        line("2026-11-23T10:00:00Z", "<b>", 300, 700),
        "garbage\n{\"time\":\"2026-11-23\"}\n[]\n".to_owned(),
    ];
    home.write("ledger.jsonl", &ledger.concat());
    let output = home.run(&["stats", "--ledger", "ledger.jsonl", "--svg", "a.svg", "--png", "a.png"]);
    assert!(output.status.success());
    assert!(String::from_utf8_lossy(&output.stderr).contains("3 lines of the ledger are not ours"), "{output:?}");
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains("−8,700 saved") && text.contains("+400 lost") && text.contains("−8,300 saved"), "{text}");
    let svg = fs::read_to_string(home.path("a.svg")).unwrap();
    assert!(svg.contains("2026-11-23, &lt;b&gt;: 400 lost") && !svg.contains("<b>"), "{svg}");
    assert!(fs::read(home.path("a.png")).unwrap().starts_with(b"\x89PNG\r\n\x1a\n"));
    let since = stats(&home, &["--since", "2026-11-23"]);
    assert_eq!(number(&since["total"], "difference"), 400);
    assert_eq!(home.run(&["stats"]).status.code(), Some(2));
}
