//! Every command and every call that a response prints finds something in its very file, or its description says why it
//! does not (USER-14, EXTRACT-11): natively, and with the real jq in a shell.

use std::fs;
use std::path::Path;

use lro_guest::calls::{self, Outcome, Source, Stored};
use lro_guest::disk;
use lro_guest::file::header::Header;
use lro_guest::offload::guidance::example_call;
use lro_guest::recipes;
use lro_tests::{corpus, jq, records};
use serde_json::{Map, Value, json};
use tempfile::TempDir;

/// What a description says of a command that finds nothing.
const REASONS: [&str; 5] = [" is a placeholder", "no namespace ", "no title ", "no memory ", "no content "];

/// What it says of one with which jq fails.
const FAILS: &str = "jq fails where a confidence is missing";

/// Something to offload.
struct Case {
    name: String,
    payload: String,
    request: Value,
    profile: &'static str,
}

/// A file with what was said about it.
struct Offloaded {
    folder: TempDir,
    settings: String,
    response: Value,
    file: String,
}

#[test]
fn every_command_finds_something_or_says_why_not() {
    let mut found = Vec::new();
    let (mut finding, mut excused) = (0, 0);
    for case in cases() {
        let file = case.offload("shell");
        let commands = file.response["jq_recipes"].as_array().unwrap();
        assert_eq!(commands.len(), 10, "{}", case.name);
        for (number, recipe) in (1..).zip(commands) {
            let [description, command] = ["description", "command"].map(|key| recipe[key].as_str().unwrap());
            // Where the path stands once, the guidance says to run each command behind the file.
            let behind = format!("tail -n +2 {} | {command}", file.response["file_path"].as_str().unwrap());
            let command = if command.starts_with("jq ") { &behind } else { command };
            let printed = jq::command(command, file.folder.path());
            let by_jq = !printed.stdout.trim().is_empty() && printed.stdout.trim() != "[]";
            let ours = file.finds(&json!({"recipe": number}));
            let is_excused = REASONS.iter().any(|reason| description.contains(reason)) || description.contains(FAILS);
            match (by_jq, ours) {
                (true, true) => finding += 1,
                _ if is_excused => {
                    excused += 1;
                    println!("{}: {number}: {description}", case.name);
                }
                _ => found.push(format!("{}: {description}: {command}: jq {by_jq}, ours {ours}", case.name)),
            }
            if is_excused && by_jq && !description.contains("is a placeholder") {
                found.push(format!("{}: {description}, but it finds something", case.name));
            }
        }
    }
    println!("{finding} commands find something, {excused} say why not");
    assert!(found.is_empty(), "{} commands find nothing\n{}", found.len(), found.join("\n"));
    assert!(finding > 5 * excused, "{finding} commands find something, {excused} say why not");
}

/// Only the specification's own examples for memories, and what is called `your …`, may find nothing.
#[test]
fn every_call_of_the_guidance_finds_something() {
    let (mut found, mut calls) = (Vec::new(), 0);
    for case in cases() {
        let file = case.offload("tool");
        let guidance = file.response["guidance"].as_str().unwrap();
        for request in guidance.lines().filter_map(call_of) {
            calls += 1;
            let said = request.to_string();
            if !file.finds(&request) && !case.is_fixed(&said) {
                found.push(format!("{}: {said}", case.name));
            }
        }
        let header = header_of(&file.file);
        let example = example_call(&header, &recipes::set(&header.lro, header.detail));
        if !file.finds(&example.arguments()) {
            found.push(format!("{}: {example}", case.name));
        }
    }
    assert!(calls > 100, "{calls} calls");
    assert!(found.is_empty(), "{} calls find nothing\n{}", found.len(), found.join("\n"));
}

/// A condition names fields of the file, and a recipe without a parameter takes the literal of the file.
#[test]
fn a_missing_parameter_is_a_value_of_the_file() {
    let case = Case::new("issues", &records::issues(120), json!({"operation": "list_issues"}));
    let file = case.offload("tool");
    assert!(!file.response["guidance"].as_str().unwrap().contains("FIELD"));
    for number in [2, 3, 5, 7, 10] {
        assert!(file.finds(&json!({"recipe": number})), "recipe {number}");
    }
}

impl Case {
    fn new(name: &str, payload: &str, request: Value) -> Self {
        Self { name: name.into(), payload: payload.into(), request, profile: "current" }
    }

    fn offload(&self, guidance: &str) -> Offloaded {
        let folder = TempDir::new().unwrap();
        let settings = json!({"threshold_tokens": 0, "output_dir": folder.path(), "guidance": guidance,
            "profile": self.profile})
        .to_string();
        let answer = calls::offload(&self.payload, &self.request.to_string(), &settings, disk::instant).unwrap();
        let Outcome::Offloaded(Stored { response, .. }) = answer.outcome else { panic!("{}: {answer:?}", self.name) };
        let response: Value = serde_json::from_str(&response).unwrap();
        let file = response["file_path"].as_str().unwrap().to_owned();
        Offloaded { folder, settings, response, file }
    }

    /// The template of the specification has these for memories, whatever is in them; elsewhere a placeholder says that
    /// it is one.
    fn is_fixed(&self, call: &str) -> bool {
        let fixed = ["_semantic\"}", "select(.confidence", "select(.provenance", "select(.memory_type"];
        let is_memory = self.request.get("memories").is_some() && !call.contains("where");
        call.contains("\"your ") || (is_memory && fixed.iter().any(|text| call.contains(text)))
    }
}

