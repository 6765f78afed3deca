//! Requests as they go over the wire: method, headers, time limits.

use std::time::Duration;

use ureq::http::Response;
use ureq::{Agent, Body, RequestBuilder};

use super::address::Address;
use super::headers::{Header, Headers};
use super::session::Known;
use crate::commands::proxy::envelope::Envelope;
use crate::commands::proxy::oauth::{Asking, Challenge, Now, Renewal, SignIn};
use crate::failure::Failure;

/// How long a connection may take.
const CONNECT: Duration = Duration::from_secs(30);

/// How long a handshake may take; clients wait about as long.
const HANDSHAKE: Duration = Duration::from_secs(60);

/// How long a server may take to accept what it need not answer.
const ACCEPTING: Duration = Duration::from_secs(10);

/// How long the end of a session may take. The process ends within two seconds, and other things come first.
const ENDING: Duration = Duration::from_millis(500);

/// What a server refuses before a sign-in, and what does no harm after one.
const PROBE: &[u8] = br#"{"jsonrpc":"2.0","id":"lro","method":"ping"}"#;

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
    sign_in: Option<SignIn>,
}

impl Wire {
    /// The way to a server. `sign_in` is used unless the user gives a token.
    pub(super) fn to(address: Address, headers: Headers, sign_in: Option<SignIn>, most_connections: usize) -> Self {
        let sign_in = sign_in.filter(|_| !headers.has_authorization());
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
        Self { agent, address, headers, sign_in }
    }

    /// Sends a message.
    pub(super) fn post(&self, line: &[u8], session: &Known, patience: Patience) -> Result<Response<Body>, String> {
        let headers = self.headers.for_message(Envelope::of(line).as_ref(), session);
        self.authorised(Asking::IfNeeded, headers, |headers| {
            let request = self.agent.post(self.address.url()).header("Content-Type", "application/json");
            with(request, headers, patience).send(line.trim_ascii())
        })
    }

    /// Asks for the stream of what the server says of its own accord, after the event `last`.
    pub(super) fn get(&self, session: &Known, last: Option<&str>) -> Result<Response<Body>, String> {
        let mut headers = self.headers.for_session(session);
        headers.push(("Accept".to_owned(), super::reply::EVENTS.to_owned()));
        headers.extend(last.map(|last| ("Last-Event-ID".to_owned(), last.to_owned())));
        // A stream is worth no window of the browser: requests ask for a sign-in.
        self.authorised(Asking::Never, headers, |headers| {
            with(self.agent.get(self.address.url()), headers, Patience::Answer).call()
        })
    }

    /// True when a token may be had that there is not now.
    pub(super) fn signs_in(&self) -> bool {
        self.sign_in.as_ref().is_some_and(|sign_in| sign_in.token_in_hand().is_some())
    }

    /// Ends a session. A server need not let its clients do that, nor need it answer.
    pub(super) fn delete(&self, session: &Known) {
        let mut headers = self.headers.for_session(session);
        headers.extend(self.sign_in.as_ref().and_then(SignIn::token_in_hand).map(bearer));
        let _ = with(self.agent.delete(self.address.url()), headers, Patience::Ending).call();
    }

    /// Signs in or out, outside of a conversation.
    pub(super) fn perform(&self, now: Now) -> Result<(), Failure> {
        let Some(sign_in) = &self.sign_in else {
            return Err(Failure::Usage(
                "cannot sign in or out: the URL or a header has a user or a token already".to_owned(),
            ));
        };
        sign_in.perform(now, |token| {
            let mut headers = self.headers.for_message(None, &Known::default());
            headers.extend(token.map(|token| bearer(token.to_owned())));
            let request = self.agent.post(self.address.url()).header("Content-Type", "application/json");
            let response =
                with(request, headers, Patience::Handshake).send(PROBE).map_err(|error| self.reason(&error))?;
            Ok(Challenge::of(&response))
        })
    }

    /// Sends a request with the token of the sign-in, and again with another one if the server refuses that.
    fn authorised(
        &self,
        asking: Asking,
        headers: Vec<Header>,
        send: impl Fn(Vec<Header>) -> Result<Response<Body>, ureq::Error>,
    ) -> Result<Response<Body>, String> {
        let Some(sign_in) = &self.sign_in else { return send(headers).map_err(|error| self.reason(&error)) };
        let (mut asking, mut has_granted, mut is_last) = (asking, false, false);
        loop {
            let token = sign_in.token();
            let headers = headers.iter().cloned().chain(token.clone().map(bearer)).collect();
            let response = send(headers).map_err(|error| self.reason(&error))?;
            let Some(challenge) = Challenge::of(&response) else { return Ok(response) };
            // A person is asked once for a token and once for more scopes.
            if is_last || has_granted && !challenge.is_step_up {
                if has_granted {
                    sign_in.is_refused();
                }
                return Ok(response);
            }
            match sign_in.renew(token.as_deref(), &challenge, asking) {
                Ok(Renewal::None) => return Ok(response),
                Ok(Renewal::Asked) => (has_granted, is_last) = (true, challenge.is_step_up),
                Ok(Renewal::Silent) if asking == Asking::IfNeeded => asking = Asking::AtOnce,
                Ok(Renewal::Silent) => is_last = true,
                Err(_) if asking == Asking::Never => return Ok(response),
                Err(reason) => return Err(self.redacted(&reason)),
            }
        }
    }

    /// An error as a client and a model may see it.
    fn reason(&self, error: &ureq::Error) -> String {
        self.redacted(&error.to_string())
    }

    /// A text of somebody else without the secrets of the address and the headers.
    pub(super) fn redacted(&self, text: &str) -> String {
        let text = self.headers.redacted(self.address.redacted(text));
        self.sign_in.as_ref().map_or_else(|| text.clone(), |sign_in| sign_in.redacted(text.clone()))
    }
}

fn with<Kind>(
    request: RequestBuilder<Kind>,
    headers: Vec<(String, String)>,
    patience: Patience,
) -> RequestBuilder<Kind> {
    let request = headers.into_iter().fold(request, |request, (name, value)| request.header(name, value));
    let longest = patience.longest();
    let config = request.config().timeout_send_request(longest).timeout_send_body(longest);
    let config = config.timeout_recv_response(longest).timeout_recv_body(longest);
    match patience {
        Patience::Ending => config.timeout_global(longest).build(),
        _ => config.build(),
    }
}

fn bearer(token: String) -> Header {
    ("Authorization".to_owned(), format!("Bearer {token}"))
}
