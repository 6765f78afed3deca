//! Very long lines, and clients that read them slowly.

use std::io::Write;
use std::process::Stdio;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::load::{MOST_MB, is_whole};
use crate::faults::Bench;
use crate::faults::row::Row;
use crate::faults::talk::answers::{Answers, RECORD_BYTES};
use crate::faults::talk::place::{Place, server};
use crate::faults::talk::process::{Heard, LONG, Talk, read_slowly};
use crate::faults::talk::{MB, call, shown};

/// Runs all of it.
pub(super) fn run(bench: &Bench) -> Result<Vec<Row>, String> {
    Ok(vec![long_lines(bench)?, waiting_results(bench)?, slow_reader(bench)?])
}

fn proxy(bench: &Bench, place: &Place, flags: &[&str]) -> Result<Talk, String> {
    let [this, word] = server();
    Talk::start(&mut place.lro(bench, &[], "proxy", &[flags, &["--", &this, &word]].concat()))
}

/// Lines of both sides around and above the bound.
fn long_lines(bench: &Bench) -> Result<Row, String> {
    let most = bench.scaled(1 << 20, 64 << 20);
    let longest = bench.scaled(20, 200) * MB;
    let fault = format!("lines up to {} MB, --max-message {} MiB, of both sides", longest / MB, most >> 20);
    let mut row = Row::new("a line above the bound is an error for the side that waits; all others arrive", &fault);
    let place = Place::new(bench)?;
    let mut talk = proxy(bench, &place, &["--max-message", &most.to_string()])?;
    let mut peak = 0;
    for (turn, bytes) in [most - 1000, most + 200, most * 2, longest, longest / 2, 1000].into_iter().enumerate() {
        let records = bytes / RECORD_BYTES;
        talk.send(call(&turn.to_string(), "list", &json!({"records": records})).as_bytes());
        let answer = talk.message()?;
        let fits = Answers::default().line(&turn.to_string(), 0).len() + records * RECORD_BYTES <= most;
        row.count(expected(&answer, turn, fits, records, bytes > 6000));
        // The client's own: a request and a notification, after which a good one is answered.
        let long = "x".repeat(bytes);
        talk.send(format!("{{\"method\":\"ping\",\"params\":{{\"a\":\"{long}\"}},\"id\":\"c{turn}\"}}\n").as_bytes());
        let answer = talk.message()?;
        let is_right = answer["id"] == format!("c{turn}") && (answer["error"]["code"] == -32600) == (bytes + 50 > most);
        row.count(if is_right { Ok(()) } else { Err(format!("a request of {bytes} bytes: {answer}")) });
        peak = peak.max(talk.peak_mb());
    }
    row.failures.extend((peak > MOST_MB).then(|| format!("{peak} MB of memory")));
    talk.close_input();
    let rest = talk.rest();
    row.failures.extend(rest.first().map(|line| format!("one line more: {}", shown(line))));
    talk.wait(LONG)?;
    row.failures.extend(place.is_left_clean().err());
    Ok(row.seen(format!("{peak} MB of memory")))
}

fn expected(answer: &Value, id: usize, fits: bool, records: usize, is_large: bool) -> Result<(), String> {
    let response = &answer["result"]["structuredContent"];
    let is_right = answer["id"] == id
        && match (fits, is_large) {
            (false, _) => answer["error"]["code"] == -32000,
            (true, false) => answer["result"]["content"].is_array(),
            // A limit of the component is an answer too.
            (true, true) if answer["result"]["isError"] == true => true,
            (true, true) => {
                let path = response["file_path"].as_str().unwrap_or_default();
                response["offloaded"] == true && is_whole(path.as_ref(), records).is_ok()
            }
        };
    if is_right { Ok(()) } else { Err(format!("{records} records: {}", shown(answer.to_string().as_bytes()))) }
}

