//! The same conversation twice, directly and through the proxy: what passes through has the same bytes in both directions.

mod random_lines;
mod real;

use std::fs;
use std::path::Path;

use super::Bench;
use super::random::Random;
use super::row::Row;
use super::talk::place::{Place, compile_once, server};
use super::talk::process::{Heard as Said, LONG, Talk};
use super::talk::shown;

/// Runs all of it.
pub(super) fn run(bench: &Bench) -> Result<Vec<Row>, String> {
    compile_once(bench)?;
    let mut rows = vec![in_order(bench)?, through_workers(bench)?];
    rows.extend(real::run(bench)?);
    Ok(rows)
}

/// What both sides got.
struct Heard {
    client: Vec<Vec<u8>>,
    server: Vec<u8>,
}

/// Nothing is long enough for a worker, so the order is the server's.
fn in_order(bench: &Bench) -> Result<Row, String> {
    let mut row = Row::new(
        "the bytes that client and server get are those of the direct conversation, in the same order",
        "random lines: requests, small results, notifications, server requests, odd spacing, escapes, CRLF, no JSON",
    );
    let (mut random, mut bytes) = (Random::of(bench.seed), 0);
    for turn in 0..bench.scaled(4, 60) {
        let lines = random_lines::conversation(&mut random, bench.scaled(200, 400), 1500, false);
        let (direct, proxied) = both(bench, &lines, &["--threshold-tokens", "4294967295", "--no-tools"])?;
        bytes += direct.server.len() + direct.client.iter().map(Vec::len).sum::<usize>();
        row.count(same(&direct, &proxied).map_err(|reason| format!("conversation {turn}: {reason}")));
    }
    Ok(row.seen(format!("{} KB in both directions", bytes / 1000)))
}

/// Results that workers look at and leave alone: they may be overtaken, and have the same bytes.
fn through_workers(bench: &Bench) -> Result<Row, String> {
    let mut row = Row::new(
        "the lines that client and server get are those of the direct conversation",
        "the same with results and lists that the component looks at and leaves alone",
    );
    let mut random = Random::of(bench.seed + 1);
    for turn in 0..bench.scaled(4, 24) {
        let lines = random_lines::conversation(&mut random, 60, 200_000, true);
        let flags = if turn % 2 == 0 { "--threshold-tokens=500000" } else { "--code-mode" };
        let (mut direct, mut proxied) = both(bench, &lines, &[flags, "--no-tools"])?;
        direct.client.sort_unstable();
        proxied.client.sort_unstable();
        row.count(same(&direct, &proxied).map_err(|reason| format!("conversation {turn}: {reason}")));
    }
    Ok(row)
}

/// Has the conversation in both ways.
fn both(bench: &Bench, lines: &[Vec<u8>], flags: &[&str]) -> Result<(Heard, Heard), String> {
    let place = Place::new(bench)?;
    let [this, word] = server();
    let (direct, proxied) = (place.folder.path().join("direct"), place.folder.path().join("proxied"));
    let logs = [&direct, &proxied].map(|file| file.display().to_string());
    let mut server = place.program(&this);
    server.args([&word, "--log", &logs[0]]);
    let direct = have(Talk::start(&mut server)?, lines, &direct, 0)?;
    let words = [flags, &["--", &this, &word, "--log", &logs[1]]].concat();
    let proxied =
        have(Talk::start(&mut place.lro(bench, &[], "proxy", &words))?, lines, &proxied, direct.client.len())?;
    place.is_left_clean()?;
    Ok((direct, proxied))
}

/// Says the lines, and ends when the server has said its last line and so many have come.
fn have(mut talk: Talk, lines: &[Vec<u8>], log: &Path, count: usize) -> Result<Heard, String> {
    let mut input = talk.take_input().ok_or("no input")?;
    let said = lines.concat();
    let writer = std::thread::spawn(move || {
        use std::io::Write;
        // The input stays open until the last answer has come.
        input.write_all(&said).map(|()| input)
    });
    let mut client = Vec::new();
    let mut is_last = false;
    while !is_last || client.len() < count {
        match talk.hear(LONG) {
            Said::Line(line) => {
                is_last |= line == random_lines::LAST;
                client.push(line);
            }
            other => return Err(format!("{} lines have come, and not the last one: {other:?}", client.len())),
        }
    }
    let input = writer.join().map_err(|_| "the writer panicked")?;
    drop(input.map_err(|error| format!("cannot write all lines: {error}"))?);
    client.extend(talk.rest());
    talk.wait(LONG)?;
    let server = fs::read(log).map_err(|error| format!("cannot read the server's log: {error}"))?;
    Ok(Heard { client, server })
}

fn same(direct: &Heard, proxied: &Heard) -> Result<(), String> {
    if direct.server != proxied.server {
        let at = direct.server.iter().zip(&proxied.server).take_while(|(one, other)| one == other).count();
        let (one, other) = (&direct.server[at..], &proxied.server[at..]);
        return Err(format!("the server got {} instead of {} at byte {at}", shown(other), shown(one)));
    }
    if direct.client == proxied.client {
        return Ok(());
    }
    let at = direct.client.iter().zip(&proxied.client).take_while(|(one, other)| one == other).count();
    let line = |lines: &[Vec<u8>]| lines.get(at).map_or_else(|| "nothing".to_owned(), |line| shown(line));
    Err(format!("line {at} is {} instead of {}", line(&proxied.client), line(&direct.client)))
}
