//! One call of each kind, and what it may answer.

use std::cell::Cell;
use std::fs;
use std::process::Command;

use serde_json::Value;

use super::super::payload::Payload;
use super::super::place::{Place, paths};
use super::super::process::Ended;
use crate::faults::Bench;

/// A call that every scarcity is tried on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Call {
    /// Of a file.
    Offload,
    /// Of standard input.
    OffloadInput,
    Estimate,
    Extract,
    Describe,
    Rebuild,
    Cleanup,
    /// A server with one call of a tool.
    Mcp,
    /// In front of a server that answers one call with a large result.
    Proxy,
}

pub(super) const ALL: [Call; 9] = [
    Call::Offload,
    Call::OffloadInput,
    Call::Estimate,
    Call::Extract,
    Call::Describe,
    Call::Rebuild,
    Call::Cleanup,
    Call::Mcp,
    Call::Proxy,
];

/// What is asked of all of them, and the file that they read.
pub(super) struct Calls {
    pub(super) place: Place,
    payload: Payload,
    file: String,
    input: String,
    /// One in so many is tried, and which.
    every: u64,
    turn: Cell<u64>,
}

/// What the answers of the real thing look like.
pub(super) struct Promise {
    /// It has to succeed: what is missing is not needed.
    pub(super) must_succeed: bool,
    /// An error is told on standard error.
    pub(super) is_told: bool,
    /// Nobody gets standard output.
    pub(super) is_silent: bool,
}

pub(super) const PROMISE: Promise = Promise { must_succeed: false, is_told: true, is_silent: false };

