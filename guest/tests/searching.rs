//! Searches and readings as a model calls them, of files that an offload wrote.

use std::fs;
use std::path::Path;

use lro_guest::calls::offload;
use lro_guest::disk::instant;
use lro_guest::mcp::call;
use serde_json::{Value, json};

/// A diff of more than one file, lines of logfmt, and a table.
fn payloads() -> [(&'static str, String); 3] {
    let hunks = |n: usize| {
        format!(
            "diff --git a/f{n} b/f{n}\n--- a/f{n}\n+++ b/f{n}\n@@ -1,2 +1,2 @@\n context\n-old Words\n+new Words {n}\n"
        )
    };
    let diff = (0..40).map(hunks).collect();
    let level = |n: usize| if n.is_multiple_of(4) { "error" } else { "info" };
    let logfmt = (0..80).map(|n| format!("time=2026-01-01T00:00:{:02}Z level={} msg=\"step {n}\"\n", n % 60, level(n)));
    let rows = (0..60).map(|n| format!("ns{:<8} pod-{n:<10} {:<8} Running\n", n % 3, n));
    let table = format!("NAMESPACE  NAME           READY    STATUS\n{}", rows.collect::<String>());
    [("diff", diff), ("logfmt", logfmt.collect()), ("table", table)]
}

/// Offloads a text, and returns the settings and the path of its file.
fn stored(name: &str, payload: &str) -> (String, String) {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("searching-{name}"));
    _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    let settings = json!({"output_dir": folder, "threshold_tokens": 1}).to_string();
    offload(payload, &json!({"operation": name}).to_string(), &settings, instant).unwrap();
    let files: Vec<_> = fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    let main = files.iter().find(|path| path.extension().is_some_and(|extension| extension == "jsonl"));
    (settings, main.unwrap_or(&files[0]).to_str().unwrap().to_owned())
}

fn answer(tool: &str, arguments: &Value, settings: &str) -> Value {
    let result: Value = serde_json::from_str(&call(tool, &arguments.to_string(), settings, instant).unwrap()).unwrap();
    match result["isError"].as_bool() {
        Some(true) => result["content"][0]["text"].clone(),
        _ => result["structuredContent"].clone(),
    }
}

#[test]
fn the_text_beside_records_is_named_where_it_matches() {
    let patterns = [("diff", r"^\+.*Words", 40), ("logfmt", "level=error", 20), ("table", "^ns0 ", 20)];
    for ((name, payload), (of, pattern, lines)) in payloads().into_iter().zip(patterns) {
        assert_eq!(name, of);
        let (settings, path) = stored(name, &payload);
        let found = answer("lro_search", &json!({"file_path": path, "pattern": pattern}), &settings);
        assert_eq!(found["total"], 0, "{name}: {found}");
        let remark = found["remarks"][1].as_str().unwrap_or_default();
        let begin = format!("{lines} lines of the text that the records were read from match: search `");
        assert!(remark.starts_with(&begin), "{name}: {found}");
        let original = remark.split('`').nth(1).unwrap();
        let asked = json!({"file_path": original, "pattern": pattern, "count": true});
        assert_eq!(answer("lro_search", &asked, &settings), json!({"matching_lines": lines, "truncated": false}));
        let nothing = answer("lro_search", &json!({"file_path": path, "pattern": "nowhere"}), &settings);
        assert_eq!(nothing["remarks"].as_array().map(Vec::len), Some(1), "{nothing}");
    }
}

#[test]
fn a_model_gets_errors_without_the_request_it_did_not_write() {
    let (settings, path) = stored("errors", &"a line of text\n".repeat(100));
    let rows = [
        (
            "lro_read",
            json!({"lines": "abc"}),
            "cannot call lro_read: `lines` is \"abc\", and not a range\nfor example: ",
        ),
        (
            "lro_read",
            json!({"encoding": "hex"}),
            "cannot read the read request: unknown variant `hex`, expected `raw` or `base64`\n",
        ),
        ("lro_read", json!({"characters": -5}), "give a range such as \"1-5000\" or \"5001-\"\n"),
        ("lro_search", json!({"pattern": ""}), "cannot search: `pattern` is missing or empty\ngive a regular"),
    ];
    for (tool, mut arguments, part) in rows {
        arguments["file_path"] = path.as_str().into();
        let said = answer(tool, &arguments, &settings).to_string().replace("\\n", "\n").replace("\\\"", "\"");
        assert!(said.contains(part) && !said.contains("column") && !said.contains("schema"), "{said}");
    }
    let last = answer("lro_read", &json!({"file_path": path, "lines": "last 2"}), &settings);
    assert_eq!((&last["first"], &last["last"], &last["total"]), (&json!(99), &json!(100), &json!(100)), "{last}");
}

#[test]
fn an_extraction_says_how_its_lines_are_counted() {
    let text = (1..=100).map(|n| format!("this is line {n} of a text\n")).collect::<String>();
    let (settings, path) = stored("numbering", &text);
    let query = json!({"file_path": path, "query": "select(contains(\"line 42 \"))"});
    let found = answer("lro_extract", &query, &settings);
    assert_eq!(found["lines"], json!([43]), "{found}");
    assert_eq!(found["numbering"], "line 43 of the file is line 42 of the text, as read and search count");
    let read = answer("lro_read", &json!({"file_path": path, "lines": 42}), &settings);
    assert_eq!(read["text"], "this is line 42 of a text\n");
}
