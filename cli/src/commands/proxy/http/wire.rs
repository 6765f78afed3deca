//! Requests as they go over the wire: method, headers, time limits.

use std::time::Duration;

use ureq::http::Response;
use ureq::{Agent, Body, RequestBuilder};

use super::address::Address;
use super::headers::Headers;
use super::session::Known;
use crate::commands::proxy::envelope::Envelope;

/// How long a connection may take.
const CONNECT: Duration = Duration::from_secs(30);

/// How long a handshake may take; clients wait about as long.
const HANDSHAKE: Duration = Duration::from_secs(60);

/// How long a server may take to accept what it need not answer.
const ACCEPTING: Duration = Duration::from_secs(10);

/// How long the end of a session may take. The process ends within two seconds, and other things come first.
const ENDING: Duration = Duration::from_millis(500);

/// How long something may take.
#[derive(Clone, Copy)]
pub(super) enum Patience {
    /// An answer may take any time.
    Answer,
    Handshake,
    Accepting,
    Ending,
}

impl Patience {
    fn longest(self) -> Option<Duration> {
        match self {
            Self::Answer => None,
            Self::Handshake => Some(HANDSHAKE),
            Self::Accepting => Some(ACCEPTING),
            Self::Ending => Some(ENDING),
        }
    }
}

/// The way to a server.
pub(super) struct Wire {
    agent: Agent,
    pub(super) address: Address,
    headers: Headers,
}

impl Wire {
    pub(super) fn to(address: Address, headers: Headers, most_connections: usize) -> Self {
        let agent = Agent::config_builder()
            .http_status_as_error(false)
            .timeout_connect(Some(CONNECT))
            // A redirect would carry the token of this server to another one.
            .max_redirects(0)
            .max_redirects_will_error(false)
            .max_idle_connections_per_host(most_connections)
            .max_idle_connections(most_connections)
            .build()
            .into();
        Self { agent, address, headers }
    }

    /// Sends a message.
    pub(super) fn post(&self, line: &[u8], session: &Known, patience: Patience) -> Result<Response<Body>, String> {
        let headers = self.headers.for_message(Envelope::of(line).as_ref(), session);
        let request = self.agent.post(self.address.url()).header("Content-Type", "application/json");
        let sent = with(request, headers, patience).send(line.trim_ascii());
        sent.map_err(|error| self.reason(&error))
    }

    /// Asks for the stream of what the server says of its own accord, after the event `last`.
    pub(super) fn get(&self, session: &Known, last: Option<&str>) -> Result<Response<Body>, String> {
        let mut headers = self.headers.for_session(session);
        headers.push(("Accept".to_owned(), super::reply::EVENTS.to_owned()));
        headers.extend(last.map(|last| ("Last-Event-ID".to_owned(), last.to_owned())));
        let got = with(self.agent.get(self.address.url()), headers, Patience::Answer).call();
        got.map_err(|error| self.reason(&error))
    }

    /// Ends a session. A server need not let its clients do that, nor need it answer.
    pub(super) fn delete(&self, session: &Known) {
        let headers = self.headers.for_session(session);
        let _ = with(self.agent.delete(self.address.url()), headers, Patience::Ending).call();
    }

    /// An error as a client and a model may see it.
    fn reason(&self, error: &ureq::Error) -> String {
        self.redacted(&error.to_string())
    }

    /// A text of somebody else without the secrets of the address and the headers.
    pub(super) fn redacted(&self, text: &str) -> String {
        self.headers.redacted(self.address.redacted(text))
    }
}

fn with<Kind>(
    request: RequestBuilder<Kind>,
    headers: Vec<(String, String)>,
    patience: Patience,
) -> RequestBuilder<Kind> {
    let request = headers.into_iter().fold(request, |request, (name, value)| request.header(name, value));
    let longest = patience.longest();
    let config = request.config().timeout_recv_response(longest).timeout_recv_body(longest);
    match patience {
        Patience::Ending => config.timeout_global(longest).build(),
        _ => config.build(),
    }
}
