//! The transcripts of Claude Code (2.1.330): a line for each message, with what a tool returned in `toolUseResult`, in the
//! form in which a hook gets it, and what the model saw in `message`.

use lro_clients::hook::event::{Object, decoded, elements};

use super::said::Said;

/// What a line says.
pub(super) fn said(line: &str) -> Vec<Said> {
    let Some(line) = Object::of(line) else { return Vec::new() };
    let blocks = line.object("message").and_then(|message| elements(message.raw("content")?)).unwrap_or_default();
    let blocks: Vec<Object<'_>> = blocks.into_iter().filter_map(Object::of).collect();
    match line.text("type").as_deref() {
        Some("assistant") => blocks.iter().filter_map(call).collect(),
        Some("user") => {
            let found: Vec<&Object<'_>> = blocks.iter().filter(|block| is(block, "tool_result")).collect();
            // Only a line with one result says what its tool returned.
            let response = line.raw("toolUseResult").filter(|_| found.len() == 1);
            found.iter().flat_map(|block| results(&line, block, response)).collect()
        }
        _ => Vec::new(),
    }
}

fn is(block: &Object<'_>, kind: &str) -> bool {
    block.text("type").as_deref() == Some(kind)
}

fn call(block: &Object<'_>) -> Option<Said> {
    if !is(block, "tool_use") {
        return None;
    }
    let arguments = block.raw("input").unwrap_or("{}").to_owned();
    Some(Said::Call { id: block.text("id")?, tool: block.text("name")?, arguments })
}

/// What was returned, unless it is an error, and what was shown.
fn results(line: &Object<'_>, block: &Object<'_>, response: Option<&str>) -> Vec<Said> {
    let (Some(id), Some(text)) = (block.text("tool_use_id"), text_of(block)) else { return Vec::new() };
    let response = response.filter(|_| !block.is_true("is_error")).map(str::to_owned);
    let returned = response.map(|response| Said::Returned { id: id.clone(), response, is_part: false });
    let name = line.text("uuid").unwrap_or_default();
    returned.into_iter().chain([Said::Shown { line: format!("{name} {id}"), id, text }]).collect()
}

/// The text of a result: a string, or the texts among its blocks.
fn text_of(block: &Object<'_>) -> Option<String> {
    let content = block.raw("content")?;
    if content.starts_with('"') {
        return decoded(content);
    }
    let blocks = elements(content)?.into_iter().filter_map(Object::of);
    Some(blocks.filter_map(|block| block.text("text")).collect::<Vec<_>>().join("\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_2_1_330_are_understood() {
        let call = r#"{"type":"assistant","message":{"content":[{"type":"text","text":"a"},
            {"type":"tool_use","id":"t1","name":"Bash","input":{"command":"ls"}}]}}"#;
        let expected = Said::Call { id: "t1".into(), tool: "Bash".into(), arguments: r#"{"command":"ls"}"#.into() };
        assert_eq!(said(call), [expected]);
        let result = r#"{"type":"user","uuid":"u","toolUseResult":{"stdout":"a"},
            "message":{"content":[{"type":"tool_result","tool_use_id":"t1","content":[{"type":"text","text":"a"}]}]}}"#;
        let returned = Said::Returned { id: "t1".into(), response: r#"{"stdout":"a"}"#.into(), is_part: false };
        let shown = Said::Shown { id: "t1".into(), text: "a".into(), line: "u t1".into() };
        assert_eq!(said(result), [returned, shown]);
        let error = r#"{"type":"user","uuid":"u","toolUseResult":"Error: b",
            "message":{"content":[{"type":"tool_result","tool_use_id":"t1","content":"b","is_error":true}]}}"#;
        let shown = Said::Shown { id: "t1".into(), text: "b".into(), line: "u t1".into() };
        assert_eq!(said(error), [shown]);
    }

    #[test]
    fn other_lines_say_nothing() {
        for line in ["", "garbage", "[]", "{}", r#"{"type":"user","message":{"content":"hello"}}"#, r#"{"type":7}"#] {
            assert_eq!(said(line), [], "{line}");
        }
    }
}
