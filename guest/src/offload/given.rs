//! What a response says of a list in the caller's words: a summary and a schema, each as long as there is room for
//! (SECTION-04).

use lro_query::json::cut;
use serde_json::Value;

use crate::error::Error;
use crate::file::events::Event;
use crate::file::header::Deviations;
use crate::file::kind::Kind;
use crate::offload::contents::Contents;
use crate::offload::inline;
use crate::offload::response;
use crate::payload::detail::Detail;
use crate::payload::path::Path;
use crate::payload::shown;
use crate::recipes;
use crate::settings::Settings;
use crate::settings::request;
use crate::settings::sections::{Section, Sections};

/// Checks the recipes that the caller gave: each is a filter that can run, and all of them fit into a response.
pub(super) fn check(request: &request::Offload, settings: &Settings) -> Result<(), Error> {
    for (path, section) in request.sections.iter().flat_map(Sections::iter) {
        recipes::check(path, section.recipes(), &settings.limits())?;
        let lro = Deviations { kind: Kind::Records, recipes: section.recipes().to_vec(), ..Deviations::default() };
        let tokens = match lro.recipes.is_empty() {
            true => 0,
            false => response::cost_of_recipes(&recipes::set(&lro, Detail::Full)),
        };
        if tokens > response::RECIPES_TOKENS {
            return Err(Error::invalid_argument(
                format!(
                    "cannot read the offload request: the recipes of section `{path}` cost {tokens} tokens, and a response has room for {}",
                    response::RECIPES_TOKENS
                ),
                "give fewer recipes, or shorter filters",
            ));
        }
    }
    Ok(())
}

/// Tells of sections that a result does not have: nothing is said of them.
pub(super) fn missing(contents: &Contents<'_>, request: &request::Offload, operation: &str) -> Option<Event> {
    let found: Vec<&Path> = match contents {
        Contents::Lists(lists) => lists.lists.iter().map(|list| &list.path).collect(),
        Contents::Text(_) => Vec::new(),
    };
    let is_only = found.len() <= 1;
    let is_missing = |path: &&Path| !(found.contains(path) || is_only && path.0.is_empty());
    let missing: Vec<&Path> =
        request.sections.iter().flat_map(Sections::iter).map(|(path, _)| path).filter(is_missing).collect();
    let shown = |paths: &[&Path]| paths.iter().map(|path| shown::path(path)).collect::<Vec<_>>();
    (!missing.is_empty()).then(|| Event::sections_not_found(operation, &shown(&missing), &shown(&found)))
}

/// A summary in at most about `most` bytes; none if nothing meaningful is left of it.
pub(super) fn summary(section: Option<&Section>, most: usize) -> Option<Value> {
    match section?.summary.as_ref()? {
        Value::String(text) => Some(cut(text, most).into()),
        object => bounded(&object.to_string(), most),
    }
}

/// A schema in at most about `most` bytes; none if nothing meaningful is left of it.
pub(super) fn schema(section: Option<&Section>, most: usize) -> Option<Value> {
    let schema = section?.schema.as_ref()?;
    bounded(&serde_json::to_string(schema).ok()?, most)
}

fn bounded(object: &str, most: usize) -> Option<Value> {
    let (text, _) = inline::bounded(object, most);
    // Many small members are more than what they are cut to.
    (text.len() <= 2 * most).then(|| serde_json::from_str(&text).ok())?
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::payload::Payload;

    #[test]
    fn a_section_is_missing_unless_the_result_has_its_list_or_only_one() {
        let rows = [
            ("[1,2]", ".", None),
            ("one line", ".", None),
            (r#"{"a":[1111,2222],"n":1}"#, ".a", None),
            (r#"{"a":[1111,2222],"n":1}"#, ".", None),
            (r#"{"a":[1111,2222],"n":1}"#, ".b", Some(json!({"operation": "x", "paths": [".b"], "found": [".a"]}))),
            ("one line", ".b", Some(json!({"operation": "x", "paths": [".b"], "found": []}))),
            (r#"{"a":[1111,2222],"b":[3333]}"#, ".b", None),
            (
                r#"{"a":[1111,2222],"b":[3333]}"#,
                ".",
                Some(json!({"operation": "x", "paths": ["."], "found": [".a", ".b"]})),
            ),
        ];
        for (text, path, expected) in rows {
            let sections = json!({path: {"summary": "s"}});
            let request = json!({"operation": "x", "sections": sections}).to_string();
            let request = request::Offload::parse(&request).unwrap();
            let payload = Payload::of(text);
            let event = missing(&Contents::read(&payload, &request).unwrap(), &request, "x");
            let fields = event.map(|event| serde_json::from_str::<Value>(&event.fields).unwrap());
            assert_eq!(fields, expected, "{path} of {text}");
        }
    }

    fn section(section: Value) -> Section {
        serde_json::from_value(section).unwrap()
    }

    #[test]
    fn what_is_given_is_cut_to_the_room_there_is() {
        let rows = [
            (json!("twelve open orders"), 6, Some(json!("twelve…"))),
            (json!({"open": 12}), 40, Some(json!({"open": 12}))),
            (
                json!({"open": 12, "words": "x".repeat(100)}),
                40,
                Some(json!({"open": 12, "words": format!("{}…", "x".repeat(21))})),
            ),
            (serde_json::Value::Null, 40, None),
        ];
        for (given, most, expected) in rows {
            let shown = summary(Some(&section(json!({"summary": given}))), most);
            assert_eq!(shown, expected, "{given}");
        }
        let fields = (0..90).map(|n| (format!("field_{n}"), json!({"type": "string"})));
        let given = section(json!({"schema": fields.collect::<serde_json::Map<_, _>>()}));
        assert_eq!(schema(Some(&given), 10_000), given.schema.clone().map(Value::from));
        assert_eq!(schema(Some(&given), 20), None);
    }
}
