//! Answers calls of our own tools with CallToolResults.

use serde_json::{Map, Value};

use super::mark::Mark;
use super::{json, tools};
use crate::error::Error;
use crate::members::Members;
use crate::settings::Settings;

/// Answers a call with the text of a CallToolResult.
///
/// Errors: `invalid-argument` for a name that is none of ours. What fails in the tool is a result with `isError`.
pub fn call(name: &str, arguments: &str, settings: &str) -> Result<String, Error> {
    let settings = Settings::parse(settings)?;
    let Some(tool) = tools::named(name, &settings) else {
        let known = match &tools::names(&settings)[..] {
            [] => "the settings offer no tools".to_owned(),
            names => format!("the tools are {}", names.join(", ")),
        };
        return Err(Error::invalid_argument(format!("cannot call `{name}`: it is none of our tools"), known));
    };
    let answer = read(name, arguments).and_then(|arguments| (tool.answer)(arguments, &settings));
    Ok(match answer {
        Ok(answer) => success(&answer),
        Err(error) => failure(&error, settings.max_answer_bytes as usize),
    })
}

/// Arguments may be missing altogether.
fn read(name: &str, arguments: &str) -> Result<Map<String, Value>, Error> {
    let text = if arguments.trim().is_empty() { "{}" } else { arguments };
    serde_json::from_str(text).map_err(|error| {
        Error::invalid_argument(format!("cannot read the arguments of `{name}`: {error}"), "pass a JSON object")
    })
}

/// Clients show a model the structured content where there is some, and the text where not.
fn success(answer: &str) -> String {
    json::object([
        ("content", json::array(&[json::text_block(answer)]).as_str()),
        ("structuredContent", answer),
        ("isError", "false"),
        ("resultType", "\"complete\""),
        ("_meta", &Mark::Answer.meta(&Members::default())),
    ])
}

/// What a model reads of an error: what went wrong, what to do, and the names that exist. A message may quote a long
/// filter, so it is cut to `most` bytes.
fn failure(error: &Error, most: usize) -> String {
    let mut text = error.message().to_owned();
    if !error.hint().is_empty() {
        text.push('\n');
        text.push_str(error.hint());
    }
    if let Error::InvalidQuery { known, .. } = error
        && !known.is_empty()
    {
        text.push_str(&format!("\nknown: {}", known.join(", ")));
    }
    text.truncate(text.floor_char_boundary(most));
    json::object([
        ("content", json::array(&[json::text_block(&text)]).as_str()),
        ("isError", "true"),
        ("resultType", "\"complete\""),
    ])
}
