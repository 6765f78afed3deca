//! The transcripts of Codex CLI (0.169.0): `function_call`, `item_completed` with what the tool returned, and
//! `function_call_output` with what the model saw.

use lro_clients::hook::event::{Object, decoded, elements, quoted};

use super::said::Said;

/// What it calls its tool for commands, and what a hook is told that it is called.
const COMMAND: &str = "exec_command";
const SHELL: &str = "Bash";

/// What stands in a text where Codex has cut it.
const CUT: &str = " chars truncated…";

/// A hook sees the output of a command whole up to this; a longer one arrives cut (docs/CLIENTS.md).
const MOST_OF_COMMAND: usize = 40_000;

/// What a line says.
pub(super) fn said(line: &str) -> Vec<Said> {
    let Some(payload) = Object::of(line).and_then(|line| line.object("payload")) else { return Vec::new() };
    match payload.text("type").as_deref() {
        Some("function_call" | "custom_tool_call") => call(&payload).into_iter().collect(),
        Some("item_completed") => payload.object("item").and_then(|item| returned(&item)).into_iter().collect(),
        Some("function_call_output" | "custom_tool_call_output") => shown(&payload),
        _ => Vec::new(),
    }
}

fn call(payload: &Object<'_>) -> Option<Said> {
    let (id, name) = (payload.text("call_id")?, payload.text("name")?);
    let arguments = payload.text("arguments").or_else(|| payload.text("input")).unwrap_or_default();
    if name != COMMAND {
        let tool = payload.text("namespace").map_or(name.clone(), |namespace| format!("{namespace}__{name}"));
        return Some(Said::Call { id, tool, arguments });
    }
    let command = Object::of(&arguments).and_then(|arguments| arguments.text("cmd")).unwrap_or_default();
    Some(Said::Call { id, tool: SHELL.to_owned(), arguments: format!(r#"{{"command":{}}}"#, quoted(&command)) })
}

fn returned(item: &Object<'_>) -> Option<Said> {
    let id = item.text("id")?;
    match item.text("type")?.as_str() {
        "McpToolCall" => {
            let result = item.raw("result")?;
            Some(match nested(result) {
                Some(part) => Said::Returned { id, response: part, is_part: true },
                None => Said::Returned { id, response: result.to_owned(), is_part: false },
            })
        }
        "CommandExecution" => {
            let output = item.text("aggregated_output")?;
            let response = if output.chars().count() > MOST_OF_COMMAND {
                quoted("Warning: truncated output")
            } else {
                quoted(&output)
            };
            Some(Said::Returned { id, response, is_part: false })
        }
        _ => None,
    }
}

/// The part of a large result that a transcript keeps: its JSON, cut in the middle, as the text of another result.
fn nested(result: &str) -> Option<String> {
    if !result.contains(CUT) {
        return None;
    }
    let blocks = elements(Object::of(result)?.raw("content")?)?;
    let [block] = blocks[..] else { return None };
    let text = Object::of(block)?.text("text")?;
    let begins = [r#"{"content":[{"type":"text","text":""#, r#"{"content":[{"text":""#].into_iter();
    let inner = begins.filter_map(|begin| text.strip_prefix(begin)).next()?;
    // Its end is cut too, or is that of the JSON around the text. An escape that the cut has split is left out.
    let inner = inner.strip_suffix(r#""}]}"#).unwrap_or(inner);
    let (head, tail) = inner.split_once('…')?;
    let tail = tail.split_once('…').map_or("", |(_, tail)| tail).trim_start_matches(['\\', '"']);
    let head = head.trim_end_matches('\\');
    let whole = decoded(&format!("\"{head}\"")).zip(decoded(&format!("\"{tail}\"")));
    let (head, tail) = whole?;
    Some(format!(r#"{{"content":[{{"type":"text","text":{}}}]}}"#, quoted(&format!("{head}\n{tail}"))))
}

fn shown(payload: &Object<'_>) -> Vec<Said> {
    let (Some(id), Some(output)) = (payload.text("call_id"), payload.raw("output")) else { return Vec::new() };
    let texts = |array| {
        let blocks = elements(array).unwrap_or_default().into_iter().filter_map(Object::of);
        blocks.filter_map(|block| block.text("text")).collect::<Vec<_>>().join("\n")
    };
    let text = if output.starts_with('"') { decoded(output).unwrap_or_default() } else { texts(output) };
    let line = format!("{} {id}", payload.text("id").unwrap_or_default());
    vec![Said::Shown { id, text, line }]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(payload: &str) -> Vec<Said> {
        said(&format!(r#"{{"type":"x","payload":{payload}}}"#))
    }

    #[test]
    fn calls_of_0_169_0_are_understood() {
        let call = of(r#"{"type":"function_call","name":"list","namespace":"mcp__a","arguments":"{}","call_id":"c"}"#);
        assert_eq!(call, [Said::Call { id: "c".into(), tool: "mcp__a__list".into(), arguments: "{}".into() }]);
        let call = of(r#"{"type":"function_call","name":"exec_command","arguments":"{\"cmd\":\"ls\"}","call_id":"c"}"#);
        let arguments = r#"{"command":"ls"}"#.to_owned();
        assert_eq!(call, [Said::Call { id: "c".into(), tool: "Bash".into(), arguments }]);
        let shown = of(
            r#"{"type":"function_call_output","id":"f","call_id":"c","output":[{"type":"input_text","text":"Output:"},{"text":"a"}]}"#,
        );
        assert_eq!(shown, [Said::Shown { id: "c".into(), text: "Output:\na".into(), line: "f c".into() }]);
    }

    #[test]
    fn what_was_returned_is_whole_or_a_part() {
        let item = |item: &str| of(&format!(r#"{{"type":"item_completed","item":{item}}}"#));
        let result = r#"{"content":[{"type":"text","text":"a"}]}"#;
        let whole = item(&format!(r#"{{"type":"McpToolCall","id":"c","result":{result}}}"#));
        assert_eq!(whole, [Said::Returned { id: "c".into(), response: result.into(), is_part: false }]);
        let cut = quoted(r#"{"content":[{"type":"text","text":"[{\"a\":1},{\"…7 chars truncated…\"a\":3}]"}]}"#);
        let part = item(&format!(
            r#"{{"type":"McpToolCall","id":"c","result":{{"content":[{{"type":"text","text":{cut}}}]}}}}"#
        ));
        let [Said::Returned { response, is_part: true, .. }] = &part[..] else { panic!("{part:?}") };
        assert_eq!(response, r#"{"content":[{"type":"text","text":"[{\"a\":1},{\"\na\":3}]"}]}"#);
        let long = "x".repeat(50_000);
        let command = item(&format!(r#"{{"type":"CommandExecution","id":"c","aggregated_output":"{long}"}}"#));
        let [Said::Returned { response, .. }] = &command[..] else { panic!("{command:?}") };
        assert!(response.starts_with("\"Warning: truncated output"));
    }

    #[test]
    fn other_lines_say_nothing() {
        for line in ["", "garbage", "{}", r#"{"payload":7}"#, r#"{"payload":{"type":"function_call"}}"#] {
            assert_eq!(said(line), [], "{line}");
        }
    }
}
