//! Where a browser comes back to with a code: a port of this machine, until a deadline (RFC 8252).

use std::io::{ErrorKind, Read, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::thread;
use std::time::{Duration, Instant};

use url::Url;

use super::fetch::quoted;

/// The path of the redirect.
const PATH: &str = "/callback";

/// How long a connection may take to say what it wants. A browser also opens some that it does not use.
const PATIENCE: Duration = Duration::from_millis(700);

/// How often it is looked whether somebody has come.
const INTERVAL: Duration = Duration::from_millis(50);

/// A code is a few hundred characters.
const LONGEST: usize = 16 << 10;

/// A port that waits for the browser.
pub(super) struct Callback {
    listener: TcpListener,
    pub(super) redirect: String,
}

/// What a redirect must have.
pub(super) struct Expected<'a> {
    pub(super) state: &'a str,
    pub(super) issuer: &'a str,
    /// The server says that it names itself (RFC 9207).
    pub(super) names_itself: bool,
}

/// What a redirect brings.
#[derive(Debug, PartialEq)]
enum Brought {
    Code(String),
    /// The sign-in is over, without a code.
    Failed(String),
    /// Not our redirect. The right one may still come.
    Ignored(&'static str),
}

impl Callback {
    /// Waits at this port, or at any.
    ///
    /// # Errors
    /// Somebody else is there.
    pub(super) fn at(port: Option<u16>) -> Result<Self, String> {
        let reason = |error| format!("the port {} cannot be used: {error}", port.unwrap_or_default());
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port.unwrap_or_default())).map_err(reason)?;
        listener.set_nonblocking(true).map_err(reason)?;
        let port = listener.local_addr().map_err(reason)?.port();
        Ok(Self { listener, redirect: format!("http://127.0.0.1:{port}{PATH}") })
    }

    /// The code that a browser brings.
    ///
    /// # Errors
    /// The server refuses, or nobody comes in time.
    pub(super) fn code(&self, expected: &Expected<'_>, deadline: Instant) -> Result<String, String> {
        let mut ignored = None;
        while Instant::now() < deadline {
            let mut stream = match self.listener.accept() {
                Ok((stream, _)) => stream,
                Err(_) => {
                    thread::sleep(INTERVAL);
                    continue;
                }
            };
            let Some(target) = target(&mut stream) else { continue };
            let brought = brought(&target, expected);
            answer(&mut stream, &brought);
            match brought {
                Brought::Code(code) => return Ok(code),
                Brought::Failed(reason) => return Err(reason),
                Brought::Ignored(reason) => ignored = Some(reason),
            }
        }
        let ignored = ignored.map(|reason| format!("; a redirect was refused, because {reason}")).unwrap_or_default();
        Err(format!("nobody has signed in in time{ignored}"))
    }
}

/// The target of a request, from its first line.
fn target(stream: &mut TcpStream) -> Option<String> {
    stream.set_nonblocking(false).ok()?;
    let deadline = Instant::now() + PATIENCE;
    let (mut bytes, mut piece) = (Vec::new(), [0; 2048]);
    // All headers are read: an answer to a half-read request may be lost.
    while !bytes.windows(4).any(|end| end == b"\r\n\r\n") {
        let rest = deadline.checked_duration_since(Instant::now()).filter(|rest| !rest.is_zero())?;
        stream.set_read_timeout(Some(rest)).ok()?;
        match stream.read(&mut piece) {
            Ok(0) => return None,
            Ok(read) => bytes.extend_from_slice(&piece[..read]),
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(_) => return None,
        }
        if bytes.len() > LONGEST {
            return None;
        }
    }
    let text = String::from_utf8_lossy(&bytes);
    let mut words = text.lines().next()?.split(' ');
    (words.next()? == "GET").then(|| words.next().map(str::to_owned))?
}

