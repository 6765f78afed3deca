//! Few threads, few descriptors, streams that do not block, and a standard error that nobody reads.

use std::io::Write;
use std::net::Shutdown;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::process::Stdio;
use std::time::Duration;

use serde_json::{Value, json};

use crate::faults::Bench;
use crate::faults::row::Row;
use crate::faults::talk::answers::Answers;
use crate::faults::talk::place::{Place, server};
use crate::faults::talk::process::{Heard, LONG, Talk};
use crate::faults::talk::{call, shown};

/// Calls of a conversation.
const CALLS: usize = 20;

/// Runs all of it.
pub(super) fn run(bench: &Bench) -> Result<Vec<Row>, String> {
    Ok(vec![few(bench)?, odd_streams(bench)?])
}

/// The n-th thread cannot be started, and no later one; or there are so few descriptors.
fn few(bench: &Bench) -> Result<Row, String> {
    let mut row = Row::new(
        "each request is answered once, or the proxy says what it lacks and ends with an error; it never hangs or panics",
        "no thread from the n-th on (strace), so few descriptors (prlimit)",
    );
    let (mut served, mut refused) = (0, 0);
    let mut tries: Vec<(String, Vec<String>)> = Vec::new();
    let step = bench.scaled(3, 1);
    let traces = can_trace(bench)?;
    for number in (1..bench.scaled(10, 16)).step_by(step).filter(|_| traces) {
        // Only the proxy itself: its server may start what it likes.
        let words = ["strace", "--quiet=all", "-o", "/dev/null", "-e", "trace=clone3", "-e"].map(str::to_owned);
        let inject = format!("inject=clone3:error=EAGAIN:when={number}+");
        tries.push((format!("no thread from number {number} on"), [&words[..], &[inject]].concat()));
    }
    for number in (3..bench.scaled(24, 40)).step_by(step) {
        let wrapper = ["prlimit".to_owned(), format!("--nofile={number}:{number}")].to_vec();
        tries.push((format!("{number} descriptors"), wrapper));
    }
    for (name, wrapper) in tries {
        let outcome = one(bench, &wrapper.iter().map(String::as_str).collect::<Vec<_>>())?;
        match outcome {
            Ok(true) => served += 1,
            Ok(false) => refused += 1,
            Err(_) => {}
        }
        row.count(outcome.map(drop).map_err(|reason| format!("{name}: {reason}")));
    }
    let untried = if traces { "" } else { "; threads are not tried, because strace may not trace here" };
    Ok(row.seen(format!("{served} served, {refused} ended with an error{untried}")))
}

/// Whether strace is allowed to trace.
fn can_trace(bench: &Bench) -> Result<bool, String> {
    let mut strace = Place::new(bench)?.program("strace");
    let traced = strace.args(["-o", "/dev/null", "true"]).status();
    let missing = |error| format!("cannot start strace: {error}; `bash tests/run needs` tells what is missing");
    traced.map(|status| status.success()).map_err(missing)
}

/// True if all is answered, false if the proxy said why it cannot.
fn one(bench: &Bench, wrapper: &[&str]) -> Result<Result<bool, String>, String> {
    let place = Place::new(bench)?;
    let errors = place.folder.path().join("errors");
    let file = std::fs::File::create(&errors).map_err(|error| error.to_string())?;
    let [this, word] = server();
    // The server has what it needs.
    let script = format!("ulimit -n 1000 2>/dev/null; exec '{this}' {word}");
    let mut lro = place.lro(bench, wrapper, "proxy", &["--", "sh", "-c", &script]);
    let mut talk = Talk::start(lro.stderr(file))?;
    drop(lro);
    for id in 0..CALLS {
        talk.send(call(&id.to_string(), "list", &json!({"records": if id % 4 == 0 { 300 } else { 1 }})).as_bytes());
    }
    let mut ids = Vec::new();
    while ids.len() < CALLS {
        match talk.hear(LONG) {
            Heard::Line(line) => {
                let message: Value = serde_json::from_slice(&line).unwrap_or_default();
                ids.push(message["id"].as_u64().unwrap_or(u64::MAX));
            }
            Heard::End => break,
            Heard::Nothing => return Ok(Err(format!("it hangs after {} answers", ids.len()))),
        }
    }
    talk.close_input();
    ids.extend(talk.rest().iter().map(|_| u64::MAX));
    let status = match talk.wait(LONG) {
        Ok(status) => status,
        Err(reason) => return Ok(Err(reason)),
    };
    let said = std::fs::read_to_string(&errors).unwrap_or_default();
    ids.sort_unstable();
    let is_answered = ids.iter().copied().eq(0..CALLS as u64);
    let check = || {
        if said.contains("panicked") {
            return Err(said.clone());
        }
        place.is_left_clean()?;
        match (is_answered, status.code()) {
            (true, _) => Ok(true),
            (false, Some(code)) if code > 0 && !said.is_empty() && ids.windows(2).all(|two| two[0] != two[1]) => {
                Ok(false)
            }
            _ => Err(format!("{} answers, {status}, {}", ids.len(), shown(said.as_bytes()))),
        }
    };
    Ok(check())
}

