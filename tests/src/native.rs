//! The guest's crate, natively: a request of the conformance suite's protocol, and its answer. It knows nothing of the host,
//! so that the program that runs mutants of the guest is small.

use lro_guest::calls::{self, Outcome, Source};
use lro_guest::error::Error;
use lro_guest::{disk, mcp, settings};
use serde_json::{Value, json};

/// Answers a call.
///
/// # Errors
/// The error of the contract as a JSON object.
pub fn answer(call: &Value) -> Result<Value, Value> {
    answered(call).map_err(|error| json!(error))
}

fn answered(call: &Value) -> Result<Value, Error> {
    let text = |key: &str| call[key].as_str().unwrap_or_default();
    if text("call") == "resolve" {
        let variables = call["environment"].as_object().into_iter().flatten();
        let environment: Vec<_> =
            variables.map(|(name, value)| (name.clone(), value.as_str().unwrap_or_default().to_owned())).collect();
        return Ok(json!(settings::resolve(text("file_text"), &environment, &call["explicit"].to_string())?));
    }
    let mut settings = call["settings"].clone();
    settings["output_dir"] = call["directory"].clone();
    let settings = settings.to_string();
    let request = call["request"].to_string();
    match text("call") {
        "estimate" => Ok(json!(calls::estimate(text("payload"), &request, &settings)?)),
        "offload" => calls::offload(text("payload"), &request, &settings, disk::instant).map(offloading),
        "extract" => calls::extract(source(call), &request, &settings, disk::instant).map(extraction),
        "read" => calls::read(source(call), &request, &settings, disk::instant).map(|page| paged(json!(page))),
        "search" => calls::search(source(call), &request, &settings, disk::instant).map(|page| paged(json!(page))),
        "describe" => Ok(calls::describe(source(call), &settings, disk::instant)?.into()),
        "rebuild" => Ok(calls::rebuild(source(call), &settings, disk::instant)?.into()),
        "list-files" => Ok(calls::list(&request, &settings, disk::instant)?.into()),
        "copies" => Ok(calls::copies(source(call), &settings)?.into()),
        "mcp-tools" => Ok(mcp::tools(&settings)?.into()),
        "mcp-call" => Ok(mcp::call(text("name"), text("call_arguments"), &settings, disk::instant)?.into()),
        "mcp-offload-result" => {
            let texts = ["tool", "call_arguments", "call_result"].map(text);
            let answer = mcp::offload_result(texts[0], texts[1], texts[2], &settings, disk::instant)?;
            Ok(json!({"message": answer.message, "file_name": answer.file_name, "events": answer.events}))
        }
        "mcp-offload-tools" => Ok(json!({"message": mcp::offload_tools(text("list_result"), &settings)?})),
        "cleanup" => Ok(json!(calls::cleanup(&request, &settings, disk::instant)?)),
        other => panic!("the contract has no function `{other}`"),
    }
}

fn offloading(answer: calls::Offloading) -> Value {
    let (outcome, text, name, content) = match answer.outcome {
        Outcome::Unchanged => ("unchanged", None, None, None),
        Outcome::Inline(text) => ("inline", Some(text), None, None),
        Outcome::Truncated(text) => ("truncated", Some(text), None, None),
        Outcome::Offloaded(stored) => ("offloaded", Some(stored.response), Some(stored.file_name), stored.content),
    };
    json!({
        "outcome": outcome,
        "text": text,
        "file_name": name,
        "content": content,
        "estimated_tokens": answer.estimated_tokens,
        "events": answer.events,
    })
}

/// The page with the contract's own token, which may carry the rest of a set.
fn extraction(page: calls::Page) -> Value {
    json!({
        "next": page.next,
        "truncated": page.next.is_some(),
        "count": page.count,
        "total": page.total,
        "failed": page.failed,
        "failures": page.failures,
        "remarks": page.remarks,
        "results": calls::results_text(page.text),
    })
}

/// A page whose `truncated` follows from its `next`.
fn paged(mut page: Value) -> Value {
    page["truncated"] = page["next"].is_string().into();
    page
}

fn source(call: &Value) -> Source<'_> {
    match (call["source"]["content"].as_str(), call["source"]["file"].as_str()) {
        (Some(text), _) => Source::Content(text),
        (None, file) => Source::File(file.unwrap_or_default()),
    }
}
