//! Writes a synthetic corpus to standard output: `cargo run -p lro-tests --bin corpus -- 100000`, and behind it `issues` or
//! `rows` for records of another kind, `csv` for these rows in CSV, or `log` for lines of text.

use std::io::Write;

use lro_tests::{corpus, records};

fn main() -> std::io::Result<()> {
    let count = std::env::args().nth(1).and_then(|count| count.parse().ok()).unwrap_or(1000);
    let text = match std::env::args().nth(2).as_deref() {
        None | Some("memories") => corpus::synthetic(SEED, count),
        Some("issues") => records::issues(count),
        Some("rows") => records::rows(count),
        Some("csv") => records::csv(count),
        Some("log") => records::log(count),
        Some(other) => panic!("there is no corpus `{other}`: choose memories, issues, rows, csv or log"),
    };
    std::io::stdout().write_all(text.as_bytes())
}

/// The same corpus every time.
const SEED: u64 = 7;
