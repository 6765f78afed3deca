//! Clients that leave in the middle of a request or of an answer.

use std::io::{Read, Write};
use std::time::Duration;

use super::super::http::chance::Chance;
use super::super::row::Row;
use super::Bench;
use super::door::{Door, call, parsed};

pub(super) fn run(bench: &Bench) -> Result<Vec<Row>, String> {
    Ok(vec![requests(bench)?, answers(bench)?])
}

fn requests(bench: &Bench) -> Result<Row, String> {
    let mut row = Row::new(
        "whoever leaves costs nothing, and the next call works",
        "a client leaves after each byte of a request, or half closes",
    );
    let door = Door::open(bench, &[], &[])?;
    door.works()?;
    let files = door.quiet()?;
    let session = door.begin()?;
    let texts =
        [door.post(&session, &call("\"cut\"", "")), door.post("", super::door::HELLO), door.other("GET", &session, "")];
    let step = bench.scaled(5, 1);
    for (kind, text) in texts.iter().enumerate() {
        for at in (0..text.len()).step_by(step) {
            let mut stream = door.connect()?;
            let sent = stream.write_all(&text.as_bytes()[..at]);
            if at % 2 == 0 {
                // Half a connection: the reply, if there is one, can be read.
                let _ = stream.shutdown(std::net::Shutdown::Write);
                let _ = stream.set_read_timeout(Some(Duration::from_millis(20)));
                let _ = stream.read(&mut [0; 1000]);
            }
            row.count(sent.map_err(|error| format!("request {kind} at {at}: {error}")));
        }
        row.count(door.works());
    }
    door.end(&session)?;
    let after = door.quiet()?;
    if after > files + 2 {
        row.failures.push(format!("{after} files are open, {files} before"));
    }
    row.failures.extend(door.close().err());
    Ok(row.seen(format!("{files} files open before, {after} after")))
}

/// A client reads so many bytes of a stream, leaves, and comes back with the id of the last event.
fn answers(bench: &Bench) -> Result<Row, String> {
    let mut row = Row::new(
        "an answer comes once, to a client that comes back",
        "a client leaves after a random byte of a stream, again and again, and resumes it",
    );
    let (door, chance) = (Door::open(bench, &[], &[])?, Chance::of(bench.seed));
    let session = door.begin()?;
    let mut returns = 0;
    for number in 1..=bench.scaled(20, 100) {
        let mut data = Vec::new();
        let mut place: Option<String> = None;
        let mut request = door.post(&session, &call(&number.to_string(), "\"wait\":300,\"notify\":5"));
        let mut outcome = Err("the answer has not come after 100 tries".to_owned());
        for turn in 0..100 {
            let most = if turn % 3 == 2 { usize::MAX } else { 500 + chance.below(900) };
            let mut stream = door.connect()?;
            if let Err(error) = stream.write_all(request.as_bytes()) {
                outcome = Err(error.to_string());
                break;
            }
            let mut bytes = Vec::new();
            let read = stream.take(most as u64).read_to_end(&mut bytes);
            let Some(reply) = parsed(&bytes) else { continue };
            // Only whole events count.
            let body = reply.body.rsplit_once("\n\n").map_or("", |(whole, _)| whole);
            for event in body.split("\n\n").filter(|event| !event.is_empty()) {
                for line in event.lines() {
                    match line.split_once(": ") {
                        Some(("id", id)) => place = Some(id.to_owned()),
                        Some(("data", text)) if !text.is_empty() => data.push(text.to_owned()),
                        _ => {}
                    }
                }
            }
            let id = format!("\"id\":{number},");
            let got = data.iter().filter(|text| text.contains(&id)).count();
            if reply.status != 200 || read.is_err() || got > 0 {
                let others = data.len() - got;
                outcome = match (reply.status, got, others) {
                    (200, 1, 5) => Ok(()),
                    _ => Err(format!(
                        "status {}, {got} answers, {others} notifications, {:.300}",
                        reply.status, reply.body
                    )),
                };
                break;
            }
            if let Some(place) = &place {
                request = door.other("GET", &session, &format!("Last-Event-ID: {place}\r\n"));
                returns += 1;
            }
        }
        row.count(outcome.map_err(|error| format!("call {number}: {error}")));
    }
    row.failures.extend(door.close().err());
    Ok(row.seen(format!("{returns} returns; five notifications and the answer, each once")))
}
