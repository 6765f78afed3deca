//! The address of a remote server: what is sent to it, and what may be shown of it.

use std::net::IpAddr;

use ureq::http::Uri;

use super::headers::SHORTEST_SECRET;
use crate::failure::Failure;

/// A URL may hold a password or a key; neither may reach a log, an error or a model.
pub(super) struct Address {
    given: String,
    shown: String,
    query: Option<String>,
    /// The user, the password, and the values of the query, as they are written and as they are meant.
    secrets: Vec<String>,
    is_open: bool,
}

impl Address {
    /// Checks a URL. The error does not repeat it.
    pub(super) fn of(url: &str) -> Result<Self, Failure> {
        let wrong = |reason: String| Failure::Usage(format!("cannot use the URL of the server: {reason}"));
        let uri: Uri = url.trim().parse().map_err(|error| wrong(format!("{error}")))?;
        let scheme = uri.scheme_str().unwrap_or_default();
        let Some(host) = uri.host().filter(|_| matches!(scheme, "http" | "https")) else {
            return Err(wrong("write it as http://HOST/PATH or https://HOST/PATH".to_owned()));
        };
        let port = uri.port().map(|port| format!(":{port}")).unwrap_or_default();
        Ok(Self {
            given: url.trim().to_owned(),
            shown: format!("{scheme}://{host}{port}{}", uri.path()),
            query: uri.query().filter(|query| !query.is_empty()).map(str::to_owned),
            secrets: secrets(url.trim()),
            is_open: scheme == "http" && !is_loopback(host),
        })
    }

    /// The whole URL, for requests.
    pub(super) fn url(&self) -> &str {
        &self.given
    }

    /// Scheme, host and path, for people and models.
    pub(super) fn shown(&self) -> &str {
        &self.shown
    }

    /// True when others on the way can read what is sent.
    pub(super) fn is_open(&self) -> bool {
        self.is_open
    }

    /// True when the URL itself holds a user, a password or a query.
    pub(super) fn has_secrets(&self) -> bool {
        self.query.is_some() || self.given.split('/').nth(2).is_some_and(|authority| authority.contains('@'))
    }

    /// A text of somebody else without what may not be shown of this address.
    pub(super) fn redacted(&self, text: &str) -> String {
        let text = text.replace(&self.given, &self.shown);
        let text = match &self.query {
            Some(query) => text.replace(query.as_str(), "…"),
            None => text,
        };
        self.secrets.iter().fold(text, |text, secret| text.replace(secret, "…"))
    }
}

/// What a server may repeat of its own URL, the longest first.
fn secrets(url: &str) -> Vec<String> {
    let Ok(parsed) = url::Url::parse(url) else { return Vec::new() };
    let authority = parsed.authority().rsplit_once('@').map_or("", |(user, _)| user);
    let written = authority.split(':').chain(parsed.query().into_iter().flat_map(|query| query.split(['&', '='])));
    let meant = parsed.query_pairs().map(|(_, value)| value.into_owned());
    let users = authority.split(':').flat_map(|text| {
        url::form_urlencoded::parse(text.as_bytes()).map(|(name, _)| name.into_owned()).collect::<Vec<_>>()
    });
    let mut secrets: Vec<String> = written.map(str::to_owned).chain(meant).chain(users).collect();
    secrets.retain(|secret| secret.len() >= SHORTEST_SECRET);
    secrets.sort_by_key(|secret| std::cmp::Reverse(secret.len()));
    secrets
}

fn is_loopback(host: &str) -> bool {
    let address = host.trim_start_matches('[').trim_end_matches(']').parse::<IpAddr>();
    host.eq_ignore_ascii_case("localhost") || address.is_ok_and(|address| address.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::Address;

    #[test]
    fn scheme_host_and_path_are_shown() {
        let rows = [
            ("https://h.example/mcp?api_key=SECRET", "https://h.example/mcp", false, true),
            ("https://user:SECRET@h.example:8443/a/b", "https://h.example:8443/a/b", false, true),
            ("http://h.example/mcp", "http://h.example/mcp", true, false),
            ("http://127.0.0.1:80/mcp", "http://127.0.0.1:80/mcp", false, false),
            ("http://[::1]:80/", "http://[::1]:80/", false, false),
            ("http://localhost", "http://localhost/", false, false),
        ];
        for (url, shown, is_open, has_secrets) in rows {
            let address = Address::of(url).unwrap();
            assert_eq!((address.shown(), address.is_open(), address.has_secrets()), (shown, is_open, has_secrets));
            let error = address.redacted(&format!("bad uri: {url}; api_key=SECRET"));
            assert!(!error.contains("SECRET") || !url.contains('?'), "{error}");
        }
    }

    #[test]
    fn what_a_server_repeats_of_its_url_is_not_shown() {
        let address = Address::of("https://me:pass%20word@h.example/mcp?team=blue&api_key=SECRET%2Bkey").unwrap();
        let text = "no key SECRET+key or SECRET%2Bkey of team blue, nor pass word or pass%20word";
        assert_eq!(address.redacted(text), "no key … or … of team blue, nor … or …");
    }

    #[test]
    fn what_is_no_url_is_not_repeated() {
        for url in ["SECRET", "ftp://h/SECRET", "/SECRET", "http:///SECRET", "http://h/ SECRET"] {
            let message = Address::of(url).err().map(|failure| failure.to_text()).unwrap_or_default();
            assert!(message.starts_with("cannot use the URL") && !message.contains("SECRET"), "{url}: {message}");
        }
    }
}
