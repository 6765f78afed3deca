//! A server that says what it is asked to: a message's `params.say` is a list of texts that it writes as they are,
//! `params.repeat` a list of texts in pieces, with so many `x` between them, and
//! `params.exit` the status with which it ends then. Every line that it gets goes to the file in `LRO_TEST_LOG`.

use std::fs::OpenOptions;
use std::io::{BufRead, Write, stdin, stdout};
use std::process::ExitCode;

use serde_json::Value;

/// What makes this program the server.
pub(crate) const FLAG: &str = "--server";

pub(crate) fn run() -> ExitCode {
    let mut log = std::env::var_os("LRO_TEST_LOG")
        .map(|file| OpenOptions::new().create(true).append(true).open(file).expect("the log can be written"));
    let mut line = Vec::new();
    let mut input = stdin().lock();
    while input.read_until(b'\n', &mut line).is_ok_and(|read| read > 0) {
        if let Some(log) = &mut log {
            log.write_all(&line).expect("the log can be written");
        }
        let message: Value = serde_json::from_slice(&line).unwrap_or_default();
        let mut out = stdout().lock();
        let said = message["params"]["say"].as_array().into_iter().flatten().map(text);
        let repeated = message["params"]["repeat"].as_array().into_iter().flatten().map(repeated);
        for text in said.chain(repeated) {
            // A proxy that has gone does not listen.
            let _ = out.write_all(text.as_bytes()).and_then(|()| out.flush());
        }
        if let Some(status) = message["params"]["exit"].as_u64() {
            return ExitCode::from(u8::try_from(status).unwrap_or(1));
        }
        line.clear();
    }
    ExitCode::SUCCESS
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

fn repeated(value: &Value) -> String {
    let pieces: Vec<String> = value[0].as_array().into_iter().flatten().map(text).collect();
    let count = value[1].as_u64().and_then(|count| usize::try_from(count).ok()).unwrap_or_default();
    pieces.join(&"x".repeat(count))
}
