//! Conversations with a command over its standard streams, for the suites `proxy`, `differential` and `mcp`.

pub mod answers;
pub mod heavy;
pub mod place;
pub mod process;
pub mod server;

/// One million bytes.
pub const MB: usize = 1_000_000;

/// The id of a JSON-RPC message as its text, if it has one.
#[must_use]
pub fn id_of(message: &serde_json::Value) -> Option<String> {
    message.get("id").map(ToString::to_string)
}

/// What a call of a tool is as a line.
#[must_use]
pub fn call(id: &str, tool: &str, arguments: &serde_json::Value) -> String {
    format!(
        "{{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":\"tools/call\",\"params\":{{\"name\":\"{tool}\",\
         \"arguments\":{arguments}}}}}\n"
    )
}

/// A text, shortened for a message.
#[must_use]
pub fn shown(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(&bytes[..bytes.len().min(200)]).into_owned();
    format!("{text:?} ({} bytes)", bytes.len())
}
