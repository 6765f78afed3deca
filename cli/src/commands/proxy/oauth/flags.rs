//! The flags for signing in.

use std::io::Error;
use std::time::Duration;

use clap::{Args, value_parser};

use super::{Asking, Challenge, Renewal, Settings, SignIn};
use crate::failure::Failure;
use crate::output;

/// How long a person may take. A client waits for about as long.
const PATIENCE_SECONDS: u64 = 120;

/// How to sign in to URL.
#[derive(Args, Clone)]
pub(in super::super) struct Flags {
    /// Sign in to URL now, and end; otherwise that happens when the server asks for it
    #[arg(long, requires = "remote", conflicts_with_all = ["sign_out", "no_sign_in"])]
    sign_in: bool,
    /// Delete what is kept of a sign-in to URL, and end
    #[arg(long, requires = "remote", conflicts_with = "no_sign_in")]
    sign_out: bool,
    /// Never sign in: a server that asks for it gets no token
    #[arg(long, requires = "remote")]
    no_sign_in: bool,
    /// How many seconds a person may take to sign in
    #[arg(long, value_name = "N", default_value_t = PATIENCE_SECONDS, requires = "remote")]
    #[arg(value_parser = value_parser!(u64).range(1..=280))]
    sign_in_seconds: u64,
    /// Open no browser: tell the address of the sign-in on standard error alone
    #[arg(long, requires = "remote")]
    no_browser: bool,
    /// Sign in as this client, which is registered with the authorisation server, instead of registering one
    #[arg(long, value_name = "ID", requires = "remote")]
    oauth_client_id: Option<String>,
    /// The client's secret is in this variable
    #[arg(long, value_name = "VARIABLE", requires = "oauth_client_id")]
    oauth_client_secret_env: Option<String>,
    /// Ask for these scopes, with spaces between them, instead of those that the server names
    #[arg(long, value_name = "SCOPES", requires = "remote")]
    oauth_scope: Option<String>,
    /// The port of http://127.0.0.1:PORT/callback, which the browser is sent back to [default: any]
    #[arg(long, value_name = "PORT", requires = "remote")]
    oauth_port: Option<u16>,
}

impl Default for Flags {
    /// A server that asks for it is signed in to.
    fn default() -> Self {
        Self {
            sign_in: false,
            sign_out: false,
            no_sign_in: false,
            sign_in_seconds: PATIENCE_SECONDS,
            no_browser: false,
            oauth_client_id: None,
            oauth_client_secret_env: None,
            oauth_scope: None,
            oauth_port: None,
        }
    }
}

/// What is done instead of a conversation.
#[derive(Clone, Copy)]
pub(in super::super) enum Now {
    SignIn,
    SignOut,
}

impl Flags {
    pub(in super::super) fn now(&self) -> Option<Now> {
        match (self.sign_in, self.sign_out) {
            (true, _) => Some(Now::SignIn),
            (_, true) => Some(Now::SignOut),
            _ => None,
        }
    }

    /// The sign-in to a server, unless the user wants none. `variable` looks a variable up.
    pub(in super::super) fn to(
        &self,
        url: &str,
        variable: impl Fn(&str) -> Result<String, Failure>,
    ) -> Result<Option<SignIn>, Failure> {
        if self.no_sign_in {
            return Ok(None);
        }
        let secret = self.oauth_client_secret_env.as_deref().map(variable).transpose()?;
        let settings = Settings {
            client: self.oauth_client_id.clone(),
            secret: secret.map(|secret| secret.trim().to_owned()),
            scope: self.oauth_scope.clone(),
            port: self.oauth_port,
            opens_browser: !self.no_browser,
            patience: Duration::from_secs(self.sign_in_seconds),
        };
        Ok(SignIn::to(url, settings))
    }
}

impl SignIn {
    /// Does what is done instead of a conversation. `challenge` asks the server for its refusal.
    pub(in super::super) fn perform(
        &self,
        now: Now,
        challenge: impl FnOnce(Option<&str>) -> Result<Option<Challenge>, String>,
    ) -> Result<(), Failure> {
        let server = super::shown(&self.server);
        let said = match now {
            Now::SignOut => match self.sign_out() {
                Ok(true) => Ok(format!("what was kept of the sign-in to `{server}` is deleted")),
                Ok(false) => Ok(format!("nothing is kept of a sign-in to `{server}`")),
                Err(reason) => Err(reason),
            },
            Now::SignIn => self.sign_in_now(&server, challenge),
        };
        let said =
            said.map_err(|reason| Failure::file(format!("sign in or out at `{server}`"), Error::other(reason)))?;
        output::remark(&said);
        Ok(())
    }

    fn sign_in_now(
        &self,
        server: &str,
        challenge: impl FnOnce(Option<&str>) -> Result<Option<Challenge>, String>,
    ) -> Result<String, String> {
        let token = self.token();
        let Some(challenge) = challenge(token.as_deref())? else {
            return Ok(match token {
                Some(_) => format!("`{server}` takes the token that is kept; --sign-out deletes it"),
                None => format!("`{server}` asks for no sign-in"),
            });
        };
        match self.renew(token.as_deref(), &challenge, Asking::AtOnce)? {
            Renewal::None => Err("it refuses us, and does not say where to sign in".to_owned()),
            Renewal::Silent | Renewal::Asked => Ok(format!("signed in to `{server}`")),
        }
    }
}
