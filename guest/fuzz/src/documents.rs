//! Any bytes as the result of a tool: what is offloaded has a bounded response, and comes back as it was.
//!
//! The last byte chooses the request and the settings, so that a seed is a file as it is: one that ends with a newline is
//! the result of a tool whose records are not memories, at the defaults.

use std::fs;

use lro_guest::calls::{self, Outcome, Source, Stored};
use lro_guest::documents::describe;
use lro_guest::file::instant::Instant;
use lro_guest::offload::response::{bound, cost};
use lro_guest::settings::GuidanceKind;
use serde_json::{Value, json};

use crate::output;

const INSTANT: Instant = Instant { milliseconds: 1_790_000_000_000, random: 1 };

/// Runs the target.
pub fn run(data: &[u8]) {
    let Some((choice, document)) = data.split_last() else { return };
    let Choice { request, mut settings, guidance } = Choice::of(*choice);
    // A host makes bytes that are not UTF-8 to text in the same way.
    let document = String::from_utf8_lossy(document);
    let answer = calls::offload(&document, &request.to_string(), &settings.to_string(), || Ok(INSTANT))
        .expect("any text can be offloaded");
    cut(&document, &request, &settings);
    let Outcome::Offloaded(stored) = answer.outcome else {
        assert_eq!(answer.outcome, Outcome::Unchanged, "nothing was written, so no write failed");
        return;
    };
    let mut response: Value = serde_json::from_str(&stored.response).expect("a response is JSON");
    let path = response["file_path"].as_str().expect("a response has a path").to_owned();
    let path = path.as_str();
    let lists = 1 + stored.sections.len();
    let most = bound(guidance, path, lists);
    // A preview has a bound of its own, in characters.
    response.as_object_mut().expect("a response is an object").remove("preview");
    let cost = cost(&response.to_string());
    assert!(cost <= most, "a response of {cost} tokens where {most} are promised: {}", stored.response);
    settings["store"] = "file".into();
    write(&stored);
    // Half of a surrogate pair is kept in its record, and no filter can read it (decision 55).
    let has_half_a_pair = document.to_lowercase().contains("\\ud");
    reads(path, &response, &settings.to_string(), has_half_a_pair);
    rebuilds(&document, &request, path, &response, &settings.to_string(), has_half_a_pair);
}

/// What a byte chooses.
struct Choice {
    request: Value,
    settings: Value,
    guidance: GuidanceKind,
}

impl Choice {
    fn of(byte: u8) -> Self {
        let tool = byte & 0x40 != 0;
        let mut request = match byte & 3 {
            0 => json!({"operation": "search_code", "memories": true}),
            1 => json!({"operation": "recall", "detail": "full", "already_projected": true}),
            _ => json!({"operation": "list_issues"}),
        };
        if byte & 4 != 0 && byte & 0x20 != 0 {
            request["preview"] = 3.into();
        }
        if byte & 8 == 0 {
            request["descriptor"] = ["full", "compact", "bare", "message"][usize::from(byte >> 4) & 3].into();
        }
        let settings = json!({
            "threshold_tokens": 0,
            "store": "content",
            "output_dir": output::directory(),
            "guidance": if tool { "tool" } else { "shell" },
            "tokenizer": if byte & 0x80 == 0 { "chars" } else { "mixed" },
        });
        Self { request, settings, guidance: if tool { GuidanceKind::Tool } else { GuidanceKind::Shell } }
    }
}

/// In the mode `truncate` the answer is final: passed again, it is unchanged.
fn cut(document: &str, request: &Value, settings: &Value) {
    let (mut request, mut settings) = (request.clone(), settings.clone());
    request["mode"] = "truncate".into();
    settings["threshold_tokens"] = 300.into();
    let offload = |text: &str| {
        let answer =
            calls::offload(text, &request.to_string(), &settings.to_string(), || unreachable!("nothing is written"));
        answer.expect("any text can be truncated").outcome
    };
    match offload(document) {
        Outcome::Unchanged => {}
        Outcome::Truncated(text) => {
            serde_json::from_str::<Value>(&text).expect("a truncated result is JSON");
            assert_eq!(offload(&text), Outcome::Unchanged, "a truncated result is final: {text}");
        }
        outcome => panic!("{outcome:?}"),
    }
}

