//! Gemini CLI: the event `AfterTool`, and a text in place of the result, which it calls the reason of a denial.
//!
//! It wraps what comes from outside in a tag that its model knows. The tag stays; what is offloaded is the text in it.

use super::event::{Held, Object, Rewritten, decoded, elements, quoted};
use super::{Found, reading};

const OPEN: &str = "<untrusted_context>\n";
const CLOSE: &str = "\n</untrusted_context>";

/// What stands before the output of a command, and the lines after it.
const OUTPUT: &str = "Output: ";
const AFTER_OUTPUT: [&str; 2] = ["Background PIDs: ", "Process Group PGID: "];
const FAILURES: [&str; 3] = ["Error: ", "Exit Code: ", "Signal: "];

/// What the event holds.
pub(super) fn held<'a>(event: &Object<'a>) -> Found<'a> {
    if event.text("hook_event_name").as_deref() != Some("AfterTool") {
        return Ok(None);
    }
    let (Some(tool), Some(response)) = (event.text("tool_name"), event.object("tool_response")) else {
        return Ok(None);
    };
    let arguments = event.raw("tool_input").unwrap_or("{}");
    if response.has("error") {
        return Ok(None);
    }
    let unknown = || format!("the result of `{tool}` does not have the shape of Gemini CLI 0.61.0");
    let content = response.raw("llmContent").ok_or_else(unknown)?;
    if tool.starts_with("mcp_") || event.has("mcp_context") {
        let Some(texts) = texts(content) else { return Ok(None) };
        let blocks = texts.iter().map(|text| format!(r#"{{"type":"text","text":{}}}"#, quoted(unwrapped(text))));
        return Ok(Held::blocks(tool, arguments, &format!("[{}]", blocks.collect::<Vec<_>>().join(","))));
    }
    let given = Object::of(arguments);
    let argument = |name: &str| given.as_ref().and_then(|given| given.text(name)).unwrap_or_default();
    let is_file = tool == "read_file";
    let is_shell = tool == "run_shell_command";
    let is_printed = is_shell && reading::prints_a_file_to_edit(&argument("command"));
    let is_left = match &*tool {
        "read_file" => given.as_ref().is_none_or(|given| {
            let is_part = ["offset", "limit", "start_line", "end_line"].into_iter().any(|name| given.has(name));
            is_part || !reading::is_data(&argument("file_path"))
        }),
        "run_shell_command" | "grep_search" | "search_file_content" | "web_fetch" => false,
        _ => true,
    };
    if is_left {
        return Ok(None);
    }
    let Some(text) = decoded(content) else { return Ok(None) };
    let inner = if is_shell { output_of_command(unwrapped(&text)) } else { whole(unwrapped(&text)) };
    Ok(inner.map(|text| Held { is_file, is_printed, ..Held::text(tool, arguments, &quoted(text)) }))
}

/// The client's answer, with the result that takes the place of the event's.
pub(super) fn answer(event: &Object<'_>, rewritten: &Rewritten) -> Option<String> {
    let content = event.object("tool_response")?.raw("llmContent")?;
    let is_wrapped = texts(content)?.iter().any(|text| text.starts_with(OPEN));
    let text = if is_wrapped { format!("{OPEN}{}{CLOSE}", rewritten.text) } else { rewritten.text.clone() };
    Some(format!(r#"{{"decision":"deny","reason":{}}}"#, quoted(&text)))
}

/// The texts of content that is a string or a list of parts. `None` where there is anything else.
fn texts(content: &str) -> Option<Vec<String>> {
    if content.starts_with('"') {
        return decoded(content).map(|text| vec![text]);
    }
    elements(content)?.iter().map(|part| Object::of(part)?.text("text")).collect()
}

/// The text in the tag.
fn unwrapped(text: &str) -> &str {
    text.strip_prefix(OPEN).and_then(|inner| inner.strip_suffix(CLOSE)).unwrap_or(text)
}

/// The output of a command. `None` if the command failed, or the text looks otherwise.
fn output_of_command(text: &str) -> Option<&str> {
    let mut output = text.strip_prefix(OUTPUT)?;
    while let Some((before, last)) = output.rsplit_once('\n') {
        if FAILURES.iter().any(|label| last.starts_with(label)) {
            return None;
        }
        if !AFTER_OUTPUT.iter().any(|label| last.starts_with(label)) {
            break;
        }
        output = before;
    }
    Some(output)
}

/// A text that the client has not cut.
fn whole(text: &str) -> Option<&str> {
    (!text.trim_start().starts_with("IMPORTANT: The file content has been truncated")).then_some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_output_of_a_command_is_found() {
        let rows = [
            ("Output: a\nb\nProcess Group PGID: 7", Some("a\nb")),
            ("Output: a\nBackground PIDs: 8\nProcess Group PGID: 7", Some("a")),
            ("Output: a\nExit Code: 3\nProcess Group PGID: 7", None),
            ("Output: a", Some("a")),
            ("Command was cancelled.", None),
        ];
        for (text, expected) in rows {
            assert_eq!(output_of_command(text), expected, "{text}");
        }
        assert_eq!(unwrapped("<untrusted_context>\na\n</untrusted_context>"), "a");
    }
}
