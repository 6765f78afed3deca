//! Reads the content of a CallToolResult, if any of it could be offloaded.

use lro_query::json::{Members, Type, unquote};

/// The texts and the structured content of a CallToolResult.
#[derive(Debug)]
pub(super) struct Answer<'a> {
    /// Its blocks, unchanged.
    pub(super) blocks: Vec<&'a str>,
    /// The texts in them.
    pub(super) texts: Vec<String>,
    /// Which of the blocks are embedded resources.
    pub(super) resources: Vec<usize>,
    /// Its structured content, unchanged.
    pub(super) structured: Option<&'a str>,
}

impl<'a> Answer<'a> {
    /// Reads the members of a CallToolResult.
    ///
    /// Returns `None` for what is never offloaded (decision 25): errors, task handles, requests for input, results with
    /// content other than text, and results of a kind that is not known. The text of an embedded resource is text, but
    /// not beside structured content, which may say anything about it.
    pub(super) fn of(members: &Members<'a>) -> Option<Self> {
        let is_complete = members.get_some("resultType").is_none_or(|kind| is_word(kind, "complete"));
        let is_task = members.get_some("task").is_some();
        if members.get("isError") == Some("true") || !is_complete || is_task {
            return None;
        }
        let content = match members.get_some("content") {
            Some(content) if Type::of(content) == Type::Array => Members::of_elements(content),
            Some(_) => return None,
            None => Vec::new(),
        };
        let (mut blocks, mut texts, mut resources) = (Vec::new(), Vec::new(), Vec::new());
        for (at, (block, members)) in content.into_iter().enumerate() {
            let members = members?;
            blocks.push(block);
            if let Some(resource) = resource_in(&members) {
                resources.push(at);
                texts.push(text_of(&resource)?);
            } else {
                is_word(members.get("type")?, "text").then_some(())?;
                texts.push(text_of(&members)?);
            }
        }
        let structured = members.get_some("structuredContent");
        let is_looked_at = if structured.is_some() { resources.is_empty() } else { !texts.is_empty() };
        is_looked_at.then_some(Self { blocks, texts, resources, structured })
    }
}

/// True for the JSON string of a word, however it is escaped.
pub(super) fn is_word(json: &str, word: &str) -> bool {
    json.starts_with('"') && unquote(json) == word
}

/// The resource in the members of a block that embeds one.
pub(super) fn resource_in<'a>(block: &Members<'a>) -> Option<Members<'a>> {
    is_word(block.get("type")?, "resource").then_some(())?;
    Members::of(block.get("resource")?)
}

/// The text among the members of a text block or of a resource. Half of a surrogate pair is replaced: no file can hold
/// it.
fn text_of(members: &Members<'_>) -> Option<String> {
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
            (r#"{"content":[{"type":"te\u0078t","text":"a"}],"resultType":"comp\u006cete"}"#, true),
            (r#"{"content":[{"type":"text","text":"a"}],"isError":true}"#, false),
            (r#"{"content":[{"type":"text","text":"a"},{"type":"image","data":"","mimeType":"image/png"}]}"#, false),
            (r#"{"content":[{"type":"audio","data":"","mimeType":"audio/wav"}],"structuredContent":{}}"#, false),
            (r#"{"content":[{"type":"resource_link","uri":"file:///a","name":"a"}]}"#, false),
            (r#"{"content":[{"type":"text","text":"\ud800"}]}"#, true),
            (r#"{"content":[{"type":"resource","resource":{"uri":"u","text":"a"}}]}"#, true),
            (r#"{"content":[{"type":"resource","resource":{"uri":"u","blob":"AAAA"}}]}"#, false),
            (r#"{"content":[{"type":"resource","resource":"u"}]}"#, false),
            (r#"{"content":[{"type":"resource","resource":{"uri":"u","text":"a"}}],"structuredContent":{}}"#, false),
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
