//! Transcripts of the real clients, and made-up ones in which offloading loses.

use std::fs;

use serde_json::{Value, json};

use crate::{Home, TRANSCRIPTS, number, records, row};

#[test]
fn claude_code_without_lro() {
    let home = Home::new();
    home.record("claude-without");
    let report = home.audit(&[]);
    let list = row(&report, "mcp__records__list_issues");
    assert_eq!([number(list, "results"), number(list, "replayed"), number(list, "from_saved_file")], [2, 1, 1]);
    assert_eq!(number(list, "without/reads"), 2, "Read and grep of the saved file count on this side: {list}");
    // Its notice has 448 tokens and a response 280, so what is saved is what reading the file costs.
    assert!((400..500).contains(&(number(list, "without/shown") - 1436)), "{list}");
    assert!((-23_000..-21_000).contains(&number(list, "difference")), "{list}");
    let search = row(&report, "mcp__records__search_issues");
    assert!((3000..4500).contains(&number(search, "without/shown")), "{search}");
    assert!((-4200..-2800).contains(&number(search, "difference")), "{search}");
    let bash = row(&report, "Bash");
    assert_eq!([number(bash, "replayed"), number(bash, "from_saved_file")], [2, 1], "{bash}");
    // A preview of 2 KB and the whole of a smaller one.
    assert!((2500..3500).contains(&number(bash, "without/shown")), "{bash}");
    for untouched in ["mcp__records__fail", "Read"] {
        assert_eq!(number(row(&report, untouched), "difference"), 0, "{untouched}");
    }
    assert_eq!(number(&report["clients"][0]["total"], "with/extractions"), 0);
}

#[test]
fn codex_without_lro() {
    let home = Home::new();
    home.record("codex-without");
    let report = home.audit(&[]);
    let list = row(&report, "mcp__records__list_issues");
    assert_eq!([number(list, "replayed"), number(list, "from_part")], [1, 1], "{list}");
    // 12,000 characters are 3,126 tokens (docs/CLIENTS.md), and the other result has 40 records.
    assert!((4200..5200).contains(&number(list, "without/shown")), "{list}");
    assert!((-3200..-2400).contains(&number(list, "difference")), "{list}");
    let bash = row(&report, "Bash");
    assert_eq!([number(bash, "replayed"), number(bash, "from_part")], [2, 0], "{bash}");
    assert_eq!(number(row(&report, "mcp__records__fail"), "difference"), 0);
}

#[test]
fn what_was_extracted_is_known_where_lro_was_there() {
    for (recorded, extractions) in [("claude-with", 3), ("codex-with", 3)] {
        let home = Home::new();
        home.record(recorded);
        let offloaded = format!("{TRANSCRIPTS}/{recorded}/offloaded");
        let report = home.audit(&["--output-dir", &offloaded]);
        let total = &report["clients"][0]["total"];
        assert_eq!(
            [number(total, "with/extractions"), number(total, "not_counted")],
            [extractions, 0],
            "{recorded}: {total}"
        );
        assert!(number(total, "recorded") >= 3 && number(total, "difference") < -5000, "{recorded}: {total}");
        let list = row(&report, "mcp__records__list_issues");
        assert_eq!(number(list, "with/extractions"), 1, "{recorded}: {list}");
        // Without the files nobody knows what the client would have shown: they count on neither side.
        let report = home.audit(&["--output-dir", "elsewhere"]);
        let total = &report["clients"][0]["total"];
        assert_eq!([number(total, "with/extractions"), number(total, "not_counted")], [0, number(total, "recorded")]);
    }
}

/// A transcript of Claude Code: calls of tools with their arguments, and the texts that the model saw.
pub(crate) fn transcript(calls: &[(&str, Value, &str)]) -> String {
    let line = |(index, (tool, arguments, text)): (usize, &(&str, Value, &str))| {
        let id = format!("toolu_{index}");
        let call = json!({"type": "assistant", "uuid": format!("a{index}"),
            "message": {"content": [{"type": "tool_use", "id": id, "name": tool, "input": arguments}]}});
        let content = json!([{"type": "text", "text": text}]);
        let result = json!({"type": "user", "uuid": format!("u{index}"), "toolUseResult": content,
            "message": {"content": [{"type": "tool_result", "tool_use_id": id, "content": content}]}});
        format!("{call}\n{result}\n")
    };
    calls.iter().enumerate().map(line).collect()
}

