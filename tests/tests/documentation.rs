//! What the documentation shows is true: its commands exist, its examples print what they show, its numbers are measured.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use lro_tests::{command, native};
use serde_json::{Value, json};

/// The corpus of `lro demo`.
const CORPUS: &str = "tests/fixtures/mif-memories.json";

/// The name of the file in the README.
const EXPIRES_AT: &str = "2026-11-23T09:00:00Z";
const FILE_NAME: &str = "atlatl-recall-01M8058MYRZ2B8P8XH2QAGXHD5.jsonl";

/// Stands at the end of what is shown of a longer output.
const MORE: &str = "…";

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("tests/ is in the repository")
}

/// The README, and all pages that show commands.
fn pages() -> Vec<(String, String)> {
    let docs = fs::read_dir(root().join("docs")).expect("there are docs");
    let packages = fs::read_dir(root().join("embed")).expect("there are packages");
    let mut files: Vec<PathBuf> = docs.map(|entry| entry.expect("docs can be listed").path()).collect();
    files.extend(packages.map(|entry| entry.expect("packages can be listed").path().join("README.md")));
    files.push(root().join("README.md"));
    let page = |file: &PathBuf| Some((file.display().to_string(), fs::read_to_string(file).ok()?));
    files.iter().filter(|file| file.extension().is_some_and(|end| end == "md")).filter_map(page).collect()
}

/// The lines of each code block; a piece of code in the text is a block of one line.
fn blocks(markdown: &str) -> Vec<Vec<&str>> {
    let mut is_block = false;
    let mut found = Vec::new();
    for line in markdown.lines() {
        let is_fence = line.trim_start().starts_with("```");
        match found.last_mut() {
            Some(block) if is_block && !is_fence => Vec::push(block, line),
            _ if is_fence && !is_block => found.push(Vec::new()),
            _ if !is_fence => found.extend(line.split('`').skip(1).step_by(2).map(|piece| vec![piece])),
            _ => {}
        }
        is_block ^= is_fence;
    }
    found
}

/// The words of a command of ours, without the prompt before and the explanation behind. What follows `--` is another's.
fn words(line: &str) -> Option<Vec<&str>> {
    let line = line.trim_start().trim_start_matches("$ ");
    let line = line.split("  ").next()?.split(" -- ").next()?;
    let mut words = line.strip_prefix("lro ")?.split_whitespace();
    let first = words.next().filter(|word| word.starts_with(|first: char| first.is_ascii_lowercase()))?;
    Some([first].into_iter().chain(words).collect())
}

fn lro(arguments: &[&str], folder: &Path) -> Output {
    Command::new(command::lro()).args(arguments).current_dir(folder).output().expect("the command can be started")
}

/// Flags that a page shows and the help does not know.
fn unknown_flags<'a>(words: &[&'a str], help: &str) -> Vec<&'a str> {
    let known =
        |flag: &str| help.split(|end: char| end.is_whitespace() || ",=[]".contains(end)).any(|word| word == flag);
    let flag = |word: &&&'a str| {
        word.starts_with("--") && word.len() > 2 || word.len() == 2 && word.starts_with('-') && **word != "--"
    };
    let name = |word: &&'a str| word.split('=').next().unwrap_or_default();
    words.iter().filter(flag).map(name).filter(|flag| !known(flag)).collect()
}

#[test]
fn commands_exist_with_their_flags() {
    let mut helps: BTreeMap<&str, Option<String>> = BTreeMap::new();
    let pages = pages();
    let (mut seen, mut wrong) = (0, Vec::new());
    for (page, text) in &pages {
        for words in blocks(text).into_iter().flatten().filter_map(words) {
            seen += 1;
            let help = helps.entry(words[0]).or_insert_with(|| {
                let output = lro(&[words[0], "--help"], root());
                output.status.success().then(|| String::from_utf8_lossy(&output.stdout).into_owned())
            });
            match help {
                None => wrong.push(format!("{page}: there is no command `lro {}`", words[0])),
                Some(help) => {
                    let flags = unknown_flags(&words[1..], help);
                    wrong.extend(flags.iter().map(|flag| format!("{page}: `lro {}` has no {flag}", words[0])));
                }
            }
        }
    }
    assert!(seen > 20, "only {seen} commands are found");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_wrong_flag_is_found() {
    let words =
        words("$ lro extract FILE --recipe 6 --nothing=3 -z -- --other       --explained").expect("it is a command");
    assert_eq!(words, ["extract", "FILE", "--recipe", "6", "--nothing=3", "-z"]);
    assert_eq!(unknown_flags(&words, "Options:\n  -o, --output <FILE>\n      --recipe <N>"), ["--nothing", "-z"]);
}

/// An example: the shell's text, and what is shown of its output.
struct Example {
    command: String,
    shown: Vec<String>,
}

/// Commands that extract from `FILE`; what a block shows behind one with a prompt is its output.
fn examples(block: &[&str]) -> Vec<Example> {
    let mut found: Vec<Example> = Vec::new();
    let mut is_output = false;
    for line in block {
        let prompted = line.strip_prefix("$ ");
        let command = prompted.unwrap_or(line).split("   ").next().unwrap_or_default();
        if command.starts_with("lro extract FILE ") {
            found.push(Example { command: command.to_owned(), shown: Vec::new() });
            is_output = prompted.is_some();
        } else if let Some(last) = found.last_mut().filter(|_| is_output && prompted.is_none()) {
            last.shown.push((*line).to_owned());
        } else {
            is_output = false;
        }
    }
    found
}

#[test]
fn output_is_what_stands_behind_a_prompt() {
    let page = "text `lro extract FILE --raw`\n```shell\n$ lro extract FILE --recipe 6   # why\n1\n…\n$ ls\nx\n```\n";
    let found: Vec<(String, Vec<String>)> =
        blocks(page).iter().flat_map(|block| examples(block)).map(|example| (example.command, example.shown)).collect();
    let expected = [("lro extract FILE --raw", vec![]), ("lro extract FILE --recipe 6", vec!["1", "…"])];
    assert_eq!(found.len(), expected.len());
    for ((command, shown), (expected_command, expected_shown)) in found.iter().zip(expected) {
        assert_eq!(
            (command.as_str(), shown),
            (expected_command, &expected_shown.iter().map(|&line| line.to_owned()).collect())
        );
    }
}

/// The response to the sample corpus, in a folder of its own.
fn offloaded(folder: &Path) -> Value {
    let corpus = root().join(CORPUS).display().to_string();
    let output = lro(&["offload", &corpus, "--operation", "recall", "--detail", "full", "--output-dir", "."], folder);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).expect("a response is JSON")
}

