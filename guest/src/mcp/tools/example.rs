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
