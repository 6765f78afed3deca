//! The table, for clients that show it: its page is ours, and all other resources are the server's.

use std::borrow::Cow;

use serde_json::{Value, json};

use super::ours::{changed, name};
use crate::table;

/// The capability of a server that has resources.
const RESOURCES: &str = "resources";

/// The result of a request about resources, if it is ours to answer: for the page, and for everything where the server has
/// no resources (`only_ours`).
pub(super) fn answer(method: &str, uri: Option<&Value>, only_ours: bool) -> Option<String> {
    let result = match method {
        "resources/read" if uri.is_some_and(|uri| uri == table::URI) => table::contents(),
        "resources/list" if only_ours => table::complete(json!({"resources": []})),
        "resources/templates/list" if only_ours => table::complete(json!({"resourceTemplates": []})),
        _ => return None,
    };
    Some(result.to_string())
}

/// The answer to `initialize` of a server without resources, with ours. `None` if it has some.
pub(super) fn declared(welcome: &str) -> Option<String> {
    let mut welcome: Value = serde_json::from_str(welcome).ok()?;
    let capabilities = welcome.get_mut("capabilities")?.as_object_mut()?;
    if capabilities.contains_key(RESOURCES) {
        return None;
    }
    capabilities.insert(RESOURCES.to_owned(), json!({}));
    Some(welcome.to_string())
}

/// The list of tools in which ours names the page. `None` if the page has no tool.
pub(super) fn with_page(list: &str, ours: &[String]) -> Option<String> {
    changed(list, |tool| {
        let is_ours = name(tool).is_some_and(|name| ours.contains(&name));
        Some(if is_ours { named(tool) } else { Cow::Borrowed(tool) })
    })
}

fn named(tool: &str) -> Cow<'_, str> {
    let mut definition: Value = serde_json::from_str(tool).unwrap_or_default();
    if table::name_in(&mut definition) { Cow::Owned(definition.to_string()) } else { Cow::Borrowed(tool) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_page_is_ours_where_the_server_has_resources() {
        let page = Value::from(table::URI);
        let other = Value::from("ui://other/page");
        for (method, uri, only_ours, expected) in [
            ("resources/read", Some(&page), false, Some("contents")),
            ("resources/read", Some(&page), true, Some("contents")),
            ("resources/read", Some(&other), true, None),
            ("resources/read", None, true, None),
            ("resources/list", None, true, Some("resources")),
            ("resources/list", None, false, None),
            ("resources/templates/list", None, true, Some("resourceTemplates")),
            ("resources/templates/list", None, false, None),
        ] {
            let answer = answer(method, uri, only_ours).map(|text| serde_json::from_str::<Value>(&text).unwrap());
            let is_there = answer.as_ref().and_then(|answer| Some(answer.get(expected?)?.is_array()));
            assert_eq!((answer.is_some(), is_there), (expected.is_some(), expected.map(|_| true)), "{method}");
        }
    }

    #[test]
    fn a_server_that_has_resources_is_left_as_it_is() {
        let without = r#"{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"s"}}"#;
        let expected =
            r#"{"protocolVersion":"2025-11-25","capabilities":{"tools":{},"resources":{}},"serverInfo":{"name":"s"}}"#;
        let read = |text: &str| serde_json::from_str::<Value>(text).unwrap();
        assert_eq!(declared(without).as_deref().map(read), Some(read(expected)));
        for other in [expected, r#"{"capabilities":{"resources":{"subscribe":true}}}"#, "{}", "7", ""] {
            assert_eq!(declared(other), None, "{other}");
        }
    }

    #[test]
    fn our_tool_names_the_page_and_others_keep_their_bytes() {
        let list = r#"{"tools":[{"name":"my_extract", "n":1e2},{"name":"lro_extract"},{"name":"lro_read", "a":1}]}"#;
        let ours = ["lro_extract".to_owned(), "lro_read".to_owned()];
        let expected = r#"{"tools":[{"name":"my_extract", "n":1e2},{"name":"lro_extract","_meta":{"ui":{"resourceUri":"ui://lro/table"}}},{"name":"lro_read", "a":1}]}"#;
        assert_eq!(with_page(list, &ours).as_deref(), Some(expected));
    }
}
