//! What becomes of another tool's CallToolResult.

use std::io;

use serde::Deserialize;
use serde_json::Value;

use super::answer::Answer;
use super::json;
use super::subject::Subject;
use super::tools;
use crate::calls::{self, Outcome};
use crate::detail::Detail;
use crate::error::Error;
use crate::events::Event;
use crate::instant::Instant;
use crate::members::Members;
use crate::settings::{GuidanceKind, Settings, Store};
use crate::{file_name, request};

/// The answer of [`offload_result`].
#[derive(Debug, Default)]
pub struct Rewritten {
    /// The message to send instead, if it does not stand.
    pub message: Option<String>,
    /// The file that was written.
    pub file_name: Option<String>,
    /// The files of further lists.
    pub section_file_names: Vec<String>,
    /// What happened on the way.
    pub events: Vec<Event>,
}

/// Decides what becomes of the result of a tool, and carries it out.
pub fn offload_result(
    tool: &str,
    arguments: &str,
    result: &str,
    settings: &str,
    instant: impl FnOnce() -> io::Result<Instant>,
) -> Result<Rewritten, Error> {
    let settings = Settings::parse(settings)?;
    if settings.store == Store::Content {
        return Err(Error::invalid_argument(
            "cannot offload a result of MCP: `store` is `content`, and a message has no place for it",
            "grant an output directory and leave `store` out, or call `offload`",
        ));
    }
    let Some(members) = Members::of(result) else {
        return Err(Error::invalid_argument(
            "cannot offload the result: it is not a JSON object",
            "pass the CallToolResult",
        ));
    };
    let Some(settings) = settings_for(tool, settings) else { return Ok(Rewritten::default()) };
    if let Some(inner) = result_of_task(&members) {
        let rewritten = rewrite(tool, arguments, &inner, &settings, instant)?;
        let wrapped = |message: String| json::object_with(&members, &[("result", &message)]);
        return Ok(Rewritten { message: rewritten.message.map(wrapped), ..rewritten });
    }
    rewrite(tool, arguments, &members, &settings, instant)
}

/// The settings as they hold for a tool; `None` when its results are never offloaded. Ours are not: what is read back
/// would be put aside again (USER-04).
fn settings_for(tool: &str, settings: Settings) -> Option<Settings> {
    if tools::named(tool, &settings).is_some() {
        return None;
    }
    let threshold = settings.threshold_for(tool)?;
    let guidance = if settings.offer_tools { GuidanceKind::Tool } else { GuidanceKind::Shell };
    Some(Settings { guidance, ..settings }.with_threshold(threshold))
}

/// LRO-23: the CallToolResult in a task that has been completed.
fn result_of_task<'a>(members: &Members<'a>) -> Option<Members<'a>> {
    (members.get("status")? == "\"completed\"").then_some(())?;
    members.get("taskId")?;
    Members::of(members.get("result")?)
}

fn rewrite(
    tool: &str,
    arguments: &str,
    members: &Members<'_>,
    settings: &Settings,
    instant: impl FnOnce() -> io::Result<Instant>,
) -> Result<Rewritten, Error> {
    let Some(answer) = Answer::of(members).filter(|answer| !answer.is_offloaded()) else {
        return Ok(Rewritten::default());
    };
    let subject = Subject::of(&answer, settings);
    let Subject { tokens, characters, .. } = subject;
    let request = request::Offload { tokens, characters, ..request(tool, arguments) };
    let offloading = calls::offload_as(&subject.payload, &request, settings, instant)?;
    let (mut file_name, mut section_file_names) = (None, Vec::new());
    let text = match offloading.outcome {
        Outcome::Unchanged | Outcome::Inline(_) => None,
        Outcome::Truncated(text) => Some(text),
        Outcome::Offloaded(stored) => {
            file_name = Some(stored.file_name);
            section_file_names = stored.sections.into_iter().map(|section| section.file_name).collect();
            Some(stored.response)
        }
    };
    let message = text.map(|text| {
        let mut blocks = vec![json::text_block(&text)];
        blocks.extend(subject.beside);
        json::object_with(members, &[("content", &json::array(&blocks)), ("structuredContent", &text)])
    });
    Ok(Rewritten { message, file_name, section_file_names, events: offloading.events })
}

/// The request for a call. `detail` of a memory tool is what the server has projected to already.
fn request(tool: &str, arguments: &str) -> request::Offload {
    let arguments: Value = serde_json::from_str(arguments).unwrap_or_default();
    let text = |key: &str| arguments.get(key).and_then(Value::as_str);
    let is_memory_tool = matches!(file_name::operation(tool).as_str(), "recall" | "list" | "inject");
    let detail = arguments.get("detail").filter(|_| is_memory_tool);
    let detail = detail.and_then(|detail| Detail::deserialize(detail).ok());
    request::Offload {
        operation: if tool.is_empty() { "tool".to_owned() } else { tool.to_owned() },
        query: text("query").map(str::to_owned),
        detail,
        already_projected: Some(true),
        ..request::Offload::default()
    }
}
