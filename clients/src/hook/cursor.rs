//! Cursor: the event `postToolUse`, and `updated_mcp_tool_output`, which it takes for tools of MCP servers only.
//!
//! Written from its documentation, for the CLI of September 2026.

use super::Found;
use super::event::{Held, Holding, Object, Rewritten};

/// What the event holds.
pub(super) fn held<'a>(event: &Object<'a>) -> Found<'a> {
    if event.text("hook_event_name").as_deref() != Some("postToolUse") {
        return Ok(None);
    }
    let tool = event.text("tool_name").and_then(|tool| Some(tool.strip_prefix("MCP:")?.trim_start().to_owned()));
    let (Some(tool), Some(output)) = (tool, event.text("tool_output")) else { return Ok(None) };
    // Its field takes an object with texts. What a server returned in another form stays.
    let is_result = Object::of(&output)
        .is_some_and(|result| !result.is_true("isError") && result.raw("content").is_some_and(super::event::are_texts));
    let arguments = event.raw("tool_input").unwrap_or("{}");
    Ok(is_result.then(|| Held::of(tool, arguments, Holding::Here(output.into()))))
}

/// The client's answer, with the result that takes the place of the event's.
pub(super) fn answer(rewritten: &Rewritten) -> String {
    format!(r#"{{"updated_mcp_tool_output":{{"content":{}}}}}"#, rewritten.content)
}