fn brought(target: &str, expected: &Expected<'_>) -> Brought {
    let url = Url::parse("http://127.0.0.1").and_then(|base| base.join(target));
    let Some(url) = url.ok().filter(|url| url.path() == PATH) else {
        return Brought::Ignored("its address is another");
    };
    let value = |name: &str| {
        let mut values = url.query_pairs().filter(|(key, _)| key == name).map(|(_, value)| value.into_owned());
        // A parameter that is there twice says nothing.
        values.next().filter(|_| values.next().is_none())
    };
    if value("state").as_deref() != Some(expected.state) {
        return Brought::Ignored("its state is not that of this sign-in");
    }
    match value("iss") {
        Some(issuer) if issuer != expected.issuer => {
            return Brought::Failed("the sign-in came back from another authorisation server".to_owned());
        }
        None if expected.names_itself => {
            return Brought::Failed("the sign-in came back without the name of its authorisation server".to_owned());
        }
        _ => {}
    }
    if let Some(error) = value("error") {
        let told = value("error_description").map(|text| format!(" ({})", quoted(&text))).unwrap_or_default();
        return Brought::Failed(format!("the sign-in was refused: {}{told}", quoted(&error)));
    }
    match value("code").filter(|code| !code.is_empty()) {
        Some(code) => Brought::Code(code),
        None => Brought::Failed("the sign-in came back without a code".to_owned()),
    }
}

/// Tells the person at the browser. Nothing of the request is repeated.
fn answer(stream: &mut TcpStream, brought: &Brought) {
    let (status, text) = match brought {
        Brought::Code(_) => ("200 OK", "You are signed in. You can close this window."),
        Brought::Failed(_) => ("400 Bad Request", "The sign-in has failed. The reason is where it was started."),
        Brought::Ignored(_) => ("404 Not Found", "There is nothing here."),
    };
    let page = format!("<!doctype html><meta charset=utf-8><title>lro</title><p>{text}</p>\n");
    let head = "Content-Type: text/html; charset=utf-8\r\nCache-Control: no-store\r\nReferrer-Policy: no-referrer\r\n";
    let length = page.len();
    let reply = format!("HTTP/1.1 {status}\r\n{head}Content-Length: {length}\r\nConnection: close\r\n\r\n{page}");
    // A browser that has gone has brought what it had.
    let _ = stream.set_write_timeout(Some(PATIENCE)).and_then(|()| stream.write_all(reply.as_bytes()));
}

#[cfg(test)]
mod tests {
    use super::{Brought, Expected, brought};

    #[test]
    fn a_redirect_is_ours_or_not() {
        let of = |target: &str, names_itself| {
            brought(target, &Expected { state: "S", issuer: "https://as.example", names_itself })
        };
        assert_eq!(of("/callback?code=C&state=S", false), Brought::Code("C".to_owned()));
        assert_eq!(of("/callback?code=C&state=S&iss=https%3A%2F%2Fas.example", true), Brought::Code("C".to_owned()));
        for target in ["/", "/favicon.ico", "/callback", "/callback?code=C", "/callback?code=C&state=T", "//[", "*"] {
            assert!(matches!(of(target, false), Brought::Ignored(_)), "{target}");
        }
        // A state that is there twice is none.
        assert!(matches!(of("/callback?code=C&state=S&state=S", false), Brought::Ignored(_)));
        let rows = [
            ("/callback?code=C&state=S", true, "without the name"),
            ("/callback?code=C&state=S&iss=https://evil.example", false, "another authorisation server"),
            ("/callback?code=C&state=S&iss=https://as.example/", false, "another authorisation server"),
            ("/callback?error=access_denied&error_description=no%0Ano&state=S", false, "refused: access_denied (nono)"),
            ("/callback?state=S", false, "without a code"),
            ("/callback?code=&state=S", false, "without a code"),
        ];
        for (target, names_itself, expected) in rows {
            match of(target, names_itself) {
                Brought::Failed(reason) => assert!(reason.contains(expected), "{target}: {reason}"),
                other => panic!("{target}: {other:?}"),
            }
        }
    }
}
