//! Arguments as they are written in a call, for errors.

/// The argument that means the file in our own tools.
pub(super) const FILE_PATH: &str = "file_path";

/// An argument as it is written in a call of the tool; empty for the file alone.
pub(super) fn example(tool: &str, file: &str, name: &str) -> &'static str {
    let is_ours = file == FILE_PATH;
    match name {
        _ if name == file => "",
        _ if is_ours && tool.ends_with("read") => r#""lines": "120-180""#,
        _ if is_ours && tool.ends_with("search") => r#""pattern": "error|fatal", "ignore_case": true, "context": 2"#,
        "start_line" | "end_line" => r#""start_line": 120, "end_line": 180"#,
        "start" | "end" => r#""start": 1, "end": 5000"#,
        "encoding" => r#""encoding": "base64""#,
        "pattern" => r#""pattern": "ERROR|FATAL""#,
        "case_sensitive" => r#""pattern": "ERROR|FATAL", "case_sensitive": false"#,
        "context" => r#""pattern": "ERROR|FATAL", "context": 2"#,
        "max_results" => r#""pattern": "ERROR|FATAL", "max_results": 20"#,
        "operation" => r#""operation": "read""#,
        "compact" => r#""query": ".results[0]", "compact": true"#,
        "raw" => r#""query": ".results[] | .name", "raw": true"#,
        "query" if !is_ours => r#""query": ".results[] | .name""#,
        "next" if !is_ours => r#""next": "…""#,
        "recipe" => r#""recipe": 6"#,
        "where" => r#""where": ["state=open", "title~=redis"]"#,
        "select" => r#""where": ["state=open"], "select": ["id", "title"]"#,
        "count" => r#""where": ["state=open"], "count": true"#,
        "group_by" => r#""group_by": "state""#,
        "aggregate" => r#""group_by": "state", "aggregate": ["sum(size)"]"#,
        "per_group" => r#""group_by": "state", "per_group": 3"#,
        "sort_by" => r#""sort_by": "-created""#,
        "params" => r#""recipe": 3, "params": {"keyword": "cache"}"#,
        "slurp" => r#""query": "length", "slurp": true"#,
        "line" => r#""line": 17"#,
        "lines" => r#""line": 17, "lines": 40"#,
        "records" => r#""records": ".relations""#,
        "limit" => r#""query": ".", "limit": 5"#,
        "next" => r#""recipe": 3, "next": "…""#,
        _ => r#""query": "select(.state == \"open\") | .title""#,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_example_shows_its_argument() {
        let shared = [
            "start_line",
            "end_line",
            "start",
            "end",
            "encoding",
            "pattern",
            "case_sensitive",
            "context",
            "max_results",
            "operation",
            "compact",
            "raw",
            "query",
            "recipe",
            "where",
            "select",
            "count",
            "group_by",
            "aggregate",
            "per_group",
            "sort_by",
            "params",
            "slurp",
            "line",
            "lines",
            "records",
            "limit",
            "next",
        ];
        for name in shared {
            for file in [FILE_PATH, "filename"] {
                let example = example("lro_extract", file, name);
                assert!(example.contains(&format!("\"{name}\": ")), "{name}: {example}");
                assert!(serde_json::from_str::<serde_json::Value>(&format!("{{{example}}}")).is_ok(), "{example}");
            }
        }
        let rows = [
            ("lro_extract", FILE_PATH, FILE_PATH, ""),
            ("read_file", "filename", "filename", ""),
            ("lro_extract", FILE_PATH, "query", r#""query": "select(.state == \"open\") | .title""#),
            ("query_file", "filename", "query", r#""query": ".results[] | .name""#),
            ("lro_extract", FILE_PATH, "next", r#""recipe": 3, "next": "…""#),
            ("query_file", "filename", "next", r#""next": "…""#),
            ("lro_read", FILE_PATH, "next", r#""lines": "120-180""#),
            ("lro_search", FILE_PATH, "next", r#""pattern": "error|fatal", "ignore_case": true, "context": 2"#),
            ("a_read", "filename", "start", r#""start": 1, "end": 5000"#),
        ];
        for (tool, file, name, expected) in rows {
            assert_eq!(example(tool, file, name), expected, "{tool} {name}");
        }
    }
}
