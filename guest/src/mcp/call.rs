//! Handles calls of LRO's own tools and returns CallToolResults.

use std::io;

use lro_query::json::{self, Members, cut, middle_cut, without_halves};
use serde_json::{Map, Value};

use super::mark::Mark;
use super::tools::Answer;
use super::{client, text_block, tools};
use crate::calls::settings_at;
use crate::error::Error;
use crate::file::instant::Instant;
use crate::settings::{Settings, ToolNames};

/// Handles a call, and returns the text of a CallToolResult.
///
/// Errors: `invalid-argument` for an unknown tool. A failure in the tool is a result with `isError`.
pub fn call(
    name: &str,
    arguments: &str,
    settings: &str,
    instant: impl FnOnce() -> io::Result<Instant>,
) -> Result<String, Error> {
    // A client that is a proxy means the server's tools, whatever their names are.
    let settings = client::fitted(settings_at(settings, instant)?);
    let Some(tool) = tools::named(name, &settings) else {
        let known = match &tools::names(&settings)[..] {
            [] => "the settings offer no tools".to_owned(),
            names => format!("the tools are {}", names.join(", ")),
        };
        let name = middle_cut(name, NAME_CHARACTERS);
        return Err(Error::invalid_argument(format!("cannot call `{name}`: there is no such tool"), known));
    };
    let answer = read(name, arguments, &settings).and_then(|arguments| tool.call(arguments, &settings));
    Ok(answer.map_or_else(|error| failure(&error), |answer| success(&answer)))
}

/// Arguments may be missing altogether, or an object in a text.
fn read(name: &str, arguments: &str, settings: &Settings) -> Result<Map<String, Value>, Error> {
    match serde_json::from_str(arguments) {
        Ok(Value::Object(arguments)) => Ok(arguments),
        Ok(Value::String(text)) => read(name, &text, settings),
        Ok(Value::Null) => Ok(Map::new()),
        _ if arguments.trim().is_empty() => Ok(Map::new()),
        _ => Err(Error::invalid_argument(
            format!("cannot read the arguments of `{name}`: they are not a JSON object"),
            match settings.tool_names {
                ToolNames::Lro => r#"for example: {"file_path": "…", "recipe": 1}"#.to_owned(),
                family => format!(r#"for example: {{"{}": "…", …}}"#, family.file_key()),
            },
        )),
    }
}

/// Clients show a model the structured content where there is some, and the text where not. Some drop a message with half of
/// a surrogate pair, and wait for ever.
fn success(answer: &Answer) -> String {
    let (blocks, structured) = match answer {
        Answer::Object(object) => {
            let object = without_halves(object);
            (vec![text_block(&object)], Some(object))
        }
        Answer::Texts(texts) => (texts.iter().map(|text| text_block(text)).collect(), None),
    };
    let (content, meta) = (json::array(&blocks), Mark::Answer.meta(&Members::default()));
    let members = [("content", content.as_str())]
        .into_iter()
        .chain(structured.as_deref().map(|object| ("structuredContent", object)));
    json::object(members.chain([("isError", "false"), ("resultType", "\"complete\""), ("_meta", &meta)]))
}

/// So much of a message, of a hint and of known names is read: a message may quote a long filter or a record, whose
/// ends say most.
const MESSAGE_CHARACTERS: usize = 300;
const HINT_CHARACTERS: usize = 400;
const KNOWN_CHARACTERS: usize = 200;

/// So much of the name of a tool that does not exist: no client allows longer ones.
const NAME_CHARACTERS: usize = 128;

/// What a model reads of an error: what went wrong, what to do, and the names that exist.
fn failure(error: &Error) -> String {
    let mut text = middle_cut(error.message(), MESSAGE_CHARACTERS);
    if !error.hint().is_empty() {
        text.push('\n');
        text.push_str(&middle_cut(error.hint(), HINT_CHARACTERS));
    }
    if let Error::InvalidQuery { known, .. } = error
        && !known.is_empty()
    {
        text.push_str(&format!("\nknown: {}", cut(&known.join(", "), KNOWN_CHARACTERS)));
    }
    json::object([
        ("content", json::array(&[text_block(&text)]).as_str()),
        ("isError", "true"),
        ("resultType", "\"complete\""),
    ])
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn arguments_are_an_object_or_nothing() {
        let rows = [
            (r#"{"a":1}"#, Some(json!({"a": 1}))),
            (r#""{\"a\":1}""#, Some(json!({"a": 1}))),
            (r#""""#, Some(json!({}))),
            ("null", Some(json!({}))),
            ("", Some(json!({}))),
            (" \n", Some(json!({}))),
            ("[1]", None),
            ("7", None),
            ("{", None),
        ];
        for (text, expected) in rows {
            let found = read("lro_read", text, &Settings::default()).ok().map(Value::Object);
            assert_eq!(found, expected, "{text}");
        }
    }

    #[test]
    fn an_answer_has_no_half_of_a_surrogate_pair() {
        let object = r#"{"results":[{"cut":"\ud83d","whole":"\ud83d\ude00"}]}"#.to_owned();
        let result: Value = serde_json::from_str(&success(&Answer::Object(object))).unwrap();
        assert_eq!(result["structuredContent"]["results"][0], json!({"cut": "\u{fffd}", "whole": "😀"}));
        let text: Value = serde_json::from_str(result["content"][0]["text"].as_str().unwrap()).unwrap();
        assert_eq!(text, result["structuredContent"]);
    }

    #[test]
    fn a_failure_says_what_there_is_to_say() {
        let with_known = Error::InvalidQuery {
            problem: crate::error::Problem::new("no such field", ""),
            known: vec!["a".to_owned(), "b".to_owned()],
        };
        let rows = [
            (Error::invalid_query("it fails", "do this"), "it fails\ndo this"),
            (Error::invalid_query("it fails", ""), "it fails"),
            (with_known, "no such field\nknown: a, b"),
        ];
        for (error, expected) in rows {
            let result: Value = serde_json::from_str(&failure(&error)).unwrap();
            assert_eq!((&result["content"][0]["text"], &result["isError"]), (&expected.into(), &true.into()));
        }
    }
}