/// Writes what a host stores.
fn write(stored: &Stored) {
    output::clear();
    let main = (&stored.file_name, &stored.content);
    for (name, content) in stored.sections.iter().map(|section| (&section.file_name, &section.content)).chain([main]) {
        assert!(!name.contains(['/', '\\', '\0']) && name.starts_with("atlatl-"), "{name}");
        let content = content.as_deref().expect("a host that stores gets the content");
        fs::write(format!("{}/{name}", output::directory()), content).expect("a file can be written");
    }
}

/// Every way to read a file works: its description is a page, each recipe runs, and pages are the whole.
fn reads(path: &str, response: &Value, settings: &str, has_half_a_pair: bool) {
    let instant = || Ok(INSTANT);
    let description = calls::describe(Source::File(path), settings, instant).expect("a file can be described");
    assert!(description.len() <= describe::MOST_BYTES, "a description of {} bytes", description.len());
    serde_json::from_str::<Value>(&description).expect("a description is JSON");
    for recipe in 1..=10 {
        let request = json!({"recipe": recipe});
        let whole = calls::extract(Source::File(path), &request.to_string(), settings, instant);
        let whole = match whole {
            Ok(whole) => whole,
            // No filter reads such records; they come back all the same.
            Err(error) if error.message().contains("max_record_nesting") || has_half_a_pair => continue,
            Err(error) => panic!("recipe {recipe}: {error}"),
        };
        let recipe = &response["jq_recipes"][recipe - 1];
        // Rows are not JSON.
        if recipe["command"].as_str().is_some_and(|command| !command.contains("@tsv") && !command.contains("jq -R")) {
            let lines = std::str::from_utf8(&whole.text).expect("results are text").lines();
            assert!(
                lines.clone().all(|line| serde_json::from_str::<&serde_json::value::RawValue>(line).is_ok()),
                "{recipe}"
            );
            assert_eq!(lines.count(), whole.count as usize, "{recipe}");
        }
    }
    pages(path, &json!({"query": "."}), settings, has_half_a_pair);
    let read = calls::read(Source::File(path), "{}", settings, instant).expect("a file can be read");
    assert!(read.text.len() <= 1 << 20);
    calls::search(Source::File(path), r#"{"pattern":"a.|:"}"#, settings, instant).expect("a file can be searched");
}

/// EXTRACT-21.
fn pages(path: &str, request: &Value, settings: &str, may_fail: bool) {
    let extract = |request: &Value| calls::extract(Source::File(path), &request.to_string(), settings, || Ok(INSTANT));
    // A record that is nested too deep has no results.
    let Ok(whole) = extract(request) else { return };
    let may_fail = may_fail || whole.failures.iter().any(|failure| failure.message.contains("max_record_nesting"));
    assert!(whole.failed == 0 || may_fail, "each line of a file is JSON");
    let (mut asked, mut together) = (request.clone(), Vec::new());
    asked["limit"] = whole.count.div_ceil(3).max(1).into();
    loop {
        let page = extract(&asked).expect("a page follows");
        together.extend(page.text);
        match page.next {
            Some(next) => asked["next"] = next.into(),
            None => break,
        }
    }
    assert_eq!(together, whole.text, "pages together are the whole");
}

/// USER-01: byte for byte where the response says so, else the same JSON.
fn rebuilds(document: &str, request: &Value, path: &str, response: &Value, settings: &str, has_half_a_pair: bool) {
    let rebuilt = calls::rebuild(Source::File(path), settings, || Ok(INSTANT)).expect("a document can be rebuilt");
    let are_memories = request.get("memories").or(request.get("detail")).is_some();
    match response["document"]["rebuilds"].as_str() {
        Some("exactly") => assert_eq!(rebuilt, document),
        // Other descriptors say nothing of it, and memories lose what is not theirs.
        _ if are_memories => {}
        // A document in a text has it as a character, which UTF-8 does not have.
        _ if has_half_a_pair && rebuilt.contains('\u{fffd}') => {}
        _ => assert!(rebuilt == document || compact(&rebuilt) == compact(document), "{rebuilt:?} for {document:?}"),
    }
}

/// A JSON text without space between its tokens.
fn compact(json: &str) -> String {
    let (mut in_string, mut escaped) = (false, false);
    let keep = |character: &char| {
        let is_space = !in_string && matches!(character, ' ' | '\t' | '\r' | '\n');
        in_string = if in_string { escaped || *character != '"' } else { *character == '"' };
        escaped = in_string && !escaped && *character == '\\';
        !is_space
    };
    json.chars().filter(keep).collect()
}