/// Streams as launchers in Node leave them, and a full pipe on standard error.
fn odd_streams(bench: &Bench) -> Result<Row, String> {
    let mut row = Row::new(
        "each request is answered once, with the server's bytes",
        "non-blocking streams and a full pipe on standard error",
    );
    for _ in 0..bench.scaled(2, 20) {
        row.count(odd_stream(bench)?);
    }
    Ok(row)
}

fn odd_stream(bench: &Bench) -> Result<Result<(), String>, String> {
    let place = Place::new(bench)?;
    let failed = |error: std::io::Error| error.to_string();
    let (mut input, its_input) = UnixStream::pair().map_err(failed)?;
    let (output, its_output) = UnixStream::pair().map_err(failed)?;
    let (_reader, full) = std::io::pipe().map_err(failed)?;
    // The pipe takes 64 KiB, and nobody reads it.
    full.try_clone().and_then(|mut writer| writer.write_all(&vec![b'x'; 1 << 16])).map_err(failed)?;
    its_input.set_nonblocking(true).and_then(|()| its_output.set_nonblocking(true)).map_err(failed)?;
    let [this, word] = server();
    let flags = ["--max-message", "100000", "--threshold-tokens", "200", "--min-saving", "0", "--", &this, &word];
    let mut lro = place.lro(bench, &[], "proxy", &flags);
    lro.stdin(OwnedFd::from(its_input)).stdout(OwnedFd::from(its_output)).stderr(Stdio::from(full));
    let child = lro.spawn().map_err(failed)?;
    drop(lro);
    let writer = std::thread::spawn(move || {
        for id in 0..CALLS {
            // Those above the bound have a remark each.
            let records = [0, 2, 50, 1000][id % 4];
            input.write_all(call(&id.to_string(), "list", &json!({"records": records})).as_bytes())?;
            std::thread::sleep(Duration::from_millis(5));
        }
        Ok::<_, std::io::Error>(input)
    });
    let mut lines = std::io::BufRead::lines(std::io::BufReader::new(output));
    let mut heard: Vec<String> = lines.by_ref().take(CALLS).map_while(Result::ok).collect();
    let input = writer.join().map_err(|_| "the writer panicked")?.map_err(failed)?;
    input.shutdown(Shutdown::Write).map_err(failed)?;
    heard.extend(lines.map_while(Result::ok));
    let ended = Talk::of(child).wait(LONG);
    let check = || {
        let mut answers = Answers::default();
        let mut ids = Vec::new();
        for line in &heard {
            let message: Value =
                serde_json::from_str(line).map_err(|error| format!("{error}: {}", shown(line.as_bytes())))?;
            let id = message["id"].as_u64().unwrap_or(u64::MAX);
            let is_right = match id % 4 {
                0 | 1 => {
                    *line
                        == String::from_utf8_lossy(&answers.line(&id.to_string(), [0, 2][(id % 4) as usize])).trim_end()
                }
                2 => message["result"]["structuredContent"]["offloaded"] == true,
                _ => message["error"]["code"] == -32000,
            };
            if !is_right {
                return Err(shown(line.as_bytes()));
            }
            ids.push(id);
        }
        ids.sort_unstable();
        if !ids.iter().copied().eq(0..CALLS as u64) {
            return Err(format!("{} of {CALLS} calls are answered", ids.len()));
        }
        ended.map(drop)?;
        place.is_left_clean()
    };
    Ok(check())
}
