//! Lines that are no requests, or not good ones.

use std::collections::HashMap;

use serde_json::{Value, json};

use super::{MOST_MB, RECORDS, extraction, first, offloaded, served};
use crate::faults::Bench;
use crate::faults::random::Random;
use crate::faults::row::Row;
use crate::faults::talk::place::Place;
use crate::faults::talk::process::{LONG, Talk};
use crate::faults::talk::{MB, call, id_of, shown};

/// A line, the id of its answer, and the code of the error; none if it is not an error.
type Line = (Vec<u8>, &'static str, Option<i32>);

/// Lines of every odd kind.
fn lines() -> Vec<Line> {
    let deep = |count: usize| format!("{}{}", "[".repeat(count), "]".repeat(count));
    let mut lines: Vec<Line> = [
        (r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":[1]}"#, "1", Some(-32600)),
        (r#"{"jsonrpc":"2.0","id":2,"method":"tools/call","params":"x"}"#, "2", Some(-32600)),
        (r#"{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":7}}"#, "3", Some(-32602)),
        (r#"{"jsonrpc":"2.0","id":4,"method":"tools/call"}"#, "4", Some(-32602)),
        (r#"{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"none"}}"#, "5", Some(-32602)),
        (r#"{"jsonrpc":"2.0","id":6,"method":"no/such"}"#, "6", Some(-32601)),
        (
            r#"{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"lro_extract","arguments":[]}}"#,
            "7",
            Some(-32602),
        ),
        (r#"{"jsonrpc":"2.0","id":8,"method":"ping","#, "8", Some(-32700)),
        (r#"{"jsonrpc":"2.0","id":9,"method":"ping"} {}"#, "9", Some(-32700)),
        (r#"{"jsonrpc":"2.0","id":"10","method":7}"#, "\"10\"", Some(-32600)),
        (r#"{"jsonrpc":"2.0","id":1e2,"method":"ping"}"#, "1e2", Some(-32600)),
        (r#"{"jsonrpc":"2.0","id":-0,"method":"ping"}"#, "-0", Some(-32600)),
        (r#"{"jsonrpc":"2.0","id":1.5,"method":"ping"}"#, "1.5", Some(-32600)),
        (r#"{"jsonrpc":"2.0","id":18446744073709551617,"method":"ping"}"#, "18446744073709551617", Some(-32600)),
        (r#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#, "null", Some(-32600)),
        (r#"{"jsonrpc":"2.0","id":{"a":1},"method":"ping"}"#, "null", Some(-32600)),
        (r#"{"jsonrpc":"2.0","id":[1],"method":"ping"}"#, "null", Some(-32600)),
        (r#"{"jsonrpc":"2.0","id":true,"method":"ping"}"#, "true", Some(-32600)),
        (r#"[{"jsonrpc":"2.0","id":11,"method":"ping"}]"#, "null", Some(-32600)),
        ("[]", "null", Some(-32600)),
        (r#"{"jsonrpc":"2.0","id":"\u00e9\ud83d\ude00","method":"ping"}"#, "\"é😀\"", None),
        (r#"{"jsonrpc":"2.0","id":-9223372036854775808,"method":"ping"}"#, "-9223372036854775808", None),
    ]
    .map(|(line, id, code)| (line.as_bytes().to_vec(), id, code))
    .into();
    let nested = format!(
        r#"{{"id":12,"method":"tools/call","params":{{"name":"lro_extract","arguments":{{"a":{}}}}}}}"#,
        deep(5000)
    );
    lines.push((nested.into_bytes(), "12", Some(-32600)));
    lines.push((
        format!(r#"{{"jsonrpc":"2.0","id":13,"method":"ping","params":{}}}"#, deep(200_000)).into_bytes(),
        "13",
        Some(-32600),
    ));
    lines.push((
        b"{\"jsonrpc\":\"2.0\",\"id\":14,\"method\":\"ping\",\"params\":{\"a\":\"\xff\xfe\"}}".to_vec(),
        "14",
        Some(-32700),
    ));
    lines.push((b"{\"jsonrpc\":\"2.0\",\"id\":\"\xff\",\"method\":\"ping\"}".to_vec(), "null", Some(-32700)));
    let long = format!(r#"{{"jsonrpc":"2.0","id":"{}","method":"ping","params":[]}}"#, "i".repeat(2000));
    lines.push((long.into_bytes(), "null", Some(-32600)));
    lines
}

/// Each odd line, with a good call after it.
pub(super) fn table(bench: &Bench) -> Result<Row, String> {
    let mut row = Row::new(
        "a request that cannot be read gets one JSON-RPC error, and the call after it a right answer",
        "forms, nesting, ids, batches and bytes that are wrong",
    );
    let place = Place::new(bench)?;
    let mut talk = served(bench, &place, &["--threshold-tokens", "100"])?;
    let path = offloaded(&mut talk)?;
    for _ in 0..bench.scaled(1, 20) {
        for (line, id, code) in lines() {
            talk.send(&[line.as_slice(), b"\n"].concat());
            row.count(answered(&mut talk, &line, id, code, &path));
        }
    }
    talk.close_input();
    row.failures.extend(talk.rest().first().map(|line| format!("one line more: {}", shown(line))));
    row.failures.extend(talk.wait(LONG).err());
    Ok(row)
}

fn answered(talk: &mut Talk, line: &[u8], id: &str, code: Option<i32>, path: &str) -> Result<(), String> {
    talk.send(extraction("\"good\"", path, "length").as_bytes());
    let mut seen = Vec::new();
    // The good call may be answered first.
    for _ in 0..2 {
        let answer = talk.message().map_err(|reason| format!("{}: {reason}, after {seen:?}", shown(line)))?;
        seen.push(answer.to_string());
        if answer["id"] == "good" && *first(&answer) != RECORDS {
            return Err(format!("a wrong answer to a good call: {answer}"));
        }
        let is_error = answer["error"]["code"] == json!(code);
        if answer["id"] != "good" && (id_of(&answer).as_deref().map(plain) != Some(plain(id)) || !is_error) {
            return Err(format!("{}: expected {id} and {code:?}, got {answer}", shown(line)));
        }
    }
    Ok(())
}

/// An id, as numbers are shown that have been read.
fn plain(id: &str) -> String {
    serde_json::from_str::<Value>(id).map_or_else(|_| id.to_owned(), |id| id.to_string())
}

/// Good calls with some bytes changed: the good ones between them are answered, once each.
pub(super) fn mutated(bench: &Bench) -> Result<Row, String> {
    let count = bench.scaled(200, 2_000);
    let mut row = Row::new(
        "every good call is answered once and rightly, no id of a changed line is answered twice",
        "good calls between lines with random changes of bytes",
    );
    let place = Place::new(bench)?;
    let mut talk = served(bench, &place, &["--threshold-tokens", "100"])?;
    let path = offloaded(&mut talk)?;
    let mut random = Random::of(bench.seed);
    let mut answers: HashMap<String, usize> = HashMap::new();
    for number in 0..count {
        let line = extraction(&format!("\"m{number}\""), &path, "length");
        let line = changed(&mut random, line.trim_end().as_bytes());
        let good = extraction(&number.to_string(), &path, ".[3].id");
        talk.send(&[&line, &b"\n"[..], good.as_bytes()].concat());
        loop {
            let answer = talk.message()?;
            if answer["id"] == number {
                let is_right = *first(&answer) == "r000000003";
                row.count(if is_right { Ok(()) } else { Err(format!("a wrong answer: {answer}")) });
                break;
            }
            *answers.entry(answer["id"].to_string()).or_default() += 1;
        }
    }
    let twice = answers.iter().find(|(id, count)| id.starts_with("\"m") && **count > 1);
    row.failures.extend(twice.map(|(id, count)| format!("{id} has {count} answers")));
    let peak = talk.peak_mb();
    talk.close_input();
    row.failures.extend(talk.wait(LONG).err());
    Ok(row.seen(format!("{} answers to changed lines; {peak} MB of memory", answers.values().sum::<usize>())))
}

fn changed(random: &mut Random, line: &[u8]) -> Vec<u8> {
    let mut line = line.to_vec();
    for _ in 0..random.between(1, 5) {
        if line.is_empty() {
            break;
        }
        let at = random.below(line.len());
        match random.below(5) {
            0 => line[at] = u8::try_from(random.below(256)).unwrap_or(0),
            1 => line.insert(at, random.one_of(b"\"{}[]:,\\\x00\xff0e-")),
            2 => drop(line.drain(at..(at + 10).min(line.len()))),
            3 => line.truncate(at.max(1)),
            _ => {
                drop(line.splice(at..at, random.one_of(&["\"id\":1,", "\\ud800", "null", "1e999", "{\"a\":"]).bytes()))
            }
        }
    }
    line.retain(|byte| *byte != b'\n');
    line
}

/// Requests up to the bound, and above it.
pub(super) fn long(bench: &Bench) -> Result<Row, String> {
    let sizes: &[usize] = bench.scaled(&[17, 70], &[17, 40, 60, 70, 200]);
    let mut row = Row::new(
        "a request is answered, above 64 MiB with an error that names the bound",
        &format!("requests of {sizes:?} MB, each twice"),
    );
    let place = Place::new(bench)?;
    let mut talk = served(bench, &place, &[])?;
    for size in sizes {
        for tool in ["lro_offload", "lro_estimate"] {
            let text = "lorem ipsum ".repeat(size * MB / 12);
            talk.send(call("15", tool, &json!({"text": text})).as_bytes());
            let answer = talk.message()?;
            let text = answer.to_string();
            let is_right = if *size * MB < 64 << 20 {
                !answer["result"].is_null() && answer["result"]["isError"] != true
            } else {
                answer["error"]["code"] == -32600 && text.contains("--max-message")
            };
            row.count(if is_right { Ok(()) } else { Err(format!("{size} MB: {}", shown(text.as_bytes()))) });
        }
    }
    let peak = talk.peak_mb();
    row.failures.extend((peak > MOST_MB).then(|| format!("{peak} MB of memory")));
    talk.close_input();
    row.failures.extend(talk.wait(LONG).err());
    Ok(row.seen(format!("{peak} MB of memory")))
}
