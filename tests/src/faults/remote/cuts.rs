//! Replies that are cut, split and slow.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use super::super::http::chance::Chance;
use super::super::http::site::{Request, Site, answer, trickle, usual, write};
use super::super::http::talk::{Answer, Talk};
use super::super::row::Row;
use super::forms::{FORMS, Reply};
use super::{Bench, ONCE, conversation};

/// Characters of every length, and what JSON escapes.
const TEXT: &str = "a \u{e9}\u{20ac}\u{1f600} \"\\\n\u{2028}end";

/// How many calls are in flight.
const AT_ONCE: usize = 64;

/// How long one may take.
const PATIENCE: Duration = Duration::from_secs(60);

pub(super) fn run(bench: &Bench) -> Result<Vec<Row>, String> {
    let mut rows = Vec::new();
    for part in [cut, cut_large, split, slow, resumed] {
        rows.push(part(bench)?);
    }
    Ok(rows)
}

/// A call: a form, a position in its reply, and what is said.
struct Try {
    form: usize,
    at: usize,
    records: usize,
}

fn text(records: usize) -> String {
    match records {
        0 => TEXT.to_owned(),
        _ => {
            let record = |n| format!("{{\"id\":{n},\"title\":\"Größe {n}\",\"state\":\"open\"}}");
            format!("[{}]", (0..records).map(record).collect::<Vec<_>>().join(","))
        }
    }
}

fn reply_to(request: &Request) -> Option<(Reply, usize)> {
    let (form, at) = (request.number("form")?, request.number("at")?);
    Some((FORMS[form].reply(&request.id(), &text(request.number("records")?)), at))
}

/// Odd ids, which must come back as they are.
fn id(number: usize) -> String {
    match number % 5 {
        0 => format!("{number}e0"),
        1 => format!("\"\\u0041 {number}\""),
        2 => format!("-{number}.50"),
        3 => format!("18446744073709551616{number}"),
        _ => format!("\"{number}\""),
    }
}

/// Makes the calls, so many at once, and checks each answer.
fn all(row: &mut Row, talk: &mut Talk, tries: &[Try], check: impl Fn(&Try, &Reply, &Answer) -> Result<(), String>) {
    for (turn, calls) in tries.chunks(AT_ONCE).enumerate() {
        let ids: Vec<String> = (0..calls.len()).map(|number| id(turn * AT_ONCE + number + 1)).collect();
        for (call, id) in calls.iter().zip(&ids) {
            let Try { form, at, records } = call;
            let asked = talk.call(id, "t", &format!("\"form\":{form},\"at\":{at},\"records\":{records}"));
            if let Err(error) = asked {
                return row.count(Err(error));
            }
        }
        for (call, id) in calls.iter().zip(&ids) {
            let reply = FORMS[call.form].reply(id, &text(call.records));
            let outcome = talk.wait(id, PATIENCE).and_then(|answer| check(call, &reply, &answer));
            row.count(outcome.map_err(|error| {
                format!("{} at {} of {}: {error}", FORMS[call.form].name, call.at, reply.bytes.len())
            }));
        }
    }
}

/// The result if all was said, and an error if it was not.
fn is_right(call: &Try, reply: &Reply, answer: &Answer) -> Result<(), String> {
    let expected = if call.records == 0 { TEXT.to_owned() } else { format!("{} records in a file", call.records) };
    match answer {
        Answer::Result(text) if *text != expected => Err(format!("another result: {text:.200}")),
        Answer::Result(_) if call.at < reply.may_be_said => Err("a result that was not said".to_owned()),
        Answer::Error(error) if call.at >= reply.said => Err(format!("said, and reported as failed: {error}")),
        Answer::Error(error) if !error.starts_with("no answer from `http://127.0.0.1:") => {
            Err(format!("an unclear error: {error}"))
        }
        _ => Ok(()),
    }
}

fn ended(row: &mut Row, talk: Talk) -> String {
    match talk.end() {
        Ok(end) => format!("{} ms to the end", end.took.as_millis()),
        Err(error) => {
            row.failures.push(error);
            String::new()
        }
    }
}

