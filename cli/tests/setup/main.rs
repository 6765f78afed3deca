//! `lro setup` on configurations as people have them: each folder of `tests/golden/setup` is a case, with a command line,
//! the files of a home folder `before` and what they shall be `after`. `BLESS=1` renews `after`.
//!
//! For every case: a dry run changes nothing, a second run changes nothing, and undo leaves every byte, file and folder as
//! it was, also when somebody has edited the files since.

#![cfg(unix)]

mod doctor;
mod edge;
mod home;

use std::fs;
use std::path::{Path, PathBuf};

use home::{Home, Tree, tree};

const GOLDEN: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden/setup");

struct Case {
    name: String,
    command: String,
    folder: PathBuf,
}

fn cases() -> Vec<Case> {
    let mut cases: Vec<Case> = fs::read_dir(GOLDEN)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .map(|folder| Case {
            name: folder.file_name().unwrap().to_str().unwrap().to_owned(),
            command: fs::read_to_string(folder.join("command")).unwrap().trim().to_owned(),
            folder,
        })
        .collect();
    cases.sort_by(|one, other| one.name.cmp(&other.name));
    assert!(cases.len() > 20, "the cases are found");
    cases
}

/// What is ours beside the files: copies and records.
fn without_ours(tree: Tree) -> Tree {
    tree.into_iter().filter(|(path, _)| !path.contains(".lro-") && !path.contains(".before-lro-")).collect()
}

#[test]
fn files_are_as_expected_afterwards() {
    for case in cases() {
        let home = Home::with(&case.folder.join("before"));
        let printed = home.lro(&case.command);
        let mut found = without_ours(home.files());
        // The plugin changes by itself; that it names the command is what matters here.
        for (_, text) in found.iter_mut().filter(|(path, _)| path.ends_with("plugins/lro.js")) {
            assert!(text.contains(&format!("const LRO = \"{}\";", home.lro_path())), "{}: {text}", case.name);
            *text = "the plugin\n".to_owned();
        }
        let after = case.folder.join("after");
        if std::env::var_os("BLESS").is_some_and(|value| value == "1") {
            let _ = fs::remove_dir_all(&after);
            home::write_tree(&after, &found);
        }
        let expected = tree(&after);
        assert_eq!(home::shown(&found), home::shown(&expected), "{}: BLESS=1 renews it", case.name);
        assert!(!printed.contains("secret") && !printed.contains("ghp_") && !printed.contains("sk-"), "{printed}");
    }
}

#[test]
fn a_dry_run_changes_nothing_and_shows_the_same_difference() {
    for case in cases() {
        let home = Home::with(&case.folder.join("before"));
        let before = home.all();
        let dry = home.lro(&format!("{} --dry-run", case.command));
        assert_eq!(home.all(), before, "{}", case.name);
        let differences = |text: &str| -> Vec<String> {
            text.lines().filter(|line| line.starts_with(['+', '-', '@', ' '])).map(str::to_owned).collect()
        };
        assert_eq!(differences(&dry), differences(&home.lro(&case.command)), "{}", case.name);
        assert!(dry.contains("would be"), "{}: {dry}", case.name);
    }
}

#[test]
fn a_second_run_changes_nothing() {
    for case in cases() {
        let home = Home::with(&case.folder.join("before"));
        home.lro(&case.command);
        let once = home.all();
        let printed = home.lro(&case.command);
        assert_eq!(home.all(), once, "{}", case.name);
        let files: Vec<&str> = printed.lines().filter(|line| !line.starts_with("  left alone")).collect();
        assert!(files.iter().all(|line| line.ends_with(": nothing to change")), "{}: {printed}", case.name);
    }
}

#[test]
fn undo_leaves_every_byte_as_it_was() {
    for case in cases() {
        let home = Home::with(&case.folder.join("before"));
        let before = home.all();
        home.lro(&case.command);
        assert_ne!(home.all(), before, "{}", case.name);
        home.lro(&format!("{} --undo", case.command));
        assert_eq!(home.all(), before, "{}", case.name);
        if case.name == "claude-update" {
            // A second undo takes out what was ours before, too.
            continue;
        }
        let again = home.lro_any(&format!("{} --undo", case.command));
        assert!(
            again.lines().all(|line| line.ends_with("nothing to undo")) || again.contains("no configuration"),
            "{again}"
        );
        assert_eq!(home.all(), before, "{}", case.name);
    }
}

/// A change that somebody else makes: a comment or a member in front.
fn edit(path: &str, text: &str) -> String {
    let (mark, text) = text.strip_prefix('\u{feff}').map_or(("", text), |rest| ("\u{feff}", rest));
    let line_end = if text.contains("\r\n") { "\r\n" } else { "\n" };
    match path.rsplit('.').next() {
        Some("toml") => format!("{mark}edited = true{line_end}{text}"),
        Some("js") => format!("{mark}// edited{line_end}{text}"),
        _ => format!("{mark}{}", text.replacen('{', "{ \"edited\": true,", 1)),
    }
}

#[test]
fn undo_after_an_edit_takes_out_what_is_ours_and_nothing_else() {
    // What was there once more, in the words of `before`, but for cases where ours was there before us.
    // The first had something of ours before, and TOML gets an end of its last line.
    const DIFFERS: [&str; 2] = ["claude-update", "codex-no-end-of-line"];
    for case in cases() {
        let home = Home::with(&case.folder.join("before"));
        let before = home.files();
        home.lro(&case.command);
        let mut changed = Vec::new();
        for (path, text) in without_ours(home.files()) {
            let is_changed = before.get(&path) != Some(&text);
            if is_changed {
                fs::write(home.path(&path), edit(&path, &text)).unwrap();
                changed.push(path);
            }
        }
        home.lro(&format!("{} --undo", case.command));
        let found = without_ours(home.files());
        for path in changed {
            let text = found.get(&path);
            assert!(!text.is_some_and(|text| text.contains(&home.lro_path())), "{} {path}: {text:?}", case.name);
            let old = before.get(&path).filter(|text| text.contains(|letter: char| !letter.is_whitespace()));
            if let (Some(old), false) = (old, DIFFERS.contains(&case.name.as_str())) {
                assert_eq!(text, Some(&edit(&path, old)), "{} {path}", case.name);
            }
        }
    }
}

#[test]
fn undo_without_a_record_takes_out_what_is_ours() {
    for case in cases() {
        let home = Home::with(&case.folder.join("before"));
        home.lro(&case.command);
        for path in
            home.files().keys().filter(|path| path.ends_with("lro-setup.json") || path.ends_with("lro-wrap.json"))
        {
            fs::remove_file(home.path(path)).unwrap();
        }
        home.lro(&format!("{} --undo", case.command));
        for (path, text) in without_ours(home.files()) {
            assert!(!text.contains(&home.lro_path()), "{} {path}: {text}", case.name);
        }
    }
}

#[test]
fn setup_and_wrap_on_one_file_are_undone_in_any_order() {
    let before = Path::new(GOLDEN).join("wrap-claude/before");
    for order in
        [["setup claude --undo", "setup --wrap claude --undo"], ["setup --wrap claude --undo", "setup claude --undo"]]
    {
        let home = Home::with(&before);
        let expected = home.files();
        home.lro("setup claude");
        home.lro("setup --wrap claude");
        for command in order {
            home.lro(command);
        }
        assert_eq!(home::shown(&without_ours(home.files())), home::shown(&expected), "{order:?}");
    }
}
