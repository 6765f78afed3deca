//! The command `lro`: what its flags can ask for, and what its output shows.

use std::io::Write;
use std::process::{Command, Output, Stdio};

use lro_conformance::case::{Case, Directory, Function, Source, Step};
use lro_conformance::{Answer, Call, Engine};
use lro_tests::command;
use serde_json::{Map, Value, json};

pub(crate) struct CommandEngine;

/// Keys of requests that have a flag, and the flag.
const FLAGS: [(&str, &str); 31] = [
    ("operation", "--operation"),
    ("query", "--query"),
    ("on", "--on"),
    ("detail", "--detail"),
    ("tokens", "--tokens"),
    ("session", "--session"),
    ("records", "--records"),
    ("sections", "--sections"),
    ("preview", "--preview"),
    ("scores", "--scores"),
    ("formatted", "--formatted"),
    ("recipe", "--recipe"),
    ("params", "--param"),
    ("slurp", "--slurp"),
    ("raw", "--raw"),
    ("limit", "--limit"),
    ("max_bytes", "--max-bytes"),
    ("next", "--next"),
    ("strict", "--strict"),
    ("dry_run", "--dry-run"),
    ("max_files", "--max-files"),
    ("where", "--where"),
    ("select", "--select"),
    ("count", "--count"),
    ("group_by", "--group-by"),
    ("aggregate", "--aggregate"),
    ("per_group", "--per-group"),
    ("sort_by", "--sort-by"),
    ("into", "--into"),
    ("line", "--line"),
    ("lines", "--lines"),
];

impl Engine for CommandEngine {
    fn name(&self) -> &str {
        "command"
    }

    fn unable(&self, case: &Case) -> Option<String> {
        if matches!(case.given.directory, Directory::ReadOnly | Directory::Full) {
            return Some("it cannot make a directory read-only or full".to_owned());
        }
        if case.given.directory == Directory::Missing && case.steps.iter().any(|step| step.call == Function::Offload) {
            return Some("it creates a directory that is missing, or ends before it takes a result".to_owned());
        }
        if case.given.settings.keys().any(|key| key.starts_with("max_page_")) {
            return Some("it prints page after page".into());
        }
        case.steps.iter().find_map(unable_to)
    }

    fn call(&self, call: &Call<'_>) -> Answer {
        let scratch = tempfile::tempdir().expect("there is a temporary directory");
        let file = |name: &str, text: String| {
            let path = scratch.path().join(name);
            std::fs::write(&path, text).expect("the temporary directory can be written to");
            path.display().to_string()
        };
        let events = file("events", String::new());
        let mut command = Command::new(command::lro());
        command.args([verb(call.function), "--json-errors"]);
        if call.function != Function::Estimate {
            command.arg("--output-dir").arg(call.directory);
        }
        if matches!(call.function, Function::Offload | Function::Cleanup) {
            command.args(["--events", &events]);
        }
        for (key, value) in call.settings {
            let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
            command.env(format!("ATLATL_PROMPT__OFFLOAD__{}", key.to_uppercase()), text);
        }
        command.args(flags(call.request, &|name, text| file(name, text)));
        let reads = matches!(call.function, Function::Extract | Function::Describe | Function::Rebuild);
        let input = match (reads, call.source) {
            (true, Some(Source::File(file))) => {
                command.args(["--", file.as_str()]);
                ""
            }
            (true, Some(Source::Content(text))) => {
                command.arg("-");
                text
            }
            (true, None) => {
                command.args(["--", ""]);
                ""
            }
            _ if call.function == Function::Cleanup => "",
            _ => {
                command.arg("-");
                call.payload
            }
        };
        let output = fed(&mut command, input);
        if !output.status.success() {
            let error = String::from_utf8_lossy(&output.stderr);
            let object: Value =
                error.lines().find_map(|line| serde_json::from_str(line).ok()).unwrap_or(json!({"message": error}));
            return Answer::Failed(object);
        }
        let events = std::fs::read_to_string(&events).unwrap_or_default();
        let events: Vec<Value> = events.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
        Answer::Done(answer(call, &output, events))
    }

