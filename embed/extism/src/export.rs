//! The exported functions: input and output are bytes in Extism's memory.
//!
//! Each takes its input itself: as a parameter it would be copied once more, and a payload may be most of the memory.

use extism_pdk::{FnResult, config, input_bytes, plugin_fn};
use lro_guest::error::Error;
use lro_guest::{calls, disk, mcp, settings};
use serde::{Deserialize, Serialize};

use crate::answer::{self, Answer, Extraction, Offloaded, Paged, Rewriting, Rewritten};
use crate::input::{self, Text, text};

/// The standard library's allocator for WebAssembly is small and slow: values come and go by the million here.
#[global_allocator]
static ALLOCATOR: talc::wasm::WasmDynamicTalc = talc::wasm::new_wasm_dynamic_allocator();

/// Estimates what the payload's records count against the threshold. No file is touched.
#[plugin_fn]
pub fn estimate() -> FnResult<Vec<u8>> {
    reply("estimate", &input_bytes(), |given: input::Offload<'_>| {
        calls::estimate(given.payload.as_str(), text(&given.request), &settings(&given.settings)?)
    })
}

/// Decides what becomes of `payload`, the text of a tool's result, and carries it out.
#[plugin_fn]
pub fn offload() -> FnResult<Vec<u8>> {
    reply("offload", &input_bytes(), |given: input::Offload<'_>| {
        let settings = settings(&given.settings)?;
        calls::offload(given.payload.as_str(), text(&given.request), &settings, disk::instant).map(Offloaded::from)
    })
}

/// Runs a recipe, a jq filter or criteria over the records of an offloaded file.
#[plugin_fn]
pub fn extract() -> FnResult<Vec<u8>> {
    reply("extract", &input_bytes(), |given: input::Extract<'_>| {
        let settings = settings(&given.settings)?;
        calls::extract(given.source.as_call(), text(&given.request), &settings, disk::instant).map(Extraction::from)
    })
}

/// Reads a range of lines or characters of an offloaded file. It cannot be named `read`: an export takes the place of
/// the function of that name in the C library, by which all files are read.
#[plugin_fn]
pub fn read_passage() -> FnResult<Vec<u8>> {
    reply("read_passage", &input_bytes(), |given: input::Extract<'_>| {
        let settings = settings(&given.settings)?;
        calls::read(given.source.as_call(), text(&given.request), &settings, disk::instant).map(Paged::from)
    })
}

/// Searches the lines of an offloaded file for a regular expression.
#[plugin_fn]
pub fn search() -> FnResult<Vec<u8>> {
    reply("search", &input_bytes(), |given: input::Extract<'_>| {
        let settings = settings(&given.settings)?;
        calls::search(given.source.as_call(), text(&given.request), &settings, disk::instant).map(Paged::from)
    })
}

/// Deletes the expired files of ours in the output directory and one folder below it, and nothing else.
#[plugin_fn]
pub fn cleanup() -> FnResult<Vec<u8>> {
    reply("cleanup", &input_bytes(), |given: input::Cleanup<'_>| {
        calls::cleanup(text(&given.request), &settings(&given.settings)?, disk::instant)
    })
}

/// Describes a file: header, kind, size, shape, fields.
#[plugin_fn]
pub fn describe() -> FnResult<Vec<u8>> {
    reply("describe", &input_bytes(), |given: input::Document<'_>| {
        answer::json(calls::describe(given.source.as_call(), &settings(&given.settings)?, disk::instant)?)
    })
}

/// Lists the files of ours, the newest first.
#[plugin_fn]
pub fn list_files() -> FnResult<Vec<u8>> {
    reply("list_files", &input_bytes(), |given: input::Cleanup<'_>| {
        answer::json(calls::list(text(&given.request), &settings(&given.settings)?, disk::instant)?)
    })
}

/// What is copied so that a file outlives its session.
#[plugin_fn]
pub fn copies() -> FnResult<Vec<u8>> {
    reply("copies", &input_bytes(), |given: input::Document<'_>| {
        answer::json(calls::copies(given.source.as_call(), &settings(&given.settings)?)?)
    })
}

