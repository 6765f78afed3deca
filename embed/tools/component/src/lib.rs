//! The tools of `wit/tools.wit`: each puts its plain parameters into the request of the component behind it, and hands on
//! the answer.
#![cfg(target_family = "wasm")]

use bindings::Guest;
use bindings::lro::offload::{mcp, offloader, types};
use serde_json::{Map, Value, json};
use wasip2::filesystem::preopens::get_directories;

#[allow(missing_docs, unsafe_code, unreachable_pub, clippy::all, reason = "generated")]
mod bindings {
    wit_bindgen::generate!({ path: ["../../../wit", "../wit"], world: "lro:tools/tools", generate_all });
    use super::Tools;
    export!(Tools);
}

struct Tools;

impl Guest for Tools {
    fn lro_offload(payload: String, operation: String) -> Result<String, String> {
        let request = json!({ "operation": operation }).to_string();
        let offloading = offloader::offload(&payload, &request, &settings()).map_err(words)?;
        Ok(match offloading.outcome {
            offloader::Outcome::Unchanged => payload,
            offloader::Outcome::Offloaded(stored) => stored.response,
            offloader::Outcome::Inline(text) | offloader::Outcome::Truncated(text) => text,
        })
    }

    fn lro_describe(file_path: String) -> Result<String, String> {
        call("lro_describe", &json!({ "file_path": file_path }))
    }

    fn lro_recipe(file_path: String, recipe: u32, params: String, next: String) -> Result<String, String> {
        let params = if params.trim().is_empty() { Value::Null } else { object(&params)?.into() };
        call("lro_extract", &json!({ "file_path": file_path, "recipe": recipe, "params": params, "next": given(next) }))
    }

    fn lro_query(file_path: String, filter: String, slurp: bool, next: String) -> Result<String, String> {
        call("lro_extract", &json!({ "file_path": file_path, "query": filter, "slurp": slurp, "next": given(next) }))
    }

    fn lro_find(
        file_path: String,
        conditions: Vec<String>,
        fields: Vec<String>,
        sort_by: String,
        next: String,
    ) -> Result<String, String> {
        let fields = if fields.is_empty() { Value::Null } else { fields.into() };
        call(
            "lro_extract",
            &json!({
                "file_path": file_path,
                "where": conditions,
                "select": fields,
                "sort_by": given(sort_by),
                "next": given(next),
            }),
        )
    }
}

/// Calls a tool that the component answers for all MCP hosts, page by page.
fn call(name: &str, arguments: &Value) -> Result<String, String> {
    let answer = mcp::call(name, &arguments.to_string(), &settings()).map_err(words)?;
    let answer: Value = serde_json::from_str(&answer).map_err(|error| format!("cannot read the answer: {error}"))?;
    let text = answer["content"][0]["text"].as_str().unwrap_or_default().to_owned();
    if answer["isError"] == true { Err(text) } else { Ok(text) }
}

/// An answer is handed on as a string within JSON, so its quotes are escaped: that has to fit into the 8 KB as well.
const MAX_ANSWER_BYTES: u32 = 6 * 1024;

/// Hosts grant a directory under the name that it has outside. So it is what `file_path` begins with, and the printed shell
/// commands are right.
fn settings() -> String {
    let granted = get_directories();
    let output_dir = if let [(_, name)] = &granted[..] { name } else { "" };
    json!({ "output_dir": output_dir, "max_answer_bytes": MAX_ANSWER_BYTES }).to_string()
}

/// A parameter that is empty is not given: hosts make all of them required.
fn given(parameter: String) -> Option<String> {
    (!parameter.is_empty()).then_some(parameter)
}

fn object(params: &str) -> Result<Map<String, Value>, String> {
    let hint = r#"pass the text of a JSON object, like {"keyword": "cache"}, or an empty string"#;
    serde_json::from_str(params).map_err(|error| format!("cannot read `params`: {error}\n{hint}"))
}

/// An error as a model reads it: what went wrong, and what to do.
fn words(error: types::Error) -> String {
    use types::Error;
    let (message, hint) = match error {
        Error::InvalidArgument(problem)
        | Error::NotFound(problem)
        | Error::Outside(problem)
        | Error::NotAnOffload(problem)
        | Error::Io(problem) => (problem.message, problem.hint),
        Error::InvalidQuery(problem) => (problem.message, problem.hint),
        Error::LimitReached(problem) => (problem.message, problem.hint),
        Error::Other(message) => (message, String::new()),
    };
    if hint.is_empty() { message } else { format!("{message}\n{hint}") }
}
