//! The address of a remote server: what is sent to it, and what may be shown of it.

use std::net::IpAddr;

use ureq::http::Uri;

use crate::failure::Failure;

/// A URL may hold a password or a key; neither may reach a log, an error or a model.
pub(super) struct Address {
    given: String,
    shown: String,
    query: Option<String>,
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
        match &self.query {
            Some(query) => text.replace(query.as_str(), "…"),
            None => text,
        }
    }
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
    fn what_is_no_url_is_not_repeated() {
        for url in ["SECRET", "ftp://h/SECRET", "/SECRET", "http:///SECRET", "http://h/ SECRET"] {
            let message = Address::of(url).err().map(|failure| failure.to_text()).unwrap_or_default();
            assert!(message.starts_with("cannot use the URL") && !message.contains("SECRET"), "{url}: {message}");
        }
    }
}
