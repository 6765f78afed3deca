//! A preview of half of the threshold, with tools to read, search and query the saved file: the rules of mcpagent.
//!
//! The tools are simulated: `query_large_output` is the real jq, `search_large_output` finds lines, `read_large_output`
//! reads ranges of characters.

use serde_json::{Value, json};

use super::Played;
use super::others::{inline, reads_enough};
use crate::jq;
use crate::tasks::conversation::{Conversation, tokens};
use crate::tasks::documents::Raw;
use crate::tasks::task::{Kind, Operator, Task};

/// Characters that one call reads, as the example of its documentation has them.
const RANGE: usize = 10_000;

/// How much is shown.
#[derive(Clone, Copy)]
pub struct Rule {
    /// Results above so many tokens go to a file.
    pub threshold_tokens: usize,
}

/// The names, descriptions and parameters of the three tools, which each request carries.
pub fn tools() -> Value {
    let text = |about: &str| json!({"type": "string", "description": about});
    let number = |about: &str| json!({"type": "integer", "description": about});
    json!([
        {"name": "read_large_output", "description": "Reads a specific range of characters from the file.",
         "inputSchema": {
            "type": "object", "required": ["filename", "start", "end"], "properties": {
                "filename": text("Name of the saved file"), "start": number("Starting character position"),
                "end": number("Ending character position")}}},
        {"name": "search_large_output",
         "description": "Searches for regex patterns within the file using ripgrep (rg).",
         "inputSchema": {"type": "object", "required": ["filename", "pattern"], "properties": {
                "filename": text("Name of the saved file"), "pattern": text("Regex pattern to search for"),
                "case_sensitive": {"type": "boolean", "description": "Whether search is case-sensitive"},
                "max_results": number("Maximum number of results to return")}}},
        {"name": "query_large_output", "description": "Executes jq queries on JSON files.", "inputSchema": {
            "type": "object", "required": ["filename", "query"], "properties": {
                "filename": text("Name of the saved JSON file"), "query": text("jq query expression"),
                "compact": {"type": "boolean", "description": "Output compact JSON"},
                "raw": {"type": "boolean", "description": "Output raw strings (not JSON-encoded)"}}}}
    ])
}

/// Plays a task.
pub fn play(rule: Rule, raw: &Raw, task: &Task) -> Played {
    if tokens(&raw.text) <= rule.threshold_tokens {
        return inline(raw, task);
    }
    let ending = if raw.document.is_text { "txt" } else { "json" };
    let file = format!("tool_20261122_093045_{}.{ending}", raw.document.tool);
    let preview: String = raw.text.chars().take(rule.threshold_tokens / 2).collect();
    let result = format!(
        "Tool output was large and saved to file: {file}\n\n\
         Preview (first 50% of threshold characters):\n{preview}\n…\n\n\
         Use the virtual tools read_large_output, search_large_output and query_large_output with this exact filename \
         to read more of it."
    );
    let mut conversation = Conversation::begin(&raw.document.tool, &raw.arguments, &result);
    let places = raw.places(task.want.list.as_deref());
    if !reads_enough(raw, task, |place| places[place].end <= preview.len()) {
        if !raw.document.is_text {
            query(&mut conversation, &file, raw, task);
        } else if let Some(pattern) = literal(task) {
            search(&mut conversation, &file, raw, &pattern);
        } else {
            read(&mut conversation, &file, raw, task);
        }
    }
    Played { answer: Some(task.answer.clone()), conversation }
}

/// A jq filter; first a look at one record, if the fields have not been seen.
fn query(conversation: &mut Conversation, file: &str, raw: &Raw, task: &Task) {
    let records = task.want.list.as_deref().unwrap_or(&raw.document.records);
    let ask = |conversation: &mut Conversation, filter: &str| {
        let printed = jq::filter(["-c"], filter, &raw.text);
        let arguments = json!({"filename": file, "query": filter, "compact": true});
        conversation.turn("query_large_output", &arguments, printed.stdout.trim_end());
    };
    if !task.want.fields().into_iter().all(|field| conversation.has_seen(field)) {
        ask(conversation, &format!("{records} | .[0]"));
    }
    let filter = if records == "." { task.jq.clone() } else { format!("{records} | {}", task.jq) };
    ask(conversation, &filter);
}

/// A text that every record of the answer contains, if the conditions name one.
fn literal(task: &Task) -> Option<String> {
    if task.kind == Kind::Around {
        return None;
    }
    let is_literal = |operator| matches!(operator, Operator::Equal | Operator::Contains | Operator::Begins);
    let condition = task.want.conditions.iter().find(|condition| is_literal(condition.1))?;
    Some(condition.2.as_str().map_or_else(|| condition.2.to_string(), str::to_owned))
}

/// All lines that contain a text.
fn search(conversation: &mut Conversation, file: &str, raw: &Raw, pattern: &str) {
    let wanted = pattern.to_lowercase();
    let lines = (1..).zip(raw.text.lines()).filter(|(_, line)| line.to_lowercase().contains(&wanted));
    let found: Vec<String> = lines.map(|(number, line)| format!("{number}:{line}")).collect();
    let arguments = json!({"filename": file, "pattern": pattern, "max_results": 2000});
    conversation.turn("search_large_output", &arguments, &found.join("\n"));
}

/// Ranges of characters, until what is looked for has been read, or all of it.
fn read(conversation: &mut Conversation, file: &str, raw: &Raw, task: &Task) {
    let places = raw.places(task.want.list.as_deref());
    let (mut start, mut at) = (0, 0);
    while at < raw.text.len() && !reads_enough(raw, task, |place| places[place].end <= at) {
        let range: String = raw.text[at..].chars().take(RANGE).collect();
        let arguments = json!({"filename": file, "start": start, "end": start + RANGE});
        conversation.turn("read_large_output", &arguments, &range);
        (start, at) = (start + RANGE, at + range.len());
    }
}
