//! A steady load for a long time: memory, descriptors, threads and files are flat, and every answer is right.
//!
//! The load is that of one busy conversation: a result, large or small, then what a model asks of it. Four servers have it at
//! once: `lro mcp`, `lro proxy` before the reference server of files, and the example servers of the JavaScript and the
//! Python package.

mod measure;
mod servers;

use std::fs;
use std::path::Path;
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::row::Row;
use super::{Bench, Suite};
use crate::tasks::client::Client;
use measure::{Flat, Sample};
use servers::Server;

/// The suite.
pub(super) const SOAK: Suite = Suite { name: "soak", run };

const PROMISE: &str = "memory, descriptors, threads and files are flat, and every answer is right";

/// Files that a cleaner leaves, as it would be called by a timer.
const MAX_FILES: u64 = 50;

/// How long a server has the load, and how much of it.
struct Load {
    duration: Duration,
    /// From one result to the next.
    pace: Duration,
    /// From one look at the process to the next.
    sampling: Duration,
}

fn run(bench: &Bench) -> Result<Vec<Row>, String> {
    let load = bench.scaled(
        Load {
            duration: Duration::from_secs(30),
            pace: Duration::from_millis(100),
            sampling: Duration::from_millis(500),
        },
        Load { duration: Duration::from_secs(3600), pace: Duration::from_secs(1), sampling: Duration::from_secs(10) },
    );
    let folder = bench.folder()?;
    let servers = servers::all(bench.lro(), folder.path())?;
    let load = &load;
    thread::scope(|scope| {
        let start = |server: Server| scope.spawn(move || soak(bench, &server, load));
        let running: Vec<_> = servers.into_iter().map(start).collect();
        running.into_iter().map(|one| one.join().map_err(|_| "a client panicked".to_owned())?).collect()
    })
}

/// One server under its load.
fn soak(bench: &Bench, server: &Server, load: &Load) -> Result<Row, String> {
    let (mut row, mut samples) = (Row::new(PROMISE, &format!("a steady load on {}", server.name)), Vec::new());
    let mut client = Client::start(&mut server.command(), Default::default())?;
    let (start, mut number, mut calls) = (Instant::now(), 0, 0);
    while start.elapsed() < load.duration {
        let due = start + load.pace * number;
        thread::sleep(due.saturating_duration_since(Instant::now()));
        let asked = ask(&mut client, server, number as usize);
        calls += asked.as_ref().map_or(0, |calls| *calls);
        row.count(asked.map(drop).map_err(|error| format!("{}, call {number}: {error}", server.name)));
        number += 1;
        if start.elapsed() > load.sampling * (samples.len() as u32 + 1) {
            clean(bench.lro(), &server.output)?;
            samples.push(Sample::take(client.id(), &server.output)?);
        }
    }
    let flat = Flat::of(&samples, MAX_FILES, server.pooled);
    row.failures.extend(flat.failures.iter().map(|failure| format!("{}: {failure}", server.name)));
    let minutes = load.duration.as_secs_f32() / 60.0;
    Ok(row.seen(format!("{calls} calls in {minutes} minutes; {}", flat.seen)))
}

/// Gets a result, and asks for what it holds. Returns the number of calls.
fn ask(client: &mut Client, server: &Server, number: usize) -> Result<u64, String> {
    let result = &server.results[number % server.results.len()];
    let (text, is_error) = client.call(result.tool, &result.arguments)?;
    if is_error {
        return Err(text);
    }
    let response = value(&text);
    let Some(path) = response["file_path"].as_str() else {
        return if result.is_large { Err(format!("a large result is not offloaded: {text:.200}")) } else { Ok(1) };
    };
    let (counted, is_error) = client.call("lro_extract", &json!({"file_path": path, "count": true}))?;
    if is_error || value(&counted)["results"] != json!([result.records]) {
        return Err(format!("{} records are counted as {counted:.200}", result.records));
    }
    // What a model gets wrong: a field that is not there, a filter that does not parse.
    let (page, _) = client.call("lro_extract", &json!({"file_path": path, "select": ["id"], "limit": 3}))?;
    let (wrong, is_error) = client.call("lro_extract", &json!({"file_path": path, "query": ".id |"}))?;
    if value(&page)["results"].as_array().map(Vec::len) != Some(3) || !is_error || wrong.is_empty() {
        return Err(format!("a page is {page:.200}, and a wrong filter gives {wrong:.200}"));
    }
    Ok(4)
}

/// A text as JSON, or null.
fn value(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or(Value::Null)
}

/// Deletes the oldest files.
fn clean(lro: &Path, output: &Path) -> Result<(), String> {
    if fs::exists(output).is_ok_and(|exists| !exists) {
        return Ok(());
    }
    let cleaned = Command::new(lro)
        .args(["cleanup", "--max-files", &MAX_FILES.to_string()])
        .arg("--output-dir")
        .arg(output)
        .output();
    let cleaned = cleaned.map_err(|error| format!("cannot start lro: {error}"))?;
    let reason = String::from_utf8_lossy(&cleaned.stderr);
    if cleaned.status.success() { Ok(()) } else { Err(format!("cannot clean up: {reason}")) }
}
