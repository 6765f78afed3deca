//! The conversation between a client and a server: lines are forwarded at once, and what may have to be changed goes to
//! workers, so that a large result holds nothing else up.
//!
//! The protocol asks for no order between answers to different requests. What belongs to one request keeps its order:
//! its notifications are forwarded at once, and come before its answer.

use std::io::Write;
use std::mem::take;
use std::ops::Range;
use std::sync::{Mutex, MutexGuard, Once, PoisonError};

use lro::{Case, Lro, McpCall, Rewriting};

use super::envelope::{self, Envelope};
use super::lines::{Said, Sink};
use super::memory::Memory;
use super::noted::{self, Noting, Told};
use super::notes::{self, Note};
use super::ours::{self, Ours, Way};
use super::pending::{Expected, ToolCall};
use super::resolving::{Resolving, refused};
use super::router::{FromClient, FromServer, Router};
use super::server::Server;
use super::shown;
use super::unhandled::{failure_among, unhandled};
use super::workers::{Job, Workers};
use crate::ledger::line::Outcome;
use crate::opening::Opening;
use crate::outline::Outline;
use crate::output;
use crate::session::Session;

/// JSON-RPC's code for an invalid request.
const INVALID_REQUEST: i32 = -32600;

/// JSON-RPC leaves these numbers to implementations.
const TOO_LONG: i32 = -32000;

/// One of the two sides.
#[derive(Clone, Copy, PartialEq)]
enum Side {
    Client,
    Server,
}

/// What the threads of a proxy share.
pub(super) struct Conversation {
    router: Mutex<Router>,
    ours: Opening<Mutex<Ours>>,
    /// True once the router knows what the component knows.
    is_told: Once,
    session: Session,
    /// Done when the files of the session have been deleted, or stay.
    session_end: Once,
    client: Sink<Box<dyn Write + Send>>,
    server: Box<dyn Server>,
    resolving: Resolving,
    /// The last piece of the server's output, if it is not a whole line.
    half: Mutex<Vec<u8>>,
    told: Told,
    most_bytes: usize,
    memory: Memory,
}

impl Conversation {
    /// Messages that are longer than `most_bytes` are answered with an error.
    pub(super) fn new(
        ours: Opening<Mutex<Ours>>,
        router: Router,
        session: Session,
        client: Box<dyn Write + Send>,
        server: Box<dyn Server>,
        told: Told,
        most_bytes: usize,
    ) -> Self {
        let (router, client, half) =
            (Mutex::new(router), Sink::new(client).telling(output::cannot_write), Mutex::default());
        let (is_told, session_end, resolving) = (Once::new(), Once::new(), Resolving::default());
        let memory = Memory::of(most_bytes);
        Self { router, ours, is_told, session, session_end, client, server, resolving, half, told, most_bytes, memory }
    }

    /// True if the component is open.
    pub(super) fn is_open(&self) -> bool {
        self.ours.get().is_some()
    }

