//! The only module that knows WIT: it passes the calls of a host to [`calls`], and returns the results.

use bindings::exports::lro::offload::{configuration, documents, mcp, offloader, reader};
use bindings::lro::offload::types;

use crate::calls;
use crate::disk;
use crate::error::{Error, Problem};
use crate::file::events::Event;

#[allow(missing_docs, unsafe_code, unreachable_pub, clippy::all, clippy::pedantic, reason = "generated")]
mod bindings {
    wit_bindgen::generate!({ path: "../wit", world: "lro" });
    use super::Component;
    export!(Component);
}

struct Component;

impl offloader::Guest for Component {
    fn estimate(payload: String, request: String, settings: String) -> Result<u32, types::Error> {
        Ok(calls::estimate(&payload, &request, &settings)?)
    }

    fn offload(payload: String, request: String, settings: String) -> Result<offloader::Offloading, types::Error> {
        Ok(calls::offload(&payload, &request, &settings, disk::instant)?.into())
    }

    fn extract(
        source: types::Source,
        request: String,
        settings: String,
    ) -> Result<offloader::Extraction, types::Error> {
        calls::extract(borrowed(&source), &request, &settings, disk::instant)?.try_into()
    }

    fn cleanup(request: String, settings: String) -> Result<offloader::Cleaning, types::Error> {
        Ok(calls::cleanup(&request, &settings, disk::instant)?.into())
    }
}

impl configuration::Guest for Component {
    fn resolve(
        file_text: String,
        environment: Vec<(String, String)>,
        explicit: String,
    ) -> Result<String, types::Error> {
        Ok(calls::resolve(&file_text, &environment, &explicit)?)
    }
}

impl documents::Guest for Component {
    fn describe(source: types::Source, settings: String) -> Result<String, types::Error> {
        Ok(calls::describe(borrowed(&source), &settings, disk::instant)?)
    }

    fn rebuild(source: types::Source, settings: String) -> Result<String, types::Error> {
        Ok(calls::rebuild(borrowed(&source), &settings, disk::instant)?)
    }

    fn rebuild_part(source: types::Source, request: String, settings: String) -> Result<documents::Part, types::Error> {
        let part = calls::rebuild_part(borrowed(&source), &request, &settings, disk::instant)?;
        Ok(documents::Part { text: part.text, next: part.next })
    }

    fn list_files(request: String, settings: String) -> Result<String, types::Error> {
        Ok(calls::list(&request, &settings, disk::instant)?)
    }

    fn copies(source: types::Source, settings: String) -> Result<String, types::Error> {
        Ok(calls::copies(borrowed(&source), &settings)?)
    }
}

impl reader::Guest for Component {
    fn read(source: types::Source, request: String, settings: String) -> Result<reader::Passage, types::Error> {
        Ok(calls::read(borrowed(&source), &request, &settings, disk::instant)?.into())
    }

    fn search(source: types::Source, request: String, settings: String) -> Result<reader::Findings, types::Error> {
        Ok(calls::search(borrowed(&source), &request, &settings, disk::instant)?.into())
    }
}

fn borrowed(source: &types::Source) -> calls::Source<'_> {
    match source {
        types::Source::File(path) => calls::Source::File(path),
        types::Source::Content(text) => calls::Source::Content(text),
    }
}

impl mcp::Guest for Component {
    fn tools(settings: String) -> Result<String, types::Error> {
        Ok(crate::mcp::tools(&settings)?)
    }

    fn call(name: String, call_arguments: String, settings: String) -> Result<String, types::Error> {
        Ok(crate::mcp::call(&name, &call_arguments, &settings, disk::instant)?)
    }

    fn offload_result(
        tool: String,
        call_arguments: String,
        call_result: String,
        settings: String,
    ) -> Result<mcp::Rewritten, types::Error> {
        let rewritten = crate::mcp::offload_result(&tool, &call_arguments, &call_result, &settings, disk::instant)?;
        Ok(mcp::Rewritten {
            message: rewriting(rewritten.message),
            file_name: rewritten.file_name,
            section_file_names: rewritten.section_file_names,
            events: events(rewritten.events),
        })
    }

    fn offload_tools(list_result: String, settings: String) -> Result<mcp::Rewriting, types::Error> {
        Ok(rewriting(crate::mcp::offload_tools(&list_result, &settings)?))
    }

