//! Conversations that end: by the server, by the client, by a signal, at any moment.

use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::faults::Bench;
use crate::faults::random::Random;
use crate::faults::row::Row;
use crate::faults::talk::answers::Answers;
use crate::faults::talk::place::{Place, server};
use crate::faults::talk::process::{Heard, LONG, Talk};
use crate::faults::talk::{call, id_of, shown};

/// Two seconds are promised; the rest is for machines that do much else.
const ENDS_WITHIN: Duration = Duration::from_secs(8);

/// Runs all of it.
pub(super) fn run(bench: &Bench) -> Result<Vec<Row>, String> {
    Ok(vec![half_lines(bench)?, stubborn_servers(bench)?, any_moment(bench)?])
}

/// The server dies in the middle of a line, after answers that are still being offloaded.
fn half_lines(bench: &Bench) -> Result<Row, String> {
    let mut row = Row::new(
        "all that the server said before its end arrives, each answer whole and once, the half line last",
        "a server that dies in the middle of a line",
    );
    let (mut random, mut answers) = (Random::of(bench.seed), Answers::default());
    for _ in 0..bench.scaled(6, 80) {
        row.count(half_line(bench, &mut random, &mut answers)?);
    }
    Ok(row)
}

fn half_line(bench: &Bench, random: &mut Random, answers: &mut Answers) -> Result<Result<(), String>, String> {
    let place = Place::new(bench)?;
    let count = random.between(1, 9);
    let sizes: Vec<usize> = (0..count).map(|_| random.one_of(&[0, 3, 40, 400, 4000])).collect();
    let mut said: Vec<u8> =
        sizes.iter().enumerate().flat_map(|(id, size)| answers.line(&id.to_string(), *size)).collect();
    let last = answers.line("99", random.one_of(&[0, 10, 1000]));
    let half = &last[..random.between(1, last.len() - 4)];
    said.extend_from_slice(half);
    let file = place.folder.path().join("said");
    std::fs::write(&file, said).map_err(|error| error.to_string())?;
    let status = random.below(120);
    let script =
        format!("for i in $(seq {}); do read -r line; done; cat '{}'; exit {status}", count + 1, file.display());
    let mut talk = Talk::start(&mut place.lro(bench, &[], "proxy", &["--", "sh", "-c", &script]))?;
    for id in (0..count).chain([99]) {
        talk.send(call(&id.to_string(), "list", &json!({})).as_bytes());
    }
    let heard = talk.rest();
    let ended = talk.wait(LONG)?;
    let check = || {
        let (last, whole) = heard.split_last().ok_or("nothing has come")?;
        if last != half {
            return Err(format!("the half line is {} and came as {}", shown(half), shown(last)));
        }
        let mut ids: Vec<String> = whole.iter().filter_map(|line| id_of(&serde_json::from_slice(line).ok()?)).collect();
        ids.sort_unstable();
        if !ids.iter().map(String::as_str).eq((0..count)
            .map(|id| id.to_string())
            .collect::<Vec<_>>()
            .iter()
            .map(String::as_str))
        {
            return Err(format!("{count} answers were said, and these came: {ids:?}"));
        }
        if ended.code() != i32::try_from(status).ok() {
            return Err(format!("the server's status is {status}, ours {ended}"));
        }
        place.is_left_clean()
    };
    Ok(check())
}

/// What the client does: streams that it closes, and signals.
const ENDS: [&str; 7] = ["input", "output", "both", "TERM", "INT", "HUP", "KILL"];

/// Servers that do not end by themselves.
const STUBBORN: [&str; 4] = [
    // Ignores the end of its input and signals.
    "trap '' TERM INT HUP; echo up; while :; do sleep 0.1; done",
    // What it has started holds its output, and ignores signals.
    "(trap '' TERM INT HUP; exec sleep 60) & echo up; wait; wait",
    // Reads nothing.
    "echo up; exec sleep 60",
    // Talks for ever.
    "echo up; while :; do echo '{\"method\":\"notifications/x\"}'; done",
];

fn stubborn_servers(bench: &Bench) -> Result<Row, String> {
    let mut row = Row::new(
        "the conversation ends within two seconds after the client, and no process is left",
        "servers that ignore the end of input and signals, whose children hold the output, that read nothing or talk for ever",
    );
    let mut longest = Duration::ZERO;
    for turn in 0..bench.scaled(1, 2) {
        for (number, script) in STUBBORN.iter().enumerate() {
            for end in ENDS {
                // In the short form each end and each server come up, not all pairs.
                let comes = bench.scaled((number + end.len()) % 2 == 0, true);
                // Nothing in the system ends the children of a server when the proxy is killed.
                if !comes || (end == "KILL" && number == 1) {
                    continue;
                }
                let place = Place::new(bench)?;
                let mut talk = Talk::start_closable(&mut place.lro(bench, &[], "proxy", &["--", "sh", "-c", script]))?;
                if talk.hear(LONG) != Heard::Line(b"up\n".to_vec()) {
                    return Err("the server has not started".to_owned());
                }
                let start = Instant::now();
                leave(&mut talk, end);
                let outcome = talk.wait(ENDS_WITHIN).map(drop).and_then(|()| {
                    longest = longest.max(start.elapsed());
                    place.is_left_clean()
                });
                row.count(outcome.map_err(|reason| format!("turn {turn}, server {number}, {end}: {reason}")));
            }
        }
    }
    Ok(row.seen(format!("the longest took {} ms", longest.as_millis())))
}

