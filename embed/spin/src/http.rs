//! Requests and responses of WASI's HTTP: bodies are bounded on the way in and written in pieces on the way out.

use std::io::Write;

use wasip2::http::types::{Fields, IncomingRequest, Method, OutgoingBody, OutgoingResponse, ResponseOutparam};
use wasip2::io::streams::StreamError;

use crate::answer::Answer;
use crate::problem::Problem;

/// A tool's result may have so much: what the smallest known deployment of Spin takes as a request, and with the copies
/// that a call makes of it still far below the 128 MiB of memory that one has there.
const MOST_RESULT_BYTES: usize = 10 * 1024 * 1024;

/// The body of any other request: a filter has at most 8 KiB, parameters and conditions come beside it.
const MOST_REQUEST_BYTES: usize = 64 * 1024;

/// A client that is still sending does not read an answer: of a body that is too large, so much is read and dropped
/// before the connection is given up.
const MOST_DROPPED_BYTES: usize = 64 * 1024 * 1024;

/// So much is asked for at once.
const READ_BYTES: u64 = 64 * 1024;

/// The header that carries the contract's request for `POST /offload`, whose body is the result itself.
const REQUEST_HEADER: &str = "lro-request";

/// A request, whole.
pub(crate) struct Request {
    pub(crate) method: Method,
    /// Without the query string.
    pub(crate) path: String,
    pub(crate) media_type: String,
    /// The text of the header `lro-request`, empty without one.
    pub(crate) lro_request: String,
    pub(crate) body: String,
}

/// Reads a request to its end, or until its body is too large.
pub(crate) fn read(incoming: IncomingRequest) -> Result<Request, Problem> {
    let path = incoming.path_with_query().unwrap_or_default();
    let path = path.split('?').next().unwrap_or_default().to_owned();
    let fields = incoming.headers();
    let media_type = field(&fields, "content-type")?;
    let lro_request = field(&fields, REQUEST_HEADER)?;
    drop(fields);
    let (what, most) = match path.as_str() {
        "/offload" => ("the result", MOST_RESULT_BYTES),
        _ => ("the request", MOST_REQUEST_BYTES),
    };
    let body = String::from_utf8(read_body(&incoming, what, most)?).map_err(|error| {
        Problem::invalid(format!("cannot read {what}: {error}"), "Send text in UTF-8: JSON, JSON Lines, or plain text.")
    })?;
    Ok(Request { method: incoming.method(), path, media_type, lro_request, body })
}

/// The first value of a header, empty without one.
fn field(fields: &Fields, name: &str) -> Result<String, Problem> {
    let value = fields.get(name).into_iter().next().unwrap_or_default();
    String::from_utf8(value)
        .map_err(|error| Problem::invalid(format!("cannot read the header `{name}`: {error}"), "Send text in UTF-8."))
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

/// Sends an answer. A client that has gone away is nobody to tell.
pub(crate) fn send(answer: Answer, out: ResponseOutparam) {
    let fields = Fields::new();
    let length = (!answer.body.is_empty()).then(|| ("content-length", answer.body.len().to_string()));
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
    let written = stream.write_all(&answer.body).and_then(|()| Write::flush(&mut stream));
    drop(stream);
    if written.is_ok() {
        // Fails where the client has closed the connection in between.
        let _ = OutgoingBody::finish(body, None);
    }
}