#[test]
fn examples_give_what_they_show_on_the_sample() {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let response = offloaded(folder.path());
    let file = response["file_path"].as_str().expect("a response has a path");
    let pages = ["README.md", "docs/USAGE.md", "docs/EXTRACTION.md"]
        .map(|page| fs::read_to_string(root().join(page)).expect("it is there"));
    let examples: Vec<Example> =
        pages.iter().flat_map(|page| blocks(page)).flat_map(|block| examples(&block)).collect();
    assert!(examples.len() > 5, "only {} examples are found", examples.len());
    for Example { command, shown } in examples {
        let script = command.replace("FILE", &format!("'{file}'")).replacen("lro", "\"$0\"", 1);
        let output = Command::new("sh").args(["-c", &script]).arg(command::lro()).output().expect("there is a shell");
        let text = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success() && !["", "0"].contains(&text.trim()), "`{command}` finds nothing: {output:?}");
        let lines: Vec<&str> = text.lines().collect();
        let expected: Vec<&str> = shown.iter().map(String::as_str).collect();
        match expected.split_last() {
            Some((&MORE, begin)) => assert_eq!(lines[..begin.len()], *begin, "`{command}` begins otherwise"),
            Some(_) => assert_eq!(lines, expected, "`{command}` prints something else"),
            None => {}
        }
    }
}

#[test]
fn the_readme_has_the_tokens_of_its_example() {
    let corpus = fs::read_to_string(root().join(CORPUS)).expect("the corpus is there");
    let folder = tempfile::tempdir().expect("a folder can be made");
    let response = |descriptor| tokens(&response(&corpus, descriptor, folder.path()));
    let cost = format!(
        "{} tokens of o200k instead of {}, and {} for a model that has the tool `lro_extract`",
        response("full"),
        tokens(&corpus),
        response("compact")
    );
    let readme = fs::read_to_string(root().join("README.md")).expect("there is a README");
    let (before, rest) = readme.split_once("<!-- cost -->").expect("the README has the mark");
    let (_, after) = rest.split_once("<!-- /cost -->").expect("the README has the mark's end");
    let expected = format!("{before}<!-- cost -->{cost}<!-- /cost -->{after}");
    if std::env::var_os("BLESS").is_some() {
        fs::write(root().join("README.md"), &expected).expect("the README can be written");
        return;
    }
    assert!(readme == expected, "the README should say: {cost}; renew it with BLESS=1");
}

/// The response to the memories. As in the README, the file is said to lie in /tmp.
fn response(corpus: &str, descriptor: &str, folder: &Path) -> String {
    let offloading = native::answer(&json!({
        "call": "offload",
        "payload": corpus,
        "request": {"operation": "recall", "detail": "full", "descriptor": descriptor},
        "settings": {"public_dir": "/tmp"},
        "directory": folder,
    }))
    .expect("the corpus is offloaded");
    assert_eq!(offloading["outcome"], "offloaded");
    // A ULID and a time have other tokens from call to call.
    let name = offloading["file_name"].as_str().expect("a file has a name");
    let text = offloading["text"].as_str().expect("a response is a text").replace(name, FILE_NAME);
    match text.split_once(r#""expires_at":""#) {
        Some((before, after)) => format!(r#"{before}"expires_at":"{EXPIRES_AT}{}"#, &after[EXPIRES_AT.len()..]),
        None => text,
    }
}

/// Tokens of o200k.
fn tokens(text: &str) -> String {
    grouped(bpe_openai::o200k_base().count(text))
}

/// `405,804`
fn grouped(number: usize) -> String {
    let digits = number.to_string();
    let groups = digits.as_bytes().rchunks(3).rev().map(|group| String::from_utf8_lossy(group).into_owned());
    groups.collect::<Vec<_>>().join(",")
}
