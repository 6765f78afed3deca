//! Codex CLI: the event `PostToolUse`, and a text in place of the result, which it calls the reason of a block.

use super::event::{Held, Holding, Object, Rewritten, are_texts, quoted};
use super::{Found, reading};

/// What it puts before the two ends of an output that it has cut. The rest is lost, so there is nothing to offload.
const CUT: &str = "\"Warning: truncated output";

/// What the event holds.
pub(super) fn held<'a>(event: &Object<'a>) -> Found<'a> {
    if event.text("hook_event_name").as_deref() != Some("PostToolUse") || !event.has("turn_id") {
        return Ok(None);
    }
    let (Some(tool), Some(response)) = (event.text("tool_name"), event.raw("tool_response")) else { return Ok(None) };
    let arguments = event.raw("tool_input").unwrap_or("{}");
    if tool == "Bash" {
        let command = Object::of(arguments).and_then(|arguments| arguments.text("command")).unwrap_or_default();
        let is_printed = reading::prints_a_file_to_edit(&command);
        let is_left = response.starts_with(CUT);
        return match response.starts_with('"') {
            true => Ok((!is_left).then(|| Held { is_printed, ..Held::text(tool, arguments, response) })),
            false => Err("the output of a command does not have the shape of Codex 0.169.0".to_owned()),
        };
    }
    // A whole CallToolResult. Tools of Codex itself return texts. Where there is more than text, all of it stays.
    let is_result = Object::of(response)
        .is_some_and(|result| !result.is_true("isError") && result.raw("content").is_some_and(are_texts));
    let result = Holding::Here(response.into());
    Ok((tool.starts_with("mcp__") && is_result).then(|| Held::of(tool, arguments, result)))
}

/// The client's answer, with the result that takes the place of the event's.
pub(super) fn answer(rewritten: &Rewritten) -> String {
    format!(r#"{{"decision":"block","reason":{}}}"#, quoted(&rewritten.text))
}
