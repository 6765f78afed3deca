//! A file whose header somebody else has written: every way to read it ends with an answer or a typed error, in bounded
//! size, and nothing outside the output directory is ever read.

use std::fs;
use std::sync::OnceLock;

use lro_guest::calls::{self, Source};
use lro_guest::documents::describe;
use lro_guest::file::instant::Instant;
use lro_guest::mcp;
use lro_query::json::is_json;
use serde_json::{Value, json};

use crate::output;

/// When it is: a day after the files of the corpus were written.
const INSTANT: Instant = Instant { milliseconds: 1_767_312_000_000, random: 1 };

const NAME: &str = "atlatl-x-01KDVDNS00000000000000000G.jsonl";

/// What lies outside of the output directory, and what of it must never be seen.
const OUTSIDE: &str = "atlatl-secret-01KDVDNS00000000000000000H.jsonl";
const SECRET: &str = "7f3a-outside-of-the-output-directory";
const HEADER: &str = r#"{"type":"lro_header","operation":"recall","query":null,"count":1,"schema_version":"1.0.0","timestamp":"2026-01-01T00:00:00Z","estimated_tokens":1,"detail":"full","lro":{"kind":"records"}}"#;

/// The most characters of an answer of one of our tools: `max_answer_bytes`.
const MOST_ANSWER_BYTES: usize = 8192;

/// Runs the target.
pub fn run(data: &[u8]) {
    let folder = folder();
    fs::write(format!("{folder}/{NAME}"), data).expect("the file can be written");
    let settings = json!({"output_dir": folder, "ttl_seconds": 1_000_000_000}).to_string();
    let text = String::from_utf8_lossy(data);
    // libFuzzer learns the secret from the comparison, and pages join lines.
    let on_one_line: Vec<u8> = data.iter().copied().filter(|byte| !matches!(byte, b'\n' | b'\r')).collect();
    let has_secret = on_one_line.windows(SECRET.len()).any(|window| window == SECRET.as_bytes());
    for source in [Source::File(NAME), Source::Content(&text)] {
        let seen = read(source, &settings);
        assert!(has_secret || !seen.contains(SECRET), "{seen}");
    }
    tools(&settings);
}

/// The output directory, in a folder that has a file of its own.
fn folder() -> &'static str {
    static FOLDER: OnceLock<String> = OnceLock::new();
    FOLDER.get_or_init(|| {
        let parent = output::directory();
        let record = json!({"id": 1, "text": SECRET});
        let folder = format!("{parent}/out");
        fs::create_dir_all(format!("{folder}/s1")).expect("a folder can be created");
        fs::write(format!("{parent}/{OUTSIDE}"), format!("{HEADER}\n{record}\n")).expect("a file can be written");
        fs::write(format!("{folder}/s1/{OUTSIDE}"), format!("{HEADER}\n{{\"id\":2}}\n"))
            .expect("a file can be written");
        folder
    })
}

/// Reads a file in every way, and returns all that was seen.
fn read(source: Source<'_>, settings: &str) -> String {
    let instant = || Ok(INSTANT);
    let mut seen = String::new();
    if let Ok(description) = calls::describe(source, settings, instant) {
        assert!(description.len() <= describe::MOST_BYTES, "a description of {} bytes", description.len());
        serde_json::from_str::<Value>(&description).expect("a description is JSON");
        seen.push_str(&description);
    }
    let recipes = (1..=10).map(|recipe| json!({"recipe": recipe}));
    let others = [json!({"query": "."}), json!({"query": ".", "on": "document"}), json!({"line": 2, "lines": 3})];
    for request in recipes.chain(others) {
        if let Ok(page) = calls::extract(source, &request.to_string(), settings, instant) {
            seen.push_str(&calls::results_text(page.text));
        }
    }
    seen.push_str(&calls::rebuild(source, settings, instant).unwrap_or_else(|error| error.message().to_owned()));
    if let Ok(passage) = calls::read(source, "{}", settings, instant) {
        seen.push_str(&passage.text);
    }
    if let Ok(found) = calls::search(source, r#"{"pattern":"."}"#, settings, instant) {
        seen.extend(found.hits.into_iter().map(|hit| hit.text));
    }
    seen
}

/// What a model is told of it is bounded, whatever the header says.
fn tools(settings: &str) {
    for (tool, arguments) in [
        ("lro_describe", json!({"file_path": NAME})),
        ("lro_extract", json!({"file_path": NAME, "recipe": 1})),
        ("lro_extract", json!({"file_path": NAME, "where": [{"field": "id", "op": "exists"}]})),
    ] {
        let result = mcp::call(tool, &arguments.to_string(), settings, || Ok(INSTANT)).expect("the tool is ours");
        let Ok(result) = serde_json::from_str::<Value>(&result) else {
            // serde_json reads neither half of a surrogate pair nor 1e999, which records keep.
            assert!(is_json(&result), "{result}");
            continue;
        };
        let texts = result["content"].as_array().expect("a result has content").iter();
        let bytes: usize = texts.map(|block| block["text"].as_str().map_or(0, str::len)).sum();
        assert!(bytes <= MOST_ANSWER_BYTES, "{tool} answers {bytes} bytes");
    }
    calls::list("{}", settings, || Ok(INSTANT)).expect("the output directory can be listed");
}
