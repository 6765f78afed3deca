//! Very many calls at once, and calls that take all that they may.

use std::collections::HashSet;
use std::time::Instant;

use serde_json::json;

use super::{MOST_MB, RECORDS, extraction, first, offloaded, served};
use crate::faults::Bench;
use crate::faults::row::Row;
use crate::faults::talk::place::Place;
use crate::faults::talk::process::LONG;
use crate::faults::talk::shown;

/// Calls of good filters, all at once.
pub(super) fn many(bench: &Bench) -> Result<Row, String> {
    let (turns, count) = bench.scaled((1, 700), (3, 700));
    let mut row = Row::new("each of them is answered rightly, none ends by a limit", &format!("{count} calls at once"));
    let place = Place::new(bench)?;
    let mut talk = served(bench, &place, &["--threshold-tokens", "100"])?;
    let path = offloaded(&mut talk)?;
    let start = Instant::now();
    for _ in 0..turns {
        let lines: String = (0..count).map(|id| extraction(&id.to_string(), &path, "[range(2000)] | length")).collect();
        let mut input = talk.take_input().ok_or("no input")?;
        let writer = std::thread::spawn(move || {
            use std::io::Write;
            input.write_all(lines.as_bytes()).map(|()| input)
        });
        let mut open: HashSet<u64> = (0..count).collect();
        while !open.is_empty() {
            let answer = talk.message()?;
            let is_asked = answer["id"].as_u64().is_some_and(|id| open.remove(&id));
            let is_right = is_asked && *first(&answer) == 2000;
            row.count(if is_right { Ok(()) } else { Err(shown(answer.to_string().as_bytes())) });
        }
        let input = writer.join().map_err(|_| "the writer panicked")?.map_err(|error| error.to_string())?;
        talk.give_input(input);
    }
    let seen = format!("{} MB of memory, {} threads, {} s", talk.peak_mb(), talk.threads(), start.elapsed().as_secs());
    talk.close_input();
    row.failures.extend(talk.wait(LONG).err());
    Ok(row.seen(seen))
}

/// Filters that do not end, or take all memory.
const HOSTILE: [&str; 8] = [
    "def f: f; f",
    "[range(1e12)]",
    "last(repeat(1))",
    "[limit(1e9; repeat(\"x\" * 1000))] | length",
    "reduce range(1e9) as $n (\"x\"; . + .)",
    "def f: [f]; f",
    "[range(1e7)] | sort_by(-.) | length",
    "\"a\" * 1e9 | test(\"(a*)*b\")",
];

/// Each hostile filter with a good call behind it.
pub(super) fn hostile(bench: &Bench) -> Result<Row, String> {
    let count = bench.scaled(8, 40);
    let mut row = Row::new(
        &format!("good calls are answered rightly; a hostile one is a failed result; at most {MOST_MB} MB of memory"),
        "filters without an end or a bound in a row, good calls beside them",
    );
    let place = Place::new(bench)?;
    let mut talk = served(bench, &place, &["--threshold-tokens", "100"])?;
    let path = offloaded(&mut talk)?;
    let mut slowest = 0;
    for (turn, query) in HOSTILE.iter().cycle().take(count).enumerate() {
        let start = Instant::now();
        talk.send(extraction("\"hostile\"", &path, query).as_bytes());
        talk.send(extraction("\"good\"", &path, "length").as_bytes());
        for _ in 0..2 {
            let answer = talk.message()?;
            if answer["id"] == "good" {
                slowest = slowest.max(start.elapsed().as_millis());
                row.count(if *first(&answer) == RECORDS { Ok(()) } else { Err(format!("{query}: {answer}")) });
            } else {
                let is_right =
                    answer["id"] == "hostile" && (answer["result"]["isError"] == true || first(&answer).is_number());
                row.count(if is_right {
                    Ok(())
                } else {
                    Err(format!("{turn} {query}: {}", shown(answer.to_string().as_bytes())))
                });
            }
        }
    }
    // All of them at once.
    let ids: Vec<String> = (0..bench.scaled(8, 24)).map(|id: usize| id.to_string()).collect();
    for (id, query) in ids.iter().zip(HOSTILE.iter().cycle()) {
        talk.send(extraction(id, &path, query).as_bytes());
    }
    for _ in &ids {
        let answer = talk.message()?;
        row.count(if answer["result"].is_object() { Ok(()) } else { Err(shown(answer.to_string().as_bytes())) });
    }
    let peak = talk.peak_mb();
    row.failures.extend((peak > MOST_MB).then(|| format!("{peak} MB of memory")));
    talk.send(b"{\"jsonrpc\":\"2.0\",\"id\":\"ping\",\"method\":\"ping\"}\n");
    let pong = talk.message()?;
    row.count(if pong["result"] == json!({}) { Ok(()) } else { Err(format!("no pong: {pong}")) });
    talk.close_input();
    row.failures.extend(talk.wait(LONG).err());
    row.failures.extend(place.is_left_clean().err());
    Ok(row.seen(format!("{peak} MB of memory; the slowest good call took {slowest} ms")))
}
