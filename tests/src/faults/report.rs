//! What the suites found, kept in `tests/faults/NAME.json` and shown in docs/RELIABILITY.md.

use std::fmt::Write as _;
use std::fs;
use std::path::PathBuf;

use super::row::Row;
use super::suites;
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

/// Keeps the rows of a long run.
///
/// # Errors
/// One line that says what failed.
pub fn keep(suite: &str, rows: &[Row]) -> Result<(), String> {
    let text = serde_json::to_string_pretty(rows).map_err(|error| error.to_string())? + "\n";
    fs::write(file(suite), text).map_err(|error| format!("cannot write `{}`: {error}", file(suite).display()))
}

/// The table of all suites' last long runs.
///
/// # Errors
/// One line that says whose rows are missing.
pub fn table() -> Result<String, String> {
    let mut table = String::from("| promise | fault | tries | failures | seen |\n|---|---|---:|---:|---|\n");
    for suite in suites() {
        let missing = |error| format!("`{}` has no rows ({error}); `--long --bless` makes them", suite.name);
        let text = fs::read_to_string(file(suite.name)).map_err(|error| missing(error.to_string()))?;
        let rows: Vec<Row> = serde_json::from_str(&text).map_err(|error| missing(error.to_string()))?;
        for Row { promise, fault, tries, failures, seen } in rows {
            let _ = writeln!(table, "| {promise} | {fault} | {} | {} | {seen} |", grouped(tries), failures.len());
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
