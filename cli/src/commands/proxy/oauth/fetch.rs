//! Requests to the endpoints of an authorisation server and to the documents that lead there.
//!
//! Where they go comes from the network, so each address is checked: HTTPS only, except that a server on this machine
//! may name others on this machine. Redirects are followed for documents alone, and on the same host alone.

use std::time::Duration;

use serde_json::Value;
use ureq::http::Response;
use ureq::{Agent, Body};
use url::{Host, Url};

/// How long a request may take.
const PATIENCE: Duration = Duration::from_secs(30);

/// No document of these is near that.
const LONGEST: u64 = 1 << 20;

/// Well-known addresses are redirected once at most, from one spelling to another.
const MOST_REDIRECTS: usize = 3;

/// What a server says about an error is quoted up to this.
const LONGEST_COMPLAINT: usize = 200;

/// The way to the authorisation servers of one server.
pub(super) struct Fetch {
    agent: Agent,
    /// The server is on this machine.
    is_local: bool,
}

/// Why a request failed.
pub(super) struct Refusal {
    /// The code of an error of OAuth, such as `invalid_grant`, unless another try may succeed.
    pub(super) code: Option<String>,
    pub(super) reason: String,
}

impl Fetch {
    pub(super) fn of(server: &Url) -> Self {
        let agent = Agent::config_builder()
            .http_status_as_error(false)
            .timeout_global(Some(PATIENCE))
            .max_redirects(0)
            .max_redirects_will_error(false)
            .build()
            .into();
        Self { agent, is_local: is_loopback(server) }
    }

    /// An address that something may be sent to.
    ///
    /// # Errors
    /// Why it may not.
    pub(super) fn checked(&self, text: &str) -> Result<Url, String> {
        let url = Url::parse(text).map_err(|error| format!("an address that it names is not valid: {error}"))?;
        let shown = shown(&url);
        match url.scheme() {
            _ if !url.username().is_empty() || url.password().is_some() => {
                Err(format!("the address `{shown}` that it names holds a user or a password"))
            }
            "https" => Ok(url),
            "http" if is_loopback(&url) && self.is_local => Ok(url),
            "http" if is_loopback(&url) => {
                Err(format!("it names the address `{shown}` on this machine, and is not on this machine itself"))
            }
            _ => Err(format!("the address `{shown}` that it names is not https://")),
        }
    }

    /// A document; `None` where there is none.
    ///
    /// # Errors
    /// The host cannot be reached, or answers with a failure of its own.
    pub(super) fn document(&self, url: &Url) -> Result<Option<Value>, String> {
        let mut url = url.clone();
        for _ in 0..=MOST_REDIRECTS {
            let got = self.agent.get(url.as_str()).header("Accept", "application/json").call();
            let mut response = got.map_err(|error| cannot_reach(&url, &error))?;
            let status = response.status();
            if status.is_redirection() {
                let Some(next) = redirected(&url, &response) else { return Ok(None) };
                url = next;
                continue;
            }
            if status.is_server_error() {
                return Err(format!("`{}` answered with status {}", shown(&url), status.as_u16()));
            }
            if !status.is_success() {
                return Ok(None);
            }
            let bytes = body(&mut response).map_err(|error| cannot_reach(&url, &error))?;
            return Ok(serde_json::from_slice(&bytes).ok().filter(Value::is_object));
        }
        Ok(None)
    }

    /// Sends a form, and returns the object that comes back. `basic` is a header that proves who asks.
    pub(super) fn form(&self, url: &Url, pairs: &[(&str, &str)], basic: Option<&str>) -> Result<Value, Refusal> {
        let mut request = self.agent.post(url.as_str()).header("Accept", "application/json");
        if let Some(basic) = basic {
            request = request.header("Authorization", basic);
        }
        let sent = request.send_form(pairs.iter().copied());
        let secrets = pairs.iter().filter(|(name, _)| SECRETS.contains(name)).map(|(_, value)| *value);
        answered(url, sent).map_err(|refusal| secrets.fold(refusal, Refusal::without))
    }

