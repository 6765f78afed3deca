//! Who may ask: the origin of a page in a browser, the name by which this server was called, and the token.
//!
//! A page that a browser has open can send requests to loopback addresses, and can have its own name resolve to one (DNS
//! rebinding). Its origin and the host it asked for give it away.

use std::net::IpAddr;

use hyper::http::uri::Authority;
use hyper::http::{HeaderMap, StatusCode, Uri, header};
use subtle::ConstantTimeEq;

/// What a request must have.
pub(super) struct Guard {
    /// Origins besides those of this machine.
    pub(super) origins: Vec<String>,
    /// Names besides `localhost` and addresses.
    pub(super) hosts: Vec<String>,
    pub(super) token: Option<String>,
}

/// Why a request is refused.
#[derive(Debug, PartialEq)]
pub(super) struct Refused {
    pub(super) status: StatusCode,
    pub(super) message: String,
    /// What a 401 says about the way in.
    pub(super) challenge: Option<&'static str>,
}

impl Guard {
    /// Checks host, origin and token, in this order: who may not ask learns nothing about the token.
    pub(super) fn check(&self, uri: &Uri, headers: &HeaderMap) -> Result<(), Refused> {
        self.check_host(uri, headers)?;
        self.check_origin(headers)?;
        self.check_token(headers)
    }

    /// The origin of the request, if pages of it may read answers.
    pub(super) fn readable_origin<'a>(&self, headers: &'a HeaderMap) -> Option<&'a header::HeaderValue> {
        let origin = headers.get(header::ORIGIN)?;
        self.origins.iter().any(|allowed| *origin == *allowed.as_str()).then_some(origin)
    }

    pub(super) fn check_host(&self, uri: &Uri, headers: &HeaderMap) -> Result<(), Refused> {
        let mut hosts = headers.get_all(header::HOST).iter();
        let (first, second) = (hosts.next(), hosts.next());
        let given = first.and_then(|host| host.to_str().ok()).and_then(|host| host.parse::<Authority>().ok());
        let (Some(given), None) = (given, second) else {
            return Err(refused(StatusCode::BAD_REQUEST, "the header `Host` is missing or not valid".to_owned()));
        };
        for host in uri.authority().into_iter().chain([&given]) {
            let name = host.host();
            if !is_local_name(name) && !self.hosts.iter().any(|allowed| allowed.eq_ignore_ascii_case(name)) {
                let message = format!("the host `{name}` is not served here; --allow-host {name} allows it");
                return Err(refused(StatusCode::FORBIDDEN, message));
            }
        }
        Ok(())
    }

    pub(super) fn check_origin(&self, headers: &HeaderMap) -> Result<(), Refused> {
        for origin in headers.get_all(header::ORIGIN) {
            let text = origin.to_str().unwrap_or_default();
            if !is_loopback_origin(text) && !self.origins.iter().any(|allowed| allowed == text) {
                let message = format!("pages of the origin `{text}` may not ask; --allow-origin ORIGIN allows it");
                return Err(refused(StatusCode::FORBIDDEN, message));
            }
        }
        Ok(())
    }

    fn check_token(&self, headers: &HeaderMap) -> Result<(), Refused> {
        let Some(token) = &self.token else { return Ok(()) };
        let unauthorized = |message: &str, challenge| {
            let refused = refused(StatusCode::UNAUTHORIZED, message.to_owned());
            Err(Refused { challenge: Some(challenge), ..refused })
        };
        let mut given = headers.get_all(header::AUTHORIZATION).iter();
        let (Some(header), None) = (given.next(), given.next()) else {
            return unauthorized("a bearer token is missing; send one `Authorization: Bearer TOKEN`", "Bearer");
        };
        let bytes = header.as_bytes();
        let is_bearer = bytes.get(..7).is_some_and(|scheme| scheme.eq_ignore_ascii_case(b"bearer "));
        if is_bearer && bool::from(bytes[7..].trim_ascii().ct_eq(token.as_bytes())) {
            return Ok(());
        }
        unauthorized("the bearer token is not the right one", "Bearer error=\"invalid_token\"")
    }
}

