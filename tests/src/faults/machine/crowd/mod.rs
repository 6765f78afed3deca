//! Many processes over one directory: 16 that write, 8 that read, and one that cleans up.

mod cleaner;
mod ledger;
mod reader;
mod writer;

use std::collections::BTreeSet;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use super::payload::Payload;
use super::place::{Place, is_whole};
use crate::faults::Bench;
use crate::faults::random::Random;
use crate::faults::row::Row;
use ledger::Ledger;

const WRITERS: u64 = 16;
const READERS: u64 = 8;

/// What all of them work with.
struct Crowd<'a> {
    place: &'a Place,
    payloads: Vec<Payload>,
    ledger: Ledger,
    until: Instant,
}

impl Crowd<'_> {
    fn goes_on(&self) -> bool {
        Instant::now() < self.until
    }
}

/// The suite.
///
/// # Errors
/// One line that says why it could not be run.
pub fn run(bench: &Bench) -> Result<Vec<Row>, String> {
    let place = Place::new(bench)?;
    let mut random = Random::of(bench.seed);
    let time = Duration::from_secs(bench.scaled(18, 210));
    let crowd = Crowd {
        place: &place,
        payloads: (0..12).map(|_| Payload::any(&mut random, 4)).collect(),
        ledger: Ledger::default(),
        until: Instant::now() + time,
    };
    std::fs::create_dir(place.output()).map_err(|error| error.to_string())?;
    let number = |kind: u64, of: u64| Random::of(bench.seed ^ (kind << 32) ^ of);
    thread::scope(|scope| {
        let crowd = &crowd;
        for of in 0..WRITERS {
            scope.spawn(move || writer::write(crowd, number(1, of)));
        }
        for of in 0..READERS {
            scope.spawn(move || reader::read(crowd, number(2, of)));
        }
        scope.spawn(|| cleaner::clean(crowd, number(3, 0)));
    });
    Ok(afterwards(&crowd, time))
}

/// What is there when all have stopped, and the rows.
fn afterwards(crowd: &Crowd<'_>, time: Duration) -> Vec<Row> {
    let fault = format!("16 writers, 8 readers and a cleaner with a short TTL and caps for {} s", time.as_secs());
    let names = crowd.place.names();
    let kept = crowd.ledger.take();
    let mut lost = Row::new("nothing goes before its time, and all files of a document go together", &fault);
    let mut whole = Row::new("an offload is whole: `rebuild` returns its bytes", &fault);
    let there: BTreeSet<&str> = names.iter().filter_map(|name| name.rsplit('/').next()).collect();
    let is_there = |path: &String| name_of(path).is_some_and(|name| there.contains(name));
    for document in &kept.documents {
        let has_gone = document.paths.iter().any(|path| !is_there(path));
        lost.count(match has_gone && document.is_alive() {
            false => Ok(()),
            true if document.paths.iter().all(|path| kept.capped.contains(path)) => Ok(()),
            true => Err(format!("{:?} are not all there, {:?} are", document.paths, names.len())),
        });
        if document.is_alive() && !has_gone {
            whole.count(crowd.rebuilds(&document.paths[0], &crowd.payloads[document.payload]));
        }
    }
    let mut clean = Row::new("a final name is a whole file, of one offload, and no `.part` stays", &fault);
    let mut given = BTreeSet::new();
    for path in kept.documents.iter().flat_map(|document| &document.paths) {
        clean.count(if given.insert(path) { Ok(()) } else { Err(format!("`{path}` was given twice")) });
    }
    for name in &names {
        clean.count(match name.ends_with(".part") {
            true => Err(format!("`{name}` is still there")),
            false => is_whole(&crowd.place.output().join(name)),
        });
    }
    let count = |tries: u64, what: &str| format!("{tries} {what}");
    let seen = [count(kept.offloads, "offloads"), count(kept.expired, "files that cleanup deleted")].join(", ");
    let mut rows = vec![lost.seen(seen), whole, clean];
    for (promise, seen, tries, failures) in [
        ("an offload in a crowd succeeds", String::new(), kept.offloads, kept.write_failures),
        (
            "an answer is right, or says that the file has expired",
            count(kept.gone, "had expired"),
            kept.reads,
            kept.read_failures,
        ),
        (
            "caps take the oldest documents and leave no more than they say",
            count(kept.capped.len() as u64, "files"),
            kept.caps,
            kept.cap_failures,
        ),
    ] {
        rows.push(Row { tries, failures, ..Row::new(promise, &fault).seen(seen) });
    }
    rows
}

impl Crowd<'_> {
    /// Rebuilds a document and compares it.
    fn rebuilds(&self, path: &str, payload: &Payload) -> Result<(), String> {
        let rebuilt = self.place.print(&["rebuild", path, "--output-dir", "out"])?;
        match rebuilt.trim_end() == payload.text {
            true => Ok(()),
            false => Err(format!("`{path}` is rebuilt as {} bytes, not {}", rebuilt.len(), payload.text.len())),
        }
    }
}

fn name_of(path: &str) -> Option<&str> {
    Path::new(path).file_name().and_then(|name| name.to_str())
}
