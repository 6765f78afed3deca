//! The document that is offloaded again and again, and what its files hold.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use serde_json::Value;

/// The keys of the lists.
const LISTS: [&str; 3] = ["issues", "pulls", "users"];

/// A JSON document with three lists, of so many records each.
pub(super) fn document(records: usize) -> String {
    let mut text = String::from("{\"total\":3");
    for (place, list) in LISTS.iter().enumerate() {
        let lines: Vec<String> = (0..records).map(|number| record(place * 1_000_000 + number)).collect();
        let _ = write!(text, ",\"{list}\":[{}]", lines.join(","));
    }
    text + ",\"end\":true}"
}

fn record(number: usize) -> String {
    let state = ["open", "closed"][number % 2];
    format!(
        r#"{{"id":{number},"title":"Record {number} — ünïcode","state":"{state}","n":{}.5,"body":"{}"}}"#,
        number % 97,
        "lorem ipsum é ".repeat(8 + number % 5),
    )
}

/// A file under a final name.
#[derive(Debug)]
pub(super) struct Whole {
    pub(super) header: Value,
    pub(super) body: String,
}

impl Whole {
    /// Reads a file under a final name. An error says why it is not whole.
    pub(super) fn read(path: &Path) -> Result<Self, String> {
        let text = fs::read_to_string(path).map_err(|error| format!("cannot read `{}`: {error}", path.display()))?;
        let broken = |reason: &str| format!("`{}` is not whole: {reason} ({} bytes)", path.display(), text.len());
        let (first, body) = text.split_once('\n').ok_or_else(|| broken("it has no header"))?;
        let header: Value = serde_json::from_str(first).map_err(|error| broken(&error.to_string()))?;
        let count = body.matches('\n').count() as u64;
        match (header["type"].as_str(), header["count"].as_u64()) {
            (Some("lro_header"), Some(promised)) if promised == count && body.ends_with('\n') => {}
            (Some("lro_header"), promised) => {
                return Err(broken(&format!("its header says {promised:?}, and it has {count} records")));
            }
            _ => return Err(broken("its first line is not a header")),
        }
        Ok(Self { header, body: body.to_owned() })
    }

    /// The main file's name, if this is a further file of a document.
    pub(super) fn main(&self) -> Option<&str> {
        self.header["lro"]["section"]["of"].as_str()
    }
}

/// Bodies that files may have.
pub(super) type Bodies = BTreeSet<String>;