fn refused(status: StatusCode, message: String) -> Refused {
    Refused { status, message, challenge: None }
}

/// An address, or the name of this machine: no page can have its name be one of these.
fn is_local_name(host: &str) -> bool {
    address(host).is_some() || host.eq_ignore_ascii_case("localhost")
}

fn is_loopback_origin(origin: &str) -> bool {
    let Some((scheme, rest)) = origin.split_once("://") else { return false };
    let Ok(authority) = rest.parse::<Authority>() else { return false };
    let host = authority.host();
    ["http", "https"].contains(&scheme)
        && !rest.contains(['/', '@'])
        && (host.eq_ignore_ascii_case("localhost") || address(host).is_some_and(|address| address.is_loopback()))
}

fn address(host: &str) -> Option<IpAddr> {
    let plain = host.strip_prefix('[').and_then(|host| host.strip_suffix(']')).unwrap_or(host);
    plain.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::{Guard, HeaderMap, Uri, header};

    fn status(guard: &Guard, uri: &str, headers: &[(header::HeaderName, &str)]) -> u16 {
        let mut map = HeaderMap::new();
        for (name, value) in headers {
            map.append(name, value.parse().unwrap());
        }
        let uri: Uri = uri.parse().unwrap();
        guard.check(&uri, &map).map_or_else(|refused| refused.status.as_u16(), |()| 200)
    }

    #[test]
    fn pages_of_others_are_refused() {
        let guard = Guard { origins: vec!["https://app.example".to_owned()], hosts: vec![], token: None };
        for (origin, expected) in [
            ("http://localhost:6274", 200),
            ("https://127.0.0.1", 200),
            ("http://[::1]:80", 200),
            ("https://app.example", 200),
            ("https://app.example:444", 403),
            ("http://localhost.evil.example", 403),
            ("http://localhost@evil.example", 403),
            ("http://127.0.0.1.nip.io", 403),
            ("file://localhost", 403),
            ("null", 403),
            ("", 403),
        ] {
            let headers = [(header::HOST, "127.0.0.1:1"), (header::ORIGIN, origin)];
            assert_eq!(status(&guard, "/mcp", &headers), expected, "{origin}");
        }
    }

    #[test]
    fn names_of_others_are_refused() {
        let guard = Guard { origins: vec![], hosts: vec!["tools.example".to_owned()], token: None };
        for (host, expected) in [
            ("localhost:8080", 200),
            ("LOCALHOST", 200),
            ("[::1]:8080", 200),
            ("192.0.2.1", 200),
            ("tools.example:80", 200),
            ("evil.example", 403),
            ("localhost@evil.example", 403),
            ("a b", 400),
        ] {
            assert_eq!(status(&guard, "/mcp", &[(header::HOST, host)]), expected, "{host}");
        }
        assert_eq!(status(&guard, "/mcp", &[]), 400);
        assert_eq!(status(&guard, "/mcp", &[(header::HOST, "localhost"), (header::HOST, "localhost")]), 400);
        assert_eq!(status(&guard, "http://evil.example/mcp", &[(header::HOST, "localhost")]), 403);
    }

    #[test]
    fn the_token_must_be_the_right_one() {
        let guard = Guard { origins: vec![], hosts: vec![], token: Some("s3cret".to_owned()) };
        for (given, expected) in
            [("Bearer s3cret", 200), ("bearer  s3cret", 200), ("Bearer s3cre", 401), ("Basic s3cret", 401), ("B", 401)]
        {
            let headers = [(header::HOST, "localhost"), (header::AUTHORIZATION, given)];
            assert_eq!(status(&guard, "/mcp", &headers), expected, "{given}");
        }
        assert_eq!(status(&guard, "/mcp", &[(header::HOST, "localhost")]), 401);
    }
}
