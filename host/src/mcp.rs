//! The calls of the interface `mcp`: MCP objects in and out, as their JSON text.

use serde_json::Value;
use wasmtime_wasi::FsPerms;

use crate::answer::{Rewriting, Rewritten, tell_failure};
use crate::error::{Case, Error};
use crate::limits::Limits;
use crate::offloader::Lro;
use crate::sandbox::Sandbox;

/// The arguments of our tools that mean a file, one in each family of names.
const FILE_KEYS: [&str; 3] = ["file_path", "artifact_id", "filename"];

impl Lro {
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
        let named: Option<Value> = serde_json::from_str(arguments).ok();
        // The limits of an extraction grow with its file.
        let file_of = |key: &&str| named.as_ref()?.get(*key)?.as_str();
        let file = FILE_KEYS.iter().find_map(file_of).unwrap_or_default();
        let bounds = self.limits.extraction(self.settings.output_dir.size_of(file));
        let directory = self.grant(FsPerms::ReadOnly);
        Sandbox { operation: "extraction", directory, bounds }.run(&self.compiled, |instance, store| {
            instance.lro_offload_mcp().call_call(store, name, arguments, &settings)
        })
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
        let sandbox = Sandbox { operation: "offloading", directory: self.grant(FsPerms::ReadWrite), bounds };
        let answer = sandbox.run(&self.compiled, |instance, store| {
            instance.lro_offload_mcp().call_offload_result(store, tool, arguments, result, &settings)
        });
        match answer {
            Ok(mut answer) => {
                for file_name in answer.section_file_names.iter().chain(&answer.file_name) {
                    answer.events.extend(self.keep_private(file_name));
                }
                if answer.file_name.is_some() {
                    answer.events.extend(self.sweep());
                }
                Ok(answer)
            }
            Err(error @ Error::Case(Case::InvalidArgument(_))) => Err(error),
            Err(error) => Ok(self.truncated_result(tool, arguments, result, &error)),
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
        Ok(match message {
            Rewriting::Unchanged => None,
            Rewriting::Replaced(text) => Some(text),
        })
    }
}