/// Puts the document together again that came in.
#[plugin_fn]
pub fn rebuild() -> FnResult<Vec<u8>> {
    reply("rebuild", &input_bytes(), |given: input::Document<'_>| {
        calls::rebuild(given.source.as_call(), &settings(&given.settings)?, disk::instant)
    })
}

/// Resolves settings: defaults, then a file, then the environment, then the manifest, then explicit values.
#[plugin_fn]
pub fn resolve() -> FnResult<Vec<u8>> {
    reply("resolve", &input_bytes(), |given: input::Resolve<'_>| {
        let environment: Vec<_> = given.environment.unwrap_or_default().into_iter().collect();
        let file_text = given.file_text.unwrap_or_default();
        answer::json(calls::resolve(&file_text, &environment, &settings(&given.explicit)?)?)
    })
}

/// The definitions of the MCP tools that are offered.
#[plugin_fn]
pub fn tools() -> FnResult<Vec<u8>> {
    reply("tools", &input_bytes(), |given: input::Tools<'_>| answer::json(mcp::tools(&settings(&given.settings)?)?))
}

/// Answers a call of one of these tools.
#[plugin_fn]
pub fn call() -> FnResult<Vec<u8>> {
    reply("call", &input_bytes(), |given: input::Call<'_>| {
        mcp::call(&given.name, text(&given.call_arguments), &settings(&given.settings)?, disk::instant)
    })
}

/// Decides what becomes of another MCP tool's result.
#[plugin_fn]
pub fn offload_result() -> FnResult<Vec<u8>> {
    reply("offload_result", &input_bytes(), |given: input::OffloadResult<'_>| {
        let settings = settings(&given.settings)?;
        let (arguments, result) = (text(&given.call_arguments), given.call_result.as_str());
        mcp::offload_result(&given.tool, arguments, result, &settings, disk::instant).map(Rewritten::from)
    })
}

/// Decides what has to change in the answer to `tools/list`.
#[plugin_fn]
pub fn offload_tools() -> FnResult<Vec<u8>> {
    reply("offload_tools", &input_bytes(), |given: input::OffloadTools<'_>| {
        mcp::offload_tools(given.list_result.as_str(), &settings(&given.settings)?).map(Rewriting::from)
    })
}

/// Replaces references to files in the arguments of another MCP tool.
#[plugin_fn]
pub fn resolve_arguments() -> FnResult<Vec<u8>> {
    reply("resolve_arguments", &input_bytes(), |given: input::ResolveArguments<'_>| {
        let settings = settings(&given.settings)?;
        mcp::resolve_arguments(&given.tool, text(&given.call_arguments), &settings, disk::instant).map(Rewriting::from)
    })
}

/// The settings of a call over those of the manifest's `config`, whose values are texts.
fn settings(call: &Option<Text<'_>>) -> Result<String, Error> {
    let manifest = config::get("settings").map_err(|error| Error::Other(error.to_string()))?.unwrap_or_default();
    let manifest = settings::over("", &manifest).map_err(|error| {
        let message = format!("cannot use `config.settings` of the plug-in's manifest: {error}");
        Error::invalid_argument(message, error.hint())
    })?;
    settings::over(&manifest, text(call))
}

/// Reads the input of a function, calls it, and writes its answer.
fn reply<'a, I: Deserialize<'a>, O: Serialize>(
    name: &str,
    input: &'a [u8],
    call: impl FnOnce(I) -> Result<O, Error>,
) -> FnResult<Vec<u8>> {
    let input = serde_json::from_slice(input).map_err(|error| {
        Error::invalid_argument(
            format!("cannot read the input of `{name}`: {error}"),
            format!("see plugin.schema.json, `{name}`, for every key"),
        )
    });
    Ok(serde_json::to_vec(&Answer::from(input.and_then(call)))?)
}
