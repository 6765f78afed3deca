//! The guest's crate, natively.

use lro::conformance::case::{Case, Directory, Function, Source};
use lro::conformance::{Answer, Call, Engine};
use lro_guest::calls::{self, Outcome};
use lro_guest::error::Error;
use lro_guest::events::Event;
use lro_guest::{disk, mcp, settings};
use serde_json::{Value, json};

pub(crate) struct NativeEngine;

impl Engine for NativeEngine {
    fn name(&self) -> &str {
        "native"
    }

    /// Only a sandbox can make a directory read-only, or its disk full.
    fn unable(&self, case: &Case) -> Option<String> {
        matches!(case.given.directory, Directory::ReadOnly | Directory::Full).then(|| "it has no sandbox".to_owned())
    }

    fn call(&self, call: &Call<'_>) -> Answer {
        match answer(call) {
            Ok(answer) => Answer::Done(answer),
            Err(error) => Answer::Failed(failure(&error)),
        }
    }
}

fn answer(call: &Call<'_>) -> Result<Value, Error> {
    let request = json!(call.request).to_string();
    let environment: Vec<_> = call.environment.iter().map(|(name, value)| (name.clone(), value.clone())).collect();
    if call.function == Function::Resolve {
        let settings = settings::resolve(call.file_text, &environment, &json!(call.settings).to_string())?;
        return Ok(json!(settings));
    }
    let mut settings = call.settings.clone();
    settings.insert("output_dir".into(), call.directory.to_str().into());
    let settings = json!(settings).to_string();
    match call.function {
        Function::Estimate => Ok(json!({"tokens": calls::estimate(call.payload, &request, &settings)?})),
        Function::Offload => {
            let answer = calls::offload(call.payload, &request, &settings, disk::instant)?;
            let (outcome, text, name, content) = match answer.outcome {
                Outcome::Unchanged => ("unchanged", call.payload.to_owned(), None, None),
                Outcome::Inline(text) => ("inline", text, None, None),
                Outcome::Truncated(text) => ("truncated", text, None, None),
                Outcome::Offloaded(stored) => ("offloaded", stored.response, Some(stored.file_name), stored.content),
            };
            let (tokens, events) = (answer.estimated_tokens, events(&answer.events));
            Ok(
                json!({"outcome": outcome, "text": text, "file_name": name, "content": content, "estimated_tokens": tokens, "events": events}),
            )
        }
        Function::Extract => {
            let page = calls::extract(source(call), &request, &settings, disk::instant)?;
            let failure = |failure: &calls::Failure| json!({"line": failure.line, "message": failure.message, "hint": failure.hint});
            Ok(json!({
                "text": String::from_utf8_lossy(&page.page.text),
                "count": page.page.count,
                "total": page.total,
                "truncated": page.next.is_some(),
                "next": page.next.map(|position| position.to_token()),
                "failed": page.failed,
                "failures": page.failures.iter().map(failure).collect::<Vec<_>>(),
                "remarks": page.remarks,
            }))
        }
        Function::Describe => Ok(json!({"text": calls::describe(source(call), &settings)?})),
        Function::Rebuild => Ok(json!({"text": calls::rebuild(source(call), &settings)?})),
        Function::McpTools => Ok(json!({"text": mcp::tools(&settings)?})),
        Function::McpCall => Ok(json!({"text": mcp::call(call.tool(), &call.arguments(), &settings)?})),
        Function::McpOffloadResult => {
            let answer = mcp::offload_result(call.tool(), &call.arguments(), call.payload, &settings, disk::instant)?;
            let mut object = rewriting(call, answer.message);
            object["file_name"] = answer.file_name.into();
            object["events"] = events(&answer.events).into();
            Ok(object)
        }
        Function::McpOffloadTools => Ok(rewriting(call, mcp::offload_tools(call.payload, &settings)?)),
        Function::Cleanup | Function::Resolve => {
            let answer = calls::cleanup(&request, &settings, disk::instant)?;
            let events = events(&answer.events);
            Ok(
                json!({"deleted": answer.deleted, "freed_bytes": answer.freed_bytes, "kept": answer.kept, "events": events}),
            )
        }
    }
}

fn source<'a>(call: &Call<'a>) -> calls::Source<'a> {
    match call.source {
        Some(Source::Content(text)) => calls::Source::Content(text),
        Some(Source::File(file)) => calls::Source::File(file),
        None => calls::Source::File(""),
    }
}

fn rewriting(call: &Call<'_>, message: Option<String>) -> Value {
    let outcome = if message.is_some() { "replaced" } else { "unchanged" };
    json!({"outcome": outcome, "text": message.unwrap_or_else(|| call.payload.to_owned())})
}

fn events(events: &[Event]) -> Vec<Value> {
    let fields = |event: &Event| serde_json::from_str(&event.fields).unwrap_or(Value::Null);
    events.iter().map(|event| json!({"name": event.name, "message": event.message, "fields": fields(event)})).collect()
}

fn failure(error: &Error) -> Value {
    let (case, hint) = match error {
        Error::InvalidArgument(problem) => ("invalid-argument", &problem.hint),
        Error::InvalidQuery { problem, known } => {
            return json!({"case": "invalid-query", "message": problem.message, "hint": problem.hint, "known": known});
        }
        Error::NotFound(problem) => ("not-found", &problem.hint),
        Error::Outside(problem) => ("outside", &problem.hint),
        Error::NotAnOffload(problem) => ("not-an-offload", &problem.hint),
        Error::LimitReached { problem, limit, value } => {
            return json!({"case": "limit-reached", "message": problem.message, "hint": problem.hint, "limit": limit, "value": value});
        }
        Error::Io(problem) => ("io", &problem.hint),
        Error::Other(message) => return json!({"case": "other", "message": message}),
    };
    json!({"case": case, "message": error.message(), "hint": hint})
}
