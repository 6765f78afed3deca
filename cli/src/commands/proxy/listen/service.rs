//! What a request of HTTP does: POST brings messages, GET opens a stream, DELETE ends a session.

use std::sync::Arc;
use std::time::Duration;

use hyper::body::{Bytes, Incoming};
use hyper::http::request::Parts;
use hyper::http::{HeaderMap, HeaderValue, Method, Request, StatusCode, header};
use tokio::time::timeout;

use super::accepts::{Accepts, header};
use super::body::{Room, read};
use super::guard::Guard;
use super::message::{self, Message};
use super::reader::{Reader, own, place};
use super::reply::{self, Answer, SESSION};
use super::session::{NotSent, Session};
use super::sessions::{NoSession, Sessions};

/// An answer that comes within this is JSON, which costs a client less than a stream with one event.
const QUICK: Duration = Duration::from_millis(250);

/// The same in the protocol without sessions, where the status tells of an error. The first answer waits for a process.
const QUICK_WITH_STATUS: Duration = Duration::from_secs(5);

/// The path that is served.
pub(super) const PATH: &str = "/mcp";

/// From this version on the protocol has no sessions.
const FIRST_STATELESS: &str = "2026-07-28";

/// The versions with sessions.
const WITH_SESSIONS: [&str; 4] = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"];

const PARSE_ERROR: i32 = -32700;
const INVALID_REQUEST: i32 = -32600;
const HEADER_MISMATCH: i32 = -32020;

/// What answers requests.
pub(super) struct Service {
    pub(super) guard: Guard,
    pub(super) sessions: Sessions,
    pub(super) room: Room,
}

