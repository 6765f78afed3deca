//! The edge: broken and strange files, links, modes, a second file that fails, variables that move configurations.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;

use crate::home::Home;

#[test]
fn a_configuration_that_cannot_be_read_is_named_with_its_line_and_stays() {
    let deep = "[".repeat(100_000);
    let rows: [(&str, &str, &[u8], &str); 10] = [
        ("claude", ".claude/settings.json", b"{\n  \"a\": 1,\n  oops\n}", "line 3"),
        ("claude", ".claude/settings.json", b"{\n  // a comment\n}", "line 2: Comments are not allowed"),
        ("claude", ".claude/settings.json", b"[]", "line 1: it is not an object"),
        ("claude", ".claude/settings.json", b"{\n\"hooks\": [1]\n}", "line 2: `hooks` has another type"),
        (
            "claude",
            ".claude.json",
            b"{\n\"mcpServers\": {\"lro\": {\"command\": \"theirs\"}}\n}",
            "`mcpServers.lro` is another server",
        ),
        ("claude", ".claude.json", b"{\"mcpServers\": {},\n\"mcpServers\": {}}", "the key `mcpServers` occurs twice"),
        ("gemini", ".gemini/settings.json", b"{\n\xff\n}", "line 2 is not UTF-8"),
        ("gemini", ".gemini/settings.json", deep.as_bytes(), "cannot edit"),
        ("codex", ".codex/config.toml", b"a = 1\nb = = 2\n", "line 2"),
        ("codex", ".codex/config.toml", b"mcp_servers = 5\n", "`mcp_servers`"),
    ];
    for (client, path, text, expected) in rows {
        let home = Home::empty();
        home.write(path, text);
        let before = home.all();
        let output = home.run(&format!("setup {client}"));
        let error = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(1), "{path}: {error}");
        assert!(error.contains(expected) && error.contains(path) && error.contains("nothing was changed"), "{error}");
        assert_eq!(error.lines().count(), 1, "{error}");
        assert_eq!(home.all(), before, "{path}");
    }
}

#[test]
fn an_error_as_json_has_a_hint() {
    let home = Home::empty();
    home.write(".claude/settings.json", "{");
    let output = home.run("setup claude --json-errors");
    let error: serde_json::Value = serde_json::from_slice(&output.stderr).unwrap();
    assert_eq!(error["case"], "configuration");
    assert!(error["hint"].as_str().unwrap().contains("nothing was changed"), "{error}");
}

#[test]
fn nothing_is_half_done_when_the_second_file_fails() {
    let home = Home::empty();
    home.write(".claude/settings.json", "{ \"model\": \"opus\" }\n");
    // A link into a folder that is missing can be read as a missing file, and not be written.
    symlink(home.path("missing/folder/file.json"), home.path(".claude.json")).unwrap();
    let before = home.all();
    let output = home.run("setup claude");
    let error = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{error}");
    assert!(error.contains(".claude.json") && error.contains("nothing was changed"), "{error}");
    assert_eq!(home.all(), before);

    // The folder that was created for the first file goes too.
    let home = Home::empty();
    symlink(home.path("missing/folder/file.json"), home.path(".claude.json")).unwrap();
    assert_eq!(home.run("setup claude").status.code(), Some(1));
    assert!(!home.path(".claude").exists());
}

