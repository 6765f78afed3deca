//! `tools/call`: the component's tools, on results that are in the store.
//!
//! The component's own calls of its tools read files. Here they are the functions of its contract, on the text from the store,
//! and their answers stay as small.

use std::collections::BTreeMap;

use serde_json::value::RawValue;
use serde_json::{Map, Value, json};

use super::message::Failure;
use crate::bindings::lro::offload::types::Error;
use crate::bindings::lro::offload::{documents as looking, mcp, offloader, reader};
use crate::name::Name;
use crate::problem::Problem;
use crate::{Call, documents, extraction, routes};

/// What clients read without putting it aside again, unless the setting `max_answer_bytes` says otherwise.
const ANSWER_BYTES: u64 = 8192;

/// Room for all but the results, as in the component.
const FRAME_BYTES: u64 = 1536;

/// What to do about an answer with more to come.
const MORE: &str = "the same call with this `next`";

/// What to do about a result that is larger than an answer.
const LESS: &str = "Ask for less of it: name fields with `select`, or cut a text in a query: .content[:2000]";

/// Executes a call, and returns the text of a CallToolResult. A failure of the tool is a result with `isError`.
pub(super) fn call(params: &Value, call: &Call<'_>) -> Result<String, Failure> {
    let name = params["name"].as_str().unwrap_or_default();
    let settings = call.settings.text();
    let tools = mcp::tools(&settings).map_err(|error| Failure::internal(Problem::from(error).message()))?;
    let tools: Vec<Value> = serde_json::from_str(&tools).map_err(|error| Failure::internal(&error.to_string()))?;
    let names: Vec<&str> = tools.iter().filter_map(|tool| tool["name"].as_str()).collect();
    if !names.contains(&name) {
        let known = names.join(", ");
        return Err(Failure::parameters(&format!(
            "cannot call `{name}`: there is no such tool\nthe tools are {known}"
        )));
    }
    let arguments = match &params["arguments"] {
        Value::Null => Map::new(),
        Value::Object(arguments) => arguments.clone(),
        _ => return Err(Failure::parameters(&format!("cannot call `{name}`: `arguments` is not an object"))),
    };
    Ok(match answer(name, arguments, call, &settings) {
        // The same text twice, with the bytes that the component gave its numbers.
        Ok(text) => format!(
            r#"{{"content":[{{"type":"text","text":{}}}],"structuredContent":{text},"isError":false,"resultType":"complete","_meta":{{"lro/result":"answer"}}}}"#,
            Value::from(text.as_str()),
        ),
        Err(problem) => json!({
            "content": [{ "type": "text", "text": told(&problem) }],
            "isError": true,
            "resultType": "complete",
        })
        .to_string(),
    })
}

/// What a model reads of an error.
fn told(problem: &Problem) -> String {
    let known = problem.known().join(", ");
    let known = if known.is_empty() { String::new() } else { format!("known: {known}") };
    [problem.message(), problem.hint(), &known]
        .into_iter()
        .filter(|text| !text.is_empty())
        .collect::<Vec<_>>()
        .join("\n")
}

/// The text of one JSON object.
fn answer(tool: &str, mut arguments: Map<String, Value>, call: &Call<'_>, settings: &str) -> Result<String, Problem> {
    let path = arguments.remove("file_path");
    let name = path.as_ref().and_then(Value::as_str).and_then(routes::name_in).ok_or_else(|| {
        Problem::invalid(
            "cannot open the result: `file_path` is not that of a stored result",
            "Pass the file_path of a response, unchanged.",
        )
    })?;
    let source = documents::source(&Name::new(name)?, call)?;
    let most = call.settings.number("max_answer_bytes").unwrap_or(ANSWER_BYTES);
    if !tool.ends_with("describe") {
        let asked = arguments.get("max_bytes").and_then(Value::as_u64).unwrap_or(u64::MAX);
        arguments.insert("max_bytes".into(), asked.min(most - FRAME_BYTES).into());
    }
    let request = Value::Object(arguments.clone()).to_string();
    let text = match tool.rsplit('_').next() {
        Some("extract") => {
            let page = offloader::extract(&source, &extraction::as_values(&request)?, settings);
            // The component advises to raise `max_bytes`, which the tools do not have.
            let page = page.map_err(|error| match error {
                Error::LimitReached(problem) if problem.limit == "max_bytes" => Problem::invalid(problem.message, LESS),
                error => error.into(),
            })?;
            compact(&extraction::page(&page)?)
        }
        Some("read") => {
            let is_base64 = arguments.get("encoding").is_some_and(|encoding| encoding == "base64");
            let text = if is_base64 { "base64" } else { "text" };
            compact(&documents::passage(&source, &request, settings, text)?)
        }
        Some("search") => found(&reader::search(&source, &request, settings)?),
        Some("describe") if arguments.is_empty() => looking::describe(&source, settings)?,
        Some("describe") => {
            return Err(Problem::invalid(
                "cannot describe the result: a list inside of it cannot be described here",
                "Leave `records` out, or read the list with lro_extract.",
            ));
        }
        _ => {
            return Err(Problem::misconfigured(
                format!("cannot call `{tool}`: only the tools of the family `lro` are served here"),
                "The operator has to leave `tool_names` out of the settings.",
            ));
        }
    };
    let bytes = text.len();
    if bytes as u64 > most {
        let message = format!("cannot answer: one result alone has {bytes} bytes, and an answer at most {most}");
        return Err(Problem::invalid(message, LESS));
    }
    Ok(text)
}

/// The members that say something: what is empty is left out, and what is cut says how to go on.
fn compact(page: &str) -> String {
    let Ok(mut members) = serde_json::from_str::<BTreeMap<&str, &RawValue>>(page) else { return page.to_owned() };
    members.retain(|key, value| match value.get() {
        "null" => false,
        "[]" => *key == "results",
        "0" => *key != "failed",
        _ => true,
    });
    let more = RawValue::from_string(Value::from(MORE).to_string()).expect("a text is JSON");
    if members.contains_key("next") {
        members.insert("more", &more);
    }
    serde_json::to_string(&members).expect("an object has text keys")
}

fn found(findings: &reader::Findings) -> String {
    let lines = documents::lines(&findings.hits);
    compact(
        &json!({
            "count": findings.hits.len(),
            "total": findings.total,
            "truncated": findings.truncated,
            "next": findings.next,
            "remarks": findings.remarks,
            "results": lines,
        })
        .to_string(),
    )
}
