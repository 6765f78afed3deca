//! An adapter of the conformance suite (docs/CONFORMANCE.md): answers calls with the guest that it is built with.

#[path = "../../src/native.rs"]
mod native;

use std::env;
use std::io::{BufRead, Write, stdin, stdout};
use std::process::{Command, Stdio};

use serde_json::{Value, json};

fn main() {
    let has_room = env::args().len() == 1;
    for line in stdin().lock().lines() {
        let line = line.expect("calls can be read");
        let call: Value = serde_json::from_str(&line).expect("a call is JSON");
        let reply = if call["access"] == "full" && has_room { without_room(&line) } else { reply(&call) };
        let mut output = stdout().lock();
        writeln!(output, "{reply}").and_then(|()| output.flush()).expect("somebody reads the answers");
    }
}

fn reply(call: &Value) -> Value {
    let answer = match call["call"].as_str() {
        Some("hello") => Ok(json!({"name": "native", "unable": {"read-only": "it has no sandbox"}})),
        _ => native::answer(call),
    };
    answer.map_or_else(
        |error| json!({"id": call["id"], "error": error}),
        |answer| json!({"id": call["id"], "answer": answer}),
    )
}

/// The reply of this program where a limit on the size of files stands for a full disk: they can be created, and nothing can
/// be written to them.
fn without_room(line: &str) -> Value {
    let this = env::current_exe().expect("a program has a path");
    let mut limited = Command::new("sh");
    limited.args(["-c", "trap '' XFSZ; ulimit -f 0; exec \"$0\" limited"]).arg(this);
    let mut child = limited.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("a shell can be started");
    writeln!(child.stdin.take().expect("its input is a pipe"), "{line}").expect("it reads the call");
    let output = child.wait_with_output().expect("it ends");
    serde_json::from_slice(&output.stdout).expect("it has replied")
}
