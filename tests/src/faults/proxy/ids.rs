//! Ids that are odd or double, and batches.

use std::collections::HashMap;

use serde_json::json;

use crate::faults::Bench;
use crate::faults::random::Random;
use crate::faults::row::Row;
use crate::faults::talk::answers::Answers;
use crate::faults::talk::place::{Place, server};
use crate::faults::talk::process::{Heard, LONG, Talk};
use crate::faults::talk::{call, shown};

/// Ids in forms that JSON allows.
fn ids() -> Vec<String> {
    let mut ids: Vec<String> = [
        "0",
        "-1",
        "-0",
        "1e2",
        "1E+2",
        "100.0",
        "1.5",
        "18446744073709551617",
        "9223372036854775808",
        "1e400",
        "\"\"",
        "\"1\"",
        "\"\\u0061\"",
        "\"é😀\\n\\\"\"",
        "true",
        "[1]",
        "{\"a\":{\"id\":7}}",
    ]
    .map(str::to_owned)
    .into();
    ids.extend([1000, 1024, 1025, 100_000, 1_000_000].map(|length| format!("\"{}\"", "i".repeat(length))));
    ids
}

/// Runs it.
pub(super) fn run(bench: &Bench) -> Result<Vec<Row>, String> {
    Ok(vec![odd(bench)?, double(bench)?])
}

fn proxy(bench: &Bench, place: &Place, flags: &[&str]) -> Result<Talk, String> {
    let [this, word] = server();
    Talk::start(&mut place.lro(bench, &[], "proxy", &[flags, &["--", &this, &word]].concat()))
}

/// Every id, for the server's tools and for ours.
fn odd(bench: &Bench) -> Result<Row, String> {
    let mut row = Row::new(
        "one answer, with the id as its sender wrote it",
        "ids 1e2, -0, 18446744073709551617, null, lists, objects, up to 1 MB long, in calls of the server's tools and of ours",
    );
    let place = Place::new(bench)?;
    let mut talk = proxy(bench, &place, &[])?;
    let mut answers = Answers::default();
    for id in ids() {
        for records in [0, 1, 100] {
            talk.send(call(&id, "list", &json!({"records": records})).as_bytes());
            let heard = talk.hear(LONG);
            // A large one is offloaded where the id is known, and has the id in any case.
            let start = format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"result\":");
            let is_right = match &heard {
                Heard::Line(line) if records < 100 => *line == answers.line(&id, records),
                Heard::Line(line) => line.starts_with(start.as_bytes()),
                _ => false,
            };
            row.count(if is_right { Ok(()) } else { Err(told(&id, &heard)) });
        }
        talk.send(call(&id, "lro_extract", &json!({"file_path": "none", "query": "."})).as_bytes());
        let heard = talk.hear(LONG);
        let start = format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},");
        let is_right = matches!(&heard, Heard::Line(line) if line.starts_with(start.as_bytes()));
        row.count(if is_right { Ok(()) } else { Err(told(&id, &heard)) });
    }
    // What has no id gets no answer; a batch gets the server's.
    let quiet = [r#"{"jsonrpc":"2.0","method":"tools/call","params":{"name":"lro_extract"}}"#, "{}", "[]x", ""];
    talk.send(quiet.map(|line| format!("{line}\n")).concat().as_bytes());
    for turn in 0..bench.scaled(20, 500) {
        let ids = [format!("{turn}"), format!("\"b{turn}\""), "1e2".to_owned()];
        let batch: Vec<String> = ids.iter().map(|id| call(id, "list", &json!({})).trim_end().to_owned()).collect();
        talk.send(format!("[{}]\n", batch.join(",")).as_bytes());
        let heard = talk.hear(LONG);
        let parts = ids.map(|id| format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"result\":{{}}}}"));
        let is_right = heard == Heard::Line(format!("[{}]\n", parts.join(",")).into_bytes());
        row.count(if is_right { Ok(()) } else { Err(told("batch", &heard)) });
    }
    talk.close_input();
    row.failures.extend(talk.rest().first().map(|line| format!("one line more: {}", shown(line))));
    row.failures.extend(talk.wait(LONG).err());
    row.failures.extend(place.is_left_clean().err());
    Ok(row)
}

fn told(id: &str, heard: &Heard) -> String {
    let heard = match heard {
        Heard::Line(line) => shown(line),
        other => format!("{other:?}"),
    };
    format!("{}: {heard}", shown(id.as_bytes()))
}

/// Several requests with the same id at once: as many answers as the server gives, and none is left out.
fn double(bench: &Bench) -> Result<Row, String> {
    let mut row = Row::new(
        "as many answers as requests, each of them of the server or offloaded",
        "the same id in several requests at once",
    );
    let mut random = Random::of(bench.seed);
    for _ in 0..bench.scaled(3, 60) {
        let place = Place::new(bench)?;
        let seed = random.below(1 << 30).to_string();
        let [this, word] = server();
        let flags = ["--", &this, &word, "--hold", "20", "--seed", &seed];
        let mut talk = Talk::start(&mut place.lro(bench, &[], "proxy", &flags))?;
        let mut open: HashMap<String, i32> = HashMap::new();
        let asked: Vec<(usize, usize)> =
            (0..60).map(|_| (random.below(5), random.one_of(&[0, 2, 100, 2000]))).collect();
        for (id, records) in &asked {
            *open.entry(id.to_string()).or_default() += 1;
            talk.send(call(&id.to_string(), "list", &json!({"records": records})).as_bytes());
        }
        for _ in 0..asked.len() {
            let answer = talk.message()?;
            let left = open.entry(answer["id"].to_string()).or_default();
            *left -= 1;
            let result = &answer["result"];
            let is_right =
                *left >= 0 && (result["structuredContent"]["offloaded"] == true || result["content"].is_array());
            row.count(if is_right { Ok(()) } else { Err(shown(answer.to_string().as_bytes())) });
        }
        talk.close_input();
        row.failures.extend(talk.rest().first().map(|line| format!("one line more: {}", shown(line))));
        row.failures.extend(talk.wait(LONG).err());
        row.failures.extend(place.is_left_clean().err());
    }
    Ok(row)
}
