//! Messages that are made to take memory: millions of members, requests without answers, ids without end.

use std::fmt::Write as _;

use serde_json::json;

use super::load::MOST_MB;
use crate::faults::Bench;
use crate::faults::row::Row;
use crate::faults::talk::place::{Place, server};
use crate::faults::talk::process::{LONG, Talk};
use crate::faults::talk::{MB, call};

/// Runs it.
pub(super) fn run(bench: &Bench) -> Result<Row, String> {
    let bytes = bench.scaled(2, 20) * MB;
    let fault = format!(
        "messages of {} MB with millions of members, floods of unanswered requests and of notifications",
        bytes / MB
    );
    let mut row = Row::new(&format!("the proxy goes on, and needs at most {MOST_MB} MB of memory"), &fault);
    let mut seen = Vec::new();
    for (name, flood) in FLOODS {
        let place = Place::new(bench)?;
        let [this, word] = server();
        let mut talk = Talk::start(&mut place.lro(bench, &[], "proxy", &["--", &this, &word]))?;
        let mut input = talk.take_input().ok_or("no input")?;
        let said = flood(bytes);
        let writer = std::thread::spawn(move || {
            use std::io::Write;
            let last = call("\"last\"", "list", &json!({"records": 1}));
            input.write_all(&said).and_then(|()| input.write_all(last.as_bytes())).map(|()| input)
        });
        let mut count = 0;
        while talk.message().map_err(|reason| format!("{name}, after {count} lines: {reason}"))?["id"] != "last" {
            count += 1;
        }
        let peak = talk.peak_mb();
        row.count(if peak <= MOST_MB { Ok(()) } else { Err(format!("{name}: {peak} MB")) });
        seen.push(format!("{name}: {peak} MB"));
        drop(writer.join());
        row.failures.extend(talk.wait(LONG).err());
        row.failures.extend(place.is_left_clean().err());
    }
    Ok(row.seen(seen.join("; ")))
}

type Flood = fn(usize) -> Vec<u8>;

const FLOODS: [(&str, Flood); 6] = [
    ("list of tools", |bytes| {
        let list = json!({"elements": bytes / 2});
        format!("{{\"id\":1,\"method\":\"tools/list\",\"params\":{{\"arguments\":{list}}}}}\n").into_bytes()
    }),
    ("parameters", |bytes| members(bytes, "params")),
    ("result", |bytes| members(bytes, "result")),
    ("unanswered requests", |bytes| {
        let arguments = json!({"silent": true, "x": "x".repeat(10_000)});
        (0..bytes / 10_000 * 3).flat_map(|id| call(&id.to_string(), "list", &arguments).into_bytes()).collect()
    }),
    ("long ids", |bytes| {
        let id = "i".repeat(MB);
        let call = |turn| call(&format!("\"{id}{turn}\""), "list", &json!({"silent": true})).into_bytes();
        (0..bytes / MB).flat_map(call).collect()
    }),
    ("notifications", |bytes| {
        let said = json!(vec!["{\"method\":\"notifications/message\",\"params\":{}}\n"; 10]);
        let line = format!("{{\"method\":\"notifications/x\",\"params\":{{\"say\":{said}}}}}\n");
        line.repeat(bytes / line.len()).into_bytes()
    }),
];

/// A message with an object of as many members as there is room for.
fn members(bytes: usize, name: &str) -> Vec<u8> {
    let mut line = format!("{{\"id\":1,\"method\":\"tools/call\",\"{name}\":{{");
    for number in 0.. {
        if line.len() > bytes {
            break;
        }
        let _ = write!(line, "\"{number:x}\":0,");
    }
    line.push_str("\"name\":\"none\"}}\n");
    line.into_bytes()
}
