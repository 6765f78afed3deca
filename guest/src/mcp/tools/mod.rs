//! The tools that the component offers: one row each, with its definition.

mod arguments;
mod describe;
mod example;
mod extract;
mod families;
mod indented;
mod read;
mod search;

use lro_query::json;
use serde_json::{Map, Value};

use crate::error::Error;
use crate::settings::names::Access;
use crate::settings::{Settings, ToolNames, request};

/// The member of a definition that tells a client, not the model, how to list the tool.
const HINTS: &str = "_meta";

/// What the definition of the tool that runs filters says where references in the arguments of other tools are resolved
/// (USER-11).
const HANDED_OVER: &str = " To hand data to another tool unread, give it \"lro://FILE\" (all of it) or \
    {\"$lro\": {file_path, query, …}} as an argument.";

/// Handles a call: takes arguments that have been read.
type Handle = fn(Map<String, Value>, &Settings) -> Result<Answer, Error>;

/// What a tool answers.
#[derive(Debug)]
pub(super) enum Answer {
    /// The text of a JSON object.
    Object(String),
    /// Texts, each as a block.
    Texts(Vec<String>),
}

/// A tool.
pub(super) struct Tool {
    /// What it does, which has a name in its family.
    access: Access,
    /// The MCP Tool object, without its name.
    definition: &'static str,
    /// Handles a call.
    answer: Handle,
}

const LRO: [Tool; 4] = [
    Tool {
        access: Access::Describe,
        definition: include_str!("describe.json"),
        answer: |given, settings| describe::answer(given, settings).map(Answer::Object),
    },
    Tool {
        access: Access::Query,
        definition: include_str!("extract.json"),
        answer: |given, settings| extract::answer(given, settings).map(Answer::Object),
    },
    Tool {
        access: Access::Read,
        definition: include_str!("read.json"),
        answer: |given, settings| read::answer(given, settings).map(Answer::Object),
    },
    Tool {
        access: Access::Search,
        definition: include_str!("search.json"),
        answer: |given, settings| search::answer(given, settings).map(Answer::Object),
    },
];

const ARTIFACT: [Tool; 3] = [
    Tool { access: Access::Read, definition: include_str!("artifact_read.json"), answer: families::artifact_read },
    Tool { access: Access::Search, definition: include_str!("artifact_grep.json"), answer: families::artifact_grep },
    Tool { access: Access::Query, definition: include_str!("artifact_jq.json"), answer: families::artifact_jq },
];

const LARGE_OUTPUT: [Tool; 3] = [
    Tool {
        access: Access::Read,
        definition: include_str!("read_large_output.json"),
        answer: families::read_large_output,
    },
    Tool {
        access: Access::Search,
        definition: include_str!("search_large_output.json"),
        answer: families::search_large_output,
    },
    Tool {
        access: Access::Query,
        definition: include_str!("query_large_output.json"),
        answer: families::query_large_output,
    },
];

const UNIFIED: [Tool; 1] =
    [Tool { access: Access::Query, definition: include_str!("large_output.json"), answer: families::large_output }];

