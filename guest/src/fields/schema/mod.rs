//! The JSON Schema of a file's lines, from what the records showed (LRO-32, decision 15).

mod memories;
pub mod notation;
mod records;

use serde_json::Value;

use crate::fields::survey::Types;

pub use memories::render as of_memories;
pub use records::render as of_records;

/// The dialect.
pub const DIALECT: &str = "https://json-schema.org/draft/2020-12/schema";

/// Longer keys are not listed: keys made of data would fill the response.
const KEY_CHARACTERS: usize = 64;

fn types(types: Types) -> Value {
    let names: Vec<&str> = types.names().collect();
    match names[..] {
        [name] => name.into(),
        _ => names.into(),
    }
}
