//! What a server says when it refuses a request: the header `WWW-Authenticate` of RFC 6750 and RFC 9728.

use ureq::Body;
use ureq::http::Response;

/// A refusal that another token may overcome.
#[derive(Clone, Debug, Default, PartialEq)]
pub(in super::super) struct Challenge {
    /// Where the server describes itself.
    pub(super) resource_metadata: Option<String>,
    /// The scopes that the request needs.
    pub(super) scope: Option<String>,
    /// The token is good, and its scopes are too few.
    pub(in super::super) is_step_up: bool,
}

impl Challenge {
    /// `None` for a response that another token would not change.
    pub(in super::super) fn of(response: &Response<Body>) -> Option<Self> {
        let values = response.headers().get_all("www-authenticate");
        let values = values.iter().filter_map(|value| value.to_str().ok());
        Self::from(response.status().as_u16(), values)
    }

    fn from<'a>(status: u16, values: impl Iterator<Item = &'a str>) -> Option<Self> {
        let parameters: Vec<(String, String)> = values.flat_map(bearer).collect();
        let value = |name: &str| {
            let found = parameters.iter().find(|(key, _)| key == name);
            found.map(|(_, value)| value.clone()).filter(|value| !value.is_empty())
        };
        let is_step_up = status == 403 && value("error").as_deref() == Some("insufficient_scope");
        (status == 401 || is_step_up).then(|| Self {
            resource_metadata: value("resource_metadata"),
            scope: value("scope"),
            is_step_up,
        })
    }
}

/// The parameters of the scheme `Bearer` in a header, which may hold several schemes.
fn bearer(header: &str) -> Vec<(String, String)> {
    let mut is_bearer = false;
    let mut parameters = Vec::new();
    for piece in pieces(header) {
        let (name, value) = piece.split_once('=').unwrap_or((&piece, ""));
        let (scheme, name) = match name.trim().rsplit_once(char::is_whitespace) {
            Some((scheme, name)) => (Some(scheme.trim()), name),
            None if !piece.contains('=') => (Some(name.trim()), ""),
            None => (None, name.trim()),
        };
        if let Some(scheme) = scheme {
            is_bearer = scheme.eq_ignore_ascii_case("bearer");
        }
        if is_bearer && !name.is_empty() {
            parameters.push((name.to_ascii_lowercase(), unquoted(value.trim())));
        }
    }
    parameters
}

/// What stands between commas that are not quoted.
fn pieces(header: &str) -> Vec<String> {
    let (mut pieces, mut is_quoted, mut is_escaped) = (vec![String::new()], false, false);
    for character in header.chars() {
        if character == ',' && !is_quoted {
            pieces.push(String::new());
            continue;
        }
        if character == '"' && !is_escaped {
            is_quoted = !is_quoted;
        }
        is_escaped = is_quoted && character == '\\' && !is_escaped;
        pieces.last_mut().expect("there is always one").push(character);
    }
    pieces.retain(|piece| !piece.trim().is_empty());
    pieces.iter().map(|piece| piece.trim().to_owned()).collect()
}

fn unquoted(value: &str) -> String {
    let Some(inner) = value.strip_prefix('"').and_then(|value| value.strip_suffix('"')) else {
        return value.to_owned();
    };
    let mut text = String::new();
    let mut characters = inner.chars();
    while let Some(character) = characters.next() {
        text.extend(if character == '\\' { characters.next() } else { Some(character) });
    }
    text
}

#[cfg(test)]
mod tests {
    use super::Challenge;

    fn of(status: u16, headers: &[&str]) -> Option<(Option<String>, Option<String>, bool)> {
        let challenge = Challenge::from(status, headers.iter().copied())?;
        Some((challenge.resource_metadata, challenge.scope, challenge.is_step_up))
    }

    #[test]
    fn the_parameters_of_bearer_count() {
        let url = || Some("https://h/.well-known/x".to_owned());
        let scope = || Some("a b".to_owned());
        let rows: [(u16, &[&str], _); 10] = [
            (401, &[], Some((None, None, false))),
            (401, &["Bearer"], Some((None, None, false))),
            (401, &["Bearer resource_metadata=\"https://h/.well-known/x\""], Some((url(), None, false))),
            (401, &["bearer Scope=\"a b\" , RESOURCE_METADATA=https://h/.well-known/x"], Some((url(), scope(), false))),
            (401, &["Basic realm=\"a, Bearer scope=\\\"x\\\"\", Bearer scope=\"a b\""], Some((None, scope(), false))),
            (401, &["Basic realm=\"a\"", "Bearer scope=\"a b\""], Some((None, scope(), false))),
            (401, &["Negotiate, DPoP scope=\"x\""], Some((None, None, false))),
            (401, &["Bearer scope=\"a b"], Some((None, Some("\"a b".to_owned()), false))),
            (403, &["Bearer error=\"insufficient_scope\", scope=\"a b\""], Some((None, scope(), true))),
            (403, &["Bearer error=\"invalid_token\", scope=\"a b\""], None),
        ];
        for (status, headers, expected) in rows {
            assert_eq!(of(status, headers), expected, "{status} {headers:?}");
        }
        assert_eq!(of(200, &["Bearer scope=\"a\""]), None);
    }
}
