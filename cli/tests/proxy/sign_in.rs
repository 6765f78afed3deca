//! Signing in to servers that lie. Good ones are in `tests/peers/js/oauth.test.mjs`.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::Receiver;

use serde_json::{Value, json};

use crate::client::{Client, start_with_variables};
use crate::remote::{Request, json_reply, reply, serve, usual, write};
use crate::streamable::{JSON, ask, error};
use crate::trials;

trials![
    metadata_that_lies_is_refused,
    a_token_goes_to_its_server_alone,
    an_endpoint_that_fails_shows_no_secret,
    a_file_that_others_can_read_is_not_used,
    a_server_without_metadata_is_as_before,
    a_client_that_goes_waits_for_nobody,
    a_refresh_that_fails_asks_or_tells,
];

/// A browser that signs in at once: it takes the redirect and the state out of the URL, and comes back with a code.
const BROWSER: &str = r#"#!/bin/sh
value() { printf '%s' "$1" | sed -n "s/.*[?&]$2=\([^&]*\).*/\1/p"; }
back=$(value "$1" redirect_uri | sed 's/%3A/:/g; s/%2F/\//g')
port=${back#http://127.0.0.1:}; port=${port%%/*}
exec 3<>"/dev/tcp/127.0.0.1/$port"
printf 'GET /callback?code=code-of-browser&state=%s HTTP/1.1\r\nHost: x\r\n\r\n' "$(value "$1" state)" >&3
cat <&3
"#;

/// A server that wants a token, and is its own authorisation server. `change` changes what it says at a path.
fn serves(change: impl Fn(&str, &str) -> Option<Vec<u8>> + Clone + Send + 'static) -> (String, Receiver<Request>) {
    serve(move |request, stream| {
        let origin = format!("http://{}", request.header("host").unwrap_or_default());
        let path = request.line.split(' ').nth(1).unwrap_or_default();
        let good = request.header("authorization") == Some("bearer good-access-token");
        let bytes = change(path, &origin).unwrap_or_else(|| match path {
            "/.well-known/oauth-protected-resource/mcp" => {
                json_reply(&json!({"resource": format!("{origin}/mcp"), "authorization_servers": [origin]}))
            }
            "/.well-known/oauth-authorization-server" => json_reply(&metadata(&origin)),
            "/register" => json_reply(&json!({"client_id": "c"})),
            "/token" => json_reply(&json!({
                "access_token": "good-access-token", "token_type": "Bearer", "refresh_token": "good-refresh-token",
                "expires_in": 3600,
            })),
            "/mcp" if good => {
                usual(request).unwrap_or_else(|| json_reply(&json!({"id": request.body["id"], "result": {}})))
            }
            "/mcp" => reply(401, "WWW-Authenticate: Bearer\r\n", ""),
            _ => reply(404, "", ""),
        });
        write(stream, &bytes);
    })
}

fn metadata(origin: &str) -> Value {
    json!({
        "issuer": origin, "authorization_endpoint": format!("{origin}/authorize"),
        "token_endpoint": format!("{origin}/token"), "registration_endpoint": format!("{origin}/register"),
        "code_challenge_methods_supported": ["S256"],
    })
}

fn begin(url: &str, flags: &[&str]) -> Client {
    let folder = tempfile::tempdir().expect("a folder can be made");
    begin_in(folder, url, flags)
}

fn begin_in(folder: tempfile::TempDir, url: &str, flags: &[&str]) -> Client {
    let script = folder.path().join("browser");
    fs::write(&script, BROWSER).unwrap();
    let (browser, state) = (format!("bash {}", script.display()), folder.path().join("state").display().to_string());
    let variables = [("BROWSER", browser.as_str()), ("LRO_STATE_DIR", &state)];
    start_with_variables(folder, &variables, &[&["proxy", "--url", url, "--sign-in-seconds", "5"], flags].concat())
}

/// The file of tokens.
fn file(folder: &Path) -> Option<PathBuf> {
    let entries = fs::read_dir(folder.join("state/oauth")).ok()?;
    let mut files = entries.map(|entry| entry.unwrap().path());
    files.find(|path| path.extension().is_some_and(|extension| extension == "json"))
}

fn metadata_that_lies_is_refused() {
    type Change = fn(&str, &str) -> Option<Vec<u8>>;
    let rows: [(&str, Change); 6] = [
        ("describes another server", |path, origin| {
            let other = json!({"resource": "https://bank.example/mcp", "authorization_servers": [origin]});
            path.contains("protected-resource").then(|| json_reply(&other))
        }),
        ("not https://", |path, origin| {
            let other = json!({"resource": origin, "authorization_servers": ["http://as.example"]});
            path.contains("protected-resource").then(|| json_reply(&other))
        }),
        ("names another issuer", |path, origin| {
            let mut other = metadata(origin);
            other["issuer"] = json!("https://as.example");
            path.contains("authorization-server").then(|| json_reply(&other))
        }),
        ("PKCE", |path, origin| {
            let mut other = metadata(origin);
            other["code_challenge_methods_supported"] = json!(["plain"]);
            path.contains("authorization-server").then(|| json_reply(&other))
        }),
        ("not https://", |path, origin| {
            let mut other = metadata(origin);
            other["token_endpoint"] = json!("http://as.example/token");
            path.contains("authorization-server").then(|| json_reply(&other))
        }),
        ("--oauth-client-id", |path, origin| {
            let mut other = metadata(origin);
            other["registration_endpoint"] = Value::Null;
            path.contains("authorization-server").then(|| json_reply(&other))
        }),
    ];
    for (expected, change) in rows {
        let (url, requests) = serves(change);
        let mut client = begin(&url, &[]);
        let answer = ask(&mut client, 1, "initialize");
        assert!(error(&answer).contains(expected), "{expected}: {answer}");
        // Nobody is asked again and again.
        assert!(error(&ask(&mut client, 2, "ping")).contains(expected), "{expected}");
        let (_, _, folder) = client.end();
        assert_eq!(file(folder.path()), None);
        let paths: Vec<String> = requests.try_iter().map(|request| request.line).collect();
        assert!(!paths.iter().any(|line| line.contains("/token")), "{expected}: {paths:?}");
        assert_eq!(paths.iter().filter(|line| line.contains("protected-resource/mcp")).count(), 1, "{paths:?}");
    }
}

fn a_token_goes_to_its_server_alone() {
    let (elsewhere, stolen) = serve(|_, stream| write(stream, &reply(200, JSON, "{}")));
    let (url, requests) = serves(move |path, _| {
        let away = |from: &str| reply(307, &format!("Location: {}\r\n", elsewhere.replace("/mcp", from)), "");
        // Documents and calls that lead to another host.
        match path {
            "/.well-known/oauth-protected-resource/mcp" => Some(away("/.well-known/oauth-protected-resource/mcp")),
            _ => None,
        }
    });
    let mut client = begin(&url, &[]);
    assert_eq!(ask(&mut client, 1, "initialize")["result"]["protocolVersion"], "2025-11-25");
    assert_eq!(ask(&mut client, 2, "other")["result"], json!({}));
    let (output, _, folder) = client.end();
    assert!(output.status.success(), "{output:?}");
    assert_eq!(stolen.try_iter().count(), 0);
    let path = file(folder.path()).expect("the sign-in is kept");
    assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(!said.contains("good-access-token") && !said.contains("good-refresh-token"), "{said}");
    let requests: Vec<Request> = requests.try_iter().collect();
    for request in requests.iter().filter(|request| !request.line.contains("/mcp HTTP")) {
        assert_eq!(request.header("authorization"), None, "{request:?}");
    }
    assert!(
        requests.last().is_some_and(|last| last.is("DELETE") && last.header("authorization").is_some()),
        "{requests:?}"
    );
}

fn an_endpoint_that_fails_shows_no_secret() {
    let told = json!({"error": "invalid_grant", "error_description": "no code code-of-browser here"}).to_string();
    let rows = [
        (reply(400, JSON, &told), "invalid_grant"),
        (reply(200, JSON, &told), "invalid_grant"),
        (reply(500, "", ""), "status 500"),
        (reply(200, JSON, "{}"), "no token that can be sent"),
        (reply(200, JSON, r#"{"access_token": "a\r\nX: b"}"#), "no token that can be sent"),
        (reply(302, "Location: https://as.example/\r\n", ""), "status 302"),
        (Vec::new(), "cannot be reached"),
    ];
    for (bytes, expected) in rows {
        let (url, _requests) = serves(move |path, _| (path == "/token").then(|| bytes.clone()));
        let mut client = begin(&url, &[]);
        let answer = ask(&mut client, 1, "initialize");
        assert!(
            error(&answer).contains(expected) && !error(&answer).contains("code-of-browser"),
            "{expected}: {answer}"
        );
        let (output, _, folder) = client.end();
        assert!(!String::from_utf8_lossy(&output.stderr).contains("code-of-browser"), "{output:?}");
        assert_eq!(file(folder.path()), None);
    }
}

fn a_file_that_others_can_read_is_not_used() {
    let (url, requests) = serves(|_, _| None);
    let mut client = begin(&url, &[]);
    ask(&mut client, 1, "initialize");
    let (_, _, folder) = client.end();
    let path = file(folder.path()).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o644)).unwrap();
    while requests.try_recv().is_ok() {}
    let mut client = begin_in(folder, &url, &[]);
    assert_eq!(ask(&mut client, 1, "initialize")["result"]["protocolVersion"], "2025-11-25");
    let (output, _, folder) = client.end();
    assert!(String::from_utf8_lossy(&output.stderr).contains("other users can read"), "{output:?}");
    assert!(requests.try_iter().any(|request| request.line.contains("/token")));
    assert_eq!(fs::metadata(file(folder.path()).unwrap()).unwrap().permissions().mode() & 0o777, 0o600);
}

fn a_server_without_metadata_is_as_before() {
    let (url, requests) = serves(|path, _| path.contains("well-known").then(|| reply(404, "", "")));
    let mut client = begin(&url, &[]);
    for id in 1..=3 {
        let answer = ask(&mut client, id, "initialize");
        assert!(error(&answer).ends_with("it answered with status 401"), "{answer}");
    }
    client.end_well();
    let asked = |part: &str| requests.try_iter().filter(|request| request.line.contains(part)).count();
    assert_eq!(asked("protected-resource/mcp"), 1);
    let (url, requests) = serves(|_, _| None);
    for flags in [&["--no-sign-in"][..], &["--bearer-env", "TOKEN_OF_TEST"]] {
        let mut client = begin(&url, flags);
        assert!(error(&ask(&mut client, 1, "initialize")).ends_with("status 401"), "{flags:?}");
        client.end_well();
    }
    assert!(requests.try_iter().all(|request| request.is("POST /mcp")));
}

fn a_client_that_goes_waits_for_nobody() {
    let (url, requests) = serves(|_, _| None);
    let mut client = begin(&url, &["--no-browser"]);
    client.send(&json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {}}));
    while !requests.recv().unwrap().line.contains("/register") {}
    let (output, rest, _folder) = client.end();
    let rest = String::from_utf8_lossy(&rest).into_owned();
    assert!(rest.contains("the conversation has ended before"), "{rest}");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(said.contains("asks for a sign-in within 5 s") || said.contains("asks for a sign-in within 4 s"), "{said}");
    assert!(said.contains("/authorize?response_type=code&client_id=c&"), "{said}");
}

