//! What is left alone because it is ours: answers of our tools, responses, and what is read from our files.

use serde_json::Value;

use super::event::{Object, quoted};

/// Our tools, in each family of names.
const TOOLS: [&str; 13] = [
    "lro_extract",
    "lro_search",
    "lro_read",
    "lro_describe",
    "lro_estimate",
    "lro_offload",
    "artifact_jq",
    "artifact_read",
    "artifact_grep",
    "query_large_output",
    "read_large_output",
    "search_large_output",
    "large_output",
];

/// A proxy renames our tools where its server has tools of these names.
const RENAMED: &str = "lro_local_";

/// What our tools are called after a prefix.
const ENDINGS: [&str; 4] = ["extract", "search", "read", "describe"];

/// No response is longer, so a longer text is not believed to be one.
const MOST_RESPONSE_BYTES: usize = 64 * 1024;

/// True for one of our tools, whatever the client puts before its name.
pub(in crate::commands) fn is_tool(tool: &str, prefix: Option<&str>) -> bool {
    let ends_with = |name: &str| {
        tool.strip_suffix(name).is_some_and(|before| !before.ends_with(|last: char| last.is_ascii_alphanumeric()))
    };
    let has_prefix = |prefix: &str| ENDINGS.iter().any(|ending| ends_with(&format!("{prefix}{ending}")));
    TOOLS.into_iter().any(ends_with) || tool.contains(RENAMED) || prefix.is_some_and(has_prefix)
}

/// True for a result that has been offloaded before, by another hook or by a proxy, and for what a tool reads from our
/// files. Both name the output directory. The result and the arguments of the call are JSON.
pub(super) fn is_of_ours(result: &str, arguments: &str, output_dir: &str) -> bool {
    let once = quoted(output_dir);
    let twice = quoted(once.trim_matches('"'));
    let names_ours =
        |text: &str| [&once, &twice].into_iter().any(|directory| text.contains(directory.trim_matches('"')));
    names_ours(arguments) || result.len() <= MOST_RESPONSE_BYTES && (names_ours(result) || is_response(result))
}

/// True if a text in the result is a response of whichever proxy: one object that says whether it is offloaded.
fn is_response(result: &str) -> bool {
    let blocks = Object::of(result).and_then(|result| super::event::elements(result.raw("content")?));
    blocks.unwrap_or_default().into_iter().any(|block| {
        let text = Object::of(block).and_then(|block| block.text("text")).unwrap_or_default();
        let is_said = || serde_json::from_str(&text).is_ok_and(|response: Value| response["offloaded"].is_boolean());
        text.starts_with('{') && text.contains("\"offloaded\"") && is_said()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn our_tools_are_known_with_any_prefix() {
        let rows = [
            ("lro_extract", None, true),
            ("mcp__lro__lro_extract", None, true),
            ("mcp__files__lro_local_2_read", None, true),
            ("files_artifact_jq", None, true),
            ("MCP:query_large_output", None, true),
            ("mcp__x__big_extract", Some("big_"), true),
            ("mcp__x__big_extract", None, false),
            ("mcp__firecrawl__extract", None, false),
            ("mcp__files__read", None, false),
            ("mcp__x__xlro_extract", None, false),
            ("Bash", Some("lro_"), false),
        ];
        for (tool, prefix, expected) in rows {
            assert_eq!(is_tool(tool, prefix), expected, "{tool}");
        }
    }

    #[test]
    fn responses_and_our_files_are_known() {
        let text = |text: &str| super::super::event::result_of_text(&quoted(text));
        let long = format!("/tmp/lro-0/{}", "x".repeat(MOST_RESPONSE_BYTES));
        let rows = [
            (text(r#"{"offloaded":true,"file_path":"/other/x.jsonl"}"#), "{}", true),
            (text("see /tmp/lro-0/atlatl-x.jsonl"), "{}", true),
            (text(r#"{"note":"say \"offloaded\""}"#), "{}", false),
            (text(&long), "{}", false),
            (text(&long), r#"{"command":"jq . /tmp/lro-0/atlatl-x.jsonl"}"#, true),
            (text("rows"), r#"{"command":"ls"}"#, false),
            ("garbage".to_owned(), "", false),
        ];
        for (result, arguments, expected) in rows {
            assert_eq!(
                is_of_ours(&result, arguments, "/tmp/lro-0/"),
                expected,
                "{} {arguments}",
                &result[..20.min(result.len())]
            );
        }
    }
}
