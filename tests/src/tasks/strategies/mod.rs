//! Strategies: rules that decide what a model reads and calls until it has an answer.

pub mod others;
pub mod ours;
pub mod preview;

use serde_json::Value;

use super::conversation::Conversation;

/// A task that was played to its end.
pub struct Played {
    /// What the strategy answers; nothing if it has not read what the answer needs.
    pub answer: Option<Value>,
    /// What was read and written.
    pub conversation: Conversation,
}

/// All strategies, in the order of the table.
pub const NAMES: [&str; 10] =
    ["inline", "page", "cut", "chunks", "preview", "preview-1600", "full", "compact", "bare", "envelope"];

/// The descriptors that our proxy knows.
pub const DESCRIPTORS: [&str; 4] = ["full", "compact", "bare", "envelope"];

/// What a strategy is, in a line.
pub fn about(name: &str) -> &'static str {
    match name {
        "inline" => "everything inline",
        "page" => "the first page of 5 records",
        "cut" => "head and tail of 6 KB each",
        "chunks" => "saved path, 2 KB preview, read in chunks of 2,000 lines",
        "preview" => "preview of 5,000 characters above 10,000 tokens; read, search, query (mcpagent)",
        "preview-1600" => "the same with a threshold of 1,600 tokens and a preview of 800 characters",
        "full" => "ours, `descriptor = \"full\"`",
        "compact" => "ours, `descriptor = \"compact\"`",
        "bare" => "ours, `descriptor = \"bare\"`",
        "envelope" => "ours, `descriptor = \"envelope\"`",
        other => panic!("there is no strategy `{other}`"),
    }
}

/// True for the strategies that play through our proxy.
pub fn is_ours(name: &str) -> bool {
    DESCRIPTORS.contains(&name)
}
