//! The rows of embeddings.py, for the programs of Rust that measure them.

use std::path::{Path, PathBuf};
use std::time::Instant;

use serde_json::{Map, Value};

/// A way to make the calls of the rows.
pub(crate) trait Way {
    /// A start, and a small result that stays inline.
    fn open(&mut self, payload: &str);
    /// The file that a payload is now in, if it was offloaded.
    fn offload(&mut self, payload: &str) -> Option<String>;
    /// Extracts all results with a request.
    fn extract(&mut self, file: &str, request: &Value);
}

/// Measures all rows in the folder that embeddings.py has made, and prints their medians in milliseconds.
pub(crate) fn measure(way: impl FnOnce(&Path) -> Box<dyn Way>) {
    let folder = PathBuf::from(std::env::args().nth(1).expect("embeddings.py gives the folder"));
    let text = |name: &str| std::fs::read_to_string(folder.join(name)).expect("embeddings.py has written it");
    let cases: Value = serde_json::from_str(&text("cases.json")).expect("it is JSON");
    let mut way = way(&folder.join("results"));
    let (mut measured, mut files) = (Map::new(), Map::new());
    for row in cases["rows"].as_array().expect("it has rows") {
        let size = row["size"].as_str().expect("a row has a size");
        let payload = text(&format!("{size}.json"));
        let runs = row["runs"].as_u64().expect("a row has a number of runs");
        let mut request = serde_json::json!({"limit": 1_000_000, "max_bytes": 256 << 20});
        match &row["recipe"] {
            Value::Null => request["query"] = cases["filter"].clone(),
            recipe => request["recipe"] = recipe.clone(),
        }
        let milliseconds = match row["call"].as_str() {
            Some("open") => median(runs, || way.open(&payload)),
            Some("offload") => median(runs, || {
                files.insert(size.to_owned(), way.offload(&payload).into());
            }),
            _ => {
                let file = files[size].as_str().expect("it was offloaded before").to_owned();
                median(runs, || way.extract(&file, &request))
            }
        };
        measured.insert(row["name"].as_str().expect("a row has a name").to_owned(), milliseconds.into());
    }
    println!("{}", Value::Object(measured));
}

fn median(runs: u64, mut call: impl FnMut()) -> f64 {
    call();
    let mut times: Vec<f64> = (0..runs)
        .map(|_| {
            let start = Instant::now();
            call();
            start.elapsed().as_secs_f64() * 1000.0
        })
        .collect();
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}
