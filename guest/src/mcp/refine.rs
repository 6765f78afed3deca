//! The parameters of a tool with which a model can ask it for less, or for another part: a response names them.

use lro_query::json::{self, Members};
use serde_json::{Map, Value};

/// Names of parameters that narrow a result or lead through it, without separators and in lower case. Those of a search
/// come first, since they narrow most; then those of pages; then those of the form.
const NAMES: [&str; 45] = [
    "query",
    "q",
    "search",
    "filter",
    "filters",
    "where",
    "pattern",
    "jq",
    "since",
    "until",
    "start",
    "end",
    "startdate",
    "enddate",
    "startline",
    "endline",
    "offset",
    "limit",
    "maxresults",
    "max",
    "maxitems",
    "maxcount",
    "count",
    "topk",
    "top",
    "n",
    "page",
    "perpage",
    "pagesize",
    "cursor",
    "nextcursor",
    "pagetoken",
    "head",
    "headlimit",
    "tail",
    "viewrange",
    "range",
    "fields",
    "select",
    "columns",
    "include",
    "exclude",
    "depth",
    "maxdepth",
    "maxchars",
];

/// A model pays for each word.
const MOST_NAMES: usize = 5;

/// A longer name is not one of those above.
const MOST_NAME_BYTES: usize = 24;

/// The key of a response.
const KEY: &str = "refine";

/// Adds the names of such parameters to a response, the text of a JSON object. It stays as it is without any.
pub(super) fn with_names(response: String, schema: Option<&Map<String, Value>>) -> String {
    let names = schema.map(names).unwrap_or_default();
    let is_object = Members::of(&response).is_some_and(|members| !members.0.is_empty() && members.get(KEY).is_none());
    match response.trim_end().strip_suffix('}') {
        Some(open) if is_object && !names.is_empty() => {
            let names: Vec<String> = names.into_iter().map(json::quote).collect();
            format!("{open},{}:{}}}", json::quote(KEY), json::array(&names))
        }
        _ => response,
    }
}

/// The names of parameters that a schema has, in the order of the table.
fn names(schema: &Map<String, Value>) -> Vec<&str> {
    let Some(Value::Object(properties)) = schema.get("properties") else { return Vec::new() };
    let known = |name: &str| {
        let plain = name.replace(['_', '-'], "").to_ascii_lowercase();
        NAMES.iter().position(|known| *known == plain)
    };
    let named = properties.keys().filter(|name| name.len() <= MOST_NAME_BYTES);
    let mut found: Vec<(usize, &str)> = named.filter_map(|name| Some((known(name)?, name.as_str()))).collect();
    found.sort_unstable();
    found.into_iter().take(MOST_NAMES).map(|(_, name)| name).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn parameters_are_known_by_their_names() {
        let rows = [
            (json!({"properties": {"path": {}, "head": {}, "tail": {}}}), vec!["head", "tail"]),
            (
                json!({"properties": {"perPage": {}, "page": {}, "query": {}, "owner": {}}}),
                vec!["query", "page", "perPage"],
            ),
            (json!({"properties": {"max_results": {}, "MAX-RESULTS": {}}}), vec!["MAX-RESULTS", "max_results"]),
            (
                json!({"properties": {"limit": {}, "offset": {}, "filter": {}, "fields": {}, "depth": {}, "page": {}}}),
                vec!["filter", "offset", "limit", "page", "fields"],
            ),
            (json!({"properties": {"path": {}, "queries": {}, "_".repeat(30) + "limit": {}}}), vec![]),
            (json!({"properties": [], "type": 7}), vec![]),
            (json!({}), vec![]),
        ];
        for (schema, expected) in rows {
            assert_eq!(names(schema.as_object().unwrap()), expected, "{schema}");
        }
    }

    #[test]
    fn a_response_names_them_at_its_end() {
        let schema = json!({"properties": {"limit": {}, "cursor": {}}});
        let with = |response: &str| with_names(response.to_owned(), schema.as_object());
        assert_eq!(with(r#"{"a":1}"#), r#"{"a":1,"refine":["limit","cursor"]}"#);
        for response in ["{}", "[]", "text", r#"{"refine":1}"#, ""] {
            assert_eq!(with(response), response);
        }
        assert_eq!(with_names("{\"a\":1}".to_owned(), None), "{\"a\":1}");
    }
}
