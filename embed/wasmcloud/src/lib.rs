//! Results over HTTP: `POST /` takes one and answers it, or the response; `POST /extract` takes the arguments of the tool
//! `lro_extract` and answers its CallToolResult.
#![cfg(target_family = "wasm")]

use std::io::{Read, Write};

use bindings::lro::offload::mcp;
use bindings::lro::offload::offloader::{self, Outcome};
use bindings::lro::offload::types::Error;
use wasip2::exports::http::incoming_handler::Guest;
use wasip2::http::types::{Fields, IncomingRequest, OutgoingBody, OutgoingResponse, ResponseOutparam};

#[allow(missing_docs, unsafe_code, unreachable_pub, clippy::all, reason = "generated")]
mod bindings {
    wit_bindgen::generate!({ path: ["../../wit", "wit"], world: "lro:wasmcloud/application", generate_all });
}

struct Application;
wasip2::http::proxy::export!(Application);

/// What becomes of every result that is posted. A real application would say which tool it came from.
const REQUEST: &str = r#"{"operation": "http"}"#;

/// Where the volume is mounted. It has to be named: components of a workload see each other's mounts.
const SETTINGS: &str = r#"{"output_dir": "/results"}"#;

impl Guest for Application {
    fn handle(request: IncomingRequest, out: ResponseOutparam) {
        let (status, text) = match (request.path_with_query().as_deref(), body(&request)) {
            (_, Err(reason)) => (400, reason),
            (Some("/"), Ok(result)) => answered(offload(result)),
            (Some("/extract"), Ok(arguments)) => answered(mcp::call("lro_extract", &arguments, SETTINGS)),
            _ => (404, "POST a result to /, or the arguments of lro_extract to /extract".to_owned()),
        };
        respond(out, status, &text);
    }
}

fn offload(result: String) -> Result<String, Error> {
    Ok(match offloader::offload(&result, REQUEST, SETTINGS)?.outcome {
        Outcome::Unchanged => result,
        Outcome::Offloaded(stored) => stored.response,
        Outcome::Inline(text) | Outcome::Truncated(text) => text,
    })
}

/// An error here is one of ours: requests and settings are fixed, and what is wrong with arguments stands in the result.
fn answered(answer: Result<String, Error>) -> (u16, String) {
    match answer {
        Ok(text) => (200, text),
        Err(error) => (500, format!("{error:?}")),
    }
}

fn body(request: &IncomingRequest) -> Result<String, String> {
    let incoming = request.consume().map_err(|()| "the body cannot be opened")?;
    let mut stream = incoming.stream().map_err(|()| "the body cannot be opened")?;
    let mut text = String::new();
    stream.read_to_string(&mut text).map_err(|error| format!("the body cannot be read: {error}"))?;
    Ok(text)
}

fn respond(out: ResponseOutparam, status: u16, text: &str) {
    let response = OutgoingResponse::new(Fields::new());
    response.set_status_code(status).expect("the status is one of HTTP");
    let body = response.body().expect("the body is taken once");
    ResponseOutparam::set(out, Ok(response));
    let mut stream = body.write().expect("the stream is taken once");
    let written = stream.write_all(text.as_bytes()).and_then(|()| Write::flush(&mut stream));
    drop(stream);
    // A client that has gone needs no answer.
    if written.is_ok() {
        let _ = OutgoingBody::finish(body, None);
    }
}
