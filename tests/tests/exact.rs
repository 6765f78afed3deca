//! Tokens counted exactly: through the component that has the vocabularies, which only a setting asks for.

use std::fs;
use std::path::PathBuf;

use lro::{Case, Error, Lro, OffloadRequest, Options, Outcome, Settings, Tokenizer};
use serde::Deserialize;
use serde_json::{Value, json};

#[derive(Deserialize)]
struct Sample {
    name: String,
    o200k: u32,
    text: String,
}

fn samples() -> Vec<Sample> {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("fixtures/tokens/samples.json");
    serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap()
}

fn open(settings: Settings) -> Lro {
    Lro::open(&Options::default().prepare_output_dir(false).settings(settings)).unwrap()
}

/// A text that holds itself as its only record.
fn estimate(lro: &Lro, text: &str) -> u32 {
    lro.estimate(text, &OffloadRequest::of("read_file")).unwrap()
}

#[test]
fn texts_count_what_the_reference_counts() {
    let lro = open(Settings::default().tokenizer(Tokenizer::O200kBase));
    for sample in samples() {
        // Documents are taken apart into records, and counted without what is between them.
        if sample.name.starts_with("json") || sample.name == "csv" {
            continue;
        }
        assert_eq!(estimate(&lro, &sample.text), sample.o200k, "{}", sample.name);
    }
}

#[test]
fn records_are_counted_each_for_itself() {
    let records = [r#"{"id":1,"title":"Postgres"}"#, r#"{"id":2,"title":"数据库"}"#];
    let rows = [
        (Tokenizer::O200kBase, records.map(|record| bpe_openai::o200k_base().count(record)).iter().sum::<usize>()),
        (Tokenizer::Cl100kBase, records.map(|record| bpe_openai::cl100k_base().count(record)).iter().sum::<usize>()),
    ];
    for (tokenizer, tokens) in rows {
        let lro = open(Settings::default().tokenizer(tokenizer));
        assert_eq!(estimate(&lro, &format!("[{}]", records.join(",\n"))) as usize, tokens);
    }
}

#[test]
fn a_threshold_is_met_to_the_token() {
    let text: String = samples().iter().find(|sample| sample.name == "ja").map(|sample| sample.text.clone()).unwrap();
    let tokens = bpe_openai::o200k_base().count(text.as_str()) as u32;
    let outcome = |threshold: u32| {
        let settings = Settings::default().tokenizer(Tokenizer::O200kBase).threshold_tokens(threshold);
        let lro = open(settings.with("store", "content"));
        lro.offload(&text, &OffloadRequest::of("read_file")).unwrap().outcome
    };
    assert!(matches!(outcome(tokens), Outcome::Unchanged));
    assert!(matches!(outcome(tokens - 1), Outcome::Offloaded(_)));
}

#[test]
fn what_is_truncated_keeps_within_the_budget() {
    let text = "Zwölf Boxkämpfer jagen Viktor quer über den großen Sylter Deich. ".repeat(1000);
    let settings = Settings::default().tokenizer(Tokenizer::O200kBase).with("truncate_reason", "a test");
    let lro = open(settings.threshold_tokens(2000));
    let Outcome::Truncated(answer) = lro.offload(&text, &OffloadRequest::of("read_file")).unwrap().outcome else {
        panic!("it is truncated");
    };
    let tokens = bpe_openai::o200k_base().count(answer.as_str());
    assert!((1500..2200).contains(&tokens), "{tokens}");
}

#[test]
fn the_component_without_vocabularies_refuses_to_count() {
    // With an empty section at its end it is another component, which nobody replaces.
    let other = [lro::COMPONENT, &[0, 2, 1, b'x']].concat();
    let settings = Settings::default().tokenizer(Tokenizer::Cl100kBase);
    let options = Options::default().prepare_output_dir(false).component(other).settings(settings);
    let lro = Lro::open(&options).expect("the setting can be resolved");
    let Err(Error::Case(Case::InvalidArgument(problem))) = lro.estimate("text", &OffloadRequest::of("read_file"))
    else {
        panic!("it cannot count");
    };
    let told: Value = json!(format!("{problem:?}"));
    for part in ["tokenizer", "cl100k_base", "no vocabularies", "lro component --exact-tokens"] {
        assert!(told.as_str().unwrap().contains(part), "{told}");
    }
}

#[test]
fn only_one_of_the_components_has_the_vocabularies() {
    let has = |component: &[u8]| component.windows(16).any(|window| window == b"<lro-tokens: the");
    assert!(!has(lro::COMPONENT));
    assert!(has(lro::EXACT_COMPONENT));
    // What differs is what was cut out, and nothing is added to the one that ships.
    assert!(lro::EXACT_COMPONENT.len() - lro::COMPONENT.len() > 4_000_000);
}