/// Closes a stream, or sends a signal.
fn leave(talk: &mut Talk, end: &str) {
    match end {
        "input" => talk.close_input(),
        "output" => talk.close_output(),
        "both" => {
            talk.close_input();
            talk.close_output();
        }
        signal => talk.signal(signal),
    }
}

/// The end comes at a random moment of a busy conversation.
fn any_moment(bench: &Bench) -> Result<Row, String> {
    let mut row = Row::new(
        "no answer twice, no line cut or mixed, an end within two seconds, no process and no unfinished file left",
        "SIGTERM, SIGINT, SIGHUP, SIGPIPE or SIGKILL, or a client that closes its streams, at a random moment of busy calls",
    );
    let mut random = Random::of(bench.seed);
    let (mut answered, mut early) = (0, 0);
    for turn in 0..bench.scaled(16, 80) {
        let end = if turn % 8 == 7 { "PIPE" } else { ENDS[turn % 8] };
        let outcome = one_moment(bench, &mut random, end)?;
        match &outcome {
            Ok(0) => early += 1,
            Ok(count) => answered += count,
            Err(_) => {}
        }
        row.count(outcome.map(drop).map_err(|reason| format!("{end}: {reason}")));
    }
    Ok(row.seen(format!("{answered} answers came before the ends, {early} ends before any answer")))
}

/// Returns how many answers came.
fn one_moment(bench: &Bench, random: &mut Random, end: &str) -> Result<Result<usize, String>, String> {
    let place = Place::new(bench)?;
    let [this, word] = server();
    let seed = random.below(1 << 30).to_string();
    let flags = ["--", &this, &word, "--hold", "10", "--seed", &seed];
    let mut talk = Talk::start_closable(&mut place.lro(bench, &[], "proxy", &flags))?;
    let calls: Vec<String> = (0..60)
        .map(|id| {
            let records = random.one_of(&[0, 5, 20, 100, 1000, 5000]);
            call(&id.to_string(), "list", &json!({"records": records, "progress": random.below(3)}))
        })
        .collect();
    let mut input = talk.take_input().ok_or("no input")?;
    let closes_input = matches!(end, "input" | "both");
    let moment = Duration::from_millis(random.below(bench.scaled(500, 1500)) as u64);
    let writer = std::thread::spawn(move || {
        use std::io::Write;
        for line in calls {
            // The proxy may have ended.
            let _ = input.write_all(line.as_bytes());
        }
        if closes_input {
            std::thread::sleep(moment);
            return None;
        }
        Some(input)
    });
    let mut heard = Vec::new();
    let due = Instant::now() + moment;
    while let Some(left) = due.checked_duration_since(Instant::now()) {
        match talk.hear(left) {
            Heard::Line(line) => heard.push(line),
            Heard::Nothing | Heard::End => break,
        }
    }
    match end {
        "input" => {}
        end => leave(&mut talk, end),
    }
    let start = Instant::now();
    if end == "PIPE" {
        // It means nothing to a proxy, which goes on.
        while ids(&heard).len() < 60 && start.elapsed() < LONG {
            match talk.hear(LONG) {
                Heard::Line(line) => heard.push(line),
                other => return Ok(Err(format!("{} of 60 answers have come: {other:?}", ids(&heard).len()))),
            }
        }
        drop(writer.join());
    } else {
        // What comes now is heard as well, or the proxy would wait for a reader.
        heard.extend(talk.rest());
    }
    let status = talk.wait(ENDS_WITHIN)?;
    Ok(judge(&heard, status, end, &place))
}

fn ids(heard: &[Vec<u8>]) -> Vec<String> {
    let messages = heard.iter().filter_map(|line| serde_json::from_slice::<Value>(line).ok());
    messages.filter_map(|message| id_of(&message)).collect()
}

fn judge(heard: &[Vec<u8>], status: ExitStatus, end: &str, place: &Place) -> Result<usize, String> {
    // A server that a signal ends may have said half a line, which comes last.
    let is_cut = |line: &&Vec<u8>| serde_json::from_slice::<Value>(line).is_err();
    if let Some(line) = heard.iter().find(is_cut)
        && (Some(line) != heard.last() || line.ends_with(b"\n"))
    {
        return Err(format!("no whole line: {}", shown(line)));
    }
    let mut ids = ids(heard);
    ids.sort_unstable();
    if let Some(twice) = ids.windows(2).find(|two| two[0] == two[1]) {
        return Err(format!("{} is answered twice", twice[0]));
    }
    let number = match end {
        "TERM" => Some(15),
        "INT" => Some(2),
        "HUP" => Some(1),
        "KILL" => Some(9),
        _ => None,
    };
    // Before it listens to signals, one ends it as usual. A signal after its end comes too late.
    let is_promised = match number {
        Some(number) => status.signal() == Some(number) || status.code() == Some(128 + number),
        None => status.code().is_some(),
    };
    if !is_promised {
        return Err(format!("the proxy ended with {status}"));
    }
    match place.is_left_clean() {
        Err(reason) if end != "KILL" || reason.contains("processes") => Err(reason),
        _ => Ok(ids.len()),
    }
}
