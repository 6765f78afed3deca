//! Many sessions, many connections, clients that read slowly, few descriptors.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::thread;
use std::time::{Duration, Instant};

use super::super::row::Row;
use super::Bench;
use super::door::{Door, call, parsed};

pub(super) fn run(bench: &Bench) -> Result<Vec<Row>, String> {
    Ok(vec![sessions(bench)?, connections(bench)?, slow_readers(bench)?, descriptors(bench)?])
}

fn sessions(bench: &Bench) -> Result<Row, String> {
    let count = bench.scaled(12, 200);
    let mut row = Row::new(
        "sessions are bounded, and leave nothing behind",
        &format!("{count} sessions, one after the other; then 40 at once"),
    );
    let door = Door::open(bench, &[], &[])?;
    door.works()?;
    let files = door.quiet()?;
    for _ in 0..count {
        let outcome = match door.works() {
            // Processes of sessions that have ended may still be ending.
            Err(error) if error.contains("there are 32 sessions already") => door.quiet().and_then(|_| door.works()),
            outcome => outcome,
        };
        row.count(outcome);
    }
    door.quiet()?;
    let mut begun = Vec::new();
    for number in 0..40 {
        match door.begin() {
            Ok(session) => begun.push(session),
            Err(error) => row.count(match number >= 32 && error.contains("503") {
                true => Ok(()),
                false => Err(format!("session {number}: {error}")),
            }),
        }
    }
    row.count(if begun.len() == 32 { Ok(()) } else { Err(format!("{} sessions at once", begun.len())) });
    for session in &begun {
        row.count(door.end(session).map(drop));
    }
    let after = door.quiet()?;
    if after > files + 2 {
        row.failures.push(format!("{after} files are open, {files} before"));
    }
    let peak = door.peak() >> 10;
    row.failures.extend(door.close().err());
    Ok(row.seen(format!("{files} files open before, {after} after; at most {peak} MiB")))
}

fn connections(bench: &Bench) -> Result<Row, String> {
    let count = bench.scaled(600, 3000);
    let mut row = Row::new(
        "connections are bounded, and the next call works when they have gone",
        &format!("{count} connections: silent, or with a byte now and then"),
    );
    let door = Door::open(bench, &[], &[])?;
    door.works()?;
    let files = door.quiet()?;
    let mut streams: Vec<TcpStream> = Vec::new();
    for number in 0..count {
        match door.connect() {
            Ok(mut stream) => {
                let sent = stream.write_all(b"P").is_ok() || number > 250;
                row.count(if sent { Ok(()) } else { Err(format!("connection {number} is closed")) });
                streams.push(stream);
            }
            Err(error) => row.count(Err(format!("connection {number}: {error}"))),
        }
        if number % 200 == 199 {
            // Those beyond the bound are told so, or closed.
            streams.iter_mut().for_each(|stream| _ = stream.write_all(b"O"));
        }
    }
    let most = super::super::http::process::descriptors(door.process());
    if most > 256 + files + 10 {
        row.failures.push(format!("{most} files are open"));
    }
    drop(streams);
    let deadline = Instant::now() + Duration::from_secs(10);
    let mut outcome = door.works();
    while outcome.is_err() && Instant::now() < deadline {
        thread::sleep(Duration::from_millis(50));
        outcome = door.works();
    }
    row.count(outcome);
    let after = door.quiet()?;
    if after > files + 2 {
        row.failures.push(format!("{after} files are open, {files} before"));
    }
    row.failures.extend(door.close().err());
    Ok(row.seen(format!("{files} files open before, {most} at most, {after} after")))
}

/// A request whose answer is as long as it says, and not the result of a tool.
fn read(bytes: u64) -> String {
    format!("{{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"resources/read\",\"params\":{{\"bytes\":{bytes}}}}}")
}

/// What the listening process may use for a session with one large result: the line, the event, and what is being sent.
const COPIES: u64 = 4;

