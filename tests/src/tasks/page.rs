//! The tables in `docs/COST.md`: written between markers, and compared with a new run.

use std::fs;
use std::path::PathBuf;

use crate::markers::with;
use crate::sources::root;

/// The page with the tables, and the picture beside it.
pub fn path(name: &str) -> PathBuf {
    root().join("docs").join(name)
}

/// Writes all tables into the page.
///
/// # Errors
/// One line that says what failed.
pub fn bless(tables: &[(&str, String)]) -> Result<(), String> {
    let file = path("COST.md");
    let mut page = fs::read_to_string(&file).map_err(|error| format!("cannot read docs/COST.md: {error}"))?;
    for (name, table) in tables {
        page = with(&page, name, table)?;
    }
    fs::write(file, page).map_err(|error| format!("cannot write docs/COST.md: {error}"))
}

/// Says where a table differs from a new one. Whole numbers are counts of tokens, which may differ by a thirtieth:
/// pages end elsewhere where paths have other lengths. Everything else must be equal.
pub fn difference(committed: &str, new: &str) -> Option<String> {
    let lines = |table: &str| table.trim().lines().map(str::to_owned).collect::<Vec<_>>();
    let (committed, new) = (lines(committed), lines(new));
    if committed.len() != new.len() {
        return Some(format!("{} lines are now {}", committed.len(), new.len()));
    }
    let differs = |(old, new): &(&String, &String)| {
        let (old, new): (Vec<&str>, Vec<&str>) = (old.split('|').collect(), new.split('|').collect());
        old.len() != new.len() || old.iter().zip(&new).any(|(old, new)| !is_close(old.trim(), new.trim()))
    };
    let found = committed.iter().zip(&new).find(differs);
    found.map(|(old, new)| format!("`{old}` is now `{new}`"))
}

fn is_close(old: &str, new: &str) -> bool {
    let number = |cell: &str| cell.replace(',', "").parse::<f64>().ok().filter(|_| !cell.contains('.'));
    match (number(old), number(new)) {
        (Some(old), Some(new)) => (old - new).abs() <= (old / 30.0).max(6.0),
        _ => old == new,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_may_differ_a_little_and_answers_not() {
        let row = "| full | 103 of 103 | 1.03 | 1,394 |";
        assert_eq!(difference(row, "| full | 103 of 103 | 1.03 | 1,399 |"), None);
        for other in [
            "| full | 102 of 103 | 1.03 | 1,394 |",
            "| full | 103 of 103 | 1.04 | 1,394 |",
            "| full | 103 of 103 | 1.03 | 1,594 |",
        ] {
            assert!(difference(row, other).is_some(), "{other}");
        }
    }
}
