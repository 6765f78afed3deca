//! Which authorisation server a server trusts, and what that one can do: RFC 9728, RFC 8414 and OpenID Connect Discovery.

use serde_json::Value;
use url::Url;

use super::challenge::Challenge;
use super::fetch::{Fetch, shown};

/// A server that wants tokens.
pub(super) struct Resource {
    /// What tokens are asked for (RFC 8707).
    pub(super) id: String,
    pub(super) scopes: Vec<String>,
    servers: Vec<String>,
}

/// A server that gives tokens.
pub(super) struct Authority {
    /// As its metadata has it.
    pub(super) issuer: String,
    pub(super) authorization: Url,
    pub(super) token: Url,
    pub(super) registration: Option<Url>,
    pub(super) revocation: Option<Url>,
    /// How clients may prove who they are.
    pub(super) methods: Vec<String>,
    pub(super) scopes: Vec<String>,
    /// Its redirects name it (RFC 9207).
    pub(super) names_itself: bool,
}

/// Finds out who gives tokens for a server; `None` if nothing is said about that.
///
/// # Errors
/// What is said may not be followed.
pub(super) fn discover(
    fetch: &Fetch,
    server: &Url,
    challenge: &Challenge,
) -> Result<Option<(Resource, Authority)>, String> {
    let Some(resource) = resource(fetch, server, challenge)? else {
        // Up to version 2025-03-26 of the protocol the server was its own authorisation server.
        let origin = server.origin().ascii_serialization();
        let Some(authority) = authority(fetch, &origin)? else { return Ok(None) };
        let id = canonical(server);
        return Ok(Some((Resource { id, scopes: Vec::new(), servers: Vec::new() }, authority)));
    };
    let mut reason = "it names no authorisation server".to_owned();
    for issuer in &resource.servers {
        match authority(fetch, issuer) {
            Ok(Some(authority)) => return Ok(Some((resource, authority))),
            Ok(None) => reason = "its authorisation server does not describe itself".to_owned(),
            Err(error) => reason = error,
        }
    }
    Err(reason)
}

fn resource(fetch: &Fetch, server: &Url, challenge: &Challenge) -> Result<Option<Resource>, String> {
    let mut places = Vec::new();
    if let Some(named) = &challenge.resource_metadata {
        places.push(fetch.checked(named)?);
    }
    places.extend(well_known(server, "oauth-protected-resource"));
    for place in places {
        let Some(metadata) = fetch.document(&place)? else { continue };
        let Some(id) = metadata["resource"].as_str() else { continue };
        if !covers(id, server) {
            return Err(format!("`{}` describes another server than this one", shown(&place)));
        }
        let (servers, scopes) = (texts(&metadata["authorization_servers"]), texts(&metadata["scopes_supported"]));
        return Ok(Some(Resource { id: id.to_owned(), servers, scopes }));
    }
    Ok(None)
}

/// The addresses below `/.well-known/` for a URL: with its path, and for the whole host.
fn well_known(url: &Url, name: &str) -> Vec<Url> {
    let path = url.path().trim_end_matches('/');
    let paths = if path.is_empty() { vec![""] } else { vec![path, ""] };
    paths.into_iter().map(|path| at(url, &format!("/.well-known/{name}{path}"))).collect()
}

fn at(url: &Url, path: &str) -> Url {
    let mut url = url.clone();
    url.set_path(path);
    url.set_query(None);
    url.set_fragment(None);
    url
}

/// True when what metadata describes is this server, or a part of its host that the server is in. A token for another one
/// would be a gift.
fn covers(resource: &str, server: &Url) -> bool {
    let Ok(resource) = Url::parse(resource) else { return false };
    let folder = |path: &str| format!("{}/", path.trim_end_matches('/'));
    resource.origin() == server.origin() && folder(server.path()).starts_with(&folder(resource.path()))
}

/// The URL of a server without what identifies nobody, or is a secret.
fn canonical(server: &Url) -> String {
    at(server, server.path()).to_string()
}

fn authority(fetch: &Fetch, issuer: &str) -> Result<Option<Authority>, String> {
    let url = fetch.checked(issuer)?;
    let mut places = vec![well_known(&url, "oauth-authorization-server").remove(0)];
    places.push(well_known(&url, "openid-configuration").remove(0));
    if url.path() != "/" {
        places.push(at(&url, &format!("{}/.well-known/openid-configuration", url.path().trim_end_matches('/'))));
    }
    for place in places {
        if let Some(metadata) = fetch.document(&place)? {
            return authority_of(fetch, &url, &metadata).map(Some);
        }
    }
    Ok(None)
}

