//! The messages between the runner and an adapter. A request carries the arguments of the contract's function under their
//! names in WIT, and an answer its record, as JSON; here they become what cases spell.

use serde_json::{Map, Value, json};

use super::case::{Function, Source};
use super::engine::Call;

/// What a reply says.
pub(super) enum Reply {
    /// The function's answer.
    Answer(Value),
    /// The contract's error.
    Error(Value),
    /// An accident: the call came to no answer of the contract.
    Trap(String),
}

/// The request of a call, without its id.
pub fn request(call: &Call<'_>) -> Value {
    let nowhere = Source::File(String::new());
    let source = call.source.unwrap_or(&nowhere);
    let mut request = match call.function {
        Function::Estimate | Function::Offload => json!({"payload": call.payload, "request": call.request}),
        Function::Extract | Function::Read | Function::Search => json!({"source": source, "request": call.request}),
        Function::Describe | Function::Rebuild | Function::Copies => json!({"source": source}),
        Function::Cleanup | Function::ListFiles => json!({"request": call.request}),
        Function::Resolve => {
            return json!({
                "call": call.function,
                "file_text": call.file_text,
                "environment": call.environment,
                "explicit": call.settings,
            });
        }
        Function::McpTools => json!({}),
        Function::McpCall => json!({"name": call.tool(), "call_arguments": call.arguments()}),
        Function::McpOffloadResult => {
            json!({"tool": call.tool(), "call_arguments": call.arguments(), "call_result": call.payload})
        }
        Function::McpOffloadTools => json!({"list_result": call.payload}),
        Function::McpResolveArguments => json!({"tool": call.tool(), "call_arguments": call.arguments()}),
    };
    request["call"] = json!(call.function);
    request["settings"] = json!(call.settings);
    request["directory"] = json!(call.directory);
    request["access"] = json!(call.access);
    request
}

/// A message as a line. Characters that some readers take for the end of a line are written as escapes.
pub(super) fn line(message: &Value) -> String {
    let mut line = message.to_string();
    for (character, escape) in [('\u{85}', "\\u0085"), ('\u{2028}', "\\u2028"), ('\u{2029}', "\\u2029")] {
        if line.contains(character) {
            line = line.replace(character, escape);
        }
    }
    line + "\n"
}

/// Reads a line of an adapter. An error completes the sentence "the adapter's reply …".
pub(super) fn reply(line: &[u8], id: u64) -> Result<Reply, String> {
    let not_json = |_| format!("is not a JSON object: `{}`; only replies belong on standard output", shown(line));
    let mut members: Map<String, Value> = serde_json::from_slice(line).map_err(not_json)?;
    if members.get("id") != Some(&json!(id)) {
        let found = members.get("id").map_or_else(|| "no id".to_owned(), |found| format!("the id {found}"));
        return Err(format!("has {found} instead of the id {id}"));
    }
    let kinds = ["answer", "error", "trap"];
    let mut given = kinds.iter().filter_map(|kind| members.remove(*kind).map(|value| (*kind, value)));
    match (given.next(), given.next()) {
        (Some(("answer", answer)), None) => Ok(Reply::Answer(answer)),
        (Some(("error", error)), None) if error["case"].is_string() => Ok(Reply::Error(error)),
        (Some(("error", error)), None) => Err(format!("has an error without a `case`: {error}")),
        (Some((_, Value::String(text))), None) => Ok(Reply::Trap(text)),
        (Some((_, trap)), None) => Err(format!("has a `trap` that is not text: {trap}")),
        _ => Err(format!("must have exactly one of `answer`, `error` and `trap`: `{}`", shown(line))),
    }
}

/// The answer of a call as cases spell it, made from that of an adapter.
///
/// # Errors
/// Why it is not an answer of this function.
pub fn answer(call: &Call<'_>, found: Value) -> Result<Value, String> {
    match call.function {
        Function::Estimate => Ok(json!({"tokens": found})),
        Function::Describe
        | Function::Rebuild
        | Function::ListFiles
        | Function::Copies
        | Function::McpTools
        | Function::McpCall => Ok(json!({"text": text(found)})),
        Function::Resolve => Ok(parsed(found)),
        _ => match found {
            Value::Object(members) => Ok(shaped(call, members).into()),
            other => {
                let call = json!(call.function);
                Err(format!("the answer to `{}` is not an object: {other}", call.as_str().unwrap_or_default()))
            }
        },
    }
}

fn shaped(call: &Call<'_>, mut members: Map<String, Value>) -> Map<String, Value> {
    let payload = || Value::from(call.payload);
    match call.function {
        Function::Read | Function::Search => {
            let lines = (call.function == Function::Search).then_some("lines");
            for optional in ["total", "next"].into_iter().chain(lines) {
                members.entry(optional).or_insert(Value::Null);
            }
        }
        Function::Extract => {
            let results = members.remove("results").unwrap_or_default();
            members.insert("text".into(), results);
            for optional in ["total", "next"] {
                members.entry(optional).or_insert(Value::Null);
            }
        }
        Function::McpOffloadResult | Function::McpOffloadTools | Function::McpResolveArguments => {
            let message = members.remove("message").filter(|message| !message.is_null());
            members.insert("outcome".into(), if message.is_some() { "replaced" } else { "unchanged" }.into());
            if call.function == Function::McpOffloadResult {
                members.entry("file_name").or_insert(Value::Null);
            }
            let given = || match call.function {
                Function::McpResolveArguments => call.arguments().into(),
                _ => payload(),
            };
            members.insert("text".into(), message.map_or_else(given, |message| text(message).into()));
        }
        Function::Offload => {
            let is_unchanged = members.get("outcome").is_some_and(|outcome| outcome == "unchanged");
            if is_unchanged && members.get("text").is_none_or(Value::is_null) {
                members.insert("text".into(), payload());
            }
        }
        _ => {}
    }
    for event in members.get_mut("events").and_then(Value::as_array_mut).into_iter().flatten() {
        event["fields"] = parsed(event["fields"].take());
    }
    members
}

/// A text, or the text of a value.
fn text(value: Value) -> String {
    match value {
        Value::String(text) => text,
        other => other.to_string(),
    }
}

/// A value, or the value that a text holds.
fn parsed(value: Value) -> Value {
    match value {
        Value::String(text) => serde_json::from_str(&text).unwrap_or(Value::String(text)),
        other => other,
    }
}

/// So much of a line as a message may quote.
fn shown(line: &[u8]) -> String {
    const MOST: usize = 200;
    let text = String::from_utf8_lossy(&line[..line.len().min(MOST)]).into_owned();
    if line.len() > MOST { text + "…" } else { text }
}