impl Offloaded {
    /// True if a call has a result, and a count is not zero.
    fn finds(&self, request: &Value) -> bool {
        let page = calls::extract(Source::File(&self.file), &request.to_string(), &self.settings, disk::instant);
        let page = page.unwrap_or_else(|error| panic!("{request}: {error}"));
        page.count > 0 && page.text.trim_ascii() != b"0"
    }
}

fn header_of(file: &str) -> Header {
    let bytes = fs::read(file).unwrap();
    Header::parse(bytes.split(|byte| *byte == b'\n').next().unwrap(), "lro_header").unwrap()
}

/// The arguments of a call as the guidance writes it: `- Browse: lro_extract(file_path="…", recipe=1)`.
fn call_of(line: &str) -> Option<Value> {
    let (_, mut rest) = line.split_once("lro_extract(")?;
    let mut arguments = Map::new();
    while !rest.starts_with(')') {
        let (name, after) = rest.trim_start_matches(", ").split_once('=').unwrap();
        let is_word = after.starts_with(|c: char| c.is_ascii_alphanumeric());
        let end = if is_word { after.find([',', ')']).unwrap() } else { end_of_value(after) };
        arguments.insert(name.to_owned(), serde_json::from_str(&after[..end]).unwrap());
        rest = &after[end..];
    }
    arguments.remove("file_path").map(|_| arguments.into())
}

/// Where a text, a list or an object ends.
fn end_of_value(text: &str) -> usize {
    let mut values = serde_json::Deserializer::from_str(text).into_iter::<Value>();
    values.next().unwrap().unwrap();
    values.byte_offset()
}

fn cases() -> Vec<Case> {
    let other = |name: &str, payload: &str| Case::new(name, payload, json!({"operation": "get_document"}));
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/documents");
    let mut paths: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    let mut cases: Vec<Case> =
        paths.iter().map(|path| other(&path.display().to_string(), &fs::read_to_string(path).unwrap())).collect();
    assert!(cases.len() >= 11, "{} documents", cases.len());
    for (name, payload) in [("real", corpus::REAL.to_owned()), ("synthetic", corpus::synthetic(7, 300))] {
        for detail in ["light", "medium", "full"] {
            for profile in ["current", "early"] {
                let request = json!({"operation": "recall", "memories": true, "detail": detail});
                cases.push(Case { profile, ..Case::new(&format!("{name}, {detail}, {profile}"), &payload, request) });
            }
        }
        cases.push(other(&format!("{name} as records"), &payload));
    }
    cases.extend([other("issues", &records::issues(300)), other("rows", &records::rows(1000))]);
    cases.push(other("odd", &corpus::odd()));
    let texts = [records::log(500), markdown(), "日本語のログ\n".repeat(50), "one line".into(), dump()];
    cases.extend(texts.iter().map(|text| other(&format!("text: {:.20}", text.lines().next().unwrap()), text)));
    cases.extend(shapes().into_iter().map(|records| other(&records.to_string()[..40], &records.to_string())));
    cases
}

fn markdown() -> String {
    (0..40).map(|n| format!("# Chapter {n}\n\n- some (odd) point, \"quoted\"\n- `code {n}`\r\n\n> *said*\n")).collect()
}

/// Lines without a word.
fn dump() -> String {
    (0..40).map(|n| format!("{:02x} {:02x} | ....\n", n * 5 % 256, n * 7 % 256)).collect()
}

/// Records in which little is known, or nothing that is plain.
fn shapes() -> Vec<Value> {
    let of = |record: &dyn Fn(i64) -> Value| (0..40).map(record).collect::<Value>();
    vec![
        of(&|n| n.into()),
        of(&|n| json!(-1.5 * n as f64)),
        of(&|n| json!(n % 3 == 0)),
        of(&|n| json!(format!("plain text {n} of a list"))),
        of(&|n| json!([n, format!("row {n}"), "kind"])),
        of(&|n| json!({"balance": -n - 1, "owner": {"name": format!("Owner {}", n % 7)}})),
        of(&|n| json!({"title": format!("第{n}章 概要"), "状態": (["開", "閉"][n as usize % 2])})),
        of(&|n| json!({"title": format!("it's \"$(touch x{n})\" `touch y` \\(env)"), "state": "it's"})),
        of(&|n| json!({"key": format!("{:064x}", n * 7919), "is_open": n % 2 == 0, "rank": n % 4})),
        of(&|n| json!({"message": (["", "a b c", "first. Second!"][n as usize % 3]), "tags": [format!("tag {n}")]})),
        of(&|n| if n % 2 == 0 { json!({"name": format!("name {n}"), "n": n}) } else { json!(n) }),
        of(&|n| json!({"state": (["  open ", "{}", "done?"][n as usize % 3]), "note": (["x", "{}"][n as usize % 2])})),
        of(&|n| json!({"US Gross": n, "send the keys": format!("word{n}")})),
        of(&|n| json!({"score": (if n < 38 { Value::Null } else { n.into() }), "title": format!("Item {n}")})),
        of(&|n| json!({"x".repeat(160): {"y".repeat(160): format!("name {n}")}, "z".repeat(160): n % 3})),
        json!([{"path": "/usr/share/doc/readme.txt", "size": 17}]),
    ]
}
