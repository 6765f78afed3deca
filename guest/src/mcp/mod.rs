//! What to do with MCP messages, once for all hosts: `wit/mcp.wit` says what each function returns.
//!
//! Objects are taken apart into slices of their text, so that members unknown here keep their bytes. A message that is
//! to be replaced is text; `None` leaves it unchanged.

mod answer;
mod bound;
mod call;
mod client;
mod list;
mod mark;
mod references;
mod refine;
mod resources;
mod result;
mod source;
mod subject;
mod tools;

pub use call::call;
pub use list::offload_tools;
pub use references::resolve_arguments;
pub use result::{Rewritten, offload_result};

use crate::error::Error;
use crate::settings::Settings;
use lro_query::json;

/// The definitions of the tools that are offered, as the text of a JSON array.
pub fn tools(settings: &str) -> Result<String, Error> {
    Ok(json::array(&tools::definitions(&Settings::parse(settings)?)))
}

/// A text block of a CallToolResult.
fn text_block(text: &str) -> String {
    json::object([("type", "\"text\""), ("text", &json::quote(text))])
}
