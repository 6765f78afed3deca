//! Replies that are not answers: statuses, redirects, media types, junk.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use super::super::http::site::{EVENTS, JSON, Site, reply, usual, write};
use super::super::http::talk::Answer;
use super::super::row::Row;
use super::{Bench, ONCE, SECRETS, conversation};

/// How long an answer may take: nothing here is slow.
const PATIENCE: Duration = Duration::from_secs(20);

pub(super) fn run(bench: &Bench) -> Result<Vec<Row>, String> {
    Ok(vec![statuses(bench)?, redirects(bench)?, junk(bench)?])
}

/// Statuses with bodies of all kinds, which repeat what was sent to them.
fn statuses(bench: &Bench) -> Result<Row, String> {
    let mut row = Row::new(ONCE, "a status of HTTP with each kind of body; secrets are echoed");
    let echo = format!("key {} token {} password {} header {}", SECRETS[0], SECRETS[1], SECRETS[3], SECRETS[2]);
    let bodies = [
        (String::new(), String::new()),
        (JSON.to_owned(), String::new()),
        (
            JSON.to_owned(),
            format!("{{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{{\"code\":-32001,\"message\":\"{echo}\"}}}}"),
        ),
        (
            JSON.to_owned(),
            format!("{{\"jsonrpc\":\"2.0\",\"id\":\"server-error\",\"error\":{{\"code\":1,\"message\":\"{echo}\"}}}}"),
        ),
        (format!("Content-Type: text/{echo}\r\n"), format!("<p>{echo}</p>")),
        (EVENTS.to_owned(), format!("data: {echo}\n\n")),
        (
            format!(
                "Retry-After: 120\r\nWWW-Authenticate: Bearer error=\"{echo}\"\r\nX-Long: {}\r\n",
                "x".repeat(8000)
            ),
            echo.clone(),
        ),
    ];
    let statuses = [
        200, 201, 202, 204, 206, 400, 401, 402, 403, 405, 406, 408, 409, 410, 413, 415, 418, 422, 425, 429, 431, 451,
        500, 501, 502, 503, 504, 507, 511, 599, 999,
    ];
    let (folder, served) = (bench.folder()?, bodies.clone());
    let site = Site::serve(move |request, stream| {
        let (Some(status), Some(body)) = (request.number("status"), request.number("body")) else {
            write(stream, &usual(request, "s").unwrap_or_default());
            return false;
        };
        let (headers, body) = &served[body];
        write(stream, &reply(u16::try_from(status).unwrap_or(500), headers, body));
        false
    })?;
    let mut talk = conversation(bench, folder.path(), &site, &[])?;
    for status in statuses {
        for body in 0..bodies.len() {
            let id = format!("\"{status} {body}\"");
            talk.call(&id, "t", &format!("\"status\":{status},\"body\":{body}"))?;
            row.count(talk.wait(&id, PATIENCE).and_then(|answer| match answer {
                Answer::Error(error) if status >= 300 && !error.contains(&status.to_string()) => {
                    Err(format!("{id}: the status is not named: {error}"))
                }
                Answer::Error(error) if error.len() > 1000 => Err(format!("{id}: a long error: {error}")),
                Answer::Error(_) => Ok(()),
                Answer::Result(text) => Err(format!("{id}: a result: {text}")),
            }));
        }
    }
    row.failures.extend(talk.end().err());
    Ok(row.seen("no secret in any message"))
}

fn redirects(bench: &Bench) -> Result<Row, String> {
    let mut row = Row::new(
        "no other address gets anything",
        "a redirect (300 to 308) to another host, to http://, to itself, to junk",
    );
    let others = Site::serve(|_, stream| {
        write(stream, &reply(200, JSON, "{}"));
        false
    })?;
    let (folder, other) = (bench.folder()?, others.address);
    let places = [
        format!("http://{other}/stolen"),
        format!("http://localhost:{}/stolen", other.port()),
        format!("//{other}/"),
        "/mcp/".to_owned(),
        "".to_owned(),
        "file:///etc/passwd".to_owned(),
        format!("https://user:{}@{other}/?api_key={}", SECRETS[3], SECRETS[0]),
        format!("http://{}", "x".repeat(5000)),
        "\u{1}\u{2}".to_owned(),
    ];
    let count = places.len();
    let site = Site::serve(move |request, stream| {
        let (Some(status), Some(place)) = (request.number("status"), request.number("place")) else {
            write(stream, &usual(request, "s").unwrap_or_default());
            return false;
        };
        write(stream, &reply(u16::try_from(status).unwrap_or(500), &format!("Location: {}\r\n", places[place]), ""));
        false
    })?;
    let mut talk = conversation(bench, folder.path(), &site, &[])?;
    // The notification and the stream that follow a handshake may come after this.
    let before = site.count();
    for status in 300..=308 {
        for place in 0..count {
            let id = format!("\"{status} {place}\"");
            talk.call(&id, "t", &format!("\"status\":{status},\"place\":{place}"))?;
            row.count(talk.wait(&id, PATIENCE).and_then(|answer| match answer {
                Answer::Error(error) if error.len() < 1000 => Ok(()),
                other => Err(format!("{id}: {other:?}")),
            }));
        }
    }
    let (asked, got) = (site.count() - before, others.count());
    if asked > 9 * count + 3 || got > 0 {
        row.failures.push(format!("{asked} requests to the server, {got} to others"));
    }
    row.failures.extend(talk.end().err());
    Ok(row.seen(format!("{got} requests elsewhere")))
}

