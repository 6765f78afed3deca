//! `lro doctor`: what it says of homes in several states.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use serde_json::Value;

use crate::home::Home;

/// A program that says its version, as a client of this name.
fn install(home: &Home, name: &str, script: &str) {
    let path = format!("bin/{name}");
    home.write(&path, format!("#!/bin/sh\n{script}\n"));
    fs::set_permissions(home.path(&path), fs::Permissions::from_mode(0o755)).unwrap();
}

fn doctor(home: &Home) -> (Option<i32>, Value) {
    let before = home.all();
    let output = home.run("doctor --json");
    assert_eq!(home.all(), before, "it changes nothing");
    (output.status.code(), serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{output:?}")))
}

fn client<'a>(report: &'a Value, name: &str) -> &'a Value {
    report["clients"].as_array().unwrap().iter().find(|client| client["name"] == name).unwrap()
}

fn messages(report: &Value, name: &str, level: &str) -> String {
    let problems = client(report, name)["problems"].as_array().unwrap().iter();
    let chosen = problems.filter(|problem| problem["level"] == level);
    chosen.map(|problem| problem["message"].as_str().unwrap().to_owned()).collect::<Vec<_>>().join("\n")
}

#[test]
fn a_home_without_clients_is_fine() {
    let home = Home::empty();
    let (status, report) = doctor(&home);
    assert_eq!(status, Some(0));
    assert!(report["clients"].as_array().unwrap().iter().all(|client| client["found"] == false));
    assert!(home.lro("doctor").contains("not found: Claude Code, Codex, Gemini CLI, opencode, Cursor"));
}

#[test]
fn clients_that_are_set_up_are_on_with_their_versions() {
    let home = Home::empty();
    install(&home, "claude", "mkdir -p \"$HOME/.claude/here\"; echo '2.1.330 (Claude Code)'");
    install(&home, "gemini", "echo 9.9.9");
    for name in ["claude", "gemini", "opencode", "cursor"] {
        home.lro(&format!("setup {name}"));
    }
    let (status, report) = doctor(&home);
    assert_eq!(status, Some(0), "{report}");
    for name in ["claude", "gemini", "opencode", "cursor"] {
        assert_eq!(client(&report, name)["on"], true, "{name}");
        assert_eq!(client(&report, name)["ways"][0], "hook", "{name}");
    }
    assert_eq!(client(&report, "claude")["version"], "2.1.330");
    assert_eq!(messages(&report, "claude", "note"), "");
    assert!(messages(&report, "gemini", "note").contains("version 9.9.9 was never tested"), "{report}");
    let text = home.lro("doctor");
    assert!(text.contains("Claude Code 2.1.330: on (hook)"), "{text}");
    assert!(text.contains("~/.claude/settings.json: hook") && text.contains("files go to "), "{text}");
}

/// A client, what is done to its files, and what is said of it.
type Row<'a> = (&'a str, &'a dyn Fn(&Home), &'a str);

#[test]
fn what_does_not_work_is_broken() {
    let break_it: [Row<'_>; 9] = [
        ("claude", &|home| home.write(".claude/settings.json", "{"), "~/.claude/settings.json cannot be read: line 1"),
        ("claude", &|home| home.write(".claude.json", "{}"), "the server is missing"),
        ("claude", &|home| fs::remove_file(home.path(".claude.json")).unwrap(), "the server is missing"),
        (
            "gemini",
            &|home| replace(home, ".gemini/settings.json", &home.lro_path(), "/gone/lro"),
            "`/gone/lro` is configured, and is not there",
        ),
        (
            "claude",
            &|home| replace(home, ".claude/settings.json", "{", "{\"disableAllHooks\": true,"),
            "`disableAllHooks` in ~/.claude/settings.json",
        ),
        ("codex", &|_| {}, "is not trusted, so Codex skips it"),
        (
            "cursor",
            &|home| replace(home, ".cursor/hooks.json", "cursor\"", "cursor --output-dir /tmp/x\""),
            "different directories",
        ),
        (
            "cursor",
            &|home| {
                for path in [".cursor/hooks.json", ".cursor/mcp.json"] {
                    replace(home, path, "hook cursor\"", "hook cursor --output-dir /dev/null/x\"");
                    replace(home, path, "\"mcp\"", "\"mcp\", \"--output-dir\", \"/dev/null/x\"");
                }
            },
            "cannot use `/dev/null/x` as the output directory",
        ),
        ("opencode", &|home| replace(home, ".config/opencode/opencode.json", "true", "false"), "`mcp.lro.enabled`"),
    ];
    for (name, break_it, expected) in break_it {
        let home = Home::empty();
        home.lro(&format!("setup {name}"));
        break_it(&home);
        let (status, report) = doctor(&home);
        assert!(messages(&report, name, "broken").contains(expected), "{expected}: {report}");
        assert_eq!(status, Some(1), "{expected}");
    }
}

fn replace(home: &Home, path: &str, old: &str, new: &str) {
    let text = home.read(path);
    home.write(path, text.replacen(old, new, 1));
}

#[test]
fn a_trusted_hook_of_codex_is_fine() {
    let home = Home::empty();
    home.lro("setup codex");
    let path = home.path(".codex/config.toml");
    let state = format!("\n[hooks.state.\"{}:post_tool_use:0:0\"]\ntrusted_hash = \"sha256:00\"\n", path.display());
    home.write(".codex/config.toml", home.read(".codex/config.toml") + &state);
    let (status, report) = doctor(&home);
    assert_eq!(status, Some(0), "{report}");
    assert_eq!(messages(&report, "codex", "broken"), "");
    // Undo leaves what Codex has written.
    home.lro("setup codex --undo");
    assert_eq!(home.read(".codex/config.toml").trim(), state.trim());
}

#[test]
fn copies_and_plugins_are_noted() {
    let home = Home::empty();
    home.lro("setup claude");
    home.lro("setup claude --project");
    replace(&home, ".claude/settings.json", "{", "{\"enabledPlugins\": {\"lro@lro\": true},");
    let (status, report) = doctor(&home);
    let notes = messages(&report, "claude", "note");
    assert!(notes.contains("the hook is there 2 times"), "{notes}");
    assert!(notes.contains("both the plugin of lro and `lro setup` are on"), "{notes}");
    assert_eq!(status, Some(0), "{report}");
}

#[test]
fn wrapped_servers_are_counted() {
    let home = Home::empty();
    home.write(
        ".config/Claude/claude_desktop_config.json",
        "{\"mcpServers\": {\"a\": {\"command\": \"a\"}, \"b\": {\"url\": \"u\"}}}",
    );
    home.lro("setup --wrap");
    let (status, report) = doctor(&home);
    let desktop = client(&report, "claude-desktop");
    assert_eq!((status, &desktop["on"], &desktop["ways"][0]), (Some(0), &Value::Bool(true), &Value::from("proxy")));
    assert_eq!(desktop["files"][0]["wrapped"], 1);
}

#[test]
fn a_client_that_hangs_does_not_stop_the_doctor() {
    let home = Home::empty();
    install(&home, "claude", "/bin/sleep 1000 & wait");
    install(&home, "codex", "exec /usr/bin/yes");
    home.lro("setup claude");
    let start = std::time::Instant::now();
    let (status, report) = doctor(&home);
    assert!(start.elapsed().as_secs() < 60, "{:?}", start.elapsed());
    assert_eq!(status, Some(0), "{report}");
    assert!(messages(&report, "claude", "note").contains("does not answer --version"), "{report}");
}
