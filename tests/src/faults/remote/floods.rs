//! Replies without end: what the proxy holds is bounded, and the request gets an error.

use std::thread;
use std::time::{Duration, Instant};

use super::super::http::process::peak;
use super::super::http::site::{JSON, Site, reply, usual, write};
use super::super::http::talk::Answer;
use super::super::memory::most_mib_remote;
use super::super::row::Row;
use super::super::talk::heavy;
use super::super::{Bench, Scale};
use super::conversation;

/// What the process needs without any message, in KiB: the command, the component, and threads.
const EMPTY: u64 = 100 << 10;

/// So many times the longest message may be held as long as no result is offloaded: two that are being received, one that is
/// read, one that waits, one that is passed on, and one of the client.
const MESSAGES: u64 = 6;

pub(super) fn run(bench: &Bench) -> Result<Vec<Row>, String> {
    let mut rows = vec![endless(bench, bench.scaled(1 << 20, 8 << 20), 32, &ALL)?, whole(bench)?, unread(bench)?];
    if bench.scale == Scale::Long {
        // With the default, and two kinds that are held: all would take an hour.
        rows.push(endless(bench, 64 << 20, 12, &[0, 2])?);
    }
    Ok(rows)
}

/// How a reply goes on without end: what comes first, and what is repeated.
const FLOODS: [(&str, &str, &str); 9] = [
    ("JSON", "Content-Type: application/json\r\n\r\n\"", "xxxxxxxxxxxxxxxx"),
    ("brackets", "Content-Type: application/json\r\n\r\n", "[[[[[[[[[[[[[[[["),
    ("a line of data", "Content-Type: text/event-stream\r\n\r\ndata: \"", "xxxxxxxxxxxxxxxx"),
    ("lines of data", "Content-Type: text/event-stream\r\n\r\n", "data: xxxxxxxxxxxxxxxx\n"),
    ("comments", "Content-Type: text/event-stream\r\n\r\n", ": xxxxxxxxxxxxxxxx\n\n"),
    ("an id", "Content-Type: text/event-stream\r\n\r\nid: ", "xxxxxxxxxxxxxxxx"),
    ("a type of event", "Content-Type: text/event-stream\r\n\r\nevent: ", "xxxxxxxxxxxxxxxx"),
    ("a header", "X: ", "xxxxxxxxxxxxxxxx"),
    ("headers", "", "X-Y: xxxxxxxxxxxxxxxx\r\n"),
];

/// Replies whose last event has as long an id as may be, and that break off, so that the place is kept.
const LONG_IDS: usize = FLOODS.len();

/// All kinds.
const ALL: [usize; 10] = [0, 1, 2, 3, 4, 5, 6, 7, 8, LONG_IDS];

fn endless(bench: &Bench, longest: usize, count: usize, kinds: &[usize]) -> Result<Row, String> {
    let most = EMPTY + MESSAGES * (longest as u64 >> 10);
    let fault = format!("{count} replies without end at once, of {} kinds; --max-message {longest}", kinds.len());
    let mut row = Row::new(&format!("at most {} MiB and {MESSAGES} times --max-message are used", EMPTY >> 10), &fault);
    let folder = bench.folder()?;
    let site = Site::serve(move |request, stream| {
        let Some(kind) = request.number("flood") else {
            if request.headers.contains_key("last-event-id") {
                // The place is asked for again and again.
                write(stream, b"HTTP/1.1 503 X\r\nConnection: close\r\nContent-Length: 0\r\n\r\n");
            } else {
                write(stream, &usual(request, "s").unwrap_or_default());
            }
            return false;
        };
        let start = "HTTP/1.1 200 OK\r\nConnection: close\r\n";
        if kind == LONG_IDS {
            let id = "i".repeat(longest - 100);
            write(
                stream,
                format!("{start}Content-Type: text/event-stream\r\n\r\nretry: 100\nid: {id}\ndata:\n\n").as_bytes(),
            );
            return false;
        }
        let (_, head, repeated) = FLOODS[kind];
        let block = repeated.repeat(4096);
        let mut goes_on = write(stream, format!("{start}{head}").as_bytes());
        while goes_on {
            goes_on = write(stream, block.as_bytes());
        }
        false
    })?;
    let mut talk = conversation(bench, folder.path(), &site, &["--max-message", &longest.to_string()])?;
    let mut seen = Vec::new();
    for &kind in kinds {
        let name = FLOODS.get(kind).map_or("a long id", |flood| flood.0);
        let ids: Vec<String> = (0..count).map(|number| format!("\"{name} {number}\"")).collect();
        for id in &ids {
            talk.call(id, "t", &format!("\"flood\":{kind}"))?;
        }
        for id in &ids {
            row.count(talk.wait(id, Duration::from_secs(300)).and_then(|answer| match answer {
                Answer::Error(error) if error.len() < 1000 => Ok(()),
                other => Err(format!("{id}: {:.300}", format!("{other:?}"))),
            }));
        }
        let used = peak(talk.process());
        if used > most {
            row.failures.push(format!("after {name}: {used} KiB, more than {most}"));
        }
        seen.push(used >> 10);
    }
    row.failures.extend(talk.end().err());
    Ok(row.seen(format!("at most {} MiB", seen.iter().max().unwrap_or(&0))))
}