fn slow_readers(bench: &Bench) -> Result<Row, String> {
    let (clients, bytes): (u64, u64) = bench.scaled((4, 2_000_000), (6, 20_000_000));
    let most = (60 << 10) + clients * COPIES * (bytes >> 10);
    let mut row = Row::new(
        "slow clients get all of it and hold up no other, in bounded memory",
        &format!("{clients} clients read a result of {bytes} bytes in small pieces, one stops reading"),
    );
    let door = Door::open(bench, &[], &[])?;
    let other = door.begin()?;
    let mut readers = Vec::new();
    for number in 0..clients {
        let session = door.begin()?;
        let mut stream = door.connect()?;
        let request = door.post(&session, &read(bytes));
        stream.write_all(request.as_bytes()).map_err(|error| error.to_string())?;
        let pause = bench.scaled(Duration::from_millis(1), Duration::from_millis(8));
        readers.push(thread::spawn(move || {
            let (mut total, mut piece) = (Vec::new(), [0; 16 << 10]);
            // The first one never reads more.
            if number == 0 {
                let _ = stream.read(&mut piece);
                return Ok(Some(stream));
            }
            loop {
                thread::sleep(pause);
                match stream.read(&mut piece) {
                    Ok(0) => break,
                    Ok(read) => total.extend_from_slice(&piece[..read]),
                    Err(error) => return Err(format!("client {number}: {error} after {} bytes", total.len())),
                }
            }
            let body = parsed(&total).map(|reply| reply.body.matches('x').count() as u64).unwrap_or_default();
            // The media types have one, too.
            if body >= bytes { Ok(None) } else { Err(format!("client {number}: {body} bytes")) }
        }));
    }
    let mut slowest = Duration::ZERO;
    let mut number = 0;
    while readers.iter().any(|reader| !reader.is_finished()) {
        number += 1;
        let asked = Instant::now();
        let reply = door.exchange(&door.post(&other, &call(&number.to_string(), "")));
        slowest = slowest.max(asked.elapsed());
        row.count(reply.and_then(|reply| if reply.body.contains("fine") { Ok(()) } else { Err(format!("{reply:?}")) }));
        thread::sleep(Duration::from_millis(20));
    }
    let mut stopped = Vec::new();
    for reader in readers {
        match reader.join().map_err(|_| "a client panicked".to_owned()).and_then(|outcome| outcome) {
            Ok(stream) => {
                stopped.extend(stream);
                row.count(Ok(()));
            }
            Err(error) => row.count(Err(error)),
        }
    }
    let peak = door.peak();
    if peak > most {
        row.failures.push(format!("{peak} KiB, more than {most}"));
    }
    drop(stopped);
    row.count(door.works());
    row.failures.extend(door.close().err());
    Ok(row.seen(format!(
        "at most {} MiB of {}; the slowest other call took {} ms",
        peak >> 10,
        most >> 10,
        slowest.as_millis()
    )))
}

fn descriptors(bench: &Bench) -> Result<Row, String> {
    let mut row = Row::new(
        "each request is answered or refused, and the next call works when descriptors are free",
        "few descriptors (ulimit -n) and 40 connections",
    );
    let (mut opened, mut refused) = (0, 0);
    for most in (bench.scaled(10, 6)..bench.scaled(40, 60)).step_by(bench.scaled(10, 3)) {
        let script = format!("ulimit -n {most}; exec \"$@\"");
        let door = match Door::open(bench, &["sh", "-c", &script, "sh"], &[]) {
            Ok(door) => door,
            Err(error) => {
                // It says why it cannot listen.
                row.count(if error.len() > 30 && !error.contains("panicked") {
                    Ok(())
                } else {
                    Err(format!("{most}: {error}"))
                });
                refused += 1;
                continue;
            }
        };
        opened += 1;
        let mut streams: Vec<TcpStream> = (0..40).filter_map(|_| door.connect().ok()).collect();
        streams.iter_mut().for_each(|stream| _ = stream.write_all(b"POST"));
        thread::sleep(Duration::from_millis(100));
        drop(streams);
        thread::sleep(Duration::from_millis(300));
        // With very few a session cannot begin; then that is what it says.
        row.count(match door.works() {
            Err(error) if most < 24 && (error.contains("503") || error.contains("-32000")) => Ok(()),
            outcome => outcome.map_err(|error| format!("{most}: {error}")),
        });
        row.failures.extend(door.close().err().map(|error| format!("{most}: {error}")));
    }
    Ok(row.seen(format!("{opened} listened, {refused} said why not")))
}
