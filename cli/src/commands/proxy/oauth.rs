//! Signing in to a remote server, as the specification of MCP has it: OAuth 2.1 with discovery, PKCE, registration of the
//! client, refresh tokens and a browser.
//!
//! A request is sent with the token that is kept. If the server refuses it, the token of another thread or process is
//! taken, or the refresh token is used, or a person is asked, in this order; then the request is sent again.

mod browser;
mod callback;
mod challenge;
mod client;
mod discovery;
mod fetch;
mod flags;
mod random;
mod store;
mod tokens;

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use url::Url;

use self::callback::{Callback, Expected};
pub(super) use self::challenge::Challenge;
use self::client::Client;
use self::discovery::{Authority, Resource};
use self::fetch::{Fetch, Refusal, shown};
pub(super) use self::flags::{Flags, Now};
use self::store::{Store, Turn};
use self::tokens::{Code, Kept, Tokens};
use crate::output;

/// How long a failure holds: until then nobody is asked again, or each call of a tool would open another window.
const FAILURE_HOLDS: Duration = Duration::from_secs(600);

/// How long silent work may wait for another process, which may be waiting for a person.
const SILENT_WAIT: Duration = Duration::from_secs(10);

/// What the user wants.
#[derive(Clone, Debug, Default)]
pub(super) struct Settings {
    client: Option<String>,
    secret: Option<String>,
    scope: Option<String>,
    port: Option<u16>,
    opens_browser: bool,
    /// How long a person may take.
    patience: Duration,
}

/// How a refused token has been replaced.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Renewal {
    /// Without a person. If this token is refused too, a person may help.
    Silent,
    /// A person has signed in.
    Asked,
    /// The server does not say where to sign in: its refusal stands.
    None,
}

/// Whether a person may be asked.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Asking {
    Never,
    /// If nothing else helps.
    IfNeeded,
    /// A refresh token has not helped.
    AtOnce,
}

/// The sign-in to a server.
pub(super) struct SignIn {
    server: Url,
    settings: Settings,
    fetch: Fetch,
    /// `None` for a user without a home: tokens live as long as the process then.
    store: Option<Store>,
    state: Mutex<State>,
    /// Held by the thread that gets another token.
    renewal: Mutex<()>,
}

#[derive(Default)]
struct State {
    is_loaded: bool,
    kept: Option<Kept>,
    /// When asking has failed, and why if the refusal of the server does not say it.
    failure: Option<(Instant, Option<String>)>,
}

impl SignIn {
    /// The sign-in to the server at `url`. `None` for a URL that nobody can sign in to, or that has a user of its own.
    pub(super) fn to(url: &str, settings: Settings) -> Option<Self> {
        let mut server = Url::parse(url).ok().filter(|url| url.username().is_empty() && url.password().is_none())?;
        server.set_fragment(None);
        let store = Store::of(server.as_str(), server.host_str().unwrap_or_default(), settings.client.as_deref());
        let (fetch, state, renewal) = (Fetch::of(&server), Mutex::default(), Mutex::default());
        Some(Self { server, settings, fetch, store, state, renewal })
    }

    /// The token to send, if there is one. One that has expired is refreshed first.
    pub(super) fn token(&self) -> Option<String> {
        let tokens = self.kept()?.tokens;
        if tokens.refresh.is_none() || !tokens.is_expired(now()) {
            return Some(tokens.access);
        }
        // If this fails, the server refuses the old token, and the reason is told then.
        let _ = self.renew(Some(&tokens.access), &Challenge::default(), Asking::Never);
        self.kept().map(|kept| kept.tokens.access)
    }

    /// The token as it is, without a wait.
    pub(super) fn token_in_hand(&self) -> Option<String> {
        locked(&self.state).kept.as_ref().map(|kept| kept.tokens.access.clone())
    }

    /// Gets another token than `refused`.
    ///
    /// # Errors
    /// Why there is none, as a clause.
    pub(super) fn renew(
        &self,
        refused: Option<&str>,
        challenge: &Challenge,
        asking: Asking,
    ) -> Result<Renewal, String> {
        let _renewal = locked(&self.renewal);
        let is_another =
            |kept: &Option<Kept>| kept.as_ref().is_some_and(|kept| Some(kept.tokens.access.as_str()) != refused);
        if is_another(&self.kept()) {
            return Ok(Renewal::Silent);
        }
        let patience = if asking == Asking::Never { SILENT_WAIT } else { self.settings.patience };
        let deadline = Instant::now() + patience;
        let _turn = self.turn(deadline)?;
        let stored = self.stored();
        if is_another(&stored) {
            locked(&self.state).kept = stored;
            return Ok(Renewal::Silent);
        }
        if asking != Asking::AtOnce && !challenge.is_step_up && self.refresh()? {
            return Ok(Renewal::Silent);
        }
        if asking == Asking::Never {
            return Err("it asks for a sign-in".to_owned());
        }
        if let Some((since, failure)) = &locked(&self.state).failure
            && since.elapsed() < FAILURE_HOLDS
        {
            return failure.clone().map_or(Ok(Renewal::None), Err);
        }
        let asked = self.ask(challenge, deadline);
        match &asked {
            Ok(Renewal::None) => self.fails(None),
            Err(reason) => self.fails(Some(reason.clone())),
            Ok(_) => {}
        }
        asked
    }