/// Bytes that are not HTTP, or are not what HTTP allows.
fn junk(bench: &Bench) -> Result<Row, String> {
    let mut row = Row::new(ONCE, "bytes that are not HTTP, odd headers, odd messages");
    let head = "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Type: application/json\r\n";
    let events = "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Type: text/event-stream\r\n\r\n";
    let good = "{\"jsonrpc\":\"2.0\",\"id\":ID,\"result\":{}}";
    let texts: Vec<String> = vec![
        String::new(),
        "\0\0\0\0".to_owned(),
        "\u{16}\u{3}\u{1}\u{2}\0\u{1}".to_owned(),
        "SSH-2.0-OpenSSH_9.9\r\n".to_owned(),
        "HTTP/9.9 200 OK\r\n\r\n".to_owned(),
        "HTTP/1.1 2000 OK\r\n\r\n".to_owned(),
        "HTTP/1.1 200 OK\n\n".to_owned() + good,
        format!("{head}Content-Length: -1\r\n\r\n{good}"),
        format!("{head}Content-Length: 99999999999999999999999\r\n\r\n{good}"),
        format!("{head}Content-Length: 18446744073709551615\r\n\r\n{good}"),
        format!("{head}Content-Length: 10\r\nContent-Length: 20\r\n\r\n{good}"),
        format!("{head}Transfer-Encoding: chunked\r\n\r\nffffffffffffffffff\r\n{good}"),
        format!("{head}Transfer-Encoding: chunked\r\n\r\nzz\r\n{good}"),
        format!("{head}Transfer-Encoding: chunked\r\n\r\n-5\r\n{good}"),
        format!("{head}Transfer-Encoding: gzip\r\n\r\n{good}"),
        format!("{head}Content-Encoding: gzip\r\nContent-Length: 9\r\n\r\n{good}"),
        format!("{head}X: {}\r\n\r\n{good}", "x".repeat(1 << 20)),
        format!("{head}{}\r\n{good}", "X: y\r\n".repeat(5000)),
        "HTTP/1.1 100 Continue\r\n\r\n".repeat(2000),
        "HTTP/1.1 103 Early Hints\r\n\r\n".to_owned(),
        "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n".to_owned(),
        format!("{head}\r\n{{\"jsonrpc\":\"2.0\",\"id\":ID}}"),
        format!("{head}\r\n{{\"jsonrpc\":\"2.0\",\"id\":ID,\"result\":"),
        format!("{head}\r\n[[[[]]]]"),
        format!("{head}\r\n{}", "[".repeat(200_000)),
        format!("{head}\r\n{{\"id\":{}}}", "9".repeat(100_000)),
        format!("{head}\r\n\u{feff}\u{feff}{good}"),
        format!("{head}\r\n{{\"jsonrpc\":\"2.0\",\"id\":[ID],\"result\":{{}}}}"),
        format!("{head}\r\n{{\"jsonrpc\":\"2.0\",\"id\":{{}},\"result\":{{}}}}"),
        format!("{events}data: {{\"jsonrpc\":\"2.0\",\"id\":null,\"result\":{{}}}}\n\n"),
        format!("{events}id: {}\ndata:\n\n", "i".repeat(100_000)),
        format!("{events}{}", "\r".repeat(100_000)),
        format!("{events}{}", "data\n".repeat(100_000)),
        format!("{events}retry: 99999999999999999999999\nevent: \u{0}\ndata: 7\n\n"),
    ];
    let kept = Arc::new(Mutex::new(texts.clone()));
    let folder = bench.folder()?;
    let site = Site::serve(move |request, stream| {
        let texts = kept.lock().unwrap_or_else(PoisonError::into_inner);
        let text = request.number("junk").map(|junk| texts[junk].replace("ID", &request.id()));
        drop(texts);
        write(stream, &text.map_or_else(|| usual(request, "s").unwrap_or_default(), String::into_bytes));
        false
    })?;
    let mut talk = conversation(bench, folder.path(), &site, &[])?;
    for junk in 0..texts.len() {
        let id = format!("\"junk {junk}\"");
        talk.call(&id, "t", &format!("\"junk\":{junk}"))?;
        row.count(talk.wait(&id, PATIENCE).and_then(|answer| match answer {
            Answer::Error(error) if error.len() > 1000 => Err(format!("{id}: a long error: {error:.300}")),
            _ => Ok(()),
        }));
    }
    row.failures.extend(talk.end().err());
    Ok(row)
}
