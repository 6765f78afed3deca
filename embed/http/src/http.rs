//! Requests and responses of WASI's HTTP: bodies are bounded on the way in and written in pieces on the way out.

use std::io::Write;

use wasip2::http::types::{Fields, IncomingRequest, Method, OutgoingBody, OutgoingResponse, ResponseOutparam};
use wasip2::io::streams::StreamError;

use crate::answer::{Answer, Body};
use crate::problem::Problem;
use crate::store::Parts;

/// The body of any other request: a filter has at most 8 KiB, parameters and conditions come beside it.
const MOST_REQUEST_BYTES: usize = 64 * 1024;

/// A client that is still sending does not read an answer: of a body that is too large, so much is read and dropped
/// before the connection is given up.
const MOST_DROPPED_BYTES: usize = 64 * 1024 * 1024;

/// So much is asked for at once.
const READ_BYTES: u64 = 64 * 1024;

/// The header with the settings of one call, where an application takes them.
pub(crate) const SETTINGS_HEADER: &str = "lro-settings";

/// The header that carries the contract's request for `POST /offload`, whose body is the result itself.
const REQUEST_HEADER: &str = "lro-request";

/// A request, whole.
pub struct Request {
    /// Its method.
    pub method: Method,
    /// Without the query string.
    pub path: String,
    /// The header `content-type`, empty without one.
    pub media_type: String,
    /// What the headers of MCP say of the message, each empty without one.
    pub mcp: McpHeaders,
    /// The text of the header `lro-request`, empty without one.
    pub lro_request: String,
    /// The body, which is text.
    pub body: String,
}

/// The headers with which MCP lets a gateway route a message that it does not read.
#[derive(Default)]
pub struct McpHeaders {
    /// `mcp-protocol-version`
    pub version: String,
    /// `mcp-method`
    pub method: String,
    /// `mcp-name`
    pub name: String,
}

/// Reads a request to its end, or until its body is too large.
///
/// # Errors
/// `invalid-argument` for what is not UTF-8, `limit-reached` for a body that is too large, `io` for one that breaks off.
pub fn read(incoming: &IncomingRequest, most_result_bytes: usize) -> Result<Request, Problem> {
    let path = incoming.path_with_query().unwrap_or_default();
    let path = path.split('?').next().unwrap_or_default().to_owned();
    let media_type = field(incoming, "content-type")?;
    let lro_request = field(incoming, REQUEST_HEADER)?;
    let mcp = McpHeaders {
        version: field(incoming, "mcp-protocol-version")?,
        method: field(incoming, "mcp-method")?,
        name: field(incoming, "mcp-name")?,
    };
    let (what, most) = match path.as_str() {
        "/offload" => ("the result", most_result_bytes),
        _ => ("the request", MOST_REQUEST_BYTES),
    };
    let body = String::from_utf8(read_body(incoming, what, most)?).map_err(|error| {
        Problem::invalid(format!("cannot read {what}: {error}"), "Send text in UTF-8: JSON, JSON Lines, or plain text.")
    })?;
    Ok(Request { method: incoming.method(), path, media_type, mcp, lro_request, body })
}

/// Returns the first value of a header, empty without one.
///
/// # Errors
/// `invalid-argument` for a value that is not UTF-8.
pub fn field(incoming: &IncomingRequest, name: &str) -> Result<String, Problem> {
    let value = incoming.headers().get(name).into_iter().next().unwrap_or_default();
    String::from_utf8(value)
        .map_err(|error| Problem::invalid(format!("cannot read the header `{name}`: {error}"), "Send text in UTF-8."))
}

/// Reads the body of a request that is refused, and drops it: a client that is still sending reads no answer.
pub(crate) fn discard(incoming: &IncomingRequest) {
    // It is refused in any case.
    let _ = read_body(incoming, "the request", 0);
}

fn read_body(incoming: &IncomingRequest, what: &str, most: usize) -> Result<Vec<u8>, Problem> {
    let refused = || Problem::io(format!("cannot read {what}: its body cannot be opened"), "");
    let body = incoming.consume().map_err(|()| refused())?;
    let stream = body.stream().map_err(|()| refused())?;
    let mut bytes = Vec::new();
    let mut length = 0;
    loop {
        match stream.blocking_read(READ_BYTES) {
            Ok(more) => {
                length += more.len();
                if length > most + MOST_DROPPED_BYTES {
                    return Err(Problem::too_large(what, most));
                }
                if length > most {
                    bytes = Vec::new();
                } else {
                    bytes.extend_from_slice(&more);
                }
            }
            Err(StreamError::Closed) if length > most => return Err(Problem::too_large(what, most)),
            Err(StreamError::Closed) => return Ok(bytes),
            Err(StreamError::LastOperationFailed(error)) => {
                let message = format!("cannot read {what}: {}", error.to_debug_string());
                return Err(Problem::io(message, "Send it again."));
            }
        }
    }
}

/// Sends an answer. An answer that comes in parts and breaks off ends the connection. A client that has gone away is nobody to tell.
pub fn send(answer: Answer, out: ResponseOutparam) {
    let fields = Fields::new();
    let bytes = match &answer.body {
        Body::Whole(bytes) => bytes.len() as u64,
        Body::Parts(parts) => parts.bytes,
    };
    let length = (bytes > 0).then(|| ("content-length", bytes.to_string()));
    for (name, value) in answer.headers.iter().chain(&length) {
        // A media type is the client's own and may be no header's value: then the answer goes without it.
        if fields.append(name, value.as_bytes()).is_err() {
            eprintln!("the header `{name}` is left out: `{value}` is not a valid value of a header");
        }
    }
    let response = OutgoingResponse::new(fields);
    response.set_status_code(answer.status).expect("our statuses are HTTP's");
    let body = response.body().expect("the body is asked for once");
    ResponseOutparam::set(out, Ok(response));
    let mut stream = body.write().expect("the stream is asked for once");
    let written = match answer.body {
        Body::Whole(bytes) => stream.write_all(&bytes).is_ok(),
        Body::Parts(Parts { mut parts, .. }) => parts.all(|part| match part {
            Ok(part) => stream.write_all(&part).is_ok(),
            Err(problem) => {
                eprintln!("{}", problem.message());
                false
            }
        }),
    } && Write::flush(&mut stream).is_ok();
    drop(stream);
    if written {
        // Fails where the client has closed the connection in between.
        let _ = OutgoingBody::finish(body, None);
    }
}
