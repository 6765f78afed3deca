//! Tokens: what a server gives for a code or for a refresh token, and what is kept of it.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use url::Url;

use super::client::Client;
use super::fetch::{Fetch, Refusal};

/// What is kept of a sign-in.
#[derive(Clone, Deserialize, Serialize)]
pub(super) struct Kept {
    /// Scheme, host and path of the server, for people who read the file.
    pub(super) server: String,
    pub(super) issuer: String,
    /// What the tokens are for.
    pub(super) resource: String,
    pub(super) token_endpoint: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) revocation_endpoint: Option<String>,
    pub(super) client: Client,
    pub(super) tokens: Tokens,
}

/// The tokens of a user for a server.
#[derive(Clone, Deserialize, Serialize)]
pub(super) struct Tokens {
    pub(super) access: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) refresh: Option<String>,
    /// Seconds since 1970.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    expires_at: Option<u64>,
    #[serde(default)]
    pub(super) scope: String,
}

/// A token that is about to expire would on the way.
const MARGIN: u64 = 20;

impl Tokens {
    pub(super) fn is_expired(&self, now: u64) -> bool {
        self.expires_at.is_some_and(|at| at <= now.saturating_add(MARGIN))
    }

    /// The tokens in an answer to a request for `scope`.
    ///
    /// # Errors
    /// What is wrong with them.
    fn of(answer: &Value, scope: &str, now: u64) -> Result<Self, String> {
        let access = answer["access_token"].as_str().unwrap_or_default();
        if access.is_empty() || !access.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Err("its authorisation server gave no token that can be sent".to_owned());
        }
        if !answer["token_type"].as_str().is_none_or(|kind| kind.eq_ignore_ascii_case("bearer")) {
            return Err("its authorisation server gave a token that is not a bearer token".to_owned());
        }
        let seconds = &answer["expires_in"];
        let seconds = seconds.as_u64().or_else(|| seconds.as_str()?.parse().ok());
        Ok(Self {
            access: access.to_owned(),
            refresh: answer["refresh_token"].as_str().filter(|token| !token.is_empty()).map(str::to_owned),
            expires_at: seconds.map(|seconds| now.saturating_add(seconds)),
            scope: answer["scope"].as_str().unwrap_or(scope).to_owned(),
        })
    }
}

/// A code that a browser has brought, and what belongs to it.
pub(super) struct Code<'a> {
    pub(super) code: &'a str,
    pub(super) verifier: &'a str,
    pub(super) scope: &'a str,
    pub(super) resource: &'a str,
}

/// Exchanges a code for tokens.
pub(super) fn exchanged(
    fetch: &Fetch,
    endpoint: &Url,
    client: &Client,
    code: &Code<'_>,
    now: u64,
) -> Result<Tokens, Refusal> {
    let mut pairs = client.fields();
    pairs.extend([
        ("grant_type", "authorization_code"),
        ("code", code.code),
        ("redirect_uri", &client.redirect),
        ("code_verifier", code.verifier),
        ("resource", code.resource),
    ]);
    let answer = fetch.form(endpoint, &pairs, client.basic().as_deref())?;
    Tokens::of(&answer, code.scope, now).map_err(|reason| Refusal { code: None, reason })
}

/// Exchanges a refresh token for tokens.
pub(super) fn refreshed(fetch: &Fetch, kept: &Kept, token: &str, now: u64) -> Result<Tokens, Refusal> {
    let accident = |reason| Refusal { code: None, reason };
    let endpoint = fetch.checked(&kept.token_endpoint).map_err(accident)?;
    let mut pairs = kept.client.fields();
    pairs.extend([("grant_type", "refresh_token"), ("refresh_token", token), ("resource", &kept.resource)]);
    let answer = fetch.form(&endpoint, &pairs, kept.client.basic().as_deref())?;
    // Another try would get the same.
    let useless = |reason| Refusal { code: Some("invalid_answer".to_owned()), reason };
    let tokens = Tokens::of(&answer, &kept.tokens.scope, now).map_err(useless)?;
    let refresh = tokens.refresh.or_else(|| Some(token.to_owned()));
    Ok(Tokens { refresh, ..tokens })
}

/// Asks the authorisation server to forget what it gave (RFC 7009). It need not be able to.
pub(super) fn revoke(fetch: &Fetch, kept: &Kept) -> Result<bool, String> {
    let Some(endpoint) = &kept.revocation_endpoint else { return Ok(false) };
    let endpoint = fetch.checked(endpoint)?;
    let tokens = kept.tokens.refresh.iter().map(|token| (token, "refresh_token"));
    for (token, kind) in tokens.chain([(&kept.tokens.access, "access_token")]) {
        let mut pairs = kept.client.fields();
        pairs.extend([("token", token.as_str()), ("token_type_hint", kind)]);
        fetch.form(&endpoint, &pairs, kept.client.basic().as_deref()).map_err(|refusal| refusal.reason)?;
    }
    Ok(true)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::Tokens;

    #[test]
    fn tokens_are_read_or_refused() {
        let of = |answer| Tokens::of(&answer, "a", 1000);
        let tokens = of(json!({"access_token": "t", "token_type": "bearer", "expires_in": 60})).unwrap();
        assert_eq!((tokens.scope.as_str(), tokens.expires_at, tokens.refresh.as_ref()), ("a", Some(1060), None));
        assert!(!tokens.is_expired(1039) && tokens.is_expired(1040));
        let tokens =
            of(json!({"access_token": "t", "expires_in": "60", "refresh_token": "r", "scope": "b c"})).unwrap();
        assert_eq!(
            (tokens.scope.as_str(), tokens.expires_at, tokens.refresh.as_deref()),
            ("b c", Some(1060), Some("r"))
        );
        let never = of(json!({"access_token": "t", "expires_in": -1})).unwrap();
        assert!(!never.is_expired(u64::MAX));
        for answer in [
            json!(null),
            json!({"token_type": "bearer"}),
            json!({"access_token": ""}),
            json!({"access_token": "a\r\nX-Evil: 1"}),
            json!({"access_token": 7}),
            json!({"access_token": "t", "token_type": "DPoP"}),
        ] {
            assert!(of(answer.clone()).is_err(), "{answer}");
        }
    }
}