fn authority_of(fetch: &Fetch, url: &Url, metadata: &Value) -> Result<Authority, String> {
    let place = shown(url);
    let issuer = metadata["issuer"].as_str().unwrap_or_default();
    if !is_same(issuer, url) {
        return Err(format!("the metadata of the authorisation server `{place}` names another issuer"));
    }
    let optional = |name: &str| metadata[name].as_str().map(|text| fetch.checked(text)).transpose();
    let needed = |name: &str| {
        optional(name)?.ok_or_else(|| format!("the authorisation server `{place}` does not say its {name}"))
    };
    if !texts(&metadata["code_challenge_methods_supported"]).iter().any(|method| method == "S256") {
        return Err(format!("the authorisation server `{place}` does not say that it knows PKCE with S256"));
    }
    Ok(Authority {
        issuer: issuer.to_owned(),
        authorization: needed("authorization_endpoint")?,
        token: needed("token_endpoint")?,
        registration: optional("registration_endpoint")?,
        revocation: optional("revocation_endpoint").unwrap_or_default(),
        methods: texts(&metadata["token_endpoint_auth_methods_supported"]),
        scopes: texts(&metadata["scopes_supported"]),
        names_itself: metadata["authorization_response_iss_parameter_supported"] == true,
    })
}

/// RFC 8414, section 3.3: the issuer is the one that was asked. Only a slash at the end of a host may differ.
fn is_same(issuer: &str, url: &Url) -> bool {
    Url::parse(issuer).is_ok_and(|issuer| issuer == *url)
}

fn texts(value: &Value) -> Vec<String> {
    value.as_array().into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use url::Url;

    use super::{Fetch, authority_of, canonical, covers, well_known};

    #[test]
    fn a_description_covers_the_server_or_not() {
        let server = Url::parse("https://h.example/a/mcp?key=SECRET").unwrap();
        let rows = [
            ("https://h.example/a/mcp", true),
            ("https://h.example/a/mcp/", true),
            ("https://h.example/a", true),
            ("https://h.example", true),
            ("https://H.example:443/a/mcp", true),
            ("https://h.example/a/m", false),
            ("https://h.example/a/mcp/b", false),
            ("https://h.example.evil.example/a/mcp", false),
            ("http://h.example/a/mcp", false),
            ("https://h.example:8443/a/mcp", false),
            ("h.example", false),
        ];
        for (resource, expected) in rows {
            assert_eq!(covers(resource, &server), expected, "{resource}");
        }
        assert_eq!(canonical(&server), "https://h.example/a/mcp");
        let places = well_known(&server, "x").iter().map(Url::to_string).collect::<Vec<_>>();
        assert_eq!(places, ["https://h.example/.well-known/x/a/mcp", "https://h.example/.well-known/x"]);
    }

    #[test]
    fn an_authority_is_who_it_says_and_knows_pkce() {
        let url = Url::parse("https://as.example").unwrap();
        let fetch = Fetch::of(&url);
        let good = json!({
            "issuer": "https://as.example", "authorization_endpoint": "https://as.example/a",
            "token_endpoint": "https://as.example/t", "code_challenge_methods_supported": ["plain", "S256"],
        });
        let told = |name: &str, value: serde_json::Value| {
            let mut metadata = good.clone();
            metadata[name] = value;
            authority_of(&fetch, &url, &metadata).err().unwrap_or_default()
        };
        assert_eq!(told("x", json!(1)), "");
        let rows = [
            ("issuer", json!("https://evil.example"), "names another issuer"),
            ("issuer", json!(null), "names another issuer"),
            ("code_challenge_methods_supported", json!(["plain"]), "PKCE"),
            ("code_challenge_methods_supported", json!(null), "PKCE"),
            ("token_endpoint", json!("http://as.example/t"), "not https://"),
            ("token_endpoint", json!(null), "does not say its token_endpoint"),
            ("authorization_endpoint", json!("file:///etc/passwd"), "not https://"),
        ];
        for (name, value, expected) in rows {
            let reason = told(name, value.clone());
            assert!(reason.contains(expected), "{name} {value}: {reason}");
        }
    }
}
