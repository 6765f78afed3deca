//! The guest's crate, natively: a call of the conformance suite as JSON, and its answer. It knows nothing of the host, so
//! that the program that runs mutants of the guest is small.

use lro_guest::calls::{self, Outcome, Source};
use lro_guest::error::Error;
use lro_guest::file::events::Event;
use lro_guest::{disk, mcp, settings};
use serde_json::{Value, json};

/// Answers a call.
///
/// # Errors
/// The error of the contract as a JSON object.
pub fn answer(call: &Value) -> Result<Value, Value> {
    answered(call).map_err(|error| failure(&error))
}

fn answered(call: &Value) -> Result<Value, Error> {
    let text = |key: &str| call[key].as_str().unwrap_or_default();
    let request = call["request"].to_string();
    let payload = text("payload");
    let tool = call["request"]["tool"].as_str().unwrap_or_default();
    let arguments = call["request"].get("arguments").map(Value::to_string).unwrap_or_default();
    if text("function") == "resolve" {
        let variables = call["environment"].as_object().into_iter().flatten();
        let environment: Vec<_> =
            variables.map(|(name, value)| (name.clone(), value.as_str().unwrap_or_default().to_owned())).collect();
        return Ok(json!(settings::resolve(text("file_text"), &environment, &call["settings"].to_string())?));
    }
    let mut settings = call["settings"].clone();
    settings["output_dir"] = call["directory"].clone();
    let settings = settings.to_string();
    match text("function") {
        "estimate" => Ok(json!({"tokens": calls::estimate(payload, &request, &settings)?})),
        "offload" => Ok(offloading(calls::offload(payload, &request, &settings, disk::instant)?, payload)),
        "extract" => calls::extract(source(call), &request, &settings, disk::instant).map(extraction),
        "describe" => Ok(json!({"text": calls::describe(source(call), &settings)?})),
        "rebuild" => Ok(json!({"text": calls::rebuild(source(call), &settings)?})),
        "mcp-tools" => Ok(json!({"text": mcp::tools(&settings)?})),
        "mcp-call" => Ok(json!({"text": mcp::call(tool, &arguments, &settings)?})),
        "mcp-offload-result" => {
            let answer = mcp::offload_result(tool, &arguments, payload, &settings, disk::instant)?;
            let mut object = rewriting(payload, answer.message);
            object["file_name"] = answer.file_name.into();
            object["events"] = events(&answer.events).into();
            Ok(object)
        }
        "mcp-offload-tools" => Ok(rewriting(payload, mcp::offload_tools(payload, &settings)?)),
        "cleanup" => {
            let answer = calls::cleanup(&request, &settings, disk::instant)?;
            let events = events(&answer.events);
            Ok(json!({
                "deleted": answer.deleted,
                "freed_bytes": answer.freed_bytes,
                "kept": answer.kept,
                "events": events,
            }))
        }
        other => panic!("the contract has no function `{other}`"),
    }
}

fn offloading(answer: calls::Offloading, payload: &str) -> Value {
    let (outcome, text, name, content) = match answer.outcome {
        Outcome::Unchanged => ("unchanged", payload.to_owned(), None, None),
        Outcome::Inline(text) => ("inline", text, None, None),
        Outcome::Truncated(text) => ("truncated", text, None, None),
        Outcome::Offloaded(stored) => ("offloaded", stored.response, Some(stored.file_name), stored.content),
    };
    json!({
        "outcome": outcome,
        "text": text,
        "file_name": name,
        "content": content,
        "estimated_tokens": answer.estimated_tokens,
        "events": events(&answer.events),
    })
}

/// The page with the contract's own token, which may carry the rest of a set.
fn extraction(page: calls::Page) -> Value {
    let failure =
        |failure: &calls::Failure| json!({"line": failure.line, "message": failure.message, "hint": failure.hint});
    json!({
        "next": page.next,
        "truncated": page.next.is_some(),
        "count": page.count,
        "total": page.total,
        "failed": page.failed,
        "failures": page.failures.iter().map(failure).collect::<Vec<_>>(),
        "remarks": page.remarks,
        "text": calls::results_text(page.text),
    })
}

fn source(call: &Value) -> Source<'_> {
    match (call["source"]["content"].as_str(), call["source"]["file"].as_str()) {
        (Some(text), _) => Source::Content(text),
        (None, file) => Source::File(file.unwrap_or_default()),
    }
}

fn rewriting(payload: &str, message: Option<String>) -> Value {
    let outcome = if message.is_some() { "replaced" } else { "unchanged" };
    json!({"outcome": outcome, "text": message.unwrap_or_else(|| payload.to_owned())})
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
