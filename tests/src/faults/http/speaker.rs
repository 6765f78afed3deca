//! A server of MCP over standard input and output, which does what it is asked to: this program, started once more.

use std::io::{BufRead, Write, stdin, stdout};
use std::process::ExitCode;
use std::thread;
use std::time::Duration;

use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};

/// The word that makes this program the server.
pub(in crate::faults) const WORD: &str = "--speak";

#[derive(Deserialize)]
struct Line<'a> {
    #[serde(borrow)]
    id: Option<&'a RawValue>,
    method: Option<String>,
    #[serde(default)]
    params: Value,
}

/// Answers until its input ends. A call's `wait` are milliseconds before the answer, `bytes` is its length, `notify` how many
/// notifications come first, and `exit` ends the process.
pub(in crate::faults) fn speak() -> ExitCode {
    for line in stdin().lock().split(b'\n').map_while(Result::ok) {
        let Ok(Line { id: Some(id), method: Some(method), params }) = serde_json::from_slice(&line) else { continue };
        let (id, number) = (id.get().to_owned(), |name: &str| params[name].as_u64().unwrap_or(0));
        if number("exit") > 0 {
            return ExitCode::from(3);
        }
        for count in 0..number("notify") {
            say(&json!({"jsonrpc": "2.0", "method": "notifications/message", "params": {"level": "info", "data": count}}).to_string());
        }
        let result = match method.as_str() {
            "initialize" => {
                json!({"protocolVersion": "2025-11-25", "capabilities": {"tools": {}}, "serverInfo": {"name": "s", "version": "1"}})
            }
            "tools/list" => json!({"tools": [{"name": "t", "inputSchema": {"type": "object"}}]}),
            "tools/call" => {
                let bytes = usize::try_from(number("bytes")).unwrap_or(0);
                let text = if bytes == 0 { "fine".to_owned() } else { "x".repeat(bytes) };
                json!({"content": [{"type": "text", "text": text}]})
            }
            "resources/read" => {
                json!({"contents": [{"uri": "a:b", "text": "x".repeat(usize::try_from(number("bytes")).unwrap_or(0))}]})
            }
            _ => json!({}),
        };
        let (wait, answer) = (number("wait"), format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"result\":{result}}}"));
        match wait {
            0 => say(&answer),
            // Others are answered meanwhile.
            _ => drop(thread::spawn(move || {
                thread::sleep(Duration::from_millis(wait));
                say(&answer);
            })),
        }
    }
    ExitCode::SUCCESS
}

fn say(line: &str) {
    // Whoever does not listen has gone.
    let _ = stdout().lock().write_all(format!("{line}\n").as_bytes());
}
