//! How fast tokens are counted, beside the fastest crate for it: `cargo run --release -p lro-tokens --example speed`.
//!
//! Of some rounds in turn, the fastest of each counts.

use std::hint::black_box;
use std::time::{Duration, Instant};

use lro_tokens::Vocabulary;
use serde_json::Value;

const SAMPLES: &str = include_str!("../../tests/fixtures/tokens/samples.json");

/// Samples of a kind, repeated to this many bytes.
const BYTES: usize = 1 << 20;

const ROUNDS: usize = 21;

fn main() {
    let samples: Vec<Value> = serde_json::from_str(SAMPLES).expect("the samples are JSON");
    println!("{:<24} {:>12} {:>12}  (MB/s)", "", "lro-tokens", "bpe-openai");
    let kinds = [
        ("prose", &["en", "de", "fr", "es"][..]),
        ("JSON", &["json, compact", "json, pretty", "json, memories"]),
        ("code", &["rust", "python"]),
        ("CJK", &["zh_Hans", "zh_Hant", "ja", "ko"]),
        ("Arabic, Hindi, Thai", &["ar", "hi", "th"]),
    ];
    for (kind, names) in kinds {
        let wanted = samples.iter().filter(|sample| names.iter().any(|name| sample["name"] == *name));
        let once: String = wanted.map(|sample| sample["text"].as_str().expect("a text")).collect();
        compare(kind, &once.repeat(BYTES / once.len()));
    }
    compare("a million letters", &"a".repeat(BYTES));
    compare("a million spaces", &" ".repeat(BYTES));
    let mut number = 1u32;
    let mut letter = || {
        number = number.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        char::from(b'a' + (number >> 24) as u8 % 26)
    };
    compare("random letters", &(0..BYTES).map(|_| letter()).collect::<String>());
}

fn compare(kind: &str, text: &str) {
    for (name, ours, theirs) in [
        ("o200k", Vocabulary::O200kBase, bpe_openai::o200k_base()),
        ("cl100k", Vocabulary::Cl100kBase, bpe_openai::cl100k_base()),
    ] {
        let mut best = [Duration::MAX; 2];
        for _ in 0..ROUNDS {
            best[0] = best[0].min(timed(|| ours.count(text)));
            best[1] = best[1].min(timed(|| theirs.count(text) as u64));
        }
        let speed = best.map(|time| text.len() as f64 / 1e6 / time.as_secs_f64());
        println!("{:<24} {:>12.1} {:>12.1}", format!("{kind}, {name}"), speed[0], speed[1]);
    }
}

fn timed(count: impl FnOnce() -> u64) -> Duration {
    let start = Instant::now();
    black_box(count());
    start.elapsed()
}
