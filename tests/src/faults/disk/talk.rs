//! A conversation with `lro mcp`, or with a server behind `lro proxy`, that goes on while the disk changes.

use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::stage::Stage;

/// An answer that takes longer does not come. The slowest is the first on a busy machine.
const LONGEST: Duration = Duration::from_secs(60);

/// A server behind the proxy: each call of a tool answers the document.
const SERVER: &str = r#"select(has("id")) | {jsonrpc: "2.0", id, result: (
  if .method == "initialize" then {protocolVersion: "2025-06-18", capabilities: {tools: {}}, serverInfo: {name: "things", version: "1"}}
  elif .method == "tools/call" then {content: [{type: "text", text: $text}]}
  else {tools: []} end)}"#;

/// Who answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Server {
    Mcp,
    Proxy,
}

impl Server {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Mcp => "`lro mcp`",
            Self::Proxy => "`lro proxy`",
        }
    }
}

/// A conversation.
pub(super) struct Talk {
    server: Server,
    child: Child,
    input: Option<ChildStdin>,
    lines: Receiver<String>,
    /// What it says on standard error.
    said: Arc<Mutex<String>>,
    calls: u64,
}

impl Talk {
    /// Begins one, below a tool if there are its words; results go to `out`, or to the default directory.
    pub(super) fn begin(
        stage: &Stage,
        server: Server,
        out: Option<&Path>,
        tool: &[String],
        more: &[(&str, &Path)],
    ) -> Result<Self, String> {
        let mut command = if tool.is_empty() { stage.lro() } else { stage.lro_within(tool) };
        command.arg(if server == Server::Mcp { "mcp" } else { "proxy" });
        if let Some(out) = out {
            command.arg("--output-dir").arg(out);
        }
        if server == Server::Proxy {
            command.args(["--", "jq", "--unbuffered", "--compact-output", "--rawfile", "text"]);
            command.arg(&stage.document_path).arg(SERVER);
        }
        command.envs(more.iter().copied());
        Self::with(command, server)
    }

    fn with(mut command: Command, server: Server) -> Result<Self, String> {
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().map_err(|error| format!("cannot start {}: {error}", server.name()))?;
        let input = child.stdin.take();
        let (sender, lines) = mpsc::channel();
        let said = Arc::new(Mutex::new(String::new()));
        if let Some(output) = child.stdout.take() {
            thread::spawn(move || {
                BufReader::new(output).lines().map_while(Result::ok).try_for_each(|line| sender.send(line))
            });
        }
        if let Some(mut errors) = child.stderr.take() {
            let said = Arc::clone(&said);
            thread::spawn(move || {
                let mut block = [0; 4096];
                while let Ok(bytes @ 1..) = errors.read(&mut block) {
                    let text = String::from_utf8_lossy(&block[..bytes]).into_owned();
                    said.lock().unwrap_or_else(PoisonError::into_inner).push_str(&text);
                }
            });
        }
        let mut talk = Self { server, child, input, lines, said, calls: 0 };
        let client = json!({"name": "faults", "version": "1"});
        talk.request(
            "initialize",
            &json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client}),
        )?;
        talk.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}))?;
        Ok(talk)
    }

    /// Has the document offloaded. Returns the response, or the truncated result.
    pub(super) fn offload(&mut self, stage: &Stage) -> Result<Value, String> {
        let result = match self.server {
            Server::Mcp => self.tool("lro_offload", &json!({"text": stage.document, "operation": "things"})),
            Server::Proxy => self.tool("list_things", &json!({})),
        }?;
        let text = text(&result);
        serde_json::from_str(text).map_err(|error| format!("an answer is not JSON: {error}: {}", beginning(text)))
    }

    /// The ids of a file, or the error that is told instead.
    pub(super) fn ids(&mut self, file_path: &str) -> Result<Result<String, String>, String> {
        let result = self.tool("lro_extract", &json!({"file_path": file_path, "query": ".id", "limit": 5}))?;
        let text = text(&result).to_owned();
        Ok(if result["isError"] == true { Err(text) } else { Ok(text) })
    }

    fn tool(&mut self, name: &str, arguments: &Value) -> Result<Value, String> {
        self.request("tools/call", &json!({"name": name, "arguments": arguments}))
    }

    fn request(&mut self, method: &str, params: &Value) -> Result<Value, String> {
        self.calls += 1;
        let id = self.calls;
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}))?;
        let end = Instant::now() + LONGEST;
        loop {
            let line = self.lines.recv_timeout(end.saturating_duration_since(Instant::now())).map_err(|error| {
                format!("{} does not answer {method} ({error}): {}", self.server.name(), beginning(&self.said()))
            })?;
            let mut message: Value = serde_json::from_str(&line).map_err(|error| format!("not JSON: {error}"))?;
            if message["id"] == id {
                return match message["result"].take() {
                    Value::Null => Err(format!("{method} fails: {}", message["error"])),
                    result => Ok(result),
                };
            }
        }
    }

    fn send(&mut self, message: &Value) -> Result<(), String> {
        let input = self.input.as_mut().ok_or("the input is closed")?;
        writeln!(input, "{message}").and_then(|()| input.flush()).map_err(|error| format!("cannot write: {error}"))
    }

    /// What was said on standard error since the last time.
    pub(super) fn said(&self) -> String {
        std::mem::take(&mut self.said.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// What is said after an answer may come a moment later.
    pub(super) fn says(&self, word: &str) -> bool {
        let end = Instant::now() + Duration::from_secs(10);
        let mut said = String::new();
        while Instant::now() < end {
            said.push_str(&self.said());
            if said.contains(word) {
                return true;
            }
            thread::sleep(Duration::from_millis(2));
        }
        false
    }

    /// Ends it: the server ends by itself, without a panic.
    pub(super) fn end(mut self) -> Result<(), String> {
        drop(self.input.take());
        let end = Instant::now() + LONGEST;
        while Instant::now() < end {
            if let Some(status) = self.child.try_wait().map_err(|error| error.to_string())? {
                let said = self.said();
                return match status.success() && !said.contains("panicked") {
                    true => Ok(()),
                    false => Err(format!("{} ended with {status}: {}", self.server.name(), beginning(&said))),
                };
            }
            thread::sleep(Duration::from_millis(5));
        }
        Err(format!("{} does not end", self.server.name()))
    }
}

impl Drop for Talk {
    fn drop(&mut self) {
        // It has ended, or it is not to stay.
        _ = self.child.kill();
        _ = self.child.wait();
    }
}

fn text(result: &Value) -> &str {
    result["content"][0]["text"].as_str().unwrap_or_default()
}

fn beginning(text: &str) -> String {
    text.chars().take(300).collect()
}
