//! Requests that nobody should send: malformed, from other pages, without the token.

use std::io::{Read, Write};

use super::super::row::Row;
use super::Bench;
use super::door::{Door, HELLO, call, parsed};

pub(super) fn run(bench: &Bench) -> Result<Vec<Row>, String> {
    Ok(vec![malformed(bench)?, kept_out(bench)?])
}

fn malformed(bench: &Bench) -> Result<Row, String> {
    let mut row = Row::new(
        "a request that is not valid is refused (4xx, 501, 505) or closed, and the next call works",
        "malformed HTTP and JSON",
    );
    let door = Door::open(bench, &[], &["--max-message", "1000000"])?;
    let session = door.begin()?;
    let host = door.address;
    let head = |more: &str| {
        format!(
            "POST /mcp HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\nContent-Type: application/json\r\nMcp-Session-Id: {session}\r\n{more}"
        )
    };
    let body = |text: &str| door.post(&session, text);
    let mut texts = vec![
        "\r\n\r\n\r\n".to_owned(),
        "\0\0\0\0\0\0\0\0\r\n\r\n".to_owned(),
        "\u{16}\u{3}\u{1}\u{2}\0\u{1}\0\r\n\r\n".to_owned(),
        "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".to_owned(),
        "GET\r\n\r\n".to_owned(),
        format!("POST /mcp HTTP/7.7\r\nHost: {host}\r\n\r\n"),
        format!("BREW /mcp HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n"),
        format!("POST /{} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n", "x".repeat(100_000)),
        format!("POST /mcp HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n{}\r\n", "X: y\r\n".repeat(1000)),
        format!("POST /mcp HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\nX: {}\r\n\r\n", "y".repeat(200_000)),
        "POST /mcp HTTP/1.1\r\nConnection: close\r\n\r\n".to_owned(),
        format!("POST /mcp HTTP/1.1\r\nHost: {host}\r\nHost: {host}\r\nConnection: close\r\n\r\n"),
        head("Content-Length: -1\r\n\r\n"),
        head("Content-Length: 99999999999999999999999999\r\n\r\n"),
        head("Content-Length: 18446744073709551615\r\n\r\n{}"),
        head("Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}"),
        head("Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n{}\r\n"),
        head("Transfer-Encoding: chunked\r\n\r\nffffffffffffffffff\r\n{}"),
        head("Transfer-Encoding: chunked\r\n\r\n-1\r\n{}"),
        head("Transfer-Encoding: gzip\r\n\r\n{}"),
        head("Accept: text/html\r\nContent-Length: 2\r\n\r\n{}"),
        format!(
            "POST /mcp HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\nContent-Type: text/plain\r\nContent-Length: 2\r\n\r\n{{}}"
        ),
        door.other("GET", &session, "Last-Event-ID: \u{1}\r\n"),
        door.other("GET", &session, "Last-Event-ID: 99999999999999999999-1\r\n"),
        door.other("GET", &session, "Last-Event-ID: 1-99999999999999999999\r\n"),
        door.other("GET", &"f".repeat(32), ""),
        door.other("DELETE", &"f".repeat(10_000), ""),
        door.post(&session, HELLO).replace("\"id\":0", "\"id\":0,\"id\":1").replace("{\"protocol", "[{\"protocol"),
    ];
    for text in
        ["", "{", "[", "7", "null", "\"x\"", "[]", "[7]", "\u{0}", "{\"a\":1}{\"b\":2}", "{\"method\":7}", "[{},{},{]"]
    {
        texts.push(body(text));
    }
    for deep in ["[", "{\"a\":", "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"x\",\"params\":[", "[[{\"id\":"] {
        texts.push(body(&deep.repeat(30_000)));
    }
    texts.push(body(&format!("[{}]", vec![call("7", ""); 200].join(","))));
    texts.push(body(&call("1", &format!("\"x\":\"{}\"", "x".repeat(1_100_000)))));
    for (number, text) in texts.iter().enumerate() {
        let Ok(mut stream) = door.connect() else {
            row.count(Err(format!("request {number}: nobody listens")));
            continue;
        };
        // It may refuse before all is read.
        let _ = stream.write_all(text.as_bytes());
        let _ = stream.shutdown(std::net::Shutdown::Write);
        let mut bytes = Vec::new();
        let _ = stream.read_to_end(&mut bytes);
        row.count(match parsed(&bytes).map(|reply| reply.status) {
            None if bytes.is_empty() => Ok(()),
            Some(400..=499 | 501 | 505) => Ok(()),
            // A message that is not a request has no answer.
            Some(202) => Ok(()),
            other => Err(format!(
                "request {number} ({:.80}): {other:?} {:.200}",
                text.replace("\r\n", "|"),
                String::from_utf8_lossy(&bytes)
            )),
        });
        if number % 8 == 0 {
            row.count(door.works());
        }
    }
    row.count(door.works());
    row.failures.extend(door.close().err());
    Ok(row)
}

fn kept_out(bench: &Bench) -> Result<Row, String> {
    let mut row = Row::new(
        "strangers reach no server",
        "another Host or Origin, no token, a wrong one, one that is nearly right",
    );
    let door =
        Door::open(bench, &[], &["--listen-bearer-env", "LRO_TEST_TOKEN", "--allow-origin", "https://good.example"])?;
    let hosts = [
        "evil.example",
        "127.0.0.1.evil.example",
        "localhost.evil.example:80",
        "[::1",
        "localhost:1:2",
        "",
        "good.example",
    ];
    let origins = [
        "https://evil.example",
        "null",
        "https://good.example.evil.example",
        "http://good.example",
        "https://good.example:444",
        "file://",
        "http://localhost.evil.example",
        "https://127.0.0.1.evil.example",
    ];
    let right = "Authorization: Bearer a-token-for-tests\r\n";
    let tokens = [
        "",
        "Authorization: Bearer a-token-for-test\r\n",
        "Authorization: Bearer a-token-for-testsx\r\n",
        "Authorization: Basic a-token-for-tests\r\n",
        "Authorization: Bearer \r\n",
        "Authorization: a-token-for-tests\r\n",
    ];
    let mut texts = Vec::new();
    for host in hosts {
        texts.push(
            door.post("", HELLO)
                .replace(&format!("Host: {}", door.address), &format!("Host: {host}\r\n{}", right.trim_end())),
        );
    }
    for origin in origins {
        texts.push(
            door.post("", HELLO)
                .replace("Connection: close\r\n", &format!("Connection: close\r\nOrigin: {origin}\r\n{right}")),
        );
    }
    for token in tokens {
        texts.push(door.post("", HELLO).replace("Connection: close\r\n", &format!("Connection: close\r\n{token}")));
    }
    for text in &texts {
        row.count(door.exchange(text).and_then(|reply| match reply.status {
            400 | 401 | 403 | 421 if reply.header("mcp-session-id").is_none() => Ok(()),
            _ => Err(format!("{:.200}: {reply:?}", text.replace("\r\n", "|"))),
        }));
        let processes = super::super::http::process::children(door.process()).len();
        row.count(if processes == 0 { Ok(()) } else { Err(format!("{processes} processes run")) });
    }
    let good = door
        .post("", HELLO)
        .replace("Connection: close\r\n", &format!("Connection: close\r\nOrigin: https://good.example\r\n{right}"));
    row.count(door.exchange(&good).and_then(|reply| match reply.header("mcp-session-id") {
        Some(_) => Ok(()),
        None => Err(format!("whoever may is kept out: {reply:?}")),
    }));
    row.failures.extend(door.close().err());
    Ok(row)
}
