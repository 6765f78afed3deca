//! Reads the content of a CallToolResult, if any of it could be offloaded.

use lro_query::json::{Members, Scan, Type, unquote};

/// The texts and the structured content of a CallToolResult.
#[derive(Debug)]
pub(super) struct Answer<'a> {
    /// Its text blocks, unchanged.
    pub(super) blocks: Vec<&'a str>,
    /// The texts in them.
    pub(super) texts: Vec<String>,
    /// Its structured content, unchanged.
    pub(super) structured: Option<&'a str>,
}

impl<'a> Answer<'a> {
    /// Reads the members of a CallToolResult.
    ///
    /// Returns `None` for what is never offloaded (decision 25): errors, task handles, requests for input, results with
    /// content other than text, and results of a kind that is not known.
    pub(super) fn of(members: &Members<'a>) -> Option<Self> {
        let is_complete = matches!(members.get_some("resultType"), None | Some("\"complete\""));
        let is_task = members.get_some("task").is_some();
        if members.get("isError") == Some("true") || !is_complete || is_task {
            return None;
        }
        let mut blocks = Vec::new();
        if let Some(content) = members.get_some("content") {
            (Type::of(content) == Type::Array).then_some(())?;
            Scan::of(content).elements(|scan| blocks.push(scan.value()));
        }
        let texts = blocks.iter().map(|block| text_of(block)).collect::<Option<Vec<String>>>()?;
        let structured = members.get_some("structuredContent");
        (!texts.is_empty() || structured.is_some()).then_some(Self { blocks, texts, structured })
    }
}

/// The text of a text block; `None` for any other block. Half of a surrogate pair is replaced: no file can hold it.
fn text_of(block: &str) -> Option<String> {
    let members = Members::of(block)?;
    (members.get("type")? == "\"text\"").then_some(())?;
    let text = members.get("text").filter(|text| text.starts_with('"'))?;
    Some(unquote(text).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_looked_at(result: &str) -> bool {
        Answer::of(&Members::of(result).unwrap()).is_some()
    }

    #[test]
    fn only_complete_results_of_text_are_looked_at() {
        let rows = [
            (r#"{"content":[{"type":"text","text":"a"}]}"#, true),
            (r#"{"content":[{"type":"text","text":"a"}],"isError":false,"resultType":"complete"}"#, true),
            (r#"{"content":[],"structuredContent":{"a":1}}"#, true),
            (r#"{"structuredContent":[1]}"#, true),
            (r#"{"content":[{"type":"text","text":"a"}],"isError":true}"#, false),
            (r#"{"content":[{"type":"text","text":"a"},{"type":"image","data":"","mimeType":"image/png"}]}"#, false),
            (r#"{"content":[{"type":"audio","data":"","mimeType":"audio/wav"}],"structuredContent":{}}"#, false),
            (r#"{"content":[{"type":"resource_link","uri":"file:///a","name":"a"}]}"#, false),
            (r#"{"content":[{"type":"text","text":"\ud800"}]}"#, true),
            (r#"{"content":[{"type":"text","text":1}]}"#, false),
            (r#"{"content":[]}"#, false),
            (r#"{"resultType":"task","taskId":"1","status":"working"}"#, false),
            (r#"{"resultType":"input_required","inputRequests":{},"content":[{"type":"text","text":"a"}]}"#, false),
            (r#"{"task":{"taskId":"1","status":"working"},"content":[{"type":"text","text":"a"}]}"#, false),
            (r#"{"content":"a"}"#, false),
        ];
        for (result, expected) in rows {
            assert_eq!(is_looked_at(result), expected, "{result}");
        }
    }
}
