//! Conversations that end at any moment, and streams that are odd.

use std::io::Write;
use std::net::Shutdown;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::os::unix::process::ExitStatusExt;
use std::process::Stdio;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::{extraction, greet, hello, offloaded};
use crate::faults::Bench;
use crate::faults::random::Random;
use crate::faults::row::Row;
use crate::faults::talk::answers::record;
use crate::faults::talk::place::Place;
use crate::faults::talk::process::{Heard, Talk};
use crate::faults::talk::{call, id_of, shown};

/// How long it may take: calls that run are answered first when the input ends.
const ENDS_WITHIN: Duration = Duration::from_secs(20);

/// The client closes a stream, or a signal comes, while calls run.
pub(super) fn any_moment(bench: &Bench) -> Result<Row, String> {
    let mut row = Row::new(
        "no answer twice, no line cut, an end, no process and no unfinished file left",
        "SIGTERM, SIGINT, SIGHUP, SIGPIPE or SIGKILL, or a client that closes its streams, at a random moment of busy calls",
    );
    let mut random = Random::of(bench.seed);
    let ends = ["input", "output", "both", "TERM", "INT", "HUP", "KILL"];
    for turn in 0..bench.scaled(7, 35) {
        let end = ends[turn % ends.len()];
        row.count(one_moment(bench, &mut random, end)?.map_err(|reason| format!("{end}: {reason}")));
    }
    Ok(row)
}

fn one_moment(bench: &Bench, random: &mut Random, end: &str) -> Result<Result<(), String>, String> {
    let place = Place::new(bench)?;
    let mut talk = Talk::start_closable(&mut place.lro(bench, &[], "mcp", &["--threshold-tokens", "100"]))?;
    greet(&mut talk)?;
    let path = offloaded(&mut talk)?;
    let records = |count: usize| (0..count).map(record).collect::<Vec<_>>().join(",");
    let text = format!("[{}]", records(3000));
    for id in 0..20 {
        let id_text = id.to_string();
        let line = match id % 3 {
            0 => extraction(&id_text, &path, "[range(30000)] | length"),
            1 => call(&id_text, "lro_offload", &json!({"text": text})),
            _ => extraction(&id_text, &path, "map(.id) | length"),
        };
        talk.send(line.as_bytes());
    }
    let due = Instant::now() + Duration::from_millis(random.below(800) as u64);
    let mut heard = Vec::new();
    while let Some(left) = due.checked_duration_since(Instant::now()) {
        match talk.hear(left) {
            Heard::Line(line) => heard.push(line),
            Heard::Nothing | Heard::End => break,
        }
    }
    match end {
        "input" => talk.close_input(),
        "output" => {
            // Closed output shows when something is said.
            talk.close_output();
            talk.send(extraction("\"last\"", &path, "length").as_bytes());
        }
        "both" => {
            talk.close_input();
            talk.close_output();
        }
        signal => talk.signal(signal),
    }
    heard.extend(talk.rest());
    let status = talk.wait(ENDS_WITHIN);
    let check = || {
        let status = status?;
        if let Some(line) = heard.iter().find(|line| serde_json::from_slice::<Value>(line).is_err() && end != "KILL") {
            return Err(format!("no whole line: {}", shown(line)));
        }
        let mut ids: Vec<String> = heard.iter().filter_map(|line| id_of(&serde_json::from_slice(line).ok()?)).collect();
        if end == "input" && ids.len() < 20 {
            return Err(format!("{} of 20 calls are answered", ids.len()));
        }
        ids.sort_unstable();
        if let Some(twice) = ids.windows(2).find(|two| two[0] == two[1]) {
            return Err(format!("{} is answered twice", twice[0]));
        }
        if matches!(end, "TERM" | "INT" | "HUP" | "KILL") && status.signal().is_none() {
            return Err(format!("it ended with {status}"));
        }
        match place.is_left_clean() {
            Err(reason) if end != "KILL" || reason.contains("processes") => Err(reason),
            _ => Ok(()),
        }
    };
    Ok(check())
}

/// Streams that do not block, and a standard error that nobody reads.
pub(super) fn odd_streams(bench: &Bench) -> Result<Row, String> {
    let mut row = Row::new("every call is answered once", "non-blocking streams, and a full pipe on standard error");
    for turn in 0..bench.scaled(2, 20) {
        row.count(non_blocking(bench, turn % 2 == 1)?);
    }
    Ok(row)
}

fn non_blocking(bench: &Bench, has_full_error: bool) -> Result<Result<(), String>, String> {
    const CALLS: usize = 300;
    let place = Place::new(bench)?;
    let failed = |error: std::io::Error| error.to_string();
    let (mut input, its_input) = UnixStream::pair().map_err(failed)?;
    let (output, its_output) = UnixStream::pair().map_err(failed)?;
    let (_reader, full) = std::io::pipe().map_err(failed)?;
    if has_full_error {
        let mut writer = full.try_clone().map_err(failed)?;
        // The pipe takes 64 KiB, and nobody reads it.
        writer.write_all(&vec![b'x'; 1 << 16]).map_err(failed)?;
    }
    its_input.set_nonblocking(true).and_then(|()| its_output.set_nonblocking(true)).map_err(failed)?;
    let mut lro = place.lro(bench, &[], "mcp", &["--threshold-tokens", "100"]);
    lro.stdin(OwnedFd::from(its_input)).stdout(OwnedFd::from(its_output));
    lro.stderr(if has_full_error { Stdio::from(full) } else { Stdio::null() });
    let child = lro.spawn().map_err(failed)?;
    drop(lro);
    let writer = std::thread::spawn(move || {
        let mut said = input.write_all(hello().as_bytes());
        for id in 1..=CALLS {
            // A line of junk has a remark on standard error.
            let line = call(&id.to_string(), "lro_estimate", &json!({"text": "[1,2,3]".repeat(id)}));
            said = said.and_then(|()| input.write_all(format!("{{\"junk\":{id}}}\n{line}").as_bytes()));
        }
        std::thread::sleep(Duration::from_millis(200));
        said.and_then(|()| input.shutdown(Shutdown::Write))
    });
    let said = std::io::read_to_string(output).map_err(failed)?;
    let outcome = Talk::of(child).wait(ENDS_WITHIN);
    let written = writer.join().map_err(|_| "the writer panicked")?;
    let check = || {
        let mut ids: Vec<usize> = said
            .lines()
            .filter_map(|line| serde_json::from_str::<Value>(line).ok()?["id"].as_u64()?.try_into().ok())
            .collect();
        ids.sort_unstable();
        if !ids.iter().copied().eq(0..=CALLS) {
            return Err(format!("{} of {CALLS} calls are answered; written: {written:?}", ids.len().saturating_sub(1)));
        }
        outcome.map(drop)
    };
    Ok(check())
}