/// The tools that are offered, in order.
fn offered(settings: &Settings) -> &'static [Tool] {
    match settings.tool_names {
        _ if !settings.enabled || !settings.offer_tools => &[],
        ToolNames::Lro => &LRO,
        ToolNames::Artifact => &ARTIFACT,
        ToolNames::LargeOutput => &LARGE_OUTPUT,
        ToolNames::Unified => &UNIFIED,
    }
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
pub(super) fn extraction(given: Map<String, Value>) -> Result<(String, Option<request::Extract>), Error> {
    let mut arguments = arguments::read("$lro", include_str!("extract.json"), given)?;
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

/// The hint of a request that is refused, in the words of a tool.
fn for_example(example: &str) -> String {
    format!("for example: {{\"file_path\": \"…\", {example}}}")
}

/// What to do about an answer that is cut (EXTRACT-21).
const MORE: &str = "the same call with this `next`";

/// Room for remarks in an answer.
const REMARKS_BYTES: usize = 500;

/// A shorter part of a remark says nothing.
const LEAST_REMARK_BYTES: usize = 100;

/// The members of an answer that has a next page.
fn more(next: Option<&str>) -> Vec<(&'static str, String)> {
    let is_more = ("truncated", next.is_some().to_string());
    match next {
        Some(next) => vec![is_more, ("next", json::quote(next)), ("more", json::quote(MORE))],
        None => vec![is_more],
    }
}

/// The remarks of an answer, as far as there is room. The first one for which there is none is shortened.
fn remarks(remarks: &[String]) -> Option<(&'static str, String)> {
    let mut room = REMARKS_BYTES;
    let mut quoted = Vec::new();
    for remark in remarks {
        let text = json::quote(remark);
        if text.len() >= room {
            quoted.extend((room > LEAST_REMARK_BYTES).then(|| shortened(remark, room)));
            break;
        }
        room -= text.len() + 1;
        quoted.push(text);
    }
    (!quoted.is_empty()).then(|| ("remarks", json::array(&quoted)))
}

/// The beginning of a text as a JSON string of less than so many bytes, up to the end of a word.
fn shortened(text: &str, room: usize) -> String {
    let mut characters = room;
    loop {
        let start = json::cut(text, characters);
        let start = start.trim_end_matches('…');
        let end = start.rfind(' ').filter(|end| *end > start.len() / 2).unwrap_or(start.len());
        let quoted = json::quote(&format!("{}…", start[..end].trim_end_matches([' ', ',', ';', ':'])));
        if quoted.len() < room || characters == 0 {
            return quoted;
        }
        characters = characters.saturating_sub((quoted.len() + 1 - room).div_ceil(4));
    }
}

/// As many JSON texts as there is room for, as an array.
fn fitting(texts: impl Iterator<Item = String>, mut room: usize) -> String {
    let fits = |text: &String| {
        let has_room = text.len() < room;
        room = room.saturating_sub(text.len() + 1);
        has_room
    };
    json::array(&texts.take_while(fits).collect::<Vec<_>>())
}

impl Tool {
    /// Handles a call: takes arguments as they came.
    pub(super) fn call(&self, given: Map<String, Value>, settings: &Settings) -> Result<Answer, Error> {
        (self.answer)(arguments::read(&self.name(settings), self.definition, given)?, settings)
    }

    fn name(&self, settings: &Settings) -> String {
        settings.tool_name(self.access).unwrap_or_default()
    }

    fn definition(&self, settings: &Settings) -> String {
        let mut definition = Map::from_iter([("name".to_owned(), self.name(settings).into())]);
        let rest: Map<String, Value> =
            serde_json::from_str(self.definition).expect("the definition of a tool is a JSON object");
        definition.extend(rest);
        if settings.resolve_arguments
            && self.access == Access::Query
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn remarks_are_shortened_rather_than_left_out() {
        let long = "words and `names` of some length, ".repeat(30);
        let quotes = "\"é\"".repeat(300);
        let rows: [(&[&str], usize, bool); 7] = [
            (&[], 0, false),
            (&["short"], 1, false),
            (&["short", "other"], 2, false),
            (&[&long], 1, true),
            (&[&quotes], 1, true),
            (&["short", &long, "other"], 2, true),
            (&[&long[..470], "other remark that does not fit any more"], 1, false),
        ];
        for (given, expected, is_cut) in rows {
            let given: Vec<String> = given.iter().map(|text| (*text).to_owned()).collect();
            let Some((_, json)) = remarks(&given) else {
                assert_eq!(expected, 0);
                continue;
            };
            assert!(json.len() <= REMARKS_BYTES + 2, "{json}");
            let told: Vec<String> = serde_json::from_str(&json).unwrap();
            assert_eq!((told.len(), told.last().unwrap().ends_with('…')), (expected, is_cut), "{json}");
        }
    }
}
