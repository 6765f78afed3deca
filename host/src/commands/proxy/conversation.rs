//! The conversation between a client and a server: lines are forwarded at once, and what may have to be changed goes to
//! workers, so that a large result holds nothing else up.
//!
//! The protocol asks for no order between answers to different requests. What belongs to one request keeps its order:
//! its notifications are forwarded at once, and come before its answer.

use std::sync::{Mutex, MutexGuard, PoisonError};

use lro::Rewriting;
use serde_json::Value;

use super::envelope::{self, Envelope};
use super::lines::Sink;
use super::ours::Ours;
use super::pending::{Expected, ToolCall};
use super::router::{FromClient, FromServer, Router};
use super::server::Server;
use super::workers::Workers;
use crate::commands::events::EventsFlag;
use crate::commands::output;

/// JSON-RPC's code for parameters that make no sense.
const INVALID_PARAMS: i32 = -32602;

/// Something that takes time.
pub(super) enum Job {
    /// Answer a call of one of our tools.
    Answer { id: String, call: ToolCall },
    /// Look at an answer of the server, and send it on.
    Look { line: Vec<u8>, expected: Expected },
}

/// What the threads of a proxy share.
pub(super) struct Conversation {
    router: Mutex<Router>,
    ours: Mutex<Ours>,
    client: Sink<Box<dyn std::io::Write + Send>>,
    server: Box<dyn Server>,
    events: EventsFlag,
}

impl Conversation {
    pub(super) fn new(ours: Ours, announces: bool, server: Box<dyn Server>, events: EventsFlag) -> Self {
        let router = Router::new(ours.names.clone(), announces, ours.lro.settings());
        let client: Box<dyn std::io::Write + Send> = Box::new(std::io::stdout());
        Self { router: Mutex::new(router), ours: Mutex::new(ours), client: Sink::new(client), server, events }
    }

    /// Takes a line of the client. False when the server has gone.
    pub(super) fn client_says(&self, line: &[u8], workers: &Workers) -> bool {
        let action = locked(&self.router).client_says(line);
        match action {
            FromClient::Forward => self.server.send(line),
            FromClient::Replace(line) => self.server.send(&line),
            FromClient::Answer { id, call } => workers.add(Job::Answer { id, call }),
        }
    }

    /// The client says nothing any more.
    pub(super) fn client_has_ended(&self) {
        self.server.close();
    }

    /// Takes a line of the server. False when the client has gone.
    pub(super) fn server_says(&self, line: &[u8], workers: &Workers) -> bool {
        let action = locked(&self.router).server_says(line);
        match action {
            FromServer::Forward => self.client.write(line),
            FromServer::Look(expected) => workers.add(Job::Look { line: line.to_owned(), expected }),
        }
    }

    /// Does a job. What fails is forwarded as it is.
    pub(super) fn work(&self, job: Job) {
        let line = match job {
            Job::Answer { id, call } => self.answer(&id, &call),
            Job::Look { line, expected } => {
                let changed = match expected {
                    Expected::Tools => self.listed(&line),
                    Expected::ToolResult(call) => self.offloaded(&line, &call),
                };
                changed.unwrap_or(line)
            }
        };
        // A client that has gone is noticed by those who read.
        self.client.write(&line);
    }

    fn answer(&self, id: &str, call: &ToolCall) -> Vec<u8> {
        let lro = locked(&self.ours).lro.clone();
        match lro.mcp_call(&call.tool, &call.arguments) {
            Ok(result) => envelope::response(id, &result),
            Err(error) => envelope::error(id, INVALID_PARAMS, error.message()),
        }
    }

    /// The answer to `tools/list` as the client should see it, if it changes.
    fn listed(&self, line: &[u8]) -> Option<Vec<u8>> {
        let list = Envelope::of(line)?.result?.get();
        let parsed: Value = serde_json::from_str(list).ok()?;
        let name = |tool: &Value| tool["name"].as_str().map(str::to_owned);
        let listed: Vec<String> = parsed["tools"].as_array()?.iter().filter_map(name).collect();
        let lro = {
            let mut ours = locked(&self.ours);
            match ours.make_way(&listed) {
                Ok(Some(names)) => locked(&self.router).rename(names.to_owned()),
                Ok(None) => {}
                Err(failure) => output::remark(&failure.to_text()),
            }
            ours.lro.clone()
        };
        match lro.mcp_offload_tools(list) {
            Ok(changed) => changed.map(|text| envelope::with(line, list, &text)),
            Err(error) => {
                output::remark(&format!("the list of tools is passed on as it is: {error}"));
                None
            }
        }
    }

    /// The result of a tool as the client should see it, if it changes.
    fn offloaded(&self, line: &[u8], call: &ToolCall) -> Option<Vec<u8>> {
        let result = Envelope::of(line)?.result?.get();
        let lro = locked(&self.ours).lro.clone();
        let rewritten = match lro.mcp_offload_result(&call.tool, &call.arguments, result) {
            Ok(rewritten) => rewritten,
            Err(error) => {
                output::remark(&format!("the result of `{}` is passed on as it is: {error}", call.tool));
                return None;
            }
        };
        self.events.report(&rewritten.events);
        match rewritten.message {
            Rewriting::Unchanged => None,
            Rewriting::Replaced(text) => Some(envelope::with(line, result, &text)),
        }
    }
}

/// What a thread that panicked left behind is whole: every change is one assignment.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
