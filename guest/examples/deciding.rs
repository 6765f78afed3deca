//! Times an estimate and an offload natively, beside a look at every record: `cargo run --release -p lro-guest --example
//! deciding PAYLOAD [REQUEST] [estimate|offload|look]`.
//!
//! What counts is the sandbox; this is for finding out why. With one of the names, that call runs once and alone, for a
//! profiler that counts instructions.

use std::time::Instant;

use lro_guest::calls::{Outcome, Source, estimate, extract, offload};

/// The file is returned as a text, so that no disk is measured.
const SETTINGS: &str = r#"{"store":"content","threshold_tokens":1600}"#;

/// Reads and checks every byte, and has no result.
const LOOK: &str = r#"{"query":"empty"}"#;

fn main() {
    let mut arguments = std::env::args().skip(1);
    let payload = std::fs::read_to_string(arguments.next().expect("give a payload")).expect("it is text");
    let request = arguments.next().unwrap_or_else(|| r#"{"operation":"list"}"#.to_owned());
    let only = arguments.next();
    let estimating = || estimate(&payload, &request, SETTINGS).expect("it can be estimated").to_string();
    let offloading = || match stored(&payload, &request) {
        Some(text) => format!("{} bytes", text.len()),
        None => "inline".to_owned(),
    };
    match only.as_deref() {
        Some("estimate") => println!("{}", estimating()),
        Some("offload") => println!("{}", offloading()),
        other => {
            let file = stored(&payload, &request).expect("it is large enough");
            let looking = || {
                extract(Source::Content(&file), LOOK, SETTINGS, lro_guest::disk::instant)
                    .expect("it is a file")
                    .count
                    .to_string()
            };
            if other.is_some() {
                return println!("{}", looking());
            }
            timed("look", looking);
            timed("estimate", estimating);
            timed("offload", offloading);
        }
    }
}

fn stored(payload: &str, request: &str) -> Option<String> {
    match offload(payload, request, SETTINGS, lro_guest::disk::instant).expect("it can be offloaded").outcome {
        Outcome::Offloaded(stored) => stored.content,
        _ => None,
    }
}

/// Prints the shortest time of five.
fn timed(name: &str, call: impl Fn() -> String) {
    let times = (0..5).map(|_| {
        let start = Instant::now();
        let answer = call();
        (start.elapsed(), answer)
    });
    let (time, answer) = times.min().expect("it ran");
    println!("{:7.1} ms  {name}: {answer}", time.as_secs_f64() * 1000.0);
}
