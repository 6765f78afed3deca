//! Answers calls of the conformance suite, one JSON object a line, with the guest that it is built with.

#[path = "../../src/native.rs"]
mod native;

use std::io::{BufRead, Write, stdin, stdout};

use serde_json::{Value, json};

fn main() {
    for line in stdin().lock().lines() {
        let call: Value = serde_json::from_str(&line.expect("calls can be read")).expect("a call is JSON");
        let answer =
            native::answer(&call).map_or_else(|error| json!({"failed": error}), |answer| json!({"done": answer}));
        let mut output = stdout().lock();
        writeln!(output, "{answer}").and_then(|()| output.flush()).expect("somebody reads the answers");
    }
}
