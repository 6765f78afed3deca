//! Times the recipes of an offloaded file natively: `cargo run --release -p lro-guest --example recipes FILE [FILTER…]`.
//!
//! A filter that begins with `-s ` runs on the whole set. What counts is the sandbox; this is for finding out why.

use std::path::Path;
use std::time::Instant;

use lro_guest::calls::{Source, extract};

fn main() {
    let mut arguments = std::env::args().skip(1);
    let file = arguments.next().expect("give an offloaded file");
    let folder = Path::new(&file).parent().expect("a file is in a folder").to_string_lossy();
    let settings = serde_json::json!({ "output_dir": folder }).to_string();
    let filters: Vec<String> = arguments.collect();
    let mut requests: Vec<serde_json::Value> = filters
        .iter()
        .map(|filter| match filter.strip_prefix("-s ") {
            Some(filter) => serde_json::json!({ "query": filter, "slurp": true }),
            None => serde_json::json!({ "query": filter }),
        })
        .collect();
    if requests.is_empty() {
        requests = (1..=10).map(|recipe| serde_json::json!({ "recipe": recipe })).collect();
    }
    for request in requests {
        let times = (0..5).map(|_| {
            let start = Instant::now();
            let page = extract(Source::File(&file), &request.to_string(), &settings, lro_guest::disk::instant);
            (start.elapsed(), page.map_or_else(|error| error.to_string(), |page| page.count.to_string()))
        });
        let (time, count) = times.min().expect("it ran");
        println!("{:6.1} ms  {request}: {count}", time.as_secs_f64() * 1000.0);
    }
}