#[test]
fn a_linked_file_stays_a_link_and_modes_stay() {
    let home = Home::empty();
    home.write("dotfiles/claude.json", "{\n  \"model\": \"opus\"\n}\n");
    fs::create_dir(home.path(".claude")).unwrap();
    symlink("../dotfiles/claude.json", home.path(".claude/settings.json")).unwrap();
    home.write(".claude.json", "{}\n");
    fs::set_permissions(home.path("dotfiles/claude.json"), fs::Permissions::from_mode(0o640)).unwrap();
    fs::set_permissions(home.path(".claude.json"), fs::Permissions::from_mode(0o600)).unwrap();
    home.lro("setup claude");
    let mode = |path: &str| fs::metadata(home.path(path)).unwrap().permissions().mode() & 0o777;
    assert!(home.path(".claude/settings.json").is_symlink());
    assert!(home.read("dotfiles/claude.json").contains("PostToolUse"));
    for (path, expected) in [
        ("dotfiles/claude.json", 0o640),
        (".claude.json", 0o600),
        (".claude.json.before-lro-setup-1", 0o600),
        (".claude.json.lro-setup.json", 0o600),
    ] {
        assert_eq!(mode(path), expected, "{path}");
    }
    home.lro("setup claude --undo");
    assert!(home.path(".claude/settings.json").is_symlink());
    assert_eq!(home.read("dotfiles/claude.json"), "{\n  \"model\": \"opus\"\n}\n");
    assert_eq!(mode("dotfiles/claude.json"), 0o640);
}

#[test]
fn a_link_to_nothing_is_one_again_after_undo() {
    let home = Home::empty();
    for folder in [".claude", "dotfiles"] {
        fs::create_dir(home.path(folder)).unwrap();
    }
    symlink("../dotfiles/claude.json", home.path(".claude/settings.json")).unwrap();
    home.lro("setup claude");
    assert!(home.read("dotfiles/claude.json").contains("PostToolUse"));
    home.lro("setup claude --undo");
    assert!(home.path(".claude/settings.json").is_symlink());
    assert!(!home.path("dotfiles/claude.json").exists());
}

#[test]
fn a_read_only_file_stays() {
    let home = Home::empty();
    home.write(".gemini/settings.json", "{}\n");
    fs::set_permissions(home.path(".gemini/settings.json"), fs::Permissions::from_mode(0o444)).unwrap();
    let error = home.lro_any("setup gemini");
    assert!(error.contains("the file is read-only") && error.contains("nothing was changed"), "{error}");
    assert_eq!(home.read(".gemini/settings.json"), "{}\n");
}

#[test]
fn variables_move_configurations() {
    let home = Home::empty();
    let elsewhere = home.path("elsewhere");
    for (client, variable, file) in [
        ("claude", "CLAUDE_CONFIG_DIR", "settings.json"),
        ("claude", "CLAUDE_CONFIG_DIR", ".claude.json"),
        ("codex", "CODEX_HOME", "config.toml"),
        ("gemini", "GEMINI_CLI_HOME", ".gemini/settings.json"),
        ("opencode", "XDG_CONFIG_HOME", "opencode/opencode.json"),
    ] {
        let run = |flags: &str| home.run_with(&format!("setup {client}{flags}"), &[(variable, elsewhere.as_path())]);
        assert!(run("").status.success(), "{client}");
        assert!(elsewhere.join(file).is_file(), "{client} {file}");
        assert!(run(" --undo").status.success(), "{client}");
        assert!(!elsewhere.join(file).exists(), "{client} {file}");
    }
}

#[test]
fn another_directory_replaces_the_first_and_undo_still_restores() {
    let home = Home::empty();
    home.write(".cursor/mcp.json", "{ \"mcpServers\": {} }");
    home.lro("setup cursor --output-dir /srv/one");
    home.lro("setup cursor --output-dir two");
    let text = home.read(".cursor/mcp.json");
    assert!(!text.contains("/srv/one") && text.contains("/project/two"), "{text}");
    home.lro("setup cursor --undo");
    assert_eq!(home.read(".cursor/mcp.json"), "{ \"mcpServers\": {} }");
    assert!(!home.path(".cursor/hooks.json").exists());
    assert_eq!(fs::read_dir(home.path(".cursor")).unwrap().count(), 1);
}

