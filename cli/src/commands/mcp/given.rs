//! The tools estimate and offload, for a text that the client gives, or a file below the folders that the user allows. They
//! are tools of the command, because the component reaches only its output directory (decision 114).

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use lro::{Lro, OffloadRequest};
use rmcp::model::{CallToolResult, ContentBlock};
use serde_json::{Map, Value, json};

use crate::events::EventsFlag;
use crate::failure::Failure;
use crate::{output, text};

/// The operation of a text without one.
const OPERATION: &str = "offload";

/// Offloading takes 2.5 times the file's size in memory, and several calls may run at once.
const MOST_FILE_BYTES: u64 = 256 << 20;

/// The two tools, under their prefix.
pub(super) struct Given {
    prefix: String,
    roots: Vec<PathBuf>,
    events: EventsFlag,
}

impl Given {
    /// Folders are made canonical once; one that is missing is an error.
    pub(super) fn new(lro: &Lro, roots: &[PathBuf], events: EventsFlag) -> Result<Self, Failure> {
        let canonical = |root: &PathBuf| {
            root.canonicalize().map_err(|error| Failure::file(format!("open the folder `{}`", root.display()), error))
        };
        let prefix = lro.settings().tool_prefix.clone().unwrap_or_default();
        Ok(Self { prefix, roots: roots.iter().map(canonical).collect::<Result<_, _>>()?, events })
    }

    /// The definitions as MCP Tool objects.
    pub(super) fn definitions(&self) -> Vec<Value> {
        let mut tools: Vec<Value> =
            serde_json::from_str(include_str!("tools.json")).expect("the definitions are a JSON array");
        for tool in &mut tools {
            tool["name"] = format!("{}{}", self.prefix, tool["name"].as_str().unwrap_or_default()).into();
        }
        tools
    }

    /// Executes a call; `None` if it is a call of another tool.
    pub(super) fn call(&self, lro: &Lro, name: &str, arguments: &Map<String, Value>) -> Option<CallToolResult> {
        let answer = match name.strip_prefix(&self.prefix)? {
            "estimate" => self.estimate(lro, arguments),
            "offload" => self.offload(lro, arguments),
            _ => return None,
        };
        Some(answer.unwrap_or_else(|message| CallToolResult::error(vec![ContentBlock::text(message)])))
    }

    fn estimate(&self, lro: &Lro, arguments: &Map<String, Value>) -> Result<CallToolResult, String> {
        known(arguments, &["text", "file"])?;
        let text = self.text(arguments)?;
        let estimate = lro.estimate(&text, &OffloadRequest::of(OPERATION)).map_err(|error| told(&error))?;
        // An estimate is in the unit of the threshold.
        Ok(CallToolResult::structured(match lro.settings().threshold_characters {
            Some(threshold) => json!({ "characters": estimate, "threshold_characters": threshold }),
            None => json!({ "tokens": estimate, "threshold_tokens": lro.settings().threshold_tokens }),
        }))
    }

    fn offload(&self, lro: &Lro, arguments: &Map<String, Value>) -> Result<CallToolResult, String> {
        known(arguments, &["text", "file", "operation", "query"])?;
        let text = self.text(arguments)?;
        let operation = string(arguments, "operation")?.unwrap_or(OPERATION);
        let query = string(arguments, "query")?;
        let known = lro.settings().call.clone().unwrap_or_default();
        let request = OffloadRequest::of(operation).query(query);
        let request = request.session(known.session).input_tokens(known.input_tokens);
        let offloading = lro.offload(&text, &request).map_err(|error| told(&error))?;
        self.events.report(&offloading.events);
        let answer = offloading.text(&text);
        Ok(match serde_json::from_str(answer) {
            Ok(response @ Value::Object(_)) => CallToolResult::structured(response),
            _ => CallToolResult::success(vec![ContentBlock::text(answer)]),
        })
    }

    /// The text that the arguments give or name.
    fn text(&self, arguments: &Map<String, Value>) -> Result<String, String> {
        match (string(arguments, "text")?, string(arguments, "file")?) {
            (Some(text), None) => Ok(text.to_owned()),
            (None, Some(file)) => self.read(file),
            _ => Err("cannot read the arguments: give either `text` or `file`".to_owned()),
        }
    }

    /// Reads a file below one of the folders. Links are followed if and only if they lead there.
    fn read(&self, file: &str) -> Result<String, String> {
        let refused = |reason: &str| format!("cannot read `{file}`: {reason}");
        let path = Path::new(file).canonicalize().map_err(|error| refused(&error.to_string()))?;
        if !self.roots.iter().any(|root| path.starts_with(root)) {
            return Err(refused("it lies outside of the folders that the server was given (--root)"));
        }
        // Reading a pipe would wait for its other end.
        if !path.is_file() {
            return Err(refused("it is not a regular file"));
        }
        let failed = |error: std::io::Error| refused(&error.to_string());
        let file = File::open(&path).map_err(failed)?;
        let bytes = file.metadata().map_err(failed)?.len();
        if bytes > MOST_FILE_BYTES {
            return Err(refused(&format!(
                "it has {bytes} bytes, and at most {MOST_FILE_BYTES} are read; split it, or run `lro offload` on it in a shell"
            )));
        }
        let mut read = Vec::new();
        // A file may grow meanwhile.
        file.take(MOST_FILE_BYTES).read_to_end(&mut read).map_err(failed)?;
        let text = text::decode(&read, &path, None).map_err(|error| told(&error))?;
        if let Some(remark) = &text.remark {
            output::remark(remark);
        }
        Ok(String::from_utf8_lossy(&text.bytes).into_owned())
    }
}

/// The string that an argument is, if it is there.
fn string<'a>(arguments: &'a Map<String, Value>, key: &str) -> Result<Option<&'a str>, String> {
    match arguments.get(key) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text)),
        Some(_) => Err(format!("cannot read the arguments: `{key}` is not a string")),
    }
}

fn known(arguments: &Map<String, Value>, known: &[&str]) -> Result<(), String> {
    match arguments.keys().find(|key| !known.contains(&key.as_str())) {
        Some(key) => {
            Err(format!("cannot read the arguments: `{key}` is not known; there are `{}`", known.join("`, `")))
        }
        None => Ok(()),
    }
}

/// An error as the result of a tool.
pub(super) fn failed(error: &lro::Error) -> CallToolResult {
    CallToolResult::error(vec![ContentBlock::text(told(error))])
}

/// An error as a model reads it: what went wrong, and what to do.
fn told(error: &lro::Error) -> String {
    format!("{}\n{}", error.message(), error.hint()).trim_end().to_owned()
}
