//! For every document, `rebuild(offload(x))` equals `x` unless a projection was asked for, and the records in its files
//! are the bytes that came (USER-01, USER-19, PROXY-07). The keys are those that have a meaning for somebody.

use std::fs;
use std::path::Path;

use lro_guest::calls::{self, Outcome, Source, Stored};
use lro_guest::disk;
use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use serde_json::{Value, json};
use tempfile::TempDir;

/// Operations of memory tools, and others that begin like them.
const OPERATIONS: [&str; 7] =
    ["recall", "list", "inject", "search_code", "search_memories", "recall_memories", "vector_query"];

/// Keys that mean something to a memory server, a pager, MCP, or this project.
const KEYS: [&str; 14] = [
    "id",
    "namespace",
    "memory_type",
    "memory",
    "score",
    "title",
    "content",
    "next_cursor",
    "items",
    "offloaded",
    "results",
    "a b",
    "\\u0061",
    "",
];

/// A document that has been offloaded.
struct Offloaded {
    folder: TempDir,
    settings: String,
    response: Value,
}

impl Offloaded {
    /// `None` for a document that has nothing to offload.
    fn of(payload: &str, request: &Value) -> Option<Self> {
        let folder = TempDir::new().unwrap();
        let settings = json!({"threshold_tokens": 0, "output_dir": folder.path()}).to_string();
        let answer = calls::offload(payload, &request.to_string(), &settings, disk::instant).unwrap();
        match answer.outcome {
            Outcome::Offloaded(Stored { response, .. }) => {
                Some(Self { folder, settings, response: serde_json::from_str(&response).unwrap() })
            }
            Outcome::Unchanged => None,
            outcome => panic!("{outcome:?}"),
        }
    }

    fn rebuilt(&self) -> String {
        calls::rebuild(Source::File(self.response["file_path"].as_str().unwrap()), &self.settings, disk::instant)
            .unwrap()
    }

    /// The document in parts of so many bytes.
    fn rebuilt_in_parts(&self, max_bytes: u32) -> String {
        let (mut text, mut next) = (String::new(), None);
        loop {
            let source = Source::File(self.response["file_path"].as_str().unwrap());
            let request = json!({"max_bytes": max_bytes, "next": next}).to_string();
            let part = calls::rebuild_part(source, &request, &self.settings, disk::instant).unwrap();
            text.push_str(&part.text);
            match part.next {
                None => return text,
                following => next = following,
            }
        }
    }

