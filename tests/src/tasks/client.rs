//! A client of MCP over standard input and output, with what a model sees of a server.

use std::collections::HashMap;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde_json::{Value, json};

/// Paths and identifiers that differ between runs, and what stands for them in what a model reads: all counts of tokens
/// are the same in each run and on each machine.
#[derive(Clone, Debug, Default)]
pub struct StandIns {
    /// A real path, and the path that a model sees.
    pub paths: Vec<(String, String)>,
    /// The ULID that a model sees, for the real one.
    ulids: HashMap<String, String>,
}

impl StandIns {
    /// Stands one path for another.
    pub fn new(paths: Vec<(String, String)>) -> Self {
        Self { paths, ulids: HashMap::new() }
    }

    /// What a model reads instead of a text of the server.
    pub fn shown(&mut self, text: &str) -> String {
        let mut shown = text.to_owned();
        for (real, stand_in) in &self.paths {
            shown = shown.replace(real, stand_in);
        }
        for ulid in ulids(&shown) {
            let number = self.ulids.len() as u64;
            let stand_in = self.ulids.entry(ulid.clone()).or_insert_with(|| made_ulid(number));
            shown = shown.replace(&ulid, stand_in);
            // The id of an artifact has it in lower case.
            shown = shown.replace(&ulid.to_ascii_lowercase(), &stand_in.to_ascii_lowercase());
        }
        shown
    }

    /// What the server gets instead of a text of the model.
    pub fn meant(&self, text: &str) -> String {
        let mut meant = text.to_owned();
        for (real, stand_in) in &self.ulids {
            meant = meant.replace(stand_in, real);
            meant = meant.replace(&stand_in.to_ascii_lowercase(), &real.to_ascii_lowercase());
        }
        for (real, stand_in) in &self.paths {
            meant = meant.replace(stand_in, real);
        }
        meant
    }
}

/// The ULIDs of our time in a text: 26 digits of Crockford's base 32 that begin with `01`.
fn ulids(text: &str) -> Vec<String> {
    let is_digit = |byte: u8| byte.is_ascii_digit() || byte.is_ascii_uppercase();
    let mut found: Vec<String> = Vec::new();
    for (at, _) in text.match_indices("-01") {
        let ulid = &text.as_bytes()[at + 1..];
        if ulid.len() >= 26 && ulid[..26].iter().all(|&byte| is_digit(byte)) {
            let ulid = String::from_utf8_lossy(&ulid[..26]).into_owned();
            if !found.contains(&ulid) {
                found.push(ulid);
            }
        }
    }
    found
}

/// A ULID like any other, always the same for a number.
fn made_ulid(number: u64) -> String {
    let digits = b"0123456789ABCDEFGHJKMNPQRSTVWXYZ";
    let mut bits = crate::corpus::Chance(number);
    let random: String = (0..16).map(|_| char::from(digits[bits.below(32)])).collect();
    format!("01M82ZA181{random}")
}

/// A server that was started, possibly with the proxy before it.
pub struct Client {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
    number: u64,
    stand_ins: StandIns,
}

impl Client {
    /// Starts a server and shakes hands.
    ///
    /// # Errors
    /// One line that says what failed.
    pub fn start(command: &mut Command, stand_ins: StandIns) -> Result<Self, String> {
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .map_err(|error| format!("cannot start {command:?}: {error}"))?;
        let input = child.stdin.take();
        let output = BufReader::new(child.stdout.take().ok_or("a child has no output")?);
        let mut client = Self { child, input, output, number: 0, stand_ins };
        client.request(
            "initialize",
            json!({
                "protocolVersion": "2025-06-18", "capabilities": {},
                "clientInfo": {"name": "lro-tasks", "version": "1.0.0"},
            }),
        )?;
        client.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}))?;
        Ok(client)
    }

    /// The number of its process.
    #[must_use]
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// The tools that the server lists.
    ///
    /// # Errors
    /// One line that says what failed.
    pub fn tools(&mut self) -> Result<Vec<Value>, String> {
        let listed = self.request("tools/list", json!({}))?;
        Ok(listed["tools"].as_array().cloned().unwrap_or_default())
    }

    /// Calls a tool: the texts of its result as a model reads them, once each, and whether it is an error.
    ///
    /// # Errors
    /// One line that says what failed.
    pub fn call(&mut self, name: &str, arguments: &Value) -> Result<(String, bool), String> {
        let arguments: Value = serde_json::from_str(&self.stand_ins.meant(&arguments.to_string()))
            .map_err(|error| format!("a stand-in breaks JSON: {error}"))?;
        let result = self.request("tools/call", json!({"name": name, "arguments": arguments}))?;
        let parts = result["content"].as_array().cloned().unwrap_or_default();
        let texts: Vec<&str> = parts.iter().filter_map(|part| part["text"].as_str()).collect();
        Ok((self.stand_ins.shown(&texts.join("\n")), result["isError"] == true))
    }

    fn request(&mut self, method: &str, params: Value) -> Result<Value, String> {
        self.number += 1;
        let id = self.number;
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}))?;
        loop {
            let mut line = String::new();
            let read = self.output.read_line(&mut line).map_err(|error| format!("cannot read an answer: {error}"))?;
            if read == 0 {
                return Err(format!("the server ended before it answered `{method}`"));
            }
            let message: Value = serde_json::from_str(&line).map_err(|error| format!("not JSON: {error}: {line}"))?;
            if message["id"] == id && message.get("method").is_none() {
                let error = message.get("error").map(|error| format!("`{method}` fails: {error}"));
                return error.map_or_else(|| Ok(message["result"].clone()), Err);
            }
        }
    }

    fn send(&mut self, message: &Value) -> Result<(), String> {
        let input = self.input.as_mut().ok_or("the input is closed")?;
        writeln!(input, "{message}").and_then(|()| input.flush()).map_err(|error| format!("cannot send: {error}"))
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        drop(self.input.take());
        // The proxy ends within two seconds after its input, and a server at once.
        let _ = self.child.wait();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_and_ulids_have_stand_ins_that_are_meant_back() {
        let mut stand_ins = StandIns::new(vec![("/tmp/real".into(), "/tmp/lro-1000".into())]);
        let real = "/tmp/real/atlatl-recall-01M82Z6603PXWXPHK36SXQKVMP.jsonl";
        let shown = stand_ins.shown(real);
        assert!(
            shown.starts_with("/tmp/lro-1000/atlatl-recall-01M82ZA181") && shown.len() == real.len() + 4,
            "{shown}"
        );
        assert_eq!(stand_ins.meant(&shown), real);
        assert_eq!(stand_ins.shown(real), shown);
    }
}
