//! The documentation as a site: the tutorial's commands print what it shows, and the built pages have no broken link.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::{env, fs};

use lro_tests::{command, suite};

/// Stands for anything: a part of a line, or, alone on a line, any number of lines.
const ANYTHING: &str = "…";

/// Printed before the output of each command.
const MARK: &str = "== command ";

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// A command of the tutorial, and what the page shows of its output.
#[derive(Debug, Default)]
struct Step {
    command: String,
    shown: Vec<String>,
}

/// The commands in the blocks of a page that are for a console.
fn steps(page: &str) -> Vec<Step> {
    let mut steps: Vec<Step> = Vec::new();
    for block in page.split("```console\n").skip(1).filter_map(|rest| rest.split("```").next()) {
        for line in block.lines() {
            match (line.strip_prefix("$ "), line.strip_prefix("> "), steps.last_mut()) {
                (Some(command), ..) => steps.push(Step { command: command.to_owned(), ..Step::default() }),
                (_, Some(more), Some(step)) => step.command += &format!("\n{more}"),
                (.., Some(step)) => step.shown.push(line.to_owned()),
                (.., None) => panic!("`{line}` is the output of no command"),
            }
        }
    }
    steps
}

/// Runs the commands in one shell, in an empty folder and home, and returns what each has printed.
fn printed(steps: &[Step]) -> Vec<String> {
    let folder = tempfile::tempdir().expect("there is a temporary directory");
    let (home, work) = (folder.path().join("home"), folder.path().join("work"));
    for folder in [&home, &work] {
        fs::create_dir(folder).expect("a folder can be made");
    }
    let mut script = String::from("exec 2>&1\n");
    for (index, step) in steps.iter().enumerate() {
        write!(script, "echo '{MARK}{index}'\n{}\n", step.command).expect("a text can be written to");
    }
    let others = env::var_os("PATH").unwrap_or_default();
    let ours = command::lro().parent().map(Path::to_owned);
    let path = env::join_paths(ours.into_iter().chain(env::split_paths(&others)));
    let output = Command::new("bash")
        .arg("-c")
        .arg(&script)
        .env_clear()
        .env("PATH", path.expect("folders have no colon"))
        .envs([("HOME", &home), ("REPOSITORY", &root())])
        .current_dir(&work)
        .stdin(Stdio::null())
        .output()
        .expect("bash can be started");
    let text = String::from_utf8(output.stdout).expect("the commands print text");
    let outputs = text.split(MARK).skip(1);
    outputs.map(|output| output.split_once('\n').unwrap_or_default().1.to_owned()).collect()
}

/// True if a line is as shown.
fn fits(line: &str, shown: &str) -> bool {
    let parts: Vec<&str> = shown.split(ANYTHING).collect();
    let (first, last) = (parts[0], parts[parts.len() - 1]);
    if parts.len() == 1 {
        return line == shown;
    }
    let Some(mut rest) = line.strip_prefix(first).and_then(|rest| rest.strip_suffix(last)) else { return false };
    parts[1..parts.len() - 1].iter().all(|part| {
        let found = rest.find(part);
        rest = found.map_or("", |at| &rest[at + part.len()..]);
        found.is_some()
    })
}

/// True if lines are as shown.
fn all_fit(lines: &[&str], shown: &[String]) -> bool {
    match shown.split_first() {
        None => lines.is_empty(),
        Some((first, rest)) if first == ANYTHING => (0..=lines.len()).any(|skipped| all_fit(&lines[skipped..], rest)),
        Some((first, rest)) => {
            lines.split_first().is_some_and(|(line, lines)| fits(line, first) && all_fit(lines, rest))
        }
    }
}

#[test]
fn the_tutorial_prints_what_it_shows() {
    let page = fs::read_to_string(root().join("docs/TUTORIAL.md")).expect("there is a tutorial");
    let steps = steps(&page);
    assert!(steps.len() > 20, "only {} commands are found", steps.len());
    let outputs = printed(&steps);
    assert_eq!(outputs.len(), steps.len(), "the shell has ended before the last command: {outputs:?}");
    for (step, output) in steps.iter().zip(&outputs) {
        let lines: Vec<&str> = output.lines().filter(|line| !line.starts_with("lro: compiling")).collect();
        assert!(all_fit(&lines, &step.shown), "$ {}\n{}\nshown: {:#?}", step.command, output, step.shown);
    }
}

#[test]
fn a_wrong_output_is_told() {
    let shown = |lines: &[&str]| lines.iter().map(|line| (*line).to_owned()).collect::<Vec<_>>();
    assert!(all_fit(&["a 1 b", "c", "d"], &shown(&["a … b", "…", "d"])));
    assert!(!all_fit(&["a 1 b", "c"], &shown(&["a … b"])));
    assert!(!all_fit(&["a 1 c"], &shown(&["a … b"])));
    assert!(!all_fit(&[], &shown(&["a"])));
}

#[test]
fn the_site_is_built_and_its_links_lead_somewhere() {
    let out = Path::new(env!("CARGO_TARGET_TMPDIR")).join("site");
    let mut build = Command::new("bash");
    build.arg("docs/site/build").arg(&out).current_dir(root());
    build.env("LRO", command::lro()).env("CONTRACT", env!("CARGO_BIN_EXE_contract"));
    let output = build.output().expect("bash can be started");
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{text}\n{}", String::from_utf8_lossy(&output.stderr));
    text.lines().filter(|line| line.starts_with("# links")).for_each(suite::tell);
    assert!(out.join("tutorial.html").is_file(), "{text}");
}
