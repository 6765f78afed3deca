//! The table of records that a client shows in the chat (MCP Apps, SEP-1865): a page that the client loads from here, and that
//! calls `lro_extract` through the client. `embed/browser/scripts/app.js` builds it.

use serde_json::{Value, json};

/// The address of the page.
pub(crate) const URI: &str = "ui://lro/table";

/// The kind of pages that clients show.
const MIME_TYPE: &str = "text/html;profile=mcp-app";

/// What a client that shows pages has among its extensions.
const EXTENSION: &str = "io.modelcontextprotocol/ui";

/// What the name of the tool ends with whose results the table shows. Other families of names have no such tool.
const TOOL: &str = "extract";

/// The page: one document that loads nothing.
const PAGE: &str = include_str!("table.html");

/// True for the capabilities of a client that shows pages.
pub(crate) fn is_shown_with(capabilities: &Value) -> bool {
    let types = capabilities["extensions"][EXTENSION]["mimeTypes"].as_array();
    types.is_some_and(|types| types.iter().any(|shown| shown == MIME_TYPE))
}

/// Names the page in the definition of the tool whose results it shows. False for other tools.
pub(crate) fn name_in(tool: &mut Value) -> bool {
    let is_shown = tool["name"].as_str().is_some_and(|name| name.ends_with(TOOL));
    if is_shown {
        tool["_meta"]["ui"] = json!({"resourceUri": URI});
    }
    is_shown
}

/// What the page is read as. It wants nothing of the network, so it asks for no more than clients allow anyway.
pub(crate) fn contents() -> Value {
    let meta = json!({"ui": {"prefersBorder": true}});
    complete(json!({"contents": [{"uri": URI, "mimeType": MIME_TYPE, "text": PAGE, "_meta": meta}]}))
}

/// A result about resources as the stateless protocol asks for it: nothing more follows, and it holds for now.
pub(crate) fn complete(mut result: Value) -> Value {
    result["resultType"] = "complete".into();
    result["ttlMs"] = 0.into();
    result["cacheScope"] = "private".into();
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_client_shows_the_page_if_it_names_its_kind() {
        let with = |extension: Value| json!({"extensions": {EXTENSION: extension}});
        for (capabilities, expected) in [
            (with(json!({"mimeTypes": [MIME_TYPE]})), true),
            (with(json!({"mimeTypes": ["text/plain", MIME_TYPE]})), true),
            (with(json!({"mimeTypes": ["text/html"]})), false),
            (with(json!({"mimeTypes": MIME_TYPE})), false),
            (with(json!({})), false),
            (json!({"extensions": [EXTENSION]}), false),
            (json!({"roots": {}}), false),
            (json!(7), false),
        ] {
            assert_eq!(is_shown_with(&capabilities), expected, "{capabilities}");
        }
    }

    #[test]
    fn the_page_is_named_beside_what_the_tool_says_already() {
        let mut tool = json!({"name": "lro_extract", "_meta": {"other": 1}});
        assert!(name_in(&mut tool));
        assert_eq!(tool["_meta"], json!({"other": 1, "ui": {"resourceUri": URI}}));
        let mut other = json!({"name": "artifact_jq"});
        assert!(!name_in(&mut other));
        assert_eq!(other, json!({"name": "artifact_jq"}));
    }

    #[test]
    fn the_page_loads_nothing() {
        assert!(PAGE.len() < 100_000, "{} bytes", PAGE.len());
        for outside in ["src=", "href=", "://", "@import", "url("] {
            assert!(!PAGE.contains(outside), "the page has {outside}");
        }
    }
}
