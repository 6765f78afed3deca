//! What calls cost in wasmtime, for `cli/benches/embeddings.py`, which names the folder.

use std::path::{Path, PathBuf};

use lro::{ExtractRequest, Lro, OffloadRequest, Options, Outcome, Source};
use serde_json::Value;

#[path = "../../cli/benches/embeddings/rows.rs"]
mod rows;

struct Wasmtime {
    directory: PathBuf,
    lro: Lro,
}

fn open(directory: &Path) -> Lro {
    Lro::open(&Options::of(directory)).expect("the component can be opened")
}

impl rows::Way for Wasmtime {
    fn open(&mut self, payload: &str) {
        open(&self.directory).offload(payload, &OffloadRequest::of("recall")).expect("it is answered");
    }

    fn offload(&mut self, payload: &str) -> Option<String> {
        let request = OffloadRequest::of("recall").with("detail", "full");
        match self.lro.offload(payload, &request).expect("it is answered").outcome {
            Outcome::Offloaded(stored) => Some(stored.file_name),
            _ => None,
        }
    }

    fn extract(&mut self, file: &str, request: &Value) {
        let request: ExtractRequest = serde_json::from_value(request.clone()).expect("it is a request");
        self.lro.extract(&Source::File(self.directory.join(file).display().to_string()), &request).expect("it works");
    }
}

fn main() {
    rows::measure(|directory| Box::new(Wasmtime { directory: directory.to_owned(), lro: open(directory) }));
}