    fn shows(&self, key: &str) -> bool {
        !matches!(key, "estimated_tokens" | "total" | "content" | "freed_bytes" | "remarks")
    }
}

/// Why the command cannot make this call.
fn unable_to(step: &Step) -> Option<String> {
    let missing = step.request.iter().find(|(key, value)| {
        let known =
            FLAGS.iter().any(|(known, _)| known == key) || (*key == "ttl_seconds" && step.call == Function::Cleanup);
        let is_text = |params: &Map<String, Value>| params.values().all(Value::is_string);
        let params = *key != "sections" && value.as_object().is_some_and(|params| !is_text(params));
        let estimates = step.call == Function::Estimate && !matches!(key.as_str(), "operation" | "detail");
        !known || params || estimates || (value.is_null() && *key != "query")
    });
    // What the command line itself refuses is a usage error there.
    let odd = step.request.iter().any(|(key, value)| match key.as_str() {
        "recipe" | "limit" | "max_bytes" | "tokens" | "preview" | "line" | "lines" => value.as_u64().is_none(),
        "operation" => value == "",
        "per_group" => !step.request.contains_key("group_by"),
        // An empty list is no flag.
        "aggregate" => value.as_array().is_some_and(Vec::is_empty),
        // Lines of a text are printed bare, and a flag says yes.
        "raw" => value == false && step.request.contains_key("line"),
        _ => false,
    });
    let nul = matches!(&step.source, Some(Source::File(file)) if file.contains('\0'));
    let settings = step.settings.get("store").is_some();
    let kinds: [&[&str]; 3] = [&["recipe"], &["query"], &["where", "select", "group_by", "aggregate", "sort_by"]];
    let given = kinds.iter().filter(|kind| kind.iter().any(|key| step.request.contains_key(*key))).count();
    let asks_alone = ["count", "line"].iter().any(|key| step.request.contains_key(*key));
    let is_one = given == 1 || (given == 0 && asks_alone);
    let has_all = step.request.contains_key("line") || !step.request.contains_key("lines");
    let misused = step.call == Function::Extract && !(is_one && has_all);
    let objects =
        |key: &str| step.request.get(key).and_then(Value::as_array).is_some_and(|v| !v.iter().all(Value::is_string));
    match missing {
        _ if step.call.is_mcp() => {
            Some("it speaks MCP over standard input, which the tests of the proxy do".to_owned())
        }
        _ if matches!(step.call, Function::ListFiles | Function::Copies) => {
            Some("its own tests show what it prints and copies".to_owned())
        }
        _ if step.call == Function::Resolve => Some("it resolves settings within other calls".to_owned()),
        _ if settings => Some("it has files".to_owned()),
        _ if odd || nul => Some("the command line refuses it".to_owned()),
        _ if objects("where") || objects("select") || objects("group_by") => Some("it takes texts alone".to_owned()),
        _ if misused => Some("its usage is checked before".to_owned()),
        Some((key, _)) => Some(format!("it has no flag for `{key}`")),
        None => None,
    }
}

fn verb(function: Function) -> &'static str {
    match function {
        Function::Estimate => "estimate",
        Function::Offload => "offload",
        Function::Extract => "extract",
        Function::Describe => "describe",
        Function::Rebuild => "rebuild",
        _ => "cleanup",
    }
}

