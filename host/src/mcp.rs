//! The calls of the interface `mcp`: MCP objects in and out, as their JSON text.

use std::sync::Arc;

use serde_json::Value;
use wasmtime_wasi::FsPerms;

use crate::answer::{Rewriting, Rewritten, tell_failure};
use crate::error::{Case, Error};
use crate::limits::{Bounds, Limits};
use crate::offloader::{Lro, cannot_store};
use crate::sandbox::Sandbox;
use crate::settings::CallSettings;

/// The arguments of our tools that mean a file, one in each family of names.
const FILE_KEYS: [&str; 3] = ["file_path", "artifact_id", "filename"];

/// A call whose memory is asked for.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum McpCall<'a> {
    /// [`Lro::mcp_call`].
    Call {
        /// The text of its arguments.
        arguments: &'a str,
    },
    /// [`Lro::mcp_resolve_arguments`].
    ResolveArguments {
        /// Their text.
        arguments: &'a str,
    },
    /// [`Lro::mcp_offload_result`] and [`Lro::mcp_offload_tools`].
    Offload {
        /// How long the result or the list is.
        message_bytes: usize,
    },
}

impl Lro {
    /// The same component for one call over MCP, with what the host knows about it: it takes the place of the setting `call`.
    #[must_use]
    pub fn for_call(&self, call: &CallSettings) -> Self {
        let mut lro = self.clone();
        lro.settings = Arc::new(self.settings.for_call(call));
        lro
    }

    /// Returns the definitions of the tools that the settings offer, as the text of a JSON array of MCP Tool objects.
    ///
    /// # Errors
    /// `invalid-argument`.
    pub fn mcp_tools(&self) -> Result<String, Error> {
        let settings = self.settings.text()?;
        let sandbox = Sandbox { operation: "listing the tools", directory: None, bounds: Limits::resolving() };
        sandbox.run(&self.compiled, |instance, store| instance.lro_offload_mcp().call_tools(store, &settings))
    }

    /// Executes a call of one of these tools and returns the text of a CallToolResult; a failure of the tool has `isError`.
    ///
    /// # Errors
    /// `invalid-argument` for a tool that is not offered; `limit-reached`.
    pub fn mcp_call(&self, name: &str, arguments: &str) -> Result<String, Error> {
        let settings = self.settings.text()?;
        let bounds = self.call_bounds(arguments);
        let directory = self.grant(FsPerms::ReadOnly);
        let sandbox = Sandbox { operation: "extraction", directory, bounds };
        let answer = sandbox.run_telling(&self.compiled, |instance, store| {
            instance.lro_offload_mcp().call_call(store, name, arguments, &settings)
        });
        match answer {
            (Ok(result), Some(reason)) => Ok(because(result, &reason)),
            (Err(error), Some(reason)) => Err(error.because(&reason)),
            (answer, _) => answer,
        }
    }

    /// Offloads another tool's CallToolResult if it is large.
    ///
    /// Like [`Lro::offload`] it does not fail because of a lack of disk, memory or time: the message is then truncated, and
    /// an event says why.
    ///
    /// # Errors
    /// `invalid-argument` for anything that is not a CallToolResult.
    pub fn mcp_offload_result(&self, tool: &str, arguments: &str, result: &str) -> Result<Rewritten, Error> {
        let settings = self.settings.text()?;
        let bounds = self.limits.offloading_message(result.len());
        let sandbox = Sandbox { operation: "offloading", directory: self.grant_for_writing(), bounds };
        let answer = sandbox.run_telling(&self.compiled, |instance, store| {
            instance.lro_offload_mcp().call_offload_result(store, tool, arguments, result, &settings)
        });
        match answer {
            (Ok(Rewritten { file_name: None, .. }), Some(reason)) => {
                Ok(self.truncated_result(tool, arguments, result, &cannot_store(&reason)))
            }
            (Ok(mut answer), _) => {
                for file_name in answer.section_file_names.iter().chain(&answer.file_name) {
                    answer.events.extend(self.keep_private(file_name));
                }
                if answer.file_name.is_some() {
                    answer.events.extend(self.sweep());
                }
                Ok(answer)
            }
            (Err(error @ Error::Case(Case::InvalidArgument(_))), _) => Err(error),
            (Err(error), _) => Ok(self.truncated_result(tool, arguments, result, &error)),
        }
    }

    /// The truncated message for a result that could not be offloaded.
    fn truncated_result(&self, tool: &str, arguments: &str, result: &str, error: &Error) -> Rewritten {
        let bounds = Limits::truncating(result.len());
        let sandbox = Sandbox { operation: "truncating", directory: None, bounds };
        let answer = self.settings.truncating(error.message()).and_then(|settings| {
            sandbox.run(&self.compiled, |instance, store| {
                instance.lro_offload_mcp().call_offload_result(store, tool, arguments, result, &settings)
            })
        });
        match answer {
            Ok(mut answer) => {
                tell_failure(&mut answer.events, error);
                answer
            }
            Err(_) => Rewritten::withheld(error),
        }
    }