impl Service {
    /// Answers a request, and tells a browser which pages may read the answer.
    pub(super) async fn answer(&self, request: Request<Incoming>) -> Answer {
        let (parts, body) = request.into_parts();
        let readable = self.guard.readable_origin(&parts.headers).cloned();
        let mut answer = self.answered(&parts, body).await.unwrap_or_else(|refused| *refused);
        if let Some(origin) = readable {
            let headers = answer.headers_mut();
            headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, origin);
            headers.insert(header::ACCESS_CONTROL_EXPOSE_HEADERS, HeaderValue::from_static("Mcp-Session-Id"));
            headers.insert(header::VARY, HeaderValue::from_static("Origin"));
        }
        answer
    }

    async fn answered(&self, parts: &Parts, body: Incoming) -> Result<Answer, Box<Answer>> {
        let kept_out = |refusal| reply::kept_out(&refusal);
        if parts.method == Method::OPTIONS {
            // What a browser asks before the request itself has no token.
            self.guard.check_host(&parts.uri, &parts.headers).map_err(kept_out)?;
            self.guard.check_origin(&parts.headers).map_err(kept_out)?;
            return Ok(preflight());
        }
        self.guard.check(&parts.uri, &parts.headers).map_err(kept_out)?;
        if parts.uri.path() != PATH {
            return Err(reply::refused(StatusCode::NOT_FOUND, &format!("there is nothing here; MCP is at {PATH}")));
        }
        let headers = &parts.headers;
        match parts.method {
            Method::POST => self.post(headers, body).await,
            Method::GET if is_stateless(headers) => Err(not_allowed("POST")),
            Method::DELETE if is_stateless(headers) => Err(not_allowed("POST")),
            Method::GET => self.get(headers),
            Method::DELETE => {
                let session = self.session(headers)?;
                self.sessions.end(&session.id);
                Ok(reply::empty(StatusCode::NO_CONTENT))
            }
            _ => Err(not_allowed("GET, POST, DELETE")),
        }
    }

    /// The session that a request names.
    fn session(&self, headers: &HeaderMap) -> Result<Arc<Session>, Box<Answer>> {
        let Some(id) = header(headers, SESSION) else {
            let message = "the header `Mcp-Session-Id` is missing: `initialize` begins a session";
            return Err(reply::refused(StatusCode::BAD_REQUEST, message));
        };
        let session = self.sessions.get(&id).ok_or_else(|| {
            let message = "this session is unknown or has ended: `initialize` begins another";
            reply::refused(StatusCode::NOT_FOUND, message)
        })?;
        match header(headers, "mcp-protocol-version") {
            Some(version)
                if !WITH_SESSIONS.contains(&version.as_str()) && session.version().as_ref() != Some(&version) =>
            {
                let message = "the header `MCP-Protocol-Version` names another version than the handshake agreed on";
                Err(reply::refused(StatusCode::BAD_REQUEST, message))
            }
            _ => Ok(session),
        }
    }

    /// Opens the server's own stream, or one that broke.
    fn get(&self, headers: &HeaderMap) -> Result<Answer, Box<Answer>> {
        if !Accepts::of(headers).events {
            return Err(reply::refused(StatusCode::NOT_ACCEPTABLE, "a GET must accept text/event-stream"));
        }
        let session = self.session(headers)?;
        let reader = match header(headers, "last-event-id") {
            None => own(&session),
            Some(id) => place(&id).and_then(|(stream, number)| Reader::of(&session, stream, Some(number))),
        };
        reader.map(|reader| reply::events(reader.events())).ok_or_else(|| {
            let message = "the event in `Last-Event-ID` is unknown, or what followed it is no longer kept";
            reply::refused(StatusCode::BAD_REQUEST, message)
        })
    }

    async fn post(&self, headers: &HeaderMap, body: Incoming) -> Result<Answer, Box<Answer>> {
        let accepts = Accepts::of(headers);
        if !accepts.json && !accepts.events {
            let message = "a POST must accept application/json and text/event-stream";
            return Err(reply::refused(StatusCode::NOT_ACCEPTABLE, message));
        }
        if !super::accepts::is_json(headers) {
            let message = "the body of a POST must be application/json";
            return Err(reply::refused(StatusCode::UNSUPPORTED_MEDIA_TYPE, message));
        }
        let body = read(headers, body, &self.room).await?;
        let messages = message::messages(&body).map_err(|reason| {
            let code = if serde_json::from_slice::<serde::de::IgnoredAny>(&body).is_ok() {
                INVALID_REQUEST
            } else {
                PARSE_ERROR
            };
            reply::error(StatusCode::BAD_REQUEST, "null", code, reason)
        })?;
        drop(body);
        let is_stateless = is_stateless(headers) || messages.iter().any(|message| message.version.is_some());
        if is_stateless && !headers.contains_key(SESSION) {
            return self.stateless(headers, accepts, messages).await;
        }
        let is_first = |message: &Message| message.request.as_ref().is_some_and(|request| request.is_initialize);
        if messages.iter().any(is_first) && !headers.contains_key(SESSION) {
            return match messages.len() {
                1 => self.initialize(accepts, messages).await,
                _ => Err(reply::refused(StatusCode::BAD_REQUEST, "`initialize` must be alone in its body")),
            };
        }
        let session = self.session(headers)?;
        if messages.iter().all(|message| message.request.is_none()) {
            let are_sent = messages.into_iter().all(|message| session.tell(message.line));
            return if are_sent { Ok(reply::empty(StatusCode::ACCEPTED)) } else { Err(not_sent(&NotSent::Gone)) };
        }
        let reader = session.ask(messages, !accepts.events).map_err(|reason| not_sent(&reason))?;
        Ok(answers(reader, accepts, QUICK).await)
    }

    /// Begins a session. It has none to name if the server refuses.
    async fn initialize(&self, accepts: Accepts, messages: Vec<Message>) -> Result<Answer, Box<Answer>> {
        let session = self.sessions.begin().map_err(|reason| no_session(&reason))?;
        let unused = Unused { sessions: &self.sessions, id: Some(session.id.clone()) };
        // What else the server says now waits for a stream: this answer alone says whether there is a session.
        let reader = session.ask(messages, true).map_err(|reason| not_sent(&reason))?;
        let line = reader.only_answer().await.ok_or_else(|| not_sent(&NotSent::Gone))?;
        let mut answer = match accepts.json {
            true => reply::json(StatusCode::OK, line),
            false => reply::events(one_event(&line)),
        };
        if session.version().is_some() {
            unused.keep();
            let id = HeaderValue::try_from(&session.id).expect("an id has hexadecimal digits only");
            answer.headers_mut().insert(SESSION, id);
        }
        Ok(answer)
    }

    /// Answers a request of the stateless protocol.
    async fn stateless(
        &self,
        headers: &HeaderMap,
        accepts: Accepts,
        messages: Vec<Message>,
    ) -> Result<Answer, Box<Answer>> {
        let [message] = messages.as_slice() else {
            let message = "a body is one message: this version has no batches";
            return Err(reply::error(StatusCode::BAD_REQUEST, "null", INVALID_REQUEST, message));
        };
        let Some(request) = &message.request else {
            // There are none that a server would need: a client cancels by closing the stream.
            return Ok(reply::empty(StatusCode::ACCEPTED));
        };
        let id = request.id.clone();
        let found = |name: &str| super::accepts::decoded(headers, name);
        if let Some(mismatch) = message::mismatch(message, found) {
            return Err(reply::error(StatusCode::BAD_REQUEST, &id, HEADER_MISMATCH, &mismatch));
        }
        let session = self.sessions.shared().map_err(|reason| no_session(&reason))?;
        let reader = session.ask(messages, !accepts.events).map_err(|reason| not_sent(&reason))?;
        let mut answer = answers(reader, accepts, QUICK_WITH_STATUS).await;
        if let reply::Reply::Whole(Some(line)) = answer.body() {
            *answer.status_mut() = super::accepts::status_of(line);
        }
        Ok(answer)
    }
}

