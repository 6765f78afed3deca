//! The tools that the component offers: one row each, with its definition.

mod arguments;
mod describe;
mod extract;

use serde_json::{Map, Value};

use crate::error::Error;
use crate::settings::{Settings, request};

/// The member of a definition that tells a client, not the model, how to list the tool.
const HINTS: &str = "_meta";

/// What the definition of `lro_extract` says where references in the arguments of other tools are resolved (USER-11).
const HANDED_OVER: &str = " To hand data to another tool unread, give it \"lro://FILE_PATH\" (all of it) or \
    {\"$lro\": {file_path, query, …}} as an argument.";

/// A tool.
pub(super) struct Tool {
    /// Its name, after the prefix.
    verb: &'static str,
    /// The MCP Tool object, without its name.
    definition: &'static str,
    /// Handles a call: takes parsed arguments, returns the text of a JSON object.
    answer: fn(Map<String, Value>, &Settings) -> Result<String, Error>,
}

const TOOLS: [Tool; 2] = [
    Tool { verb: "describe", definition: include_str!("describe.json"), answer: describe::answer },
    Tool { verb: "extract", definition: include_str!("extract.json"), answer: extract::answer },
];

/// The tools that are offered, in order.
fn offered(settings: &Settings) -> &'static [Tool] {
    if settings.enabled && settings.offer_tools { &TOOLS } else { &[] }
}

/// The names of the tools that are offered.
pub(super) fn names(settings: &Settings) -> Vec<String> {
    offered(settings).iter().map(|tool| tool.name(settings)).collect()
}

/// The tool that a name means.
pub(super) fn named(name: &str, settings: &Settings) -> Option<&'static Tool> {
    offered(settings).iter().find(|tool| tool.name(settings) == name)
}

/// The MCP Tool objects of the tools that are offered, as JSON texts.
pub(super) fn definitions(settings: &Settings) -> Vec<String> {
    offered(settings).iter().map(|tool| tool.definition(settings)).collect()
}

/// Reads the arguments of an extraction, as `lro_extract` has them: the path of the file, and what is asked, if anything is.
pub(super) fn extraction(
    given: Map<String, Value>,
    settings: &Settings,
) -> Result<(String, Option<request::Extract>), Error> {
    let tool = &TOOLS[1];
    let mut arguments = arguments::read(&tool.name(settings), tool.definition, given)?;
    let path = file_path(&mut arguments)?;
    if arguments.is_empty() {
        return Ok((path, None));
    }
    Ok((path, Some(request::Extract::parse(&Value::Object(arguments).to_string())?)))
}

/// Takes the path of the file out of the arguments of a call.
fn file_path(arguments: &mut Map<String, Value>) -> Result<String, Error> {
    let refused = |reason| Err(Error::invalid_argument(reason, "pass the file_path of a response, unchanged"));
    match arguments.remove("file_path") {
        Some(Value::String(path)) => Ok(path),
        _ => refused("cannot open the file: `file_path` is missing"),
    }
}

impl Tool {
    /// Handles a call: takes arguments as they came, returns the text of a JSON object.
    pub(super) fn call(&self, given: Map<String, Value>, settings: &Settings) -> Result<String, Error> {
        (self.answer)(arguments::read(&self.name(settings), self.definition, given)?, settings)
    }

    fn name(&self, settings: &Settings) -> String {
        format!("{}{}", settings.tool_prefix, self.verb)
    }

    fn definition(&self, settings: &Settings) -> String {
        let mut definition = Map::from_iter([("name".to_owned(), self.name(settings).into())]);
        let rest: Map<String, Value> =
            serde_json::from_str(self.definition).expect("the definition of a tool is a JSON object");
        definition.extend(rest);
        if settings.resolve_arguments
            && self.verb == "extract"
            && let Some(Value::String(description)) = definition.get_mut("description")
        {
            description.push_str(HANDED_OVER);
        }
        if !settings.tool_hints {
            definition.remove(HINTS);
        }
        Value::Object(definition).to_string()
    }
}