#[test]
fn reading_everything_back_is_a_loss() {
    let home = Home::new();
    // Barely above the threshold of 1,600 estimated tokens, and offloaded because that is asked for.
    let result = records(100);
    fs::write(home.path("result.json"), &result).unwrap();
    let offloaded = home.run(&["offload", "result.json", "--operation", "mcp__a__list", "--output-dir", "out"]);
    let response = String::from_utf8(offloaded.stdout).unwrap();
    let file = serde_json::from_str::<Value>(&response).unwrap()["file_path"].as_str().unwrap().to_owned();
    let everything = result.trim_matches(['[', ']']).replace("},{", "}\n{");
    let asked = json!({"file_path": file, "query": "."});
    let calls = [("mcp__a__list", json!({}), response.trim()), ("mcp__lro__lro_extract", asked, everything.as_str())];
    let path = home.write("lost.jsonl", &transcript(&calls));
    let report = home.audit(&["--output-dir", "out", path.to_str().unwrap()]);
    let list = row(&report, "mcp__a__list");
    assert_eq!([number(list, "recorded"), number(list, "with/extractions")], [1, 1], "{list}");
    assert!(number(list, "difference") > 200, "{list}");
    let text = home.run(&["audit", "--output-dir", "out", path.to_str().unwrap()]);
    let text = String::from_utf8(text.stdout).unwrap();
    let all = text.lines().find(|line| line.starts_with("all")).unwrap();
    assert!(all.ends_with(" lost") && all.contains('+'), "{text}");
}

#[test]
fn assumed_extractions_can_turn_a_saving_into_a_loss() {
    let home = Home::new();
    let result = records(100);
    let path = home.write("replayed.jsonl", &transcript(&[("mcp__a__list", json!({}), &result)]));
    let path = path.to_str().unwrap();
    let saved = home.audit(&[path]);
    assert!(number(row(&saved, "mcp__a__list"), "difference") < -500, "{saved}");
    assert_eq!(saved["assumed"], Value::Null);
    let lost = home.audit(&["--extractions", "30", path]);
    assert_eq!(number(row(&lost, "mcp__a__list"), "with/assumed_tokens"), 4500);
    assert!(number(row(&lost, "mcp__a__list"), "difference") > 500, "{lost}");
    let text = home.run(&["audit", "--extractions", "30", path]);
    let text = String::from_utf8(text.stdout).unwrap();
    assert!(text.contains("ASSUMED, not measured: 30 extractions of 150 tokens"), "{text}");
}

#[test]
fn the_same_tokenizer_counts_on_both_sides() {
    let home = Home::new();
    let text = "many words, and none of them JSON\n".repeat(40);
    let pretty = "{\n  \"a\": 1,\n  \"b\": [1, 2]\n}";
    let calls = [("mcp__a__text", json!({}), text.as_str()), ("mcp__a__pretty", json!({}), pretty)];
    let path = home.write("small.jsonl", &transcript(&calls));
    let report = home.audit(&[path.to_str().unwrap()]);
    // A line has nine tokens with its comma and its end, and the JSON counts with its white space.
    for (tool, tokens) in [("mcp__a__text", 360), ("mcp__a__pretty", 19)] {
        let row = row(&report, tool);
        assert_eq!([number(row, "without/shown"), number(row, "with/shown")], [tokens, tokens], "{row}");
    }
    let chars = home.audit(&["--tokenizer", "chars", path.to_str().unwrap()]);
    assert_eq!(number(row(&chars, "mcp__a__text"), "without/shown"), 340);
}

#[test]
fn a_session_that_is_resumed_is_counted_once() {
    let home = Home::new();
    let text = transcript(&[("mcp__a__list", json!({}), &records(100))]);
    home.write("project/1.jsonl", &text);
    home.write("project/2.jsonl", &text);
    let report = home.audit(&[home.path("project").to_str().unwrap()]);
    assert_eq!(number(row(&report, "mcp__a__list"), "results"), 1);
}