fn flags(request: &Map<String, Value>, file: &dyn Fn(&str, String) -> String) -> Vec<String> {
    let mut arguments = Vec::new();
    for (key, value) in request {
        let flag = FLAGS.iter().find(|(known, _)| known == key).map_or("--ttl", |(_, flag)| flag).to_owned();
        match (key.as_str(), value) {
            (_, Value::Null | Value::Bool(false)) => {}
            (_, Value::Bool(true)) => arguments.push(flag),
            ("params", Value::Object(params)) => {
                for (name, value) in params {
                    arguments.extend([flag.clone(), format!("{name}={}", value.as_str().unwrap_or_default())]);
                }
            }
            ("where", Value::Array(conditions)) => {
                arguments.extend(conditions.iter().filter_map(Value::as_str).map(|text| format!("{flag}={text}")));
            }
            ("select" | "aggregate", Value::Array(fields)) => {
                let names: Vec<&str> = fields.iter().filter_map(Value::as_str).collect();
                arguments.push(format!("{flag}={}", names.join(",")));
            }
            ("scores" | "sections", value) => arguments.extend([flag, file(key, value.to_string())]),
            ("formatted", Value::String(text)) => arguments.extend([flag, file("formatted", text.clone())]),
            (_, Value::String(text)) => arguments.push(format!("{flag}={text}")),
            (_, value) => arguments.push(format!("{flag}={value}")),
        }
    }
    arguments
}

fn fed(command: &mut Command, input: &str) -> Output {
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("the command can be started");
    // A command that ends early does not read its input.
    _ = child.stdin.take().expect("its input is a pipe").write_all(input.as_bytes());
    child.wait_with_output().expect("the command ends")
}

fn answer(call: &Call<'_>, output: &Output, events: Vec<Value>) -> Value {
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let remarks = String::from_utf8_lossy(&output.stderr).into_owned();
    match call.function {
        Function::Estimate => json!({"tokens": text.trim().parse::<u32>().ok()}),
        Function::Offload => offloading(call, text, events),
        Function::Extract => extraction(text, &remarks),
        Function::Describe => json!({"text": text.trim_end()}),
        Function::Rebuild => json!({"text": text}),
        _ => {
            let numbers: Vec<u64> =
                text.split(|c: char| !c.is_ascii_digit()).filter_map(|word| word.parse().ok()).collect();
            json!({"deleted": numbers.first(), "kept": numbers.last(), "events": events})
        }
    }
}

fn offloading(call: &Call<'_>, text: String, events: Vec<Value>) -> Value {
    let value: Value = serde_json::from_str(&text).unwrap_or(Value::Null);
    let outcome = match (&value["offloaded"], &value["warning"]) {
        _ if text == call.payload => "unchanged",
        (Value::Bool(true), _) => "offloaded",
        (Value::Bool(false), Value::String(_)) => "truncated",
        _ => "inline",
    };
    let below = |path: &str| path.strip_prefix(call.directory.to_str()?)?.strip_prefix('/').map(str::to_owned);
    let name = value["file_path"].as_str().and_then(below);
    let text = if matches!(outcome, "offloaded" | "truncated") { text.trim_end().to_owned() } else { text };
    json!({"outcome": outcome, "text": text, "file_name": name, "events": events})
}

/// Results are on standard output; what failed and how to go on stands in remarks.
fn extraction(text: String, remarks: &str) -> Value {
    let after = |mark: &str| remarks.split_once(mark).map(|(_, rest)| rest);
    let next = after("--next ").and_then(|rest| rest.split_whitespace().next());
    let failure = after(" failed; first: line ").and_then(|rest| rest.lines().next()?.split_once(": "));
    let failed = remarks
        .split_once(" failed; first")
        .and_then(|(before, _)| before.split_whitespace().rev().nth(1)?.parse().ok());
    let mut answer = json!({
        "count": text.lines().count(),
        "text": text,
        "truncated": next.is_some(),
        "next": next,
        "failed": failed.unwrap_or(0_u32),
    });
    if let Some((line, message)) = failure {
        let hint = remarks.lines().skip_while(|remark| !remark.contains(" failed; first: line ")).nth(1);
        let hint = hint.and_then(|remark| remark.strip_prefix("lro: ")).filter(|hint| !hint.starts_with("cut after"));
        answer["failures"] =
            json!([{"line": line.parse::<u32>().ok(), "message": message, "hint": hint.unwrap_or("")}]);
    } else {
        answer["failures"] = json!([]);
    }
    answer
}
