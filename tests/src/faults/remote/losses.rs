//! Sessions that expire, servers that restart, connections that close while they are idle, answers that come twice.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use super::super::http::chance::Chance;
use super::super::http::site::{EVENTS, JSON, Request, Site, answer, reply, usual, write};
use super::super::http::talk::Answer;
use super::super::row::Row;
use super::{Bench, ONCE, conversation};

/// How long a call may take.
const PATIENCE: Duration = Duration::from_secs(60);

pub(super) fn run(bench: &Bench) -> Result<Vec<Row>, String> {
    let mut rows = Vec::new();
    for part in [expired, restarted, idle, twice] {
        rows.push(part(bench)?);
    }
    Ok(rows)
}

/// The server forgets its session after every few requests.
fn expired(bench: &Bench) -> Result<Row, String> {
    let mut row = Row::new(
        "a call does not fail because a session expired",
        "sessions that expire at a random request, with and without a body of JSON-RPC",
    );
    let (folder, chance) = (bench.folder()?, Chance::of(bench.seed));
    let lives: Vec<usize> = (0..512).map(|_| 40 + chance.below(60)).collect();
    let (session, left) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let started = Arc::new(AtomicUsize::new(0));
    let counter = Arc::clone(&started);
    let site = Site::serve(move |request, stream| {
        if request.method() == "initialize" {
            let number = session.fetch_add(1, Ordering::SeqCst) + 1;
            counter.store(number, Ordering::SeqCst);
            left.store(lives[number % lives.len()], Ordering::SeqCst);
            write(stream, &usual(request, &format!("s-{number}")).unwrap_or_default());
            return false;
        }
        let current = format!("s-{}", session.load(Ordering::SeqCst));
        let is_current = request.headers.get("mcp-session-id") == Some(&current);
        let is_alive = left.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |left| left.checked_sub(1)).is_ok();
        let bytes = if is_current && is_alive || request.line.starts_with("GET") {
            usual(request, "").unwrap_or_else(|| reply(200, JSON, &answer(&request.id(), "fine")))
        } else if session.load(Ordering::SeqCst) % 2 == 0 {
            reply(404, JSON, r#"{"jsonrpc":"2.0","error":{"code":-32001,"message":"Session not found"},"id":null}"#)
        } else {
            reply(404, "", "")
        };
        write(stream, &bytes);
        false
    })?;
    let mut talk = conversation(bench, folder.path(), &site, &[])?;
    for ids in (1..=bench.scaled(800, 10_000)).collect::<Vec<usize>>().chunks(16) {
        for id in ids {
            talk.call(&id.to_string(), "t", "")?;
        }
        for id in ids {
            row.count(talk.wait(&id.to_string(), PATIENCE).and_then(|answer| match answer {
                Answer::Result(text) if text == "fine" => Ok(()),
                other => Err(format!("request {id}: {other:?}")),
            }));
        }
    }
    row.failures.extend(talk.end().err());
    Ok(row.seen(format!("{} sessions", started.load(Ordering::SeqCst))))
}

/// A call takes 30 ms; the server says how many it has carried out.
fn works(
    session: String,
    done: Arc<AtomicUsize>,
) -> impl Fn(&Request, &std::net::TcpStream) -> bool + Send + Sync + 'static {
    move |request, stream| {
        let knows = request.headers.get("mcp-session-id") == Some(&session);
        if let Some(bytes) = usual(request, &session).filter(|_| knows || request.method() == "initialize") {
            write(stream, &bytes);
        } else if !knows {
            write(stream, &reply(404, "", ""));
        } else {
            thread::sleep(Duration::from_millis(30));
            done.fetch_add(1, Ordering::SeqCst);
            let event = format!("data: {}\n\n", answer(&request.id(), "fine"));
            write(stream, &reply(200, EVENTS, &event));
        }
        false
    }
}

fn restarted(bench: &Bench) -> Result<Row, String> {
    let mut row = Row::new(
        "each call is answered once, and the next one works",
        "a server is stopped and started again with 200 calls in flight",
    );
    let (folder, done) = (bench.folder()?, Arc::<AtomicUsize>::default());
    let mut site = Site::serve(works("s-0".to_owned(), Arc::clone(&done)))?;
    let mut talk = conversation(bench, folder.path(), &site, &[])?;
    let (chance, mut answered, mut failed) = (Chance::of(bench.seed), 0, 0);
    for turn in 0..bench.scaled(4, 50) {
        let ids: Vec<String> = (0..200).map(|number| format!("\"{turn} {number}\"")).collect();
        for id in &ids {
            talk.call(id, "t", "")?;
        }
        thread::sleep(Duration::from_millis(chance.below(150) as u64));
        let port = site.address.port();
        drop(site);
        thread::sleep(Duration::from_millis(chance.below(50) as u64));
        site = again(port, &format!("s-{turn}-again"), &done)?;
        for id in &ids {
            row.count(talk.wait(id, PATIENCE).and_then(|answer| match answer {
                Answer::Result(text) if text == "fine" => {
                    answered += 1;
                    Ok(())
                }
                Answer::Error(error) if error.starts_with("no answer from") => {
                    failed += 1;
                    Ok(())
                }
                other => Err(format!("request {id}: {other:?}")),
            }));
        }
        let id = format!("\"next {turn}\"");
        talk.call(&id, "t", "")?;
        row.count(talk.wait(&id, PATIENCE).and_then(|answer| match answer {
            Answer::Result(_) => Ok(()),
            Answer::Error(error) => Err(format!("the next call: {error}")),
        }));
    }
    row.failures.extend(talk.end().err());
    Ok(row.seen(format!("{answered} results, {failed} errors")))
}

