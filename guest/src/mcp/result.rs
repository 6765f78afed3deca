//! Offloads another tool's CallToolResult.

use std::io;

use lro_query::json::{self, Members, without_halves};
use serde::Deserialize;
use serde_json::{Map, Value};

use super::answer::{Answer, is_word};
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
use crate::gate::Gates;
use crate::offload::LEAST_TOKENS;
use crate::offload::budget::{Budget, Unit};
use crate::offload::truncate::{self, ADVICE};
use crate::payload::detail::Detail;
use crate::settings::request;
use crate::settings::tokens::Tokenizer;
use crate::settings::tools::Threshold;
use crate::settings::{GuidanceKind, Mode, Settings, Store};

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
    let settings = Settings::parse(settings)?;
    let is_code = client::is_code(&settings);
    let settings = client::fitted(settings);
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
    if is_code {
        return Ok(Rewritten::default());
    }
    let inner = result_of_task(&members);
    let call = Call { tool, arguments, settings: &settings };
    let rewritten = call.rewrite(inner.as_ref().unwrap_or(&members), instant)?;
    if inner.is_none() {
        return Ok(rewritten);
    }
    let wrapped = |message: String| json::object_with(&members, &[("result", &message)]);
    Ok(Rewritten { message: rewritten.message.map(wrapped), ..rewritten })
}

/// A message in place of the result, and why.
fn replaced(message: String, event: Event) -> Rewritten {
    Rewritten { message: Some(message), events: vec![event], ..Rewritten::default() }
}

/// LRO-23: the CallToolResult in a task that has been completed.
fn result_of_task<'a>(members: &Members<'a>) -> Option<Members<'a>> {
    is_word(members.get("status")?, "completed").then_some(())?;
    members.get("taskId")?;
    Members::of(members.get("result")?)
}

/// The call of a tool whose result is looked at.
struct Call<'a> {
    tool: &'a str,
    arguments: &'a str,
    settings: &'a Settings,
}

/// The result as that of a call that failed.
fn as_error<'a>(result: &Members<'a>) -> Members<'a> {
    let others = result.0.iter().filter(|(key, _)| key != "isError").cloned();
    Members(others.chain([("isError".into(), "true")]).collect())
}