    /// What a person has granted is refused: asking again would be a loop.
    pub(super) fn is_refused(&self) {
        self.fails(None);
    }

    /// Nobody is asked for a while: the refusals of the server stand, or get this reason.
    fn fails(&self, reason: Option<String>) {
        locked(&self.state).failure = Some((Instant::now(), reason));
    }

    /// A text of somebody else without our tokens.
    pub(super) fn redacted(&self, text: String) -> String {
        let state = locked(&self.state);
        let Some(kept) = &state.kept else { return text };
        let secrets = [Some(kept.tokens.access.as_str()), kept.tokens.refresh.as_deref(), kept.client.secret()];
        secrets
            .into_iter()
            .flatten()
            .filter(|secret| secret.len() >= 8)
            .fold(text, |text, secret| text.replace(secret, "…"))
    }

    /// Signs out: what is kept is revoked where the server can do that, and deleted. False when nothing is kept.
    fn sign_out(&self) -> Result<bool, String> {
        let Some(store) = &self.store else { return Ok(false) };
        let _turn = self.turn(Instant::now() + SILENT_WAIT)?;
        if let Some(kept) = self.stored()
            && let Err(reason) = tokens::revoke(&self.fetch, &kept)
        {
            output::remark(&format!("the tokens are deleted here, and stay good until they expire: {reason}"));
        }
        store.delete().map_err(|error| format!("cannot delete `{}`: {error}", store.path().display()))
    }

    fn kept(&self) -> Option<Kept> {
        if !locked(&self.state).is_loaded {
            let stored = self.stored();
            let mut state = locked(&self.state);
            if !std::mem::replace(&mut state.is_loaded, true) {
                state.kept = stored;
            }
        }
        locked(&self.state).kept.clone()
    }

    fn stored(&self) -> Option<Kept> {
        let Some(store) = &self.store else { return locked(&self.state).kept.clone() };
        store.load().unwrap_or_else(|reason| {
            output::remark(&reason);
            None
        })
    }

    /// Keeps tokens, in the file too if that can be. Losing the file costs a sign-in at the next start.
    fn keep(&self, kept: Kept) {
        let saved = self.store.as_ref().map_or(Ok(()), |store| store.save(&kept));
        if let (Err(error), Some(store)) = (saved, &self.store) {
            output::remark(&format!("the sign-in is not kept: cannot write `{}`: {error}", store.path().display()));
        }
        *locked(&self.state) = State { is_loaded: true, kept: Some(kept), failure: None };
    }

    fn turn(&self, deadline: Instant) -> Result<Option<Turn>, String> {
        let Some(store) = &self.store else { return Ok(None) };
        match store.turn(deadline) {
            Ok(turn) => Ok(Some(turn)),
            Err(error) if error.kind() == std::io::ErrorKind::TimedOut => {
                Err("it asks for a sign-in, which another process waits for".to_owned())
            }
            // Without a folder there is nothing to share.
            Err(_) => Ok(None),
        }
    }

    /// Uses the refresh token. False when there is none, or it is not good any more.
    fn refresh(&self) -> Result<bool, String> {
        let Some(kept) = self.stored().or_else(|| locked(&self.state).kept.clone()) else { return Ok(false) };
        let Some(token) = kept.tokens.refresh.clone() else { return Ok(false) };
        match tokens::refreshed(&self.fetch, &kept, &token, now()) {
            Ok(tokens) => {
                self.keep(Kept { tokens, ..kept });
                Ok(true)
            }
            Err(Refusal { code: Some(_), .. }) => Ok(false),
            Err(Refusal { code: None, reason }) => Err(format!("its token cannot be refreshed: {reason}")),
        }
    }

    /// Lets a person sign in.
    fn ask(&self, challenge: &Challenge, deadline: Instant) -> Result<Renewal, String> {
        if self.server.scheme() != "https" && !fetch::is_loopback(&self.server) {
            return match challenge.resource_metadata {
                Some(_) => Err("it asks for a sign-in, and tokens are not sent over http://; use https://".to_owned()),
                None => Ok(Renewal::None),
            };
        }
        if challenge.is_step_up && self.is_as_wide_as_it_gets(challenge) {
            return Ok(Renewal::None);
        }
        let wanted = |reason| {
            let how = format!("`lro proxy --url {} --sign-in` signs in, too", shown(&self.server));
            format!("it asks for a sign-in, and {reason}; {how}")
        };
        let Some((resource, authority)) = discovery::discover(&self.fetch, &self.server, challenge).map_err(wanted)?
        else {
            return Ok(Renewal::None);
        };
        let scope = self.scope(challenge, &resource, &authority);
        let asked = self.authorised(&resource, &authority, &scope, deadline);
        let (client, tokens) = asked.map_err(wanted)?;
        self.keep(Kept {
            server: shown(&self.server),
            issuer: authority.issuer,
            resource: resource.id,
            token_endpoint: authority.token.to_string(),
            revocation_endpoint: authority.revocation.map(|url| url.to_string()),
            client,
            tokens,
        });
        Ok(Renewal::Asked)
    }