    /// Replaces references to our files in the arguments of another tool by the data that they mean. Returns the text to send
    /// instead, if there is one. Does nothing unless the setting `resolve_arguments` is true.
    ///
    /// # Errors
    /// Those of reading a file, and `limit-reached`: the call is then to be answered with a result that has `isError`.
    pub fn mcp_resolve_arguments(&self, tool: &str, arguments: &str) -> Result<Option<String>, Error> {
        if self.settings.settings.resolve_arguments != Some(true) {
            return Ok(None);
        }
        let settings = self.settings.text()?;
        let bounds = self.resolving_bounds(arguments);
        let sandbox = Sandbox { operation: "resolving arguments", directory: self.grant(FsPerms::ReadOnly), bounds };
        let message = sandbox.run(&self.compiled, |instance, store| {
            instance.lro_offload_mcp().call_resolve_arguments(store, tool, arguments, &settings)
        })?;
        Ok(replacement(message))
    }

    /// Returns how many bytes of memory the component may hold in one of these calls. A host that makes several calls at once
    /// adds them up.
    #[must_use]
    pub fn mcp_memory(&self, call: McpCall<'_>) -> u64 {
        match call {
            McpCall::Call { arguments } => self.call_bounds(arguments).memory_bytes,
            McpCall::ResolveArguments { arguments } => self.resolving_bounds(arguments).memory_bytes,
            McpCall::Offload { message_bytes } => self.limits.offloading_message(message_bytes).memory_bytes,
        }
    }

    /// The limits of an extraction grow with its file.
    fn call_bounds(&self, arguments: &str) -> Bounds {
        let named: Option<Value> = serde_json::from_str(arguments).ok();
        let file_of = |key: &&str| named.as_ref()?.get(*key)?.as_str();
        let file = FILE_KEYS.iter().find_map(file_of).unwrap_or_default();
        self.limits.extraction(self.settings.size_of(file))
    }

    fn resolving_bounds(&self, arguments: &str) -> Bounds {
        let files: u64 = file_names(arguments).map(|file| self.settings.output_dir.size_of(file)).sum();
        self.limits.extraction(files.saturating_add(arguments.len() as u64))
    }

    /// Changes the answer to `tools/list`. Returns the text to send instead, if there is one.
    ///
    /// # Errors
    /// `invalid-argument`, also if a tool in the list has the name of one of ours.
    pub fn mcp_offload_tools(&self, list: &str) -> Result<Option<String>, Error> {
        let settings = self.settings.text()?;
        let bounds = self.limits.offloading_message(list.len());
        let sandbox = Sandbox { operation: "rewriting the list of tools", directory: None, bounds };
        let message = sandbox.run(&self.compiled, |instance, store| {
            instance.lro_offload_mcp().call_offload_tools(store, list, &settings)
        })?;
        Ok(replacement(message))
    }
}

/// A CallToolResult with what a store says in the place of its error, if it tells one.
fn because(result: String, reason: &str) -> String {
    match serde_json::from_str::<Value>(&result) {
        Ok(mut told) if told["isError"] == true => {
            let error = Error::store("cannot read from the store", reason);
            let text = format!("{} ({})", error.message(), error.hint());
            told["content"] = serde_json::json!([{ "type": "text", "text": text }]);
            told.to_string()
        }
        _ => result,
    }
}

/// The text to send instead, if there is one.
fn replacement(message: Rewriting) -> Option<String> {
    match message {
        Rewriting::Unchanged => None,
        Rewriting::Replaced(text) => Some(text),
    }
}

/// What may be names of our files in arguments, the text of JSON: the limits of a call grow with what it reads.
fn file_names(arguments: &str) -> impl Iterator<Item = &str> {
    let words = arguments.split(['"', '\\']).map(|word| word.strip_prefix("lro://").unwrap_or(word));
    words.filter(|word| word.ends_with(".jsonl") || word.ends_with(".txt"))
}

#[cfg(test)]
mod tests {
    use super::file_names;

    #[test]
    fn files_are_found_wherever_arguments_name_them() {
        let arguments = r#"{"a":"lro://x-a-01.jsonl","b":[{"$lro":{"file_path":"/tmp/a b/y.txt"}}],"c":"see y.txt!"}"#;
        assert_eq!(file_names(arguments).collect::<Vec<_>>(), ["x-a-01.jsonl", "/tmp/a b/y.txt"]);
    }
}
