//! Offloads and descriptions, and what holds for each of them.

use lro_guest::calls::{self, Outcome, Source, Stored};
use lro_guest::file::instant::Instant;
use lro_guest::offload::response::{ASKED_PREVIEW_TOKENS, bound, cost};
use lro_guest::settings::GuidanceKind;
use serde_json::{Value, json};

pub(crate) const INSTANT: Instant = Instant { milliseconds: 1_790_000_000_000, random: 1 };

/// The longest answer of `describe`. Over MCP, a setting says how long it may be.
pub(crate) const MOST_DESCRIBED_BYTES: usize = 8192;

/// What a truncated answer has besides its records: the reason, with the path in it, and where the records were.
pub(crate) const MOST_FRAME_BYTES: usize = 600;

/// Some of the characters that must never be seen raw: control, zero width, bidi, soft hyphen, tags, selectors.
pub(crate) const HIDDEN: &str = "\0\u{1b}\n\t\u{7f}\u{85}\u{ad}\u{61c}\u{200b}\u{200d}\u{200e}\u{2028}\u{202a}\u{202e}\u{2060}\
    \u{2066}\u{2069}\u{feff}\u{fff9}\u{e0001}\u{e0049}\u{e007f}\u{e0100}";

/// A response, and the file that goes with it.
pub(crate) struct Offloaded {
    pub(crate) text: String,
    pub(crate) response: Value,
    pub(crate) content: String,
}

/// Offloads without writing, and checks all that holds for any response.
pub(crate) fn offloaded(payload: &str, request: &Value, settings: &Value) -> Offloaded {
    let mut all = json!({"threshold_tokens": 0, "store": "content", "output_dir": "/output"});
    all.as_object_mut().unwrap().extend(settings.as_object().unwrap().clone());
    let answer = calls::offload(payload, &request.to_string(), &all.to_string(), || Ok(INSTANT)).unwrap();
    let Outcome::Offloaded(Stored { response: text, content: Some(content), .. }) = answer.outcome else {
        panic!("{:.300?}", answer.outcome)
    };
    let response: Value = serde_json::from_str(&text).unwrap();
    let file_path = response["file_path"].as_str().unwrap();
    let directory = all.get("public_dir").unwrap_or(&all["output_dir"]).as_str().unwrap().trim_end_matches('/');
    assert!(file_path.starts_with(directory), "the path is not whole: {file_path:.300}");
    // A preview that was asked for comes on top: no character is more than a token.
    let asked = if request["preview"].as_u64() > Some(0) { ASKED_PREVIEW_TOKENS } else { 0 };
    let on_top = asked + request["preview_characters"].as_u64().unwrap_or_default() as u32;
    let lists = response["sections"].as_array().map_or(2, Vec::len);
    let most = bound(guidance_of(&all), file_path, lists) + on_top;
    assert!(cost(&text) <= most, "{} tokens of {most}: {text:.3000}", cost(&text));
    assert_eq!(raw(&text), None, "{text:.3000}");
    let keys: Vec<&String> = response.as_object().unwrap().keys().take(6).collect();
    assert_eq!(keys, ["offloaded", "summary", "file_path", "line_schema", "jq_recipes", "guidance"]);
    let recipes = response["jq_recipes"].as_array().unwrap();
    let given = request["sections"].as_object().and_then(|sections| sections.values().next());
    assert_eq!(recipes.len(), given.map_or(10, |section| section["recipes"].as_array().unwrap().len()));
    for recipe in recipes {
        let command = recipe["command"].as_str().unwrap();
        assert!(!command.contains(['\n', '\r']) && command.contains("jq "), "{command}");
        assert_eq!(raw(recipe["description"].as_str().unwrap()), None);
    }
    described(&content, &all);
    Offloaded { text, response, content }
}

/// A response in another form than the specification's, and what its path costs.
pub(crate) fn described_as(payload: &str, request: &Value, settings: &Value) -> (String, u32) {
    let mut all = json!({"threshold_tokens": 0, "store": "content"});
    all.as_object_mut().unwrap().extend(settings.as_object().unwrap().clone());
    let answer = calls::offload(payload, &request.to_string(), &all.to_string(), || Ok(INSTANT)).unwrap();
    let Outcome::Offloaded(Stored { response: text, .. }) = answer.outcome else { panic!("{request}") };
    let response: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(response["offloaded"], json!(true));
    let path = cost(&response["file_path"].to_string());
    (text, path)
}

pub(crate) fn guidance_of(settings: &Value) -> GuidanceKind {
    settings.get("guidance").map_or_else(GuidanceKind::default, |kind| serde_json::from_value(kind.clone()).unwrap())
}

pub(crate) fn described(content: &str, settings: &Value) {
    let mut settings = settings.clone();
    settings.as_object_mut().unwrap().remove("store");
    let text = calls::describe(Source::Content(content), &settings.to_string(), || Ok(INSTANT)).unwrap();
    assert!(text.len() <= MOST_DESCRIBED_BYTES, "{} bytes", text.len());
    assert_eq!(raw(&text), None, "{text:.3000}");
    assert!(serde_json::from_str::<Value>(&text).unwrap()["header"].is_object());
}

/// A character that should have been escaped.
pub(crate) fn raw(text: &str) -> Option<char> {
    text.chars().find(|c| HIDDEN.contains(*c))
}

/// The answer when there is no directory to write to.
pub(crate) fn truncated(payload: &str, settings: &Value) -> String {
    let mut all = json!({"threshold_tokens": 0, "output_dir": "missing"});
    all.as_object_mut().unwrap().extend(settings.as_object().unwrap().clone());
    match calls::offload(payload, r#"{"operation":"get"}"#, &all.to_string(), || Ok(INSTANT)).unwrap().outcome {
        Outcome::Truncated(text) => text,
        outcome => panic!("{outcome:.300?}"),
    }
}