    /// True when a person could grant no more: the scopes are those of the user, or are granted already.
    fn is_as_wide_as_it_gets(&self, challenge: &Challenge) -> bool {
        let granted = self.granted();
        let has = |scope: &str| granted.split_whitespace().any(|other| other == scope);
        self.settings.scope.is_some()
            || challenge.scope.as_ref().is_some_and(|needed| needed.split_whitespace().all(has))
    }

    fn granted(&self) -> String {
        locked(&self.state).kept.as_ref().map(|kept| kept.tokens.scope.clone()).unwrap_or_default()
    }

    /// What to ask for: what the user says, or what the server says that it needs. A step up keeps what there is.
    fn scope(&self, challenge: &Challenge, resource: &Resource, authority: &Authority) -> String {
        if let Some(scope) = &self.settings.scope {
            return scope.clone();
        }
        let before = if challenge.is_step_up { self.granted() } else { String::new() };
        let needed = challenge.scope.clone().unwrap_or_else(|| resource.scopes.join(" "));
        let refreshing = "offline_access";
        let lasting =
            authority.scopes.iter().find(|scope| *scope == refreshing).map(String::as_str).unwrap_or_default();
        let mut scopes: Vec<&str> = Vec::new();
        for scope in [before.as_str(), &needed, lasting].into_iter().flat_map(str::split_whitespace) {
            if !scopes.contains(&scope) {
                scopes.push(scope);
            }
        }
        scopes.join(" ")
    }

    fn authorised(
        &self,
        resource: &Resource,
        authority: &Authority,
        scope: &str,
        deadline: Instant,
    ) -> Result<(Client, Tokens), String> {
        let (callback, client) = self.client(authority, scope)?;
        let (state, verifier) = (random::text()?, random::text()?);
        let mut url = authority.authorization.clone();
        url.query_pairs_mut()
            .append_pair("response_type", "code")
            .append_pair("client_id", &client.id)
            .append_pair("redirect_uri", &client.redirect)
            .append_pair("state", &state)
            .append_pair("code_challenge", &random::challenge(&verifier))
            .append_pair("code_challenge_method", "S256")
            .append_pair("resource", &resource.id);
        if !scope.is_empty() {
            url.query_pairs_mut().append_pair("scope", scope);
        }
        if scope.split(' ').any(|scope| scope == "offline_access") {
            // OpenID Connect gives a refresh token only with consent.
            url.query_pairs_mut().append_pair("prompt", "consent");
        }
        self.show(&url, deadline);
        let expected = Expected { state: &state, issuer: &authority.issuer, names_itself: authority.names_itself };
        let code = callback.code(&expected, deadline)?;
        let code = Code { code: &code, verifier: &verifier, scope, resource: &resource.id };
        let tokens = tokens::exchanged(&self.fetch, &authority.token, &client, &code, now());
        Ok((client, tokens.map_err(|refusal| format!("it gives no token: {}", refusal.reason))?))
    }

    /// Who we are, and the port that the browser is sent back to. A client is registered for each sign-in: a server may
    /// have forgotten an older one, compares the whole address with its port, and may bind a client to its scopes.
    fn client(&self, authority: &Authority, scope: &str) -> Result<(Callback, Client), String> {
        let callback = Callback::at(self.settings.port)?;
        let client = match &self.settings.client {
            Some(id) => Client::given(id, self.settings.secret.as_deref(), &callback.redirect, authority),
            None => Client::register(&self.fetch, authority, &callback.redirect, scope)?,
        };
        Ok((callback, client))
    }

    /// Opens the browser, and tells where to go: the browser may be that of another machine, or of nobody.
    fn show(&self, url: &Url, deadline: Instant) {
        let is_open = self.settings.opens_browser && browser::open(url);
        let (server, place) = (shown(&self.server), shown(url));
        let seconds = deadline.saturating_duration_since(Instant::now()).as_secs();
        let how = match is_open {
            true => format!("the browser opens {place}; if it does not"),
            false => format!("this is done at {place}"),
        };
        output::remark(&format!("`{server}` asks for a sign-in within {seconds} s: {how}, open {url}"));
    }
}

/// Seconds since 1970.
fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs())
}

/// What a thread that panicked left behind is whole: every change is one assignment.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