    /// The lines of all files, without their headers.
    fn lines(&self) -> Vec<String> {
        let files = fs::read_dir(self.folder.path()).unwrap();
        let text = |entry: fs::DirEntry| fs::read_to_string(entry.path()).unwrap();
        files.flat_map(|file| text(file.unwrap()).lines().skip(1).map(str::to_owned).collect::<Vec<_>>()).collect()
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

fn number() -> impl Strategy<Value = String> {
    prop_oneof![
        any::<i32>().prop_map(|number| number.to_string()),
        prop::sample::select(vec!["1.10", "1e3", "-0", "12345678901234567890", "0.5", "1E-7"]).prop_map(str::to_owned),
    ]
}

fn scalar() -> impl Strategy<Value = String> {
    prop_oneof![
        number(),
        Just("null".to_owned()),
        Just("true".to_owned()),
        r#"[a-z\u{e9}\u{1f600} "\\{}\[\],:]{0,12}"#.prop_map(|text| Value::from(text).to_string()),
        Just(r#""\u00e9\n\/""#.to_owned()),
    ]
}

/// A JSON text with that space behind each token.
fn document() -> impl Strategy<Value = String> {
    let space = prop::sample::select(vec!["", " ", "\n  "]);
    let value = scalar().prop_recursive(4, 40, 6, |inner| {
        let member = (prop::sample::select(KEYS.to_vec()), inner.clone());
        prop_oneof![
            prop::collection::vec(inner, 0..6).prop_map(|elements| format!("[\u{0}{}\u{0}]", elements.join(",\u{0}"))),
            prop::collection::vec(member, 0..6).prop_map(|members| {
                let members: Vec<String> =
                    members.iter().map(|(key, value)| format!("\"{key}\":\u{0}{value}")).collect();
                format!("{{\u{0}{}\u{0}}}", members.join(",\u{0}"))
            }),
            hits(),
        ]
    });
    (value, space).prop_map(|(text, space)| text.replace('\u{0}', space))
}

/// What a memory server answers to a search, and what looks so.
fn hits() -> impl Strategy<Value = String> {
    let hit = |(id, score): (u32, String)| format!(r#"{{"memory":{{"id":{id},"namespace":"n"}},"score":{score}}}"#);
    let scored = |(id, score): (u32, String)| format!(r#"{{"id":{id},"score":{score},"namespace":"n"}}"#);
    let list = |records: Vec<String>| format!("[{}]", records.join(","));
    prop_oneof![
        prop::collection::vec((any::<u32>(), number()).prop_map(hit), 1..6).prop_map(list),
        prop::collection::vec((any::<u32>(), number()).prop_map(scored), 1..6).prop_map(list),
    ]
}

fn request() -> impl Strategy<Value = Value> {
    let memories = prop::sample::select(vec![json!({}), json!({"memories": true}), json!({"detail": "full"})]);
    (prop::sample::select(OPERATIONS.to_vec()), memories).prop_map(|(operation, mut request)| {
        request["operation"] = operation.into();
        request
    })
}

fn config() -> ProptestConfig {
    ProptestConfig { cases: 400, rng_seed: RngSeed::Fixed(7), failure_persistence: None, ..ProptestConfig::default() }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn what_was_offloaded_can_be_rebuilt(document in document(), request in request(), max_bytes in 4..400_u32) {
        let Some(offloaded) = Offloaded::of(&document, &request) else { return Ok(()) };
        let rebuilt = offloaded.rebuilt();
        prop_assert_eq!(&offloaded.rebuilt_in_parts(max_bytes), &rebuilt);
        let are_memories = request.get("memories").or(request.get("detail")).is_some();
        if offloaded.response["document"]["rebuilds"] == "exactly" {
            prop_assert_eq!(&rebuilt, &document);
        } else if are_memories {
            let value = |text: &str| serde_json::from_str::<Value>(text).unwrap();
            prop_assert_eq!(value(&rebuilt), value(&document));
        } else {
            prop_assert_eq!(compact(&rebuilt), compact(&document));
        }
        if !are_memories {
            let whole = compact(&document);
            for line in offloaded.lines() {
                prop_assert!(document.contains(&line) || whole.contains(&compact(&line)), "{} in {}", line, document);
            }
        }
    }

    #[test]
    fn text_comes_back_as_it_was(text in "\\PC{1,80}\n?\\PC{0,80}") {
        prop_assume!(serde_json::from_str::<Value>(&text).is_err());
        let Some(offloaded) = Offloaded::of(&text, &json!({"operation": "read"})) else { return Ok(()) };
        if offloaded.response["document"]["form"] == "text" {
            prop_assert_eq!(offloaded.rebuilt_in_parts(4), text.clone());
            prop_assert_eq!(offloaded.rebuilt(), text);
        }
    }
}

#[test]
fn the_fixtures_can_be_rebuilt() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/documents");
    let mut count = 0;
    for entry in fs::read_dir(folder).unwrap() {
        let Ok(text) = fs::read_to_string(entry.unwrap().path()) else { continue };
        for operation in OPERATIONS {
            let Some(offloaded) = Offloaded::of(&text, &json!({"operation": operation})) else { continue };
            let rebuilt = offloaded.rebuilt();
            assert_eq!(offloaded.rebuilt_in_parts(100), rebuilt);
            if offloaded.response["document"]["rebuilds"] == "as equal JSON" {
                assert_eq!(compact(&rebuilt), compact(&text));
            } else {
                assert_eq!(rebuilt, text);
            }
            count += 1;
        }
    }
    assert!(count >= 7 * 10, "only {count} documents were offloaded");
}