fn cut(bench: &Bench) -> Result<Row, String> {
    let mut row = Row::new(ONCE, "a reply of ten forms is cut at every byte");
    let folder = bench.folder()?;
    let site = Site::serve(|request, stream| {
        if let Some((reply, at)) = reply_to(request) {
            write(stream, &reply.bytes[..at.min(reply.bytes.len())]);
        } else {
            write(stream, &usual(request, "s").unwrap_or_default());
        }
        false
    })?;
    let mut talk = conversation(bench, folder.path(), &site, &[])?;
    let step = bench.scaled(7, 1);
    let mut tries = Vec::new();
    for (form, of) in FORMS.iter().enumerate() {
        let length = of.reply("\"123456\"", TEXT).bytes.len() + 4;
        let from = usize::try_from(bench.seed).unwrap_or(0) % step;
        tries.extend((from..length).step_by(step).chain(length - 12..length).map(|at| Try { form, at, records: 0 }));
    }
    all(&mut row, &mut talk, &tries, is_right);
    let seen = ended(&mut row, talk);
    Ok(row.seen(format!("{AT_ONCE} in flight; {seen}")))
}

fn cut_large(bench: &Bench) -> Result<Row, String> {
    let mut row =
        Row::new("a result that arrived is offloaded, or none is told of", "a reply of 100 KB is cut at a random byte");
    let folder = bench.folder()?;
    let site = Site::serve(|request, stream| {
        if let Some((reply, at)) = reply_to(request) {
            write(stream, &reply.bytes[..at.min(reply.bytes.len())]);
        } else {
            write(stream, &usual(request, "s").unwrap_or_default());
        }
        false
    })?;
    let mut talk = conversation(bench, folder.path(), &site, &["--session", "cuts"])?;
    let chance = Chance::of(bench.seed);
    let tries: Vec<Try> = (0..bench.scaled(40, 200))
        .map(|number| {
            let (form, records) = (number % FORMS.len(), 2000);
            let length = FORMS[form].reply("\"123456\"", &text(records)).bytes.len();
            let at = if chance.below(2) == 0 { length + 9 } else { chance.below(length) };
            Try { form, at, records }
        })
        .collect();
    all(&mut row, &mut talk, &tries, is_right);
    let results = folder.path().join("results");
    let seen = ended(&mut row, talk);
    let (whole, others) = files(&results);
    if others > 0 {
        row.failures.push(format!("{others} files are left that are not results"));
    }
    Ok(row.seen(format!("{whole} files; {seen}")))
}

/// How many results are in a folder and in those below it, and how many other files.
fn files(folder: &Path) -> (usize, usize) {
    let mut counts = (0, 0);
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            let below = files(&path);
            counts = (counts.0 + below.0, counts.1 + below.1);
        } else if path.extension().is_some_and(|end| end == "jsonl") {
            counts.0 += 1;
        } else {
            counts.1 += 1;
        }
    }
    counts
}

fn split(bench: &Bench) -> Result<Row, String> {
    let mut row = Row::new(
        "what arrives in pieces is what arrives at once",
        "a reply is split in two at every byte, and into single bytes",
    );
    let folder = bench.folder()?;
    let site = Site::serve(|request, stream| {
        match reply_to(request) {
            Some((reply, at)) if at < reply.bytes.len() => {
                let _ = write(stream, &reply.bytes[..at])
                    && trickle(stream, &reply.bytes[at..], usize::MAX, Duration::from_millis(3));
            }
            Some((reply, _)) => _ = trickle(stream, &reply.bytes, 1, Duration::from_micros(10)),
            None => _ = write(stream, &usual(request, "s").unwrap_or_default()),
        }
        false
    })?;
    let mut talk = conversation(bench, folder.path(), &site, &[])?;
    let mut tries = Vec::new();
    for (form, of) in FORMS.iter().enumerate() {
        let length = of.reply("\"123456\"", TEXT).bytes.len() + 4;
        let (step, from) = (bench.scaled(7, 1), usize::try_from(bench.seed).unwrap_or(0) % 7);
        tries.extend((from..length).step_by(step).chain([100_000]).map(|at| Try { form, at, records: 0 }));
    }
    all(&mut row, &mut talk, &tries, |_, _, answer| match answer {
        Answer::Result(text) if text == TEXT => Ok(()),
        other => Err(format!("{other:?}")),
    });
    let seen = ended(&mut row, talk);
    Ok(row.seen(seen))
}