/// Whole results that come all at once, for a client that reads none of them at first.
fn whole(bench: &Bench) -> Result<Row, String> {
    let longest: usize = bench.scaled(1 << 20, 8 << 20);
    let most = most_mib_remote(longest);
    let fault = format!("32 results of {longest} bytes at once, and a client that begins to read after some seconds");
    let mut row = Row::new("all are answered; at most 500 MiB and 18 times --max-message are used", &fault);
    let folder = bench.folder()?;
    let site = Site::serve(move |request, stream| {
        let body = match request.number("kind") {
            Some(0) => heavy::line(&request.id(), "lines of text", longest),
            Some(_) => heavy::line(&request.id(), "numbers", longest),
            None => {
                write(stream, &usual(request, "s").unwrap_or_default());
                return false;
            }
        };
        write(stream, &reply(200, JSON, &String::from_utf8_lossy(&body)));
        false
    })?;
    let mut talk = conversation(bench, folder.path(), &site, &["--max-message", &longest.to_string()])?;
    let mut seen = 0;
    for kind in 0..2 {
        talk.pause();
        let ids: Vec<String> = (0..32).map(|number| format!("\"{kind} {number}\"")).collect();
        for id in &ids {
            talk.call(id, "stored", &format!("\"kind\":{kind}"))?;
        }
        thread::sleep(bench.scaled(Duration::from_secs(1), Duration::from_secs(10)));
        talk.go_on();
        for id in &ids {
            row.count(talk.wait(id, Duration::from_secs(300)).and_then(|answer| match answer {
                Answer::Result(_) => Ok(()),
                other @ Answer::Error(_) => Err(format!("{id}: {:.300}", format!("{other:?}"))),
            }));
        }
        seen = peak(talk.process()) >> 10;
        row.failures.extend((seen > most).then(|| format!("{kind}: {seen} MiB, more than {most}")));
    }
    row.failures.extend(talk.end().err());
    Ok(row.seen(format!("at most {seen} MiB")))
}

/// A server that says something again and again, to a client that does not read.
fn unread(bench: &Bench) -> Result<Row, String> {
    let longest: usize = 1 << 20;
    let most = EMPTY + MESSAGES * (longest as u64 >> 10);
    let mut row = Row::new(
        "a client that does not read costs no memory",
        "notifications without end on 16 streams; the client reads none",
    );
    let folder = bench.folder()?;
    let site = Site::serve(move |request, stream| {
        if request.number("flood").is_none() {
            write(stream, &usual(request, "s").unwrap_or_default());
            return false;
        }
        let head = "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Type: text/event-stream\r\n\r\n";
        let event = format!(
            "data: {{\"jsonrpc\":\"2.0\",\"method\":\"notifications/x\",\"params\":{{\"text\":\"{}\"}}}}\n\n",
            "x".repeat(900)
        )
        .repeat(64);
        let mut goes_on = write(stream, head.as_bytes());
        while goes_on {
            goes_on = write(stream, event.as_bytes());
        }
        false
    })?;
    let mut talk = conversation(bench, folder.path(), &site, &["--max-message", &longest.to_string()])?;
    talk.pause();
    for number in 0..16 {
        talk.call(&number.to_string(), "t", "\"flood\":1")?;
    }
    let start = Instant::now();
    while start.elapsed() < bench.scaled(Duration::from_secs(3), Duration::from_secs(20)) {
        thread::sleep(Duration::from_millis(100));
        let used = peak(talk.process());
        row.count(if used > most { Err(format!("{used} KiB, more than {most}")) } else { Ok(()) });
    }
    let used = peak(talk.process());
    talk.go_on();
    row.failures.extend(talk.end().err());
    Ok(row.seen(format!("at most {} MiB, looked at every 100 ms", used >> 10)))
}
