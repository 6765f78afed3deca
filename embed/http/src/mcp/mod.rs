//! `POST /mcp`: the tools that read stored results, over MCP. One request, one answer: there are no sessions, so any replica
//! answers any request. Clients of 2026-07-28 and those of the versions before, with a handshake, are served alike.

mod message;
mod tools;

use serde_json::{Value, json};
use wasip2::http::types::Method;

use self::message::{Failure, Message};
use crate::Call;
use crate::answer::Answer;
use crate::bindings::lro::offload::mcp;
use crate::problem::Problem;
use crate::routes::{Route, misused};

/// What `GET /` says of it.
pub const ROUTE: Route = Route {
    method: "POST",
    path: "/mcp",
    what: "MCP over HTTP, without sessions: tools/list and tools/call of the tools that read stored results.",
};

/// The first version without a handshake.
const STATELESS: &str = "2026-07-28";

/// Versions with one, the newest first.
const WITH_HANDSHAKE: [&str; 4] = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"];

/// The tools change only with the application, and are the same for everyone.
const FRESH_MILLISECONDS: u32 = 3_600_000;

/// Answers a request for this route; `None` if it is for another one.
pub fn answer(call: &Call<'_>) -> Option<Result<Answer, Problem>> {
    (call.request.path == "/mcp").then_some(())?;
    Some(match call.request.method {
        Method::Post => Ok(answered(call)),
        _ => Err(misused(&call.request, "POST")),
    })
}

fn answered(call: &Call<'_>) -> Answer {
    let message = match Message::read(&call.request) {
        Ok(message) => message,
        Err(failure) => return failed(&Value::Null, &failure, true),
    };
    // What is not asked is not answered.
    let Some(id) = &message.id else { return Answer::of(202, "", "") };
    match result(&message, call) {
        Ok(result) => {
            Answer::of(200, "application/json", format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{result}}}"#))
        }
        Err(failure) => failed(id, &failure, message.is_stateless()),
    }
}

/// An error as the answer to a request. The status says the same where the version has no handshake.
fn failed(id: &Value, failure: &Failure, is_stateless: bool) -> Answer {
    let status = match failure.code {
        _ if !is_stateless => 200,
        message::UNKNOWN_METHOD => 404,
        message::INTERNAL => 500,
        _ => 400,
    };
    Answer::json(status, &json!({ "jsonrpc": "2.0", "id": id, "error": failure }))
}

/// The result of a request as JSON text.
fn result(message: &Message, call: &Call<'_>) -> Result<String, Failure> {
    message.check(&call.request.mcp, STATELESS)?;
    let settings = call.settings.text();
    match message.method.as_str() {
        "initialize" => Ok(initialized(message).to_string()),
        "server/discover" => {
            let mut versions = vec![STATELESS];
            versions.extend(WITH_HANDSHAKE);
            Ok(json!({
                "resultType": "complete",
                "supportedVersions": versions,
                "capabilities": { "tools": {} },
                "instructions": INSTRUCTIONS,
                "ttlMs": FRESH_MILLISECONDS,
                "cacheScope": "public",
                "_meta": { "io.modelcontextprotocol/serverInfo": server() },
            })
            .to_string())
        }
        "ping" => Ok("{}".to_owned()),
        "tools/list" => {
            let tools = mcp::tools(&settings).map_err(|error| Failure::internal(Problem::from(error).message()))?;
            Ok(format!(
                r#"{{"resultType":"complete","tools":{tools},"ttlMs":{FRESH_MILLISECONDS},"cacheScope":"public"}}"#
            ))
        }
        "tools/call" => tools::call(&message.params, call),
        method => Err(Failure {
            code: message::UNKNOWN_METHOD,
            message: format!("cannot answer `{method}`: there is no such method; there are tools/list and tools/call"),
            data: None,
        }),
    }
}

const INSTRUCTIONS: &str = "Reads large tool results that were stored: pass the file_path of a response.";

/// The version that is asked for, or else the newest with a handshake.
fn initialized(message: &Message) -> Value {
    let asked = message.params["protocolVersion"].as_str().unwrap_or_default();
    let version = WITH_HANDSHAKE.iter().find(|version| **version == asked).unwrap_or(&WITH_HANDSHAKE[0]);
    json!({
        "protocolVersion": version,
        "capabilities": { "tools": {} },
        "serverInfo": server(),
        "instructions": INSTRUCTIONS,
    })
}

fn server() -> Value {
    json!({ "name": "lro", "version": env!("CARGO_PKG_VERSION") })
}
