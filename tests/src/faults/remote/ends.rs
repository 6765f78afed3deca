//! The proxy ends when its client does, whatever the server does.

use std::thread;
use std::time::Duration;

use super::super::http::process::signal;
use super::super::http::site::{Site, reply, usual, write};
use super::super::row::Row;
use super::{Bench, conversation};

/// What a server does: nothing at all, or badly.
const KINDS: [&str; 9] = [
    "no reply to calls",
    "no reply to DELETE",
    "no reply to notifications",
    "half a reply to DELETE",
    "a stream without end",
    "a stream that ends at once, again and again",
    "nothing is accepted any more",
    "a reply without end to a notification",
    "10,100 notifications that nobody takes",
];

/// A promise is two seconds; the rest is for machines that do much else.
const PROMISED: Duration = Duration::from_millis(4000);

pub(super) fn run(bench: &Bench) -> Result<Vec<Row>, String> {
    let mut row = Row::new(
        "the proxy ends with its client, within two seconds",
        "a server that stalls: no reply, half a reply, streams without end; end of input or SIGTERM",
    );
    let mut slowest = Duration::ZERO;
    for (kind, name) in KINDS.iter().enumerate() {
        for by_signal in [false, true] {
            for _ in 0..bench.scaled(1, 3) {
                let outcome = once(bench, kind, by_signal);
                let took = outcome.as_ref().copied().unwrap_or_default();
                slowest = slowest.max(took);
                row.count(outcome.map(|_| ()).map_err(|error| format!("{name} (signal: {by_signal}): {error}")));
            }
        }
    }
    Ok(vec![row.seen(format!("{} kinds; the slowest end took {} ms", KINDS.len(), slowest.as_millis()))])
}

fn once(bench: &Bench, kind: usize, by_signal: bool) -> Result<Duration, String> {
    let folder = bench.folder()?;
    let site = Site::serve(move |request, stream| {
        let stall = || thread::sleep(Duration::from_secs(60));
        let is_notification = request.method().starts_with("notifications/x");
        let verb = request.line.split(' ').next().unwrap_or_default();
        match (kind, verb) {
            (0, "POST") if request.method() == "tools/call" => stall(),
            (1, "DELETE") => stall(),
            (2 | 8, "POST") if is_notification => stall(),
            (3, "DELETE") => {
                write(stream, b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf");
                stall();
            }
            (4, "GET") => {
                let head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n";
                let mut goes_on = write(stream, head.as_bytes());
                while goes_on {
                    thread::sleep(Duration::from_millis(1));
                    goes_on = write(stream, b": ping\n\n");
                }
            }
            (5, "GET") => _ = write(stream, &reply(200, "Content-Type: text/event-stream\r\n", ": bye\n\n")),
            (7, "POST") if is_notification => {
                let mut goes_on = write(stream, b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n");
                while goes_on {
                    thread::sleep(Duration::from_millis(1));
                    goes_on = write(stream, b"                ");
                }
            }
            _ => _ = write(stream, &usual(request, "s").unwrap_or_else(|| reply(202, "", ""))),
        }
        false
    })?;
    let mut talk = conversation(bench, folder.path(), &site, &[])?;
    let _gone;
    let site = match kind {
        // The port is taken by nobody who accepts.
        6 => {
            let port = site.address.port();
            drop(site);
            _gone = std::net::TcpListener::bind(("127.0.0.1", port)).ok();
            None
        }
        _ => Some(site),
    };
    for id in 1..=3 {
        talk.call(&id.to_string(), "t", "")?;
    }
    let notifications = if kind == 8 { 10_100 } else { 3 };
    let line = b"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/x\"}\n";
    for _ in 0..notifications / 100 {
        talk.write(&line.repeat(100))?;
    }
    talk.write(&line.repeat(notifications % 100))?;
    thread::sleep(Duration::from_millis(200));
    if by_signal {
        signal(talk.process(), "TERM");
    }
    let end = talk.end()?;
    drop(site);
    match end.took > PROMISED {
        true => Err(format!("it took {} ms", end.took.as_millis())),
        false => Ok(end.took),
    }
}
