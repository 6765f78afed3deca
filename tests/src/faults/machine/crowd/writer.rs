//! A process after the other that offloads.

use std::time::SystemTime;

use super::super::place::{paths, response};
use super::Crowd;
use super::ledger::Document;
use crate::faults::random::Random;

/// Times to live in seconds: some pass while the others are at work.
const TTLS: [u64; 5] = [2, 4, 9, 600, 3600];

const OPERATIONS: [&str; 3] = ["search", "list_issues", "get"];

/// Offloads until the time is over.
pub(super) fn write(crowd: &Crowd<'_>, mut random: Random) {
    while crowd.goes_on() {
        let outcome = once(crowd, &mut random);
        crowd.ledger.with(|kept| {
            kept.offloads += 1;
            kept.write_failures.extend(outcome.err());
        });
    }
}

fn once(crowd: &Crowd<'_>, random: &mut Random) -> Result<(), String> {
    let payload = random.below(crowd.payloads.len());
    let (operation, ttl_seconds) = (*random.pick(&OPERATIONS), *random.pick(&TTLS));
    let (ttl, session) = (ttl_seconds.to_string(), format!("s-{}", random.below(3)));
    let mut arguments = vec!["offload", "-", "--operation", operation, "--output-dir", "out", "--ttl", &ttl];
    if random.once_in(3) {
        arguments.extend(["--session", &session]);
    }
    let begin = SystemTime::now();
    let ended = crowd.place.end(&mut crowd.place.lro(&arguments), crowd.payloads[payload].text.as_bytes())?;
    let paths = paths(&response(&ended)?);
    let document = Document { paths, payload, begin, end: SystemTime::now(), ttl_seconds };
    if document.paths.is_empty() {
        return Err(format!("it names no file: {}", ended.shown()));
    }
    crowd.ledger.with(|kept| kept.documents.push(document));
    Ok(())
}