    /// Sends an object, and returns the object that comes back.
    pub(super) fn json(&self, url: &Url, object: &Value) -> Result<Value, Refusal> {
        let request = self.agent.post(url.as_str()).header("Accept", "application/json");
        answered(url, request.header("Content-Type", "application/json").send(object.to_string().as_bytes()))
    }
}

/// Fields of forms that no error may repeat.
const SECRETS: [&str; 5] = ["code", "code_verifier", "refresh_token", "client_secret", "token"];

impl Refusal {
    fn without(self, secret: &str) -> Self {
        match secret {
            "" => self,
            _ => Self { reason: self.reason.replace(secret, "…"), ..self },
        }
    }
}

/// The object in an answer, or why there is none.
fn answered(url: &Url, sent: Result<Response<Body>, ureq::Error>) -> Result<Value, Refusal> {
    let accident = |reason| Refusal { code: None, reason };
    let mut response = sent.map_err(|error| accident(cannot_reach(url, &error)))?;
    let status = response.status();
    let bytes = body(&mut response).map_err(|error| accident(cannot_reach(url, &error)))?;
    let value: Value = serde_json::from_slice(&bytes).unwrap_or_default();
    let code = value["error"].as_str().map(quoted);
    // Some servers answer with an error and the status 200.
    if status.is_success() && code.is_none() {
        return Ok(value);
    }
    let told = value["error_description"].as_str().map(|text| format!(" ({})", quoted(text))).unwrap_or_default();
    let reason = match &code {
        Some(code) => format!("`{}` answered with the error {code}{told}", shown(url)),
        None => format!("`{}` answered with status {}", shown(url), status.as_u16()),
    };
    let may_pass = status.is_server_error() || matches!(status.as_u16(), 408 | 425 | 429);
    Err(Refusal { code: code.filter(|_| !may_pass), reason })
}

fn body(response: &mut Response<Body>) -> Result<Vec<u8>, ureq::Error> {
    response.body_mut().with_config().limit(LONGEST).read_to_vec()
}

fn redirected(url: &Url, response: &Response<Body>) -> Option<Url> {
    let next = url.join(response.headers().get("location")?.to_str().ok()?).ok()?;
    (next.origin() == url.origin() && next.username().is_empty()).then_some(next)
}

fn cannot_reach(url: &Url, error: &ureq::Error) -> String {
    format!("`{}` cannot be reached: {error}", shown(url))
}

/// Words of a server, for an error.
pub(super) fn quoted(text: &str) -> String {
    text.chars().filter(|character| !character.is_control()).take(LONGEST_COMPLAINT).collect()
}

/// Scheme, host, port and path.
pub(super) fn shown(url: &Url) -> String {
    let port = url.port().map(|port| format!(":{port}")).unwrap_or_default();
    let path: String = url.path().chars().take(LONGEST_COMPLAINT).collect();
    format!("{}://{}{port}{path}", url.scheme(), url.host_str().unwrap_or_default())
}

/// True for this machine.
pub(super) fn is_loopback(url: &Url) -> bool {
    match url.host() {
        Some(Host::Domain(name)) => name.eq_ignore_ascii_case("localhost"),
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        None => false,
    }
}

#[cfg(test)]
mod tests {
    use url::Url;

    use super::Fetch;

    #[test]
    fn addresses_are_checked() {
        let far = Fetch::of(&Url::parse("https://h.example/mcp").unwrap());
        let near = Fetch::of(&Url::parse("http://127.0.0.1:1/mcp").unwrap());
        let rows = [
            ("https://a.example/token", true, true),
            ("http://a.example/token", false, false),
            ("http://127.0.0.1:9/token", false, true),
            ("http://localhost:9/token", false, true),
            ("http://[::1]:9/token", false, true),
            ("http://127.0.0.1.a.example/token", false, false),
            ("https://user:SECRET@a.example/", false, false),
            ("file:///etc/passwd", false, false),
            ("javascript:alert(1)", false, false),
            ("SECRET", false, false),
        ];
        for (text, from_far, from_near) in rows {
            assert_eq!(far.checked(text).is_ok(), from_far, "{text}");
            assert_eq!(near.checked(text).is_ok(), from_near, "{text}");
            assert!(!far.checked(text).is_err_and(|reason| reason.contains("SECRET")), "{text}");
        }
    }
}
