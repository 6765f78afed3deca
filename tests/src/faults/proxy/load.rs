//! Very many calls, many of them in flight, in all sizes.

use std::collections::{BTreeMap, HashMap};
use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use crate::faults::Bench;
use crate::faults::random::Random;
use crate::faults::row::Row;
use crate::faults::talk::answers::{Answers, RECORD_BYTES, record};
use crate::faults::talk::place::{Place, server};
use crate::faults::talk::process::{Heard, LONG, Talk};
use crate::faults::talk::server::{error, junk, progress};
use crate::faults::talk::{MB, call, id_of, shown};

/// Requests without an answer at a time.
const IN_FLIGHT: usize = 200;

/// What docs/PROXY.md says that the proxy needs at most with the default of `--max-message`, in MiB (suite `memory`).
pub(super) const MOST_MB: u64 = 500 + 12 * 64;

/// How a call is to be answered.
struct Asked {
    arguments: Value,
    progress: usize,
    is_error: bool,
    has_junk: bool,
    records: usize,
    /// Answered by the proxy itself.
    is_ours: bool,
}

/// What has been seen.
#[derive(Default)]
struct Seen {
    offloaded: usize,
    bytes: usize,
    ours: usize,
    notices: usize,
}

/// Runs it.
pub(super) fn run(bench: &Bench) -> Result<Row, String> {
    let calls = bench.scaled(400, 10_000);
    let fault = format!(
        "{calls} calls, {IN_FLIGHT} in flight, up to {} MB, answered in any order, with progress, errors and junk",
        bench.scaled(5, 20)
    );
    let mut row =
        Row::new("each request is answered exactly once, with the bytes of the server or a whole file", &fault);
    let place = Place::new(bench)?;
    let seed = bench.seed.to_string();
    let [this, word] = server();
    let flags = ["--", &this, &word, "--hold", "100", "--seed", &seed];
    let talk = Talk::start(&mut place.lro(bench, &[], "proxy", &flags))?;
    let mut load = Load {
        talk,
        open: HashMap::new(),
        junk: HashMap::new(),
        random: Random::of(bench.seed),
        answers: Answers::default(),
        seen: Seen::default(),
        file: None,
    };
    for number in 0..calls {
        while load.open.len() >= IN_FLIGHT {
            load.hear(&mut row)?;
        }
        load.ask(number, bench.scaled(5, 20) * MB)?;
    }
    while !load.open.is_empty() {
        load.hear(&mut row)?;
    }
    let (peak, threads) = (load.talk.peak_mb(), load.talk.threads());
    if peak > MOST_MB {
        row.failures.push(format!("{peak} MB of memory, and {MOST_MB} are promised"));
    }
    load.talk.close_input();
    let rest = load.talk.rest();
    if let Some(line) = rest.first() {
        row.failures.push(format!("{} lines more, the first of them {}", rest.len(), shown(line)));
    }
    if !load.junk.is_empty() {
        row.failures.push(format!("{} lines of junk are missing", load.junk.len()));
    }
    let status = load.talk.wait(LONG)?;
    row.failures.extend((!status.success()).then(|| format!("the proxy ended with {status}")));
    row.failures.extend(place.is_left_clean().err());
    let Seen { offloaded, bytes, ours, notices } = load.seen;
    let seen = format!(
        "{offloaded} offloaded of {} MB, {ours} answered by our tools, {notices} notices; {peak} MB of memory, {threads} threads",
        bytes / MB
    );
    Ok(row.seen(seen))
}

struct Load {
    talk: Talk,
    open: HashMap<String, Asked>,
    /// Lines of junk that have not come yet.
    junk: HashMap<Vec<u8>, ()>,
    random: Random,
    answers: Answers,
    seen: Seen,
    /// A file that has been offloaded, and its records.
    file: Option<(String, usize)>,
}