fn a_refresh_that_fails_asks_or_tells() {
    let dead = json!({"error": "bad_refresh_token"}).to_string();
    let rows = [
        (reply(400, JSON, r#"{"error": "invalid_grant"}"#), true),
        (reply(200, JSON, &dead), true),
        (reply(200, JSON, r#"{"token_type": "bearer"}"#), true),
        (reply(503, "", ""), false),
        (reply(429, JSON, r#"{"error": "slow_down"}"#), false),
        (Vec::new(), false),
    ];
    for (bytes, asks) in rows {
        // What is given first is not good, so that it has to be refreshed; what a person gets then is.
        let tokens = Arc::new(AtomicUsize::new(0));
        let (url, requests) = serves(move |path, _| match path {
            "/token" => match tokens.fetch_add(1, Ordering::SeqCst) {
                0 => Some(json_reply(&json!({"access_token": "old", "refresh_token": "r", "expires_in": 0}))),
                1 | 2 => Some(bytes.clone()),
                _ => None,
            },
            _ => None,
        });
        let (output, _, folder) = begin(&url, &["--sign-in"]).end();
        assert!(output.status.success(), "{output:?}");
        while requests.try_recv().is_ok() {}
        let mut client = begin_in(folder, &url, &[]);
        let answer = ask(&mut client, 1, "initialize");
        let (output, ..) = client.end();
        let is_asked = requests.try_iter().any(|request| request.line.contains("/register"));
        assert_eq!(is_asked, asks, "{answer} {output:?}");
        assert_eq!(answer["result"].is_object(), asks, "{answer} {output:?}");
        assert!(asks || error(&answer).contains("cannot be refreshed"), "{answer}");
    }
}