impl Call<'_> {
    /// Returns what happens to its CallToolResult.
    fn rewrite(&self, result: &Members<'_>, instant: impl FnOnce() -> io::Result<Instant>) -> Result<Rewritten, Error> {
        let window = Gates::of(self.settings, None).map_or(0, |gates| gates.allowed_bytes());
        let is_marked = mark::is_marked(result, usize::try_from(window).unwrap_or(usize::MAX));
        if !self.settings.enabled || is_marked {
            return Ok(Rewritten::default());
        }
        let kept = Budget::of(self.settings, self.settings.call.input_tokens);
        if let Some(reason) = &self.settings.truncate_reason {
            if bound::is_small(result, kept) {
                return Ok(Rewritten::default());
            }
            let message = bound::cut(result, self.at_least(kept), &truncate::failed(reason), None, self.schema());
            return Ok(replaced(message, Event::failed(&self.operation(), reason)));
        }
        let own = self.settings_of_the_tool();
        let (passed_on, most) = match (&own, Answer::of(result)) {
            (Some(settings), Some(answer)) => {
                let rewritten = self.offload(result, &answer, settings, instant)?;
                // What the gates have let through may be read, however large the window is.
                if rewritten.message.is_some() || self.settings.context_tokens.is_some() {
                    return Ok(rewritten);
                }
                (rewritten, self.cap())
            }
            (Some(_), None) if self.settings.context_tokens.is_some() => (Rewritten::default(), kept),
            _ => (Rewritten::default(), self.cap()),
        };
        let Some(excess) = bound::excess(result, most) else { return Ok(passed_on) };
        let kind = if own.is_none() { "what this tool returns" } else { "this kind of result" };
        let reason = format!("{kind} is not offloaded, and {excess}");
        // A client that knows the schema of the structured content refuses any other, but for errors.
        let keeps_schema = own.is_none() || self.settings.tools.get(self.tool).is_some_and(|own| own.keep_schema);
        let refused = (keeps_schema && result.get_some("structuredContent").is_some()).then(|| as_error(result));
        let result = refused.as_ref().unwrap_or(result);
        let message =
            bound::cut(result, self.at_least(kept), &format!("Not offloaded: {reason}"), Some(ADVICE), self.schema());
        let event = Event::truncated(&self.operation(), &reason);
        let mut rewritten = replaced(message, event);
        rewritten.events.splice(0..0, passed_on.events);
        Ok(rewritten)
    }

    /// The most of a result that is passed on, whatever the reason for not offloading it: no more than a window holds.
    fn cap(&self) -> Budget {
        let most = self.settings.max_inline_tokens.min(self.settings.context_tokens.unwrap_or(u32::MAX));
        Budget::tokens(Tokenizer::Chars, most)
    }

    /// What is kept of a result that is cut: enough to see what it was.
    fn at_least(&self, kept: Budget) -> Budget {
        match kept.unit {
            Unit::Bytes => kept,
            Unit::Tokens(_) => kept.within_tokens(LEAST_TOKENS, self.settings.max_inline_tokens),
        }
    }

    /// The settings as they hold for the tool; `None` if its results are never offloaded. Ours are not: what is read
    /// back would be put aside again (USER-04).
    fn settings_of_the_tool(&self) -> Option<Settings> {
        if tools::named(self.tool, self.settings).is_some() {
            return None;
        }
        let mode = self.mode();
        let own = self.settings.threshold_for(self.tool)?;
        let is_always = own == Threshold::Tokens(0);
        // The gates decide instead of any threshold but that of the tool itself.
        let of_source = self.settings.source_threshold_tokens.filter(|_| self.settings.context_tokens.is_none());
        let threshold = match of_source.filter(|_| !is_always) {
            Some(tokens) if source::is_read_by(self.arguments) => Threshold::Tokens(tokens),
            // Who wants all results in files is not served by truncating those that are small.
            _ if is_always && mode == Mode::Truncate => self.settings.threshold(),
            _ => own,
        };
        let threshold_is_own = self.settings.has_own_threshold(self.tool) && threshold == own;
        // Where our tools are offered, no one needs commands for a shell.
        let guidance = if self.settings.offer_tools { GuidanceKind::Tool } else { GuidanceKind::Shell };
        let descriptor = Some(Settings { guidance, ..self.settings.clone() }.descriptor_for(true));
        // Who wants all results of a tool in files gets them there.
        let min_saving = self.settings.min_saving.filter(|_| !is_always);
        let settings = self.settings.clone().with_threshold(threshold);
        Some(Settings { mode, guidance, descriptor, min_saving, threshold_is_own, ..settings })
    }

    /// GATE-08: an artifact is for a model that has a tool to read it. Without a context window, files are for a shell.
    fn mode(&self) -> Mode {
        match self.settings.mode {
            Mode::Auto if self.settings.context_tokens.is_some() && !self.settings.offer_tools => Mode::Truncate,
            Mode::Auto => Mode::Artifact,
            mode => mode,
        }
    }

    fn operation(&self) -> String {
        file_name::operation_for(self.tool, self.settings)
    }

    /// The tool's input schema, where the host knows it.
    fn schema(&self) -> Option<&Map<String, Value>> {
        self.settings.call.input_schema.as_ref()
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
        let Subject { tokens, characters, bytes, .. } = subject;
        let request = request::Offload { tokens, characters, bytes, ..self.request() };
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
            let text = refine::with_names(text, self.schema());
            // Some clients drop a message with half of a surrogate pair.
            let text = without_halves(&text);
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
            input_tokens: self.settings.call.input_tokens,
            ..request::Offload::default()
        }
    }
}
