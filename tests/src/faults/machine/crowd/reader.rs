//! A process after the other that reads what was offloaded lately.

use std::thread::sleep;
use std::time::{Duration, SystemTime};

use super::super::payload::Payload;
use super::Crowd;
use super::ledger::Document;
use crate::faults::random::Random;

/// So many of the last documents are read.
const LATEST: usize = 200;

/// Reads until the time is over.
pub(super) fn read(crowd: &Crowd<'_>, mut random: Random) {
    while crowd.goes_on() {
        let chosen = crowd.ledger.with(|kept| {
            let oldest = kept.documents.len().saturating_sub(LATEST);
            let latest = &kept.documents[oldest..];
            (!latest.is_empty()).then(|| random.pick(latest).clone())
        });
        let Some(document) = chosen else {
            sleep(Duration::from_millis(50));
            continue;
        };
        let outcome = once(crowd, &document, &mut random);
        crowd.ledger.with(|kept| {
            kept.reads += 1;
            match outcome {
                Ok(Read::Right) => {}
                Ok(Read::Gone) => kept.gone += 1,
                Ok(Read::Missed) => kept.missed.push(document.paths[0].clone()),
                Err(error) => kept.read_failures.push(error),
            }
        });
    }
}

enum Read {
    Right,
    /// It has expired.
    Gone,
    /// It is not there, although its time has not passed.
    Missed,
}

fn once(crowd: &Crowd<'_>, document: &Document, random: &mut Random) -> Result<Read, String> {
    let (path, payload) = (&*document.paths[0], &crowd.payloads[document.payload]);
    let begin = SystemTime::now();
    let (arguments, expected) = question(path, payload, random);
    let arguments: Vec<&str> = arguments.into_iter().chain(["--output-dir", "out"]).collect();
    let ended = crowd.place.end(&mut crowd.place.lro(&arguments), b"")?;
    ended.accident()?;
    let told = || format!("{arguments:?}: {}", ended.shown());
    match ended.status {
        Some(0) if ended.text().trim_end() != expected => Err(format!("wrong: {}, not `{expected:.80}`", told())),
        Some(0) if document.has_expired(begin) => Err(format!("it has expired, and is answered: {}", told())),
        Some(0) => Ok(Read::Right),
        _ if !ended.stderr.contains("expired") => Err(format!("another error: {}", told())),
        _ if !ended.stdout.is_empty() => Err(format!("an error and an answer: {}", told())),
        _ if document.is_alive() => Ok(Read::Missed),
        _ => Ok(Read::Gone),
    }
}

fn question<'a>(path: &'a str, payload: &Payload, random: &mut Random) -> (Vec<&'a str>, String) {
    match random.below(4) {
        0 => (vec!["extract", path, "--slurp", "--query", "map(.id) | add"], payload.sum.to_string()),
        1 => (vec!["extract", path, "--where", "id>=0", "--count"], payload.count.to_string()),
        2 => {
            let range = payload.count * 1_000 + payload.count - 1;
            (vec!["extract", path, "--slurp", "--query", "length * 1000 + (map(.id) | max - min)"], range.to_string())
        }
        _ => (vec!["rebuild", path], payload.text.clone()),
    }
}