#[test]
fn somebody_elses_plugin_stays() {
    let home = Home::empty();
    home.write(".config/opencode/plugins/lro.js", "export const Mine = 1\n");
    let error = home.lro_any("setup opencode");
    assert!(error.contains("it is another plugin"), "{error}");
    assert!(!home.path(".config/opencode/opencode.json").exists());
    home.lro("setup opencode --undo");
    assert_eq!(home.read(".config/opencode/plugins/lro.js"), "export const Mine = 1\n");
}

#[test]
fn in_the_home_folder_a_file_is_changed_once() {
    let home = Home::empty();
    home.write(".cursor/mcp.json", "{\"mcpServers\": {\"a\": {\"command\": \"a\"}}}");
    for command in ["setup --wrap cursor", "setup --wrap cursor --undo", "setup cursor", "setup gemini", "doctor"] {
        let output = home.run_in("", command, &[]);
        assert_eq!(output.status.code(), Some(0), "{command}: {output:?}");
        let printed = String::from_utf8(output.stdout).unwrap();
        assert!(!printed.contains("times"), "{printed}");
    }
}

#[test]
fn a_name_of_a_schema_that_the_client_adds_does_not_keep_a_file() {
    let home = Home::empty();
    home.lro("setup opencode");
    let path = ".config/opencode/opencode.json";
    home.write(path, home.read(path).replacen('{', "{\n  \"$schema\": \"https://opencode.ai/config.json\",", 1));
    home.lro("setup opencode --undo");
    assert!(!home.path(".config").exists());
}

#[test]
fn an_edited_plugin_is_copied_before_it_is_deleted() {
    let home = Home::empty();
    home.lro("setup opencode");
    let edited = home.read(".config/opencode/plugins/lro.js") + "// mine\n";
    home.write(".config/opencode/plugins/lro.js", &edited);
    let printed = home.lro("setup opencode --undo");
    assert!(printed.contains("lro.js: deleted, what was there before is in"), "{printed}");
    assert!(!home.path(".config/opencode/plugins/lro.js").exists());
    assert_eq!(home.read(".config/opencode/plugins/lro.js.before-lro-setup-1"), edited);
}

#[test]
fn the_copy_that_is_named_is_the_file_as_it_was() {
    let home = Home::empty();
    home.write(".claude.json", "{ \"a\": 1 }");
    home.write(".claude.json.before-lro-setup-1", "somebody else's");
    let printed = home.lro("setup claude");
    assert!(printed.contains("~/.claude.json: changed, what was there before is in ~/.claude.json.before-lro-setup-2"));
    assert_eq!(home.read(".claude.json.before-lro-setup-2"), "{ \"a\": 1 }");
    home.lro("setup claude --undo");
    assert_eq!(home.read(".claude.json.before-lro-setup-1"), "somebody else's");
    assert!(!home.path(".claude.json.before-lro-setup-2").exists());
}

#[test]
fn without_a_home_nobody_elses_is_taken() {
    let home = Home::empty();
    for folder in ["", "relative"] {
        let output = home.run_with("setup claude --dry-run", &[("HOME", Path::new(folder))]);
        let error = String::from_utf8(output.stderr).unwrap();
        assert_eq!((output.status.code(), output.stdout.len()), (Some(2), 0), "{error}");
        assert!(error.contains("your home folder is not known: set HOME to it"), "{error}");
    }
}

#[test]
fn what_makes_no_sense_is_said() {
    let home = Home::empty();
    for (command, expected) in [
        ("setup", "lro setup needs a client: claude, codex, gemini, opencode, cursor"),
        ("setup emacs", "`emacs` is not a known client"),
        ("setup vscode", "VS Code has no hook that could replace results; use: lro setup --wrap vscode"),
        ("setup --wrap", "no configuration with servers is there"),
        ("setup --wrap --file none.json", "the file does not exist"),
        ("setup claude --project --user", "cannot be used with"),
        ("setup --file x.json", "--wrap"),
    ] {
        let output = home.run(command);
        let error = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{command}: {error}");
        assert!(error.contains(expected), "{command}: {error}");
    }
}
