//! Writes the synthetic corpus to standard output: `cargo run -p lro-tests --bin corpus -- 100000`.

use std::io::Write;

fn main() -> std::io::Result<()> {
    let count = std::env::args().nth(1).and_then(|count| count.parse().ok()).unwrap_or(1000);
    std::io::stdout().write_all(lro_tests::corpus::synthetic(SEED, count).as_bytes())
}

/// The same corpus every time.
const SEED: u64 = 7;
