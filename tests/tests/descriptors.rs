//! What a response costs in tokens of o200k, in each of its forms (LRO-17, USER-16): on the documents of
//! `fixtures/documents`, and on those of the folder that the variable `LRO_DOCUMENTS` names, if it is set.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

use lro_guest::calls::{self, Outcome, Stored};
use lro_guest::file::instant::Instant;
use serde_json::{Value, json};

const INSTANT: Instant = Instant { milliseconds: 1_790_000_000_000, random: 0x1234_5678_9abc_def0_1234 };

fn tokens(text: &str) -> usize {
    bpe_openai::o200k_base().count(text)
}

/// The documents by their names.
fn documents() -> BTreeMap<String, String> {
    let fixtures = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures"));
    let folders = [Some(fixtures.join("documents")), std::env::var_os("LRO_DOCUMENTS").map(PathBuf::from)];
    let files = folders.iter().flatten().flat_map(|folder| fs::read_dir(folder).unwrap());
    let all = files.map(|entry| entry.unwrap().path()).chain([fixtures.join("mif-memories.json")]);
    let name = |path: &PathBuf| path.file_name().unwrap().to_string_lossy().into_owned();
    all.filter_map(|path| Some((name(&path), fs::read_to_string(&path).ok()?))).collect()
}

/// The response to a document in the directory, as the tool `name` returned it.
fn response(document: &str, directory: &str, settings: &Value, request: &Value) -> String {
    let mut all = json!({"threshold_tokens": 0, "store": "content", "output_dir": directory});
    all.as_object_mut().unwrap().extend(settings.as_object().unwrap().clone());
    let answer = calls::offload(document, &request.to_string(), &all.to_string(), || Ok(INSTANT)).unwrap();
    let Outcome::Offloaded(Stored { response, .. }) = answer.outcome else { panic!("{:.300?}", answer.outcome) };
    response
}

#[test]
fn a_compact_response_has_350_tokens_at_the_median_and_600_at_most() {
    let mut compact = Vec::new();
    for (name, document) in documents() {
        let cost = |descriptor: &str, guidance: &str| {
            let settings = json!({"guidance": guidance, "descriptor": descriptor});
            let response = response(&document, "/tmp/lro-results", &settings, &json!({"operation": "list_items"}));
            if std::env::var_os("SHOW").is_some_and(|shown| shown == name.as_str()) {
                println!("{response}\n");
            }
            tokens(&response)
        };
        let costs = [("bare", "tool"), ("envelope", "tool"), ("compact", "tool"), ("full", "tool"), ("full", "shell")]
            .map(|(descriptor, guidance)| cost(descriptor, guidance));
        println!(
            "{:>9} tokens as {costs:?} of bare, envelope, compact, full for the tool and a shell: {name}",
            tokens(&document)
        );
        compact.push(costs[2]);
    }
    compact.sort_unstable();
    println!("compact: median {}, largest {}", compact[compact.len() / 2], compact[compact.len() - 1]);
    assert!(compact[compact.len() / 2] <= 350 && compact[compact.len() - 1] <= 600, "{compact:?}");
}

/// The bound of a full response holds in tokens of o200k, and a long path leaves the schema.
#[test]
fn a_full_response_is_bounded_with_a_path_of_400_characters() {
    for length in [20, 120, 400] {
        let directory =
            format!("/{}", "some/long-folder-name_42/".repeat(20))[..length].trim_end_matches('/').to_owned();
        for (name, document) in documents() {
            for (guidance, most) in [("shell", 1200), ("tool", 1500)] {
                let settings = json!({"guidance": guidance, "descriptor": "full"});
                let response = response(&document, &directory, &settings, &json!({"operation": "list_items"}));
                let several = if response.contains(r#""sections":"#) { 150 } else { 0 };
                let found = tokens(&response);
                assert!(found <= most + several, "{name}, {length} {guidance}: {found} tokens of o200k");
                let response: Value = serde_json::from_str(&response).unwrap();
                let is_object = response["line_schema"]["type"] == "object";
                assert!(!is_object || response["line_schema"]["properties"].is_object(), "{name}, {length} {guidance}");
            }
        }
    }
}
