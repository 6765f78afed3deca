//! What the suites found when they were last kept: in `tests/faults/NAME.json` and shown in docs/RELIABILITY.md.

use std::fmt::Write as _;
use std::fs;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::row::Row;
use super::{Scale, suites};
use crate::markers;
use crate::sources::root;

/// The page with the table.
#[must_use]
pub fn page() -> PathBuf {
    root().join("docs/RELIABILITY.md")
}

/// The file with the rows of a suite's last long run.
fn file(suite: &str) -> PathBuf {
    root().join("tests/faults").join(suite).with_extension("json")
}

/// What a suite found, and how much it tried.
#[derive(Serialize, Deserialize)]
struct Found {
    form: Scale,
    rows: Vec<Row>,
}

/// Keeps the rows of a run.
///
/// # Errors
/// One line that says what failed.
pub fn keep(suite: &str, form: Scale, rows: Vec<Row>) -> Result<(), String> {
    let found = Found { form, rows };
    let text = serde_json::to_string_pretty(&found).map_err(|error| error.to_string())? + "\n";
    fs::write(file(suite), text).map_err(|error| format!("cannot write `{}`: {error}", file(suite).display()))
}

/// The table of what all suites found when they were last kept.
///
/// # Errors
/// One line that says whose rows are missing.
pub fn table() -> Result<String, String> {
    let mut table =
        String::from("| suite | promise | fault | tries | failures | seen |\n|---|---|---|---:|---:|---|\n");
    for suite in suites() {
        let missing = |error| format!("`{}` has no rows ({error}); `--bless` makes them", suite.name);
        let text = fs::read_to_string(file(suite.name)).map_err(|error| missing(error.to_string()))?;
        let found: Found = serde_json::from_str(&text).map_err(|error| missing(error.to_string()))?;
        let name = match found.form {
            Scale::Short => format!("`{}`, short", suite.name),
            Scale::Long => format!("`{}`", suite.name),
        };
        for Row { promise, fault, tries, failures, seen } in found.rows {
            let (tries, failures) = (grouped(tries), failures.len());
            let _ = writeln!(table, "| {name} | {promise} | {fault} | {tries} | {failures} | {seen} |");
        }
    }
    Ok(table)
}

/// Writes the table into the page.
///
/// # Errors
/// One line that says what failed.
pub fn bless() -> Result<(), String> {
    let text = fs::read_to_string(page()).map_err(|error| format!("cannot read docs/RELIABILITY.md: {error}"))?;
    let text = markers::with(&text, "faults", &format!("\n{}", table()?))?;
    fs::write(page(), text).map_err(|error| format!("cannot write docs/RELIABILITY.md: {error}"))
}

/// A number with commas between thousands.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let groups: Vec<&str> = digits.as_bytes().rchunks(3).rev().filter_map(|group| str::from_utf8(group).ok()).collect();
    groups.join(",")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_has_the_rows_that_are_kept() {
        let text = fs::read_to_string(page()).unwrap();
        let stale = "docs/RELIABILITY.md is stale: `cargo run -p lro-tests --bin faults -- --page` renews it";
        assert_eq!(markers::table(&text, "faults").unwrap(), table().unwrap().trim(), "{stale}");
    }

    #[test]
    fn numbers_have_commas() {
        assert_eq!([0, 999, 1000, 1_234_567].map(grouped), ["0", "999", "1,000", "1,234,567"]);
    }
}
