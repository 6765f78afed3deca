//! Offloads another tool's CallToolResult.

use std::io;

use lro_query::json::{self, Members};
use serde::Deserialize;
use serde_json::Value;

use super::answer::Answer;
use super::bound;
use super::client;
use super::mark::{self, Mark};
use super::refine;
use super::source;
use super::subject::Subject;
use super::{text_block, tools};
use crate::calls::{self, Outcome};
use crate::error::Error;
use crate::file::events::Event;
use crate::file::file_name;
use crate::file::instant::Instant;
use crate::offload::truncate;
use crate::payload::detail::Detail;
use crate::settings::request;
use crate::settings::tools::Threshold;
use crate::settings::{Descriptor, GuidanceKind, Settings, Store};

/// The answer of [`offload_result`].
#[derive(Debug, Default)]
pub struct Rewritten {
    /// The message to send instead, if it is replaced.
    pub message: Option<String>,
    /// The file that was written.
    pub file_name: Option<String>,
    /// The files of further lists.
    pub section_file_names: Vec<String>,
    /// What happened during the call.
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
    let settings = client::fitted(Settings::parse(settings)?);
    if settings.store == Store::Content {
        return Err(Error::invalid_argument(
            "cannot offload an MCP result: `store` is `content`, and a message has no place for it",
            "grant an output directory and leave `store` out, or call `offload`",
        ));
    }
    let Some(members) = Members::of(result) else {
        return Err(Error::invalid_argument(
            "cannot offload the result: it is not a JSON object",
            "pass the CallToolResult",
        ));
    };
    let inner = result_of_task(&members);
    let call = Call { tool, arguments, settings: &settings };
    let rewritten = call.rewrite(inner.as_ref().unwrap_or(&members), instant)?;
    if inner.is_none() {
        return Ok(rewritten);
    }
    let wrapped = |message: String| json::object_with(&members, &[("result", &message)]);
    Ok(Rewritten { message: rewritten.message.map(wrapped), ..rewritten })
}

/// LRO-23: the CallToolResult in a task that has been completed.
fn result_of_task<'a>(members: &Members<'a>) -> Option<Members<'a>> {
    (members.get("status")? == "\"completed\"").then_some(())?;
    members.get("taskId")?;
    Members::of(members.get("result")?)
}

/// The call of a tool whose result is looked at.
struct Call<'a> {
    tool: &'a str,
    arguments: &'a str,
    settings: &'a Settings,
}

impl Call<'_> {
    /// Returns what happens to its CallToolResult.
    fn rewrite(&self, result: &Members<'_>, instant: impl FnOnce() -> io::Result<Instant>) -> Result<Rewritten, Error> {
        if !self.settings.enabled || mark::is_marked(result) {
            return Ok(Rewritten::default());
        }
        if let Some(reason) = &self.settings.truncate_reason {
            let is_small = bound::is_small(result, self.settings);
            return Ok(if is_small {
                Rewritten::default()
            } else {
                self.cut(result, &truncate::failed(reason), Event::failed(&self.operation(), reason))
            });
        }
        let own = self.settings_of_the_tool();
        let passed_on = match (&own, Answer::of(result)) {
            (Some(settings), Some(answer)) => {
                let rewritten = self.offload(result, &answer, settings, instant)?;
                if rewritten.message.is_some() {
                    return Ok(rewritten);
                }
                rewritten
            }
            _ => Rewritten::default(),
        };
        if !bound::is_too_large(result, self.settings) {
            return Ok(passed_on);
        }
        let reason = format!(
            "this kind of result is not offloaded, and it has more than {} tokens (`max_inline_tokens`)",
            self.settings.max_inline_tokens
        );
        Ok(self.cut(result, &format!("Not offloaded: {reason}"), Event::truncated(&self.operation(), &reason)))
    }

    /// The settings as they hold for the tool; `None` if its results are never offloaded. Ours are not: what is read
    /// back would be put aside again (USER-04).
    fn settings_of_the_tool(&self) -> Option<Settings> {
        if tools::named(self.tool, self.settings).is_some() {
            return None;
        }
        let own = self.settings.threshold_for(self.tool)?;
        let of_source = self.settings.source_threshold_tokens.filter(|_| own != Threshold::Tokens(0));
        let threshold = match of_source {
            Some(tokens) if source::is_read_by(self.arguments) => Threshold::Tokens(tokens),
            _ => own,
        };
        // Where our tools are offered, no one needs commands for a shell.
        let (guidance, fitting) = match self.settings.offer_tools {
            true => (GuidanceKind::Tool, Descriptor::Compact),
            false => (GuidanceKind::Shell, Descriptor::Full),
        };
        let descriptor = Some(self.settings.descriptor.unwrap_or(fitting));
        // Who wants all results of a tool in files gets them there.
        let min_saving = self.settings.min_saving.filter(|_| own != Threshold::Tokens(0));
        Some(Settings { guidance, descriptor, min_saving, ..self.settings.clone() }.with_threshold(threshold))
    }

    fn operation(&self) -> String {
        file_name::operation(self.tool)
    }

    /// Keeps the ends of the result.
    fn cut(&self, result: &Members<'_>, cause: &str, event: Event) -> Rewritten {
        let message = bound::cut(result, self.settings, cause);
        Rewritten { message: Some(message), events: vec![event], ..Rewritten::default() }
    }

    /// Offloads the content of the result, if it is too large.
    fn offload(
        &self,
        result: &Members<'_>,
        answer: &Answer<'_>,
        settings: &Settings,
        instant: impl FnOnce() -> io::Result<Instant>,
    ) -> Result<Rewritten, Error> {
        let subject = Subject::of(answer, settings);
        let Subject { tokens, characters, .. } = subject;
        let request = request::Offload { tokens, characters, ..self.request() };
        let offloading = calls::offload_as(&subject.payload, &request, settings, instant)?;
        let (mut file_name, mut section_file_names) = (None, Vec::new());
        let text = match offloading.outcome {
            Outcome::Unchanged | Outcome::Inline(_) => None,
            Outcome::Truncated(text) => Some((text, Mark::Truncated)),
            Outcome::Offloaded(stored) => {
                file_name = Some(stored.file_name);
                section_file_names = stored.sections.into_iter().map(|section| section.file_name).collect();
                Some((stored.response, Mark::Offloaded))
            }
        };
        let message = text.map(|(text, mark)| {
            let text = refine::with_names(text, settings.call.input_schema.as_ref());
            let mut blocks = vec![text_block(&text)];
            blocks.extend(subject.beside);
            let (content, meta) = (json::array(&blocks), mark.meta(result));
            json::object_with(result, &[("content", &content), ("structuredContent", &text), ("_meta", &meta)])
        });
        Ok(Rewritten { message, file_name, section_file_names, events: offloading.events })
    }

    /// What the component is asked. The results of a tool are memories where its settings say so; `detail` among its
    /// arguments is then what the server has projected to already.
    fn request(&self) -> request::Offload {
        let arguments: Value = serde_json::from_str(self.arguments).unwrap_or_default();
        let are_memories = self.settings.tools.get(self.tool).is_some_and(|own| own.memories);
        let detail = arguments.get("detail").filter(|_| are_memories);
        request::Offload {
            operation: if self.tool.is_empty() { "tool".to_owned() } else { self.tool.to_owned() },
            query: arguments.get("query").and_then(Value::as_str).map(str::to_owned),
            memories: Some(are_memories),
            detail: detail.and_then(|detail| Detail::deserialize(detail).ok()),
            already_projected: Some(true),
            session: self.settings.call.session.clone(),
            ..request::Offload::default()
        }
    }
}
