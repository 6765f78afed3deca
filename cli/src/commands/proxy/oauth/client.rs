//! Who we are to an authorisation server: a client that the user has registered, or one that registers itself (RFC 7591).

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::discovery::Authority;
use super::fetch::Fetch;

/// A client, as an authorisation server knows it.
#[derive(Clone, Deserialize, Serialize)]
pub(super) struct Client {
    pub(super) id: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    secret: Option<String>,
    /// How it proves who it is: one of RFC 7591's names.
    method: String,
    /// Where browsers are sent back to.
    pub(super) redirect: String,
}

/// Methods that we know, in the order in which we choose them.
const METHODS: [&str; 3] = ["none", "client_secret_basic", "client_secret_post"];

impl Client {
    /// A client that the user has registered.
    pub(super) fn given(id: &str, secret: Option<&str>, redirect: &str, authority: &Authority) -> Self {
        let offers = |method: &str| authority.methods.iter().any(|other| other == method);
        let method = match secret {
            None => METHODS[0],
            Some(_) if !offers(METHODS[1]) && offers(METHODS[2]) => METHODS[2],
            Some(_) => METHODS[1],
        };
        Self {
            id: id.to_owned(),
            secret: secret.map(str::to_owned),
            method: method.to_owned(),
            redirect: redirect.to_owned(),
        }
    }

    /// Registers a client.
    ///
    /// # Errors
    /// The server registers nobody, or not us.
    pub(super) fn register(fetch: &Fetch, authority: &Authority, redirect: &str, scope: &str) -> Result<Self, String> {
        let Some(place) = &authority.registration else {
            return Err(
                "its authorisation server registers no clients; register one there, and name it with --oauth-client-id"
                    .to_owned(),
            );
        };
        let offers = |method: &&&str| authority.methods.iter().any(|other| other == **method);
        let method = if authority.methods.is_empty() { None } else { METHODS.iter().find(offers) };
        let mut wanted = json!({
            "client_name": "Large Result Offloading (lro proxy)",
            "redirect_uris": [redirect],
            "grant_types": ["authorization_code", "refresh_token"],
            "response_types": ["code"],
            "application_type": "native",
            "token_endpoint_auth_method": method.unwrap_or(&METHODS[0]),
        });
        if !scope.is_empty() {
            wanted["scope"] = json!(scope);
        }
        let made =
            fetch.json(place, &wanted).map_err(|refusal| format!("it registers no client: {}", refusal.reason))?;
        Self::of(&made, redirect, wanted["token_endpoint_auth_method"].as_str().unwrap_or_default())
    }

    fn of(made: &Value, redirect: &str, wanted: &str) -> Result<Self, String> {
        let id = made["client_id"].as_str().filter(|id| !id.is_empty());
        let id = id.ok_or("it registers a client without an id")?.to_owned();
        let secret = made["client_secret"].as_str().filter(|secret| !secret.is_empty()).map(str::to_owned);
        let method = made["token_endpoint_auth_method"].as_str().unwrap_or(wanted);
        if !METHODS.contains(&method) || (method != METHODS[0] && secret.is_none()) {
            return Err("it registers a client that would have to prove itself in a way that we do not know".to_owned());
        }
        Ok(Self { id, secret, method: method.to_owned(), redirect: redirect.to_owned() })
    }

    /// The fields of a form that say who asks.
    pub(super) fn fields(&self) -> Vec<(&str, &str)> {
        match (&self.secret, self.method.as_str()) {
            (Some(secret), "client_secret_post") => vec![("client_id", &self.id), ("client_secret", secret)],
            (Some(_), "client_secret_basic") => Vec::new(),
            _ => vec![("client_id", &self.id)],
        }
    }

    /// The header that says who asks.
    pub(super) fn basic(&self) -> Option<String> {
        let secret = self.secret.as_ref().filter(|_| self.method == "client_secret_basic")?;
        // RFC 6749, section 2.3.1: both parts are encoded as in a form.
        let encode = |text: &str| url::form_urlencoded::byte_serialize(text.as_bytes()).collect::<String>();
        Some(format!("Basic {}", super::random::base64(format!("{}:{}", encode(&self.id), encode(secret)).as_bytes())))
    }

    pub(super) fn secret(&self) -> Option<&str> {
        self.secret.as_deref()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::Client;

    #[test]
    fn a_client_proves_itself_as_registered() {
        let client = |made| Client::of(&made, "http://127.0.0.1:7/callback", "none");
        let public = client(json!({"client_id": "a b"})).ok().unwrap();
        assert_eq!((public.fields(), public.basic()), (vec![("client_id", "a b")], None));
        let post =
            client(json!({"client_id": "a", "client_secret": "s", "token_endpoint_auth_method": "client_secret_post"}));
        assert_eq!(post.ok().unwrap().fields(), [("client_id", "a"), ("client_secret", "s")]);
        let basic =
            json!({"client_id": "a:b", "client_secret": "s", "token_endpoint_auth_method": "client_secret_basic"});
        let basic = client(basic).ok().unwrap();
        assert_eq!((basic.fields(), basic.basic().as_deref()), (vec![], Some("Basic YSUzQWI6cw==")));
        for made in [
            json!({}),
            json!({"client_id": ""}),
            json!({"client_id": "a", "token_endpoint_auth_method": "private_key_jwt"}),
            json!({"client_id": "a", "token_endpoint_auth_method": "client_secret_basic"}),
        ] {
            assert!(client(made.clone()).is_err(), "{made}");
        }
    }
}