/// Ends a session that does not come about, also if its client goes away meanwhile.
struct Unused<'a> {
    sessions: &'a Sessions,
    id: Option<String>,
}

impl Unused<'_> {
    fn keep(mut self) {
        self.id = None;
    }
}

impl Drop for Unused<'_> {
    fn drop(&mut self) {
        if let Some(id) = &self.id {
            self.sessions.end(id);
        }
    }
}

/// Sends answers as they come: JSON where there is one and it is quick, otherwise events.
async fn answers(mut reader: Reader, accepts: Accepts, quick: Duration) -> Answer {
    if !accepts.events {
        let lines = reader.all().await;
        return match lines.as_slice() {
            [only] => reply::json(StatusCode::OK, only.clone()),
            lines => reply::json(StatusCode::OK, [b"[", lines.join(&b","[..]).as_slice(), b"]"].concat().into()),
        };
    }
    if accepts.json
        && let Ok(Some(line)) = timeout(quick, reader.only_answer()).await
    {
        return reply::json(StatusCode::OK, line);
    }
    reply::events(reader.events())
}

fn one_event(line: &Bytes) -> tokio::sync::mpsc::Receiver<super::reader::Piece> {
    let (pieces, taken) = tokio::sync::mpsc::channel(1);
    // There is room for one.
    let _ = pieces.try_send(Ok([b"data: ", line.as_ref(), b"\n\n"].concat().into()));
    taken
}

fn is_stateless(headers: &HeaderMap) -> bool {
    header(headers, "mcp-protocol-version").is_some_and(|version| version.as_str() >= FIRST_STATELESS)
}

fn not_sent(reason: &NotSent) -> Box<Answer> {
    match reason {
        NotSent::Twice(id) => {
            let message = "a request with this id has no answer yet; ids are used once";
            reply::error(StatusCode::BAD_REQUEST, id, INVALID_REQUEST, message)
        }
        NotSent::TooMany => {
            reply::refused(StatusCode::TOO_MANY_REQUESTS, "too many requests of this session wait for answers")
        }
        NotSent::Gone => {
            reply::refused(StatusCode::SERVICE_UNAVAILABLE, "the session's server has gone, or does not read")
        }
    }
}

fn no_session(reason: &NoSession) -> Box<Answer> {
    let message = match reason {
        NoSession::Full(most) => {
            format!("there are {most} sessions already; end one with DELETE, or see --listen-sessions")
        }
        NoSession::Failed(error) => format!("a session cannot be started: {error}"),
    };
    let mut answer = reply::refused(StatusCode::SERVICE_UNAVAILABLE, &message);
    answer.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from_static("5"));
    answer
}

fn not_allowed(methods: &'static str) -> Box<Answer> {
    let mut answer = reply::refused(StatusCode::METHOD_NOT_ALLOWED, &format!("use one of: {methods}"));
    answer.headers_mut().insert(header::ALLOW, HeaderValue::from_static(methods));
    answer
}

fn preflight() -> Answer {
    let mut answer = reply::empty(StatusCode::NO_CONTENT);
    let headers = answer.headers_mut();
    headers.insert(header::ACCESS_CONTROL_ALLOW_METHODS, HeaderValue::from_static("GET, POST, DELETE"));
    let allowed =
        "Authorization, Content-Type, Last-Event-ID, Mcp-Method, Mcp-Name, Mcp-Protocol-Version, Mcp-Session-Id";
    headers.insert(header::ACCESS_CONTROL_ALLOW_HEADERS, HeaderValue::from_static(allowed));
    answer
}