fn slow(bench: &Bench) -> Result<Row, String> {
    let pause = bench.scaled(Duration::from_millis(10), Duration::from_millis(200));
    let mut row = Row::new(
        "a slow reply holds up no other",
        &format!("a byte every {} ms, 31 replies at once", pause.as_millis()),
    );
    let folder = bench.folder()?;
    let site = Site::serve(move |request, stream| {
        match reply_to(request) {
            Some((reply, _)) => {
                let head = reply.bytes.windows(4).position(|window| window == b"\r\n\r\n").unwrap_or(0);
                let _ = write(stream, &reply.bytes[..head]) && trickle(stream, &reply.bytes[head..], 1, pause);
            }
            None => _ = write(stream, &usual(request, "s").unwrap_or_default()),
        }
        false
    })?;
    let mut talk = conversation(bench, folder.path(), &site, &[])?;
    let ids: Vec<String> = (1..32).map(id).collect();
    for (number, id) in ids.iter().enumerate() {
        talk.call(id, "t", &format!("\"form\":{},\"at\":0,\"records\":0", [0, 1, 7][number % 3]))?;
    }
    let (mut slowest, start) = (Duration::ZERO, Instant::now());
    for number in 0..bench.scaled(50, 500) {
        let (id, asked) = (format!("\"ping {number}\""), Instant::now());
        talk.ask(&id, "ping", "{}")?;
        row.count(talk.wait(&id, Duration::from_secs(5)).map(|_| ()));
        slowest = slowest.max(asked.elapsed());
    }
    for id in &ids {
        let answer = talk.wait(id, Duration::from_secs(900));
        row.count(answer.and_then(|answer| match answer {
            Answer::Result(text) if text == TEXT => Ok(()),
            other => Err(format!("{other:?}")),
        }));
    }
    let took = start.elapsed().as_secs();
    ended(&mut row, talk);
    Ok(row.seen(format!("{took} s; the slowest ping beside them took {} ms", slowest.as_millis())))
}

/// Each stream of an answer is cut again and again, wherever it is, and resumed.
fn resumed(bench: &Bench) -> Result<Row, String> {
    let mut row = Row::new(
        "a stream that breaks goes on where it broke",
        "a stream with ids is cut at a random byte, each time that it is resumed",
    );
    let (folder, chance) = (bench.folder()?, Chance::of(bench.seed));
    let numbers: Vec<usize> = (0..4096).map(|_| chance.below(1 << 30)).collect();
    let (turn, resumptions) = (AtomicUsize::new(0), Arc::new(AtomicUsize::new(0)));
    let counter = Arc::clone(&resumptions);
    let site = Site::serve(move |request, stream| {
        let of_event = request.headers.get("last-event-id").and_then(|place| {
            let (id, number) = place.split_once('.')?;
            Some((id.to_owned(), number.parse::<usize>().ok()?))
        });
        let (id, after) = match (request.method(), of_event) {
            ("tools/call", _) => (request.id(), 0),
            (_, Some(place)) => place,
            _ => {
                write(stream, &usual(request, "s").unwrap_or_default());
                return false;
            }
        };
        counter.fetch_add(usize::from(after > 0), Ordering::Relaxed);
        let head = "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Type: text/event-stream\r\n\r\n";
        let mut bytes = head.as_bytes().to_vec();
        // The place is a header: ids of these calls are numbers.
        if after == 0 {
            bytes.extend(format!("retry: 50\nid: {id}.1\ndata:\n\n").into_bytes());
        }
        let least = bytes.len();
        for number in after.max(1)..5 {
            let progress = format!(
                "{{\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",\"params\":{{\"of\":{id},\"n\":{number}}}}}"
            );
            bytes.extend(format!("id: {id}.{}\ndata: {progress}\n\n", number + 1).into_bytes());
        }
        bytes.extend(format!("id: {id}.9\ndata: {}\n\n", answer(&id, TEXT)).into_bytes());
        let random = numbers[turn.fetch_add(1, Ordering::Relaxed) % numbers.len()];
        // One time in three it is whole.
        let end = if random.is_multiple_of(3) { bytes.len() } else { least + random / 3 % (bytes.len() - least) };
        write(stream, &bytes[..end]);
        false
    })?;
    let mut talk = conversation(bench, folder.path(), &site, &[])?;
    let count = bench.scaled(96, 1000);
    for ids in (1..=count).collect::<Vec<_>>().chunks(32) {
        for id in ids {
            talk.call(&id.to_string(), "t", "")?;
        }
        for id in ids {
            row.count(talk.wait(&id.to_string(), PATIENCE).and_then(|answer| match answer {
                Answer::Result(text) if text == TEXT => Ok(()),
                other => Err(format!("request {id}: {other:?}")),
            }));
        }
    }
    match talk.end() {
        Ok(end) if end.others != count * 4 => {
            row.failures.push(format!("{} notifications, not {}", end.others, count * 4))
        }
        Ok(_) => {}
        Err(error) => row.failures.push(error),
    }
    Ok(row.seen(format!("{} resumptions; each notification came once", resumptions.load(Ordering::Relaxed))))
}