    /// Waits for the component.
    fn ours(&self) -> MutexGuard<'_, Ours> {
        self.ours.wait();
        self.tell_router();
        locked(self.ours.wait())
    }

    /// Tells the router what the component knows, as soon as it is open.
    fn tell_router(&self) {
        if let Some(ours) = self.ours.get() {
            self.is_told.call_once(|| {
                let ours = locked(ours);
                locked(&self.router).learn(ours.names.clone(), &ours.lro.settings().to_json());
            });
        }
    }

    /// Takes what the client says. False when the server has gone.
    pub(super) fn client_says(&self, said: Said<'_>, workers: &Workers) -> bool {
        let line = match said {
            Said::Line(line) => line,
            Said::TooLong(outline) => return self.too_long(Side::Client, outline),
        };
        self.tell_router();
        let mut action = locked(&self.router).client_says(line);
        if action == FromClient::Undecided {
            // What the client says after it waits too, so that the order stays.
            drop(self.ours());
            action = locked(&self.router).client_says(line);
        }
        match action {
            FromClient::Forward | FromClient::Undecided => self.server.send(line),
            FromClient::Replace(line) => self.server.send(&line),
            FromClient::Answer { id, call, line } => {
                workers.add(Job::Answer { id, call, line });
                true
            }
            FromClient::Say { id, result } => {
                self.client.write(&envelope::response(&id, &result));
                true
            }
            FromClient::Resolve { id, call, line } => {
                workers.add(Job::Resolve { id, call, line, waiting: self.resolving.begin() });
                true
            }
        }
    }

    /// Waits until all calls of the client have been sent to the server.
    pub(super) fn send_calls(&self) {
        self.resolving.finish();
    }

    /// Notes that the client has ended its input. This never waits.
    pub(super) fn client_has_ended(&self) {
        self.server.close();
    }

    /// Takes what the server says. False when the client has gone.
    pub(super) fn server_says(&self, said: Said<'_>, workers: &Workers) -> bool {
        let is_heard = match said {
            Said::Line(line) => self.server_says_line(line, workers),
            Said::TooLong(outline) => self.too_long(Side::Server, outline),
        };
        if !is_heard {
            notes::tell(Note::ClientHasGone);
        }
        is_heard
    }

    fn server_says_line(&self, line: &mut Vec<u8>, workers: &Workers) -> bool {
        if !line.ends_with(b"\n") {
            *locked(&self.half) = take(line);
            return true;
        }
        self.tell_router();
        let action = locked(&self.router).server_says(line);
        match action {
            FromServer::Unreadable => match envelope::mended(line) {
                Some(mut mended) if locked(&self.router).awaits(&mended) => self.server_says_line(&mut mended, workers),
                _ => self.client.write(line),
            },
            FromServer::Forward => self.client.write(line),
            FromServer::Look { expected, result } => {
                workers.add(Job::Look { line: take(line), expected, result });
                true
            }
        }
    }

    /// Sends the rest of the server's output, when all lines before have been sent: what follows half a line becomes a
    /// part of it.
    pub(super) fn send_half_line(&self) {
        let line = take(&mut *locked(&self.half));
        if line.is_empty() {
            return;
        }
        let action = locked(&self.router).server_says(&line);
        match action {
            FromServer::Forward | FromServer::Unreadable => _ = self.client.write(&line),
            FromServer::Look { expected, result } => self.work(Job::Look { line, expected, result }),
        }
    }

    /// Reports that a message was too long: to its sender if it is a request, to the other side if it is an answer. False
    /// if that side has gone.
    fn too_long(&self, from: Side, outline: &Outline) -> bool {
        let name = if from == Side::Client { "client" } else { "server" };
        let reason = format!(
            "a message of the {name} is longer than {} bytes and was dropped; --max-message allows more",
            self.most_bytes
        );
        output::remark(&reason);
        let code = if outline.is_request() { INVALID_REQUEST } else { TOO_LONG };
        let is_clients = (from == Side::Client) == outline.is_request();
        match outline.id() {
            Some(id) if is_clients => {
                locked(&self.router).forget(id);
                self.client.write(&envelope::error(id, code, &reason))
            }
            Some(id) => self.server.send(&envelope::error(id, code, &reason)) || from == Side::Server,
            None if from == Side::Client => self.client.write(&envelope::error("null", INVALID_REQUEST, &reason)),
            None => true,
        }
    }

    /// Does a job.
    pub(super) fn work(&self, job: Job) {
        let line = match job {
            Job::Resolve { id, call, line, waiting } => {
                let refused = self.resolve(&id, &call, &line);
                drop(waiting);
                let Some(refused) = refused else { return };
                refused
            }
            Job::Answer { id, call, line } => {
                let Some(answer) = self.answer(&id, &call, &line) else { return };
                answer
            }
            Job::Look { line, expected, result } => self.looked_at(&line, expected, result).unwrap_or(line),
        };
        // Those who read notice that the client has gone.
        self.client.write(&line);
    }

    /// The answer of the server as the client should see it, if it changes.
    fn looked_at(&self, line: &[u8], expected: Expected, result: Range<usize>) -> Option<Vec<u8>> {
        let result = std::str::from_utf8(&line[result]).ok()?;
        let changed = match expected {
            Expected::Tools(meta) => self.listed(result, meta),
            Expected::ToolResult(call) => self.offloaded(result, &call),
            Expected::Welcome => self.welcomed(result),
        };
        changed.map(|text| envelope::with(line, result, &text))
    }

    /// Ends the session, once. Nothing is there to be deleted before the component is open.
    pub(super) fn end_session(&self) {
        if let Some(ours) = self.ours.get() {
            let lro = locked(ours).lro.clone();
            self.session_end.call_once(|| self.session.end(&lro, &self.told.events));
        }
    }

    fn lro(&self) -> Lro {
        self.ours().lro.clone()
    }

    /// The component with what the conversation has shown for this call.
    fn lro_for(&self, call: &ToolCall) -> Lro {
        let settings = locked(&self.router).known.call_settings(call);
        self.lro().for_call(&settings)
    }

    /// The answer of one of our tools. A client that is a proxy itself means a tool of the server (PROXY-04).
    fn answer(&self, id: &str, call: &ToolCall, line: &[u8]) -> Option<Vec<u8>> {
        let lro = self.lro_for(call);
        let asked = McpCall::Call { arguments: &call.arguments };
        let result = match self.memory.within(&lro, asked, || lro.mcp_call(&call.tool, &call.arguments)) {
            Err(lro::Error::Case(Case::InvalidArgument(_))) => {
                self.server.send(line);
                return None;
            }
            answer => answer.unwrap_or_else(|error| refused(&error)),
        };
        self.count(&result);
        noted::extraction(&self.noting(&lro, call), call, &result);
        Some(envelope::response(id, &result))
    }

    /// Sends a call to the server, its references replaced by the data. Returns the answer of one whose references cannot be
    /// resolved: the server never sees it.
    fn resolve(&self, id: &str, call: &ToolCall, line: &[u8]) -> Option<Vec<u8>> {
        let envelope = Envelope::of(line)?;
        let arguments = envelope.param_text("arguments").unwrap_or_default();
        let lro = self.lro_for(call);
        let asked = McpCall::ResolveArguments { arguments };
        match self.memory.within(&lro, asked, || lro.mcp_resolve_arguments(&call.tool, arguments)) {
            Ok(None) => _ = self.server.send(line),
            Ok(Some(text)) => _ = self.server.send(&envelope::with(line, arguments, &text)),
            Err(error) => {
                locked(&self.router).forget(id);
                let result = refused(&error);
                self.count(&result);
                return Some(envelope::response(id, &result));
            }
        }
        None
    }

    /// The list of tools as the client should see it, if it changes.
    fn listed(&self, list: &str, meta: String) -> Option<String> {
        let kept = self.make_way(list, &ours::listed(list)?);
        locked(&self.router).known.listed(list);
        let shows_table = locked(&self.router).known.shows_table(&meta);
        let (lro, offered) = (self.lro_for(&ToolCall { meta, ..ToolCall::default() }), kept.as_deref().unwrap_or(list));
        let asked = McpCall::Offload { message_bytes: offered.len() };
        let changed = match self.memory.within(&lro, asked, || lro.mcp_offload_tools(offered)) {
            Ok(changed) => changed,
            Err(error) => {
                output::remark(&format!("our tools are not added to the list of tools: {error}"));
                None
            }
        };
        if changed.as_deref().and_then(ours::listed).is_some_and(|names| self.are_ours_among(&names)) {
            self.ours().announce();
        }
        let changed = match changed {
            Some(list) if shows_table => shown::with_page(&list, &self.ours().names).or(Some(list)),
            changed => changed,
        };
        changed.or(kept)
    }

    /// What the server says of itself, with the resources that are ours.
    fn welcomed(&self, welcome: &str) -> Option<String> {
        let changed = shown::declared(welcome);
        locked(&self.router).only_ours = changed.is_some();
        changed
    }

    /// Resolves clashes of names. Returns the list to use instead, if there is one.
    fn make_way(&self, list: &str, listed: &[String]) -> Option<String> {
        let mut ours = self.ours();
        match ours.make_way(list, listed) {
            Ok(Way::Clear) => None,
            Ok(Way::Kept(list)) => Some(list),
            Ok(Way::Renamed(names)) => {
                locked(&self.router).rename(names);
                None
            }
            Err(failure) => {
                output::remark(&failure.to_text());
                None
            }
        }
    }

    fn are_ours_among(&self, names: &[String]) -> bool {
        self.ours().names.iter().any(|name| names.contains(name))
    }

    /// The result of a tool as the client should see it, if it changes.
    fn offloaded(&self, result: &str, call: &ToolCall) -> Option<String> {
        let lro = self.lro_for(call);
        let asked = McpCall::Offload { message_bytes: result.len() };
        let offload = || lro.mcp_offload_result(&call.tool, &call.arguments, result);
        let mut outcome = Outcome::Truncated;
        let text = match self.memory.within(&lro, asked, offload) {
            Ok(rewritten) => {
                if rewritten.file_name.is_some() {
                    outcome = Outcome::Offloaded;
                }
                self.told.events.report(&rewritten.events);
                match (rewritten.message, failure_among(&rewritten.events)) {
                    (Rewriting::Replaced(text), _) => {
                        self.ours().announce();
                        Some(text)
                    }
                    (Rewriting::Unchanged, Some(event)) => unhandled(call, result, &event.message),
                    (Rewriting::Unchanged, None) => None,
                }
            }
            Err(error) => {
                output::remark(&format!("the result of `{}` cannot be offloaded: {error}", call.tool));
                unhandled(call, result, error.message())
            }
        };
        self.count(text.as_deref().unwrap_or(result));
        noted::result(&self.noting(&lro, call), call, result, text.as_deref().map(|text| (text, outcome)));
        text
    }

    /// The ledger, for what this call has to do with.
    fn noting<'a>(&'a self, lro: &'a Lro, call: &ToolCall) -> Noting<'a> {
        let is_on = self.told.ledger.is_on();
        let client = if is_on { locked(&self.router).known.client_name(call) } else { String::new() };
        Noting { ledger: &self.told.ledger, lro, client }
    }

    /// Counts a result that the model gets.
    fn count(&self, result: &str) {
        locked(&self.router).known.input_tokens.add(result);
    }
}

/// What a thread that panicked left behind is whole: every change is one assignment.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
