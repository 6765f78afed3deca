//! `lro mcp` among clients that send what no client should, too much of it, and go away.

mod busy;
mod ends;
mod malformed;

use serde_json::{Value, json};

use super::row::Row;
use super::talk::answers::record;
use super::talk::call;
use super::talk::place::{Place, compile_once};
use super::talk::process::Talk;
use super::{Bench, Part};

/// What docs/PROXY.md says that `lro mcp` needs at most.
const MOST_MB: u64 = 1600;

/// Records of the file that is read.
const RECORDS: usize = 500;

/// Parts that do not disturb each other.
const PARTS: [Part; 3] = [
    |bench| Ok(vec![malformed::table(bench)?, malformed::mutated(bench)?, malformed::long(bench)?]),
    |bench| Ok(vec![busy::many(bench)?, busy::hostile(bench)?]),
    |bench| Ok(vec![ends::any_moment(bench)?, ends::odd_streams(bench)?]),
];

/// Runs all of it.
///
/// # Errors
/// One line that says what cannot be run.
pub(super) fn run(bench: &Bench) -> Result<Vec<Row>, String> {
    compile_once(bench)?;
    bench.run_parts(&PARTS)
}

/// A conversation after the handshake.
fn served(bench: &Bench, place: &Place, flags: &[&str]) -> Result<Talk, String> {
    let mut talk = Talk::start(&mut place.lro(bench, &[], "mcp", flags))?;
    greet(&mut talk)?;
    Ok(talk)
}

fn greet(talk: &mut Talk) -> Result<(), String> {
    talk.send(hello().as_bytes());
    let answer = talk.message()?;
    if answer["result"]["serverInfo"]["name"] == "lro" { Ok(()) } else { Err(format!("no handshake: {answer}")) }
}

/// The lines of the handshake.
fn hello() -> String {
    let client =
        json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "c", "version": "1"}});
    let initialize = json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": client});
    format!("{initialize}\n{{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}}\n")
}

/// Offloads some records, and returns the path of the file.
fn offloaded(talk: &mut Talk) -> Result<String, String> {
    let records: Vec<String> = (0..RECORDS).map(record).collect();
    let text = format!("[{}]", records.join(","));
    talk.send(call("\"file\"", "lro_offload", &json!({"text": text})).as_bytes());
    let answer = talk.message()?;
    let path = answer["result"]["structuredContent"]["file_path"].as_str();
    path.map(str::to_owned).ok_or_else(|| format!("the records are not offloaded: {answer}"))
}

/// The call of a filter on the file.
fn extraction(id: &str, path: &str, query: &str) -> String {
    call(id, "lro_extract", &json!({"file_path": path, "query": query, "slurp": true, "limit": 1}))
}

/// The first result of an extraction.
fn first(answer: &Value) -> &Value {
    &answer["result"]["structuredContent"]["results"][0]
}
