//! Tests that lists and pages name: they exist, or the name is stale.

use std::fs;

use crate::sources::root;

/// True when a file of the repository begins a test with a name, as its language does.
#[must_use]
pub fn exists(file: &str, name: &str) -> bool {
    let text = fs::read_to_string(root().join(file)).unwrap_or_default();
    let begins = |line: &str| {
        let line = line.trim_start().trim_start_matches("async ");
        let rust_or_python = line.strip_prefix("fn ").or_else(|| line.strip_prefix("def "));
        rust_or_python.is_some_and(|rest| rest.strip_prefix(name).is_some_and(|rest| rest.starts_with('(')))
            || ['"', '`'].iter().any(|quote| line.starts_with(&format!("test({quote}{name}{quote}")))
    };
    text.lines().any(begins)
}