impl Load {
    fn ask(&mut self, number: usize, most: usize) -> Result<(), String> {
        let random = &mut self.random;
        let id = match random.below(4) {
            0 => format!("\"call-{number}\""),
            1 => format!("\"{number} \\\"é\\\"\""),
            _ => number.to_string(),
        };
        if let Some((path, records)) = self.file.clone().filter(|_| random.happens(5)) {
            let arguments = json!({"file_path": path, "query": ".id", "count": true});
            let asked =
                Asked { arguments: Value::Null, progress: 0, is_error: false, has_junk: false, records, is_ours: true };
            self.open.insert(id.clone(), asked);
            return self.say(&call(&id, "lro_extract", &arguments));
        }
        let bytes = match random.below(1000) {
            0..700 => random.below(2000),
            700..900 => random.below(100_000),
            900..985 => random.below(MB),
            985..998 => random.below(most / 4),
            _ => random.between(most / 2, most),
        };
        let progress = if random.happens(10) { random.below(5) } else { 0 };
        let (is_error, has_junk) = (random.happens(5), random.happens(5));
        let records = bytes / RECORD_BYTES;
        let arguments = json!({"records": records, "progress": progress, "error": is_error, "junk": has_junk});
        if has_junk {
            self.junk.insert(junk(&id).into_bytes(), ());
        }
        let line = call(&id, "list", &arguments);
        self.open.insert(id, Asked { arguments, progress: 0, is_error, has_junk, records, is_ours: false });
        self.say(&line)
    }

    fn say(&mut self, line: &str) -> Result<(), String> {
        if self.talk.send(line.as_bytes()) { Ok(()) } else { Err("the proxy has stopped listening".to_owned()) }
    }

    fn hear(&mut self, row: &mut Row) -> Result<(), String> {
        let line = match self.talk.hear(LONG) {
            Heard::Line(line) => line,
            other => return Err(format!("{} calls have no answer: {other:?}", self.open.len())),
        };
        if self.junk.remove(&line).is_some() {
            return Ok(());
        }
        let message: Value = serde_json::from_slice(&line).unwrap_or_default();
        if message["method"] == "notifications/progress" {
            if let Err(failure) = self.progress(&message, &line) {
                row.failures.push(failure);
            }
            return Ok(());
        }
        let asked = id_of(&message).and_then(|id| self.open.remove(&id).map(|asked| (id, asked)));
        let Some((id, asked)) = asked else {
            row.failures.push(format!("nobody asked for {}", shown(&line)));
            return Ok(());
        };
        row.count(self.check(&id, &asked, &message, &line));
        Ok(())
    }

    fn progress(&mut self, message: &Value, line: &[u8]) -> Result<(), String> {
        let id = message["params"]["progressToken"].to_string();
        let asked = self.open.get_mut(&id).ok_or_else(|| format!("progress after the answer: {}", shown(line)))?;
        let expected = progress(&id, asked.progress);
        asked.progress += 1;
        self.seen.notices += 1;
        if expected.as_bytes() == line { Ok(()) } else { Err(format!("progress is out of order: {}", shown(line))) }
    }

    fn check(&mut self, id: &str, asked: &Asked, message: &Value, line: &[u8]) -> Result<(), String> {
        let wrong = |what: &str| Err(format!("{id}: {what}: {}", shown(line)));
        let response = &message["result"]["structuredContent"];
        if asked.is_ours {
            self.seen.ours += 1;
            let count = response["count"].as_u64().or(response["results"][0].as_u64());
            return if count == u64::try_from(asked.records).ok() { Ok(()) } else { wrong("not our answer") };
        }
        let is_junk_late = asked.has_junk && self.junk.contains_key(junk(id).as_bytes());
        if is_junk_late || asked.arguments["progress"] != asked.progress {
            return wrong("what stands before the answer is missing");
        }
        if asked.is_error {
            return if line == error(id).as_bytes() { Ok(()) } else { wrong("not the server's error") };
        }
        if response["offloaded"] == true {
            self.seen.offloaded += 1;
            self.seen.bytes += asked.records * RECORD_BYTES;
            let path = response["file_path"].as_str().unwrap_or_default().to_owned();
            is_whole(Path::new(&path), asked.records).map_err(|reason| format!("{id}: {reason}"))?;
            if self.file.is_none() {
                self.file = Some((path, asked.records));
            } else if self.random.happens(90) {
                // Others would take tens of gigabytes together.
                fs::remove_file(&path).map_err(|error| format!("{id}: {error}"))?;
            }
            return Ok(());
        }
        if line == self.answers.line(id, asked.records) { Ok(()) } else { wrong("not the server's bytes") }
    }
}

/// A file of results has all records.
pub(super) fn is_whole(path: &Path, records: usize) -> Result<(), String> {
    let text = fs::read_to_string(path).map_err(|error| format!("cannot read `{}`: {error}", path.display()))?;
    let lines: BTreeMap<usize, &str> = text.lines().enumerate().collect();
    let last = lines.get(&records).copied();
    if lines.len() == records + 1 && last == Some(record(records - 1).as_str()) {
        return Ok(());
    }
    Err(format!("`{}` has {} of {records} records, the last of them {last:?}", path.display(), lines.len() - 1))
}
