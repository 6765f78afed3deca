//! What the logic costs natively, without a sandbox, for `cli/benches/embeddings.py`, which names the folder.

use lro_guest::calls::{Outcome, Source, extract, offload};
use lro_guest::disk::instant;
use serde_json::Value;

#[path = "../../cli/benches/embeddings/rows.rs"]
mod rows;

/// The settings, as a text.
struct Native(String);

impl rows::Way for Native {
    fn open(&mut self, payload: &str) {
        self.offload(payload);
    }

    fn offload(&mut self, payload: &str) -> Option<String> {
        let request = r#"{"operation":"recall","detail":"full"}"#;
        match offload(payload, request, &self.0, instant).expect("it is answered").outcome {
            Outcome::Offloaded(stored) => Some(stored.file_name),
            _ => None,
        }
    }

    fn extract(&mut self, file: &str, request: &Value) {
        extract(Source::File(file), &request.to_string(), &self.0, instant).expect("it works");
    }
}

fn main() {
    rows::measure(|directory| {
        std::fs::create_dir_all(directory).expect("a folder can be made");
        Box::new(Native(serde_json::json!({ "output_dir": directory }).to_string()))
    });
}