    fn resolve_arguments(
        tool: String,
        call_arguments: String,
        settings: String,
    ) -> Result<mcp::Rewriting, types::Error> {
        Ok(rewriting(crate::mcp::resolve_arguments(&tool, &call_arguments, &settings, disk::instant)?))
    }
}

fn rewriting(message: Option<String>) -> mcp::Rewriting {
    message.map_or(mcp::Rewriting::Unchanged, mcp::Rewriting::Replaced)
}

impl From<calls::Offloading> for offloader::Offloading {
    fn from(offloading: calls::Offloading) -> Self {
        let outcome = match offloading.outcome {
            calls::Outcome::Unchanged => offloader::Outcome::Unchanged,
            calls::Outcome::Inline(text) => offloader::Outcome::Inline(text),
            calls::Outcome::Truncated(text) => offloader::Outcome::Truncated(text),
            calls::Outcome::Offloaded(calls::Stored { response, file_name, content, sections }) => {
                let sections = sections
                    .into_iter()
                    .map(|section| offloader::StoredSection { file_name: section.file_name, content: section.content });
                let sections = sections.collect();
                offloader::Outcome::Offloaded(offloader::Stored { response, file_name, content, sections })
            }
        };
        Self { outcome, estimated_tokens: offloading.estimated_tokens, events: events(offloading.events) }
    }
}

impl TryFrom<calls::Page> for offloader::Extraction {
    type Error = types::Error;

    fn try_from(page: calls::Page) -> Result<Self, types::Error> {
        let failure = |failure: calls::Failure| offloader::Failure {
            line: failure.line,
            message: failure.message,
            hint: failure.hint,
        };
        Ok(Self {
            truncated: page.next.is_some(),
            next: page.next,
            results: calls::results_text(page.text),
            count: page.count,
            total: page.total,
            failed: page.failed,
            failures: page.failures.into_iter().map(failure).collect(),
            remarks: page.remarks,
        })
    }
}

impl From<calls::Passage> for reader::Passage {
    fn from(passage: calls::Passage) -> Self {
        let calls::Passage { text, first, last, total, next, remarks } = passage;
        Self { text, first, last, total, truncated: next.is_some(), next, remarks }
    }
}

impl From<calls::Findings> for reader::Findings {
    fn from(findings: calls::Findings) -> Self {
        let hit = |hit: calls::Hit| {
            let calls::Hit { line, character, length, text, start, before, after } = hit;
            reader::Hit { line, character, length, text, start, before, after }
        };
        let calls::Findings { hits, total, lines, next, remarks, matching_lines: _ } = findings;
        let hits = hits.into_iter().map(hit).collect();
        Self { hits, total, lines, truncated: next.is_some(), next, remarks }
    }
}

impl From<calls::Cleaning> for offloader::Cleaning {
    fn from(cleaning: calls::Cleaning) -> Self {
        Self {
            deleted: cleaning.deleted,
            freed_bytes: cleaning.freed_bytes as f64,
            kept: cleaning.kept,
            events: events(cleaning.events),
        }
    }
}

fn events(events: Vec<Event>) -> Vec<types::Event> {
    let event =
        |event: Event| types::Event { name: event.name.to_owned(), message: event.message, fields: event.fields };
    events.into_iter().map(event).collect()
}

impl From<Problem> for types::Problem {
    fn from(problem: Problem) -> Self {
        Self { message: problem.message, hint: problem.hint }
    }
}

impl From<Error> for types::Error {
    fn from(error: Error) -> Self {
        match error {
            Error::InvalidArgument(problem) => Self::InvalidArgument(problem.into()),
            Error::InvalidQuery { problem: Problem { message, hint }, known } => {
                Self::InvalidQuery(types::QueryProblem { message, hint, known })
            }
            Error::NotFound(problem) => Self::NotFound(problem.into()),
            Error::Outside(problem) => Self::Outside(problem.into()),
            Error::NotAnOffload(problem) => Self::NotAnOffload(problem.into()),
            Error::LimitReached { problem: Problem { message, hint }, limit, value } => {
                Self::LimitReached(types::LimitProblem { message, hint, limit: limit.to_owned(), value })
            }
            Error::Io(problem) => Self::Io(problem.into()),
            Error::Other(message) => Self::Other(message),
        }
    }
}
