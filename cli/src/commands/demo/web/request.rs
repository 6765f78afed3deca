//! The head of a request: all that a server of a few files needs to read.

use std::io::Read;

/// A longer head is not that of a browser.
const MOST_BYTES: usize = 16 << 10;

/// What is asked for.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Asked {
    /// The path, without the query.
    pub(super) path: String,
    /// False for HEAD.
    pub(super) has_body: bool,
}

/// Why a request gets no file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Refused {
    NotHttp,
    TooLong,
    Method,
    /// A page elsewhere can let its own name resolve to this address (DNS rebinding). The name gives it away.
    Host,
    NotFound,
}

impl Refused {
    /// The status and a reason.
    pub(super) fn told(self) -> (&'static str, &'static str) {
        match self {
            Self::NotHttp => ("400 Bad Request", "cannot read the request: it is not HTTP/1.1"),
            Self::TooLong => {
                ("431 Request Header Fields Too Large", "cannot read the request: its head is longer than 16 KiB")
            }
            Self::Method => ("405 Method Not Allowed", "cannot do that: this server only answers GET and HEAD"),
            Self::Host => ("421 Misdirected Request", "cannot answer for that host: ask http://127.0.0.1 at this port"),
            Self::NotFound => ("404 Not Found", "cannot find that: the page is at /"),
        }
    }
}

/// Reads what is asked for on this port. A client that says nothing gets nothing.
pub(super) fn read(from: &mut impl Read, port: u16) -> Result<Asked, Option<Refused>> {
    let mut head = Vec::new();
    let mut part = [0; 2048];
    while !head.windows(4).any(|end| end == b"\r\n\r\n") {
        if head.len() > MOST_BYTES {
            return Err(Some(Refused::TooLong));
        }
        match from.read(&mut part) {
            Ok(0) if head.is_empty() => return Err(None),
            Ok(0) => return Err(Some(Refused::NotHttp)),
            Ok(count) => head.extend_from_slice(&part[..count]),
            Err(_) => return Err(None),
        }
    }
    let text = std::str::from_utf8(&head).map_err(|_| Some(Refused::NotHttp))?;
    parsed(text, port).map_err(Some)
}

fn parsed(head: &str, port: u16) -> Result<Asked, Refused> {
    let mut lines = head.split("\r\n");
    let words: Vec<&str> = lines.next().unwrap_or_default().split(' ').collect();
    let [method, target, version] = words[..] else { return Err(Refused::NotHttp) };
    if !version.starts_with("HTTP/1.") || !target.starts_with('/') {
        return Err(Refused::NotHttp);
    }
    let fields = lines.take_while(|line| !line.is_empty()).filter_map(|line| line.split_once(':'));
    let hosts: Vec<&str> =
        fields.filter(|(name, _)| name.eq_ignore_ascii_case("host")).map(|(_, host)| host.trim()).collect();
    let ours = |host: &&str| {
        [format!("127.0.0.1:{port}"), format!("localhost:{port}")].iter().any(|own| host.eq_ignore_ascii_case(own))
    };
    if hosts.len() != 1 || !hosts.iter().all(ours) {
        return Err(Refused::Host);
    }
    let has_body = match method {
        "GET" => true,
        "HEAD" => false,
        _ => return Err(Refused::Method),
    };
    let path = target.split('?').next().unwrap_or_default().to_owned();
    Ok(Asked { path, has_body })
}

#[cfg(test)]
mod tests {
    use super::{Asked, Refused, read};

    #[test]
    fn requests_are_read_or_refused() {
        let page = |has_body| Ok(Asked { path: "/page.js".to_owned(), has_body });
        let long = format!("GET / HTTP/1.1\r\nA: {}", "a".repeat(20_000));
        let rows = [
            ("GET /page.js?v=1 HTTP/1.1\r\nHost: 127.0.0.1:80\r\n\r\n", page(true)),
            ("HEAD /page.js HTTP/1.1\r\nhost: LOCALHOST:80\r\n\r\n", page(false)),
            ("POST /page.js HTTP/1.1\r\nHost: 127.0.0.1:80\r\n\r\n", Err(Some(Refused::Method))),
            ("GET / HTTP/1.1\r\nHost: evil.example:80\r\n\r\n", Err(Some(Refused::Host))),
            ("GET / HTTP/1.1\r\nHost: 127.0.0.1:81\r\n\r\n", Err(Some(Refused::Host))),
            ("GET / HTTP/1.1\r\n\r\n", Err(Some(Refused::Host))),
            ("GET / HTTP/1.1\r\nHost: 127.0.0.1:80\r\nHost: evil.example\r\n\r\n", Err(Some(Refused::Host))),
            ("GET http://evil.example/ HTTP/1.1\r\nHost: 127.0.0.1:80\r\n\r\n", Err(Some(Refused::NotHttp))),
            ("\u{16}\u{3}\u{1}\r\n\r\n", Err(Some(Refused::NotHttp))),
            ("GET / HTTP/1.1\r\nHost: 127.0.0.1:80\r\n", Err(Some(Refused::NotHttp))),
            (&long, Err(Some(Refused::TooLong))),
            ("", Err(None)),
        ];
        for (head, expected) in rows {
            assert_eq!(read(&mut head.as_bytes(), 80), expected, "{head}");
        }
    }
}