impl Calls {
    pub(super) fn new(bench: &Bench, place: Place) -> Result<Self, String> {
        // More than a pipe holds.
        let payload = Payload::list(1_200);
        place.write("all.json", &payload.text)?;
        let response = place.offload(&payload.text)?;
        let file = paths(&response).into_iter().next().ok_or("it names no file")?;
        let quoted = serde_json::to_string(&payload.text).map_err(|error| error.to_string())?;
        let result =
            format!(r#"{{"jsonrpc":"2.0","id":1,"result":{{"content":[{{"type":"text","text":{quoted}}}]}}}}"#);
        place.write("result", &(result + "\n"))?;
        let every = bench.scaled(17, 1);
        let calls = Self { input: requests(&file), place, payload, file, every, turn: Cell::new(bench.seed % every) };
        for call in ALL {
            let ended = calls.place.end(&mut calls.command(call, &[]), calls.input(call))?;
            calls.judge(call, &ended, &Promise { must_succeed: true, ..PROMISE })?;
        }
        Ok(calls)
    }

    /// True for those that are tried: all of them in the long form, some in the short one, others with another seed.
    pub(super) fn is_due(&self) -> bool {
        self.turn.set((self.turn.get() + 1) % self.every);
        self.turn.get() == 0
    }

    /// The file that is read.
    pub(super) fn file(&self) -> &str {
        &self.file
    }

    fn arguments(&self, call: Call) -> Vec<&str> {
        let rest: &[&str] = match call {
            Call::Offload => &["offload", "all.json", "--operation", "x", "--output-dir", "out"],
            Call::OffloadInput => &["offload", "-", "--operation", "x", "--output-dir", "out"],
            Call::Estimate => &["estimate", "all.json"],
            Call::Extract => &["extract", &self.file, "--slurp", "--query", "map(.id) | add", "--output-dir", "out"],
            Call::Describe => &["describe", &self.file, "--output-dir", "out"],
            Call::Rebuild => &["rebuild", &self.file, "--output-dir", "out"],
            Call::Cleanup => &["cleanup", "--output-dir", "out"],
            Call::Mcp => &["mcp", "--output-dir", "out"],
            Call::Proxy => &["proxy", "--output-dir", "out", "--", "sh", "-c", "read line; cat result; cat"],
        };
        rest.to_vec()
    }

    pub(super) fn input(&self, call: Call) -> &[u8] {
        match call {
            Call::OffloadInput => self.payload.text.as_bytes(),
            Call::Mcp => self.input.as_bytes(),
            Call::Proxy => CALL_OF_SERVER.as_bytes(),
            _ => b"",
        }
    }

    /// A call through programs that take something away.
    pub(super) fn command(&self, call: Call, before: &[&str]) -> Command {
        match before {
            [] => self.place.lro(&self.arguments(call)),
            before => self.place.lro_under(before, &self.arguments(call)),
        }
    }

    /// Tries a call, and says what is wrong with its end.
    pub(super) fn attempt(&self, call: Call, command: &mut Command, promise: &Promise) -> Result<(), String> {
        let ended = self.place.end(command, self.input(call))?;
        self.judge(call, &ended, promise)
    }

    /// The answer is right, or a truncated one with its reason, or an error that says why.
    pub(super) fn judge(&self, call: Call, ended: &Ended, promise: &Promise) -> Result<(), String> {
        let told = |what: &str| format!("{call:?}: {what}: {}", ended.shown());
        ended.accident().map_err(|error| format!("{call:?}: {error}"))?;
        match ended.status {
            Some(0) if promise.is_silent || self.is_right(call, ended) => Ok(()),
            Some(0) => Err(told("it succeeded with another answer")),
            _ if promise.must_succeed => Err(told("it failed")),
            _ if promise.is_told && !ended.stderr.contains("lro") => Err(told("it says no reason")),
            _ => Ok(()),
        }
    }

    fn is_right(&self, call: Call, ended: &Ended) -> bool {
        let text = ended.text();
        match call {
            Call::Offload | Call::OffloadInput => is_response(text, &ended.stderr),
            Call::Estimate => text.contains("tokens") || text.trim().parse::<u32>().is_ok(),
            Call::Extract => text.trim_end() == self.payload.sum.to_string(),
            Call::Describe => text.contains("title"),
            Call::Rebuild => text.trim_end() == self.payload.text,
            Call::Cleanup => text.contains("kept"),
            Call::Mcp => answers(text).any(|answer| answer["id"] == 2 && (is_sum(&answer, self.payload.sum))),
            Call::Proxy => answers(text).filter(|answer| answer["id"] == 1 && is_result(answer)).count() == 1,
        }
    }

    /// Removes what the calls have made, so that it does not grow.
    pub(super) fn tidy(&self) {
        for name in self.place.names() {
            if !self.file.ends_with(&name) {
                // A cleanup of a call may have been faster.
                let _ = fs::remove_file(self.place.output().join(name));
            }
        }
    }
}

/// The response, or a truncated one with an event that says why.
fn is_response(text: &str, events: &str) -> bool {
    let response: Value = serde_json::from_str(text).unwrap_or_default();
    response["offloaded"] == true || (response["offloaded"] == false && !events.is_empty())
}

fn answers(text: &str) -> impl Iterator<Item = Value> {
    text.lines().filter_map(|line| serde_json::from_str(line).ok())
}

/// The sum, or an error that a model can read.
fn is_sum(answer: &Value, sum: usize) -> bool {
    answer.to_string().contains(&sum.to_string()) || answer["result"]["isError"] == true || answer["error"].is_object()
}

/// A result of any form: stored, truncated, or as it was.
fn is_result(answer: &Value) -> bool {
    answer["result"]["content"].is_array()
}

const CALL_OF_SERVER: &str =
    "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"search\",\"arguments\":{}}}\n";

/// A conversation with `lro mcp` that sums up the ids.
fn requests(file: &str) -> String {
    let call = serde_json::json!({
        "jsonrpc": "2.0", "id": 2, "method": "tools/call",
        "params": { "name": "lro_extract", "arguments": { "file_path": file, "slurp": true, "query": "map(.id) | add" } },
    });
    [
        r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"faults","version":"1"}}}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#,
        &call.to_string(),
        "",
    ]
    .join("\n")
}