/// Large results that all wait for workers at once.
fn waiting_results(bench: &Bench) -> Result<Row, String> {
    let (count, bytes) = bench.scaled((10, 6 * MB), (12, 60 * MB));
    let fault = format!("{count} results of {} MB at once", bytes / MB);
    let mut row = Row::new(&format!("the proxy needs at most {MOST_MB} MB of memory"), &fault);
    let place = Place::new(bench)?;
    let mut talk = proxy(bench, &place, &[])?;
    for id in 0..count {
        talk.send(call(&id.to_string(), "list", &json!({"records": bytes / RECORD_BYTES})).as_bytes());
    }
    let start = Instant::now();
    for _ in 0..count {
        let answer = talk.message()?;
        let result = &answer["result"];
        let is_right = result["structuredContent"]["offloaded"] == true || result["isError"] == true;
        row.count(if is_right { Ok(()) } else { Err(shown(answer.to_string().as_bytes())) });
        if let Some(path) = result["structuredContent"]["file_path"].as_str() {
            std::fs::remove_file(path).map_err(|error| error.to_string())?;
        }
    }
    let (peak, took) = (talk.peak_mb(), start.elapsed().as_secs());
    row.failures.extend((peak > MOST_MB).then(|| format!("{peak} MB of memory")));
    talk.close_input();
    row.failures.extend(talk.wait(LONG).err());
    row.failures.extend(place.is_left_clean().err());
    Ok(row.seen(format!("{peak} MB of memory, {took} s")))
}

/// A client that reads very slowly: bytes are those of the server, memory stays, and a signal ends the proxy at once.
fn slow_reader(bench: &Bench) -> Result<Row, String> {
    let (seconds, count, records) = bench.scaled((3, 20, 5_000), (60, 100, 50_000));
    let fault = format!(
        "a client that reads 1 KB a second for {seconds} s, and {count} results of {} MB",
        records * RECORD_BYTES / MB
    );
    let mut row = Row::new("the client gets the server's bytes; memory is bounded; the proxy ends when asked", &fault);
    let place = Place::new(bench)?;
    let [this, word] = server();
    let flags = ["--tool", "list=never", "--max-message", "20000000", "--", &this, &word];
    let mut lro = place.lro(bench, &[], "proxy", &flags);
    let mut child = lro
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .map_err(|error| format!("cannot start lro: {error}"))?;
    let (Some(mut input), Some(mut output)) = (child.stdin.take(), child.stdout.take()) else {
        return Err("no pipes".into());
    };
    let writer = std::thread::spawn(move || {
        for id in 0..count {
            // More than the proxy takes, so this waits until the proxy ends.
            let _ = input.write_all(call(&id.to_string(), "list", &json!({"records": 300})).as_bytes());
            let _ = input.write_all(call(&format!("\"l{id}\""), "large", &json!({"records": records})).as_bytes());
        }
        input
    });
    let read = read_slowly(&mut output, 1000, Duration::from_secs(seconds));
    let first = Answers::default().line("0", 300);
    let same = read.len().min(first.len());
    row.count(if same > 0 && read[..same] == first[..same] { Ok(()) } else { Err(format!("read {}", shown(&read))) });
    let status = std::fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap_or_default();
    let peak =
        status.lines().find_map(|line| line.strip_prefix("VmHWM:")?.split_whitespace().next()?.parse::<u64>().ok());
    let peak = peak.unwrap_or_default() / 1024;
    // Until here the proxy has somebody to write to.
    drop(output);
    row.count(if peak > 0 && peak <= MOST_MB { Ok(()) } else { Err(format!("{peak} MB of memory")) });
    let mut talk = Talk::of(child);
    talk.signal("TERM");
    row.count(talk.wait(Duration::from_secs(5)).map(drop));
    drop(writer.join());
    row.count(place.is_left_clean());
    if talk.hear(Duration::ZERO) != Heard::End {
        row.failures.push("a process that has ended has said something".to_owned());
    }
    Ok(row.seen(format!("{} bytes were read, {peak} MB of memory", read.len())))
}