/// The port is free a moment after its server has gone.
fn again(port: u16, session: &str, done: &Arc<AtomicUsize>) -> Result<Site, String> {
    let deadline = Instant::now() + Duration::from_secs(10);
    loop {
        match Site::serve_at(port, works(session.to_owned(), Arc::clone(done))) {
            Err(_) if Instant::now() < deadline => thread::sleep(Duration::from_millis(5)),
            result => return result,
        }
    }
}

/// The server closes connections that the proxy would use again.
fn idle(bench: &Bench) -> Result<Row, String> {
    let mut row = Row::new(
        "a call does not fail because a connection was closed before it",
        "connections that stay open are closed while they are idle",
    );
    let folder = bench.folder()?;
    let turn = AtomicUsize::new(0);
    let site = Site::serve(move |request, stream| {
        let bytes = usual(request, "s").unwrap_or_else(|| reply(200, JSON, &answer(&request.id(), "fine")));
        let text = String::from_utf8_lossy(&bytes).replace("Connection: close\r\n", "");
        write(stream, text.as_bytes());
        // One in two is closed at once, without a word.
        turn.fetch_add(1, Ordering::SeqCst).is_multiple_of(2)
    })?;
    let mut talk = conversation(bench, folder.path(), &site, &[])?;
    for number in 1..=bench.scaled(200, 2000) {
        let id = number.to_string();
        // The client learns of an answer before the server closes.
        thread::sleep(Duration::from_millis(5));
        talk.call(&id, "t", "")?;
        row.count(talk.wait(&id, PATIENCE).and_then(|answer| match answer {
            Answer::Result(text) if text == "fine" => Ok(()),
            other => Err(format!("request {id}: {other:?}")),
        }));
    }
    row.failures.extend(talk.end().err());
    Ok(row)
}

/// Answers that come twice, to nobody, in a batch, on the wrong stream, and late.
fn twice(bench: &Bench) -> Result<Row, String> {
    let mut row = Row::new(ONCE, "answers twice, in batches, with others' ids, late on another stream; ids used twice");
    let folder = bench.folder()?;
    let site = Site::serve(|request, stream| {
        let id = request.id();
        let (one, nobodys) = (answer(&id, "fine"), answer("\"nobody\"", "no"));
        let error = format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"error\":{{\"code\":1,\"message\":\"second\"}}}}");
        let bytes = match request.number("form") {
            Some(0) => reply(200, JSON, &format!("[{one},{one}]")),
            Some(1) => reply(200, JSON, &format!("[{nobodys}, {one} ,{error}]")),
            Some(2) => reply(200, EVENTS, &format!("data: {one}\n\ndata: {error}\n\n")),
            Some(3) => reply(200, EVENTS, &format!("data: [{one},\ndata: {one}]\n\ndata: {one}\n\n")),
            Some(4) => {
                reply(200, EVENTS, &format!("data: {nobodys}\n\ndata: [{nobodys}]\n\ndata: [{nobodys},{one}]\n\n"))
            }
            Some(5) => reply(200, EVENTS, &format!("data: {one}\r\rdata: {one}\r\r")),
            Some(6) => reply(500, JSON, &format!("[{one},{error}]")),
            Some(_) => reply(200, JSON, &format!("[{error},[{one}],{one},7]")),
            None => usual(request, "s").unwrap_or_default(),
        };
        write(stream, &bytes);
        false
    })?;
    let mut talk = conversation(bench, folder.path(), &site, &[])?;
    for turn in 0..bench.scaled(5, 50) {
        for form in 0..8 {
            // Every other time the id is used by two requests at once, as few clients do.
            let id = format!("\"{turn} {form}\"");
            let count = 1 + turn % 2;
            for _ in 0..count {
                talk.call(&id, "t", &format!("\"form\":{form}"))?;
            }
            row.count(talk.wait(&id, PATIENCE).map(|_| ()));
        }
    }
    // What would come twice comes now.
    talk.ask("\"last\"", "ping", "{}")?;
    talk.wait("\"last\"", PATIENCE)?;
    thread::sleep(Duration::from_millis(300));
    row.failures.extend(talk.end().err());
    Ok(row)
}
