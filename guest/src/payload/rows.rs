//! Rows of cells under a row of names, as spreadsheets send them: `[["date","rain"],["2012-01-01",10.9],…]`. Each row
//! is a record with these names.

use std::borrow::Cow;
use std::collections::BTreeSet;

use lro_query::json::Scan;

use crate::payload::growth;

/// Fewer rows than this show nothing of their columns.
const LEAST_ROWS: usize = 3;

/// One column is a list of values.
const LEAST_COLUMNS: usize = 2;

/// A longer name is a text, and would be repeated in every record.
const MOST_NAME_BYTES: usize = 64;

/// Returns the rows after the first as records; `None` if the first is not a row of names. It is one if its cells are
/// distinct texts and some column below has none.
pub fn records(rows: &[Cow<'_, str>]) -> Option<Vec<String>> {
    if rows.len() < LEAST_ROWS || !rows.iter().all(|row| row.starts_with('[')) {
        return None;
    }
    let names = cells(&rows[0]);
    let distinct: BTreeSet<&str> = names.iter().copied().collect();
    let is_name = |cell: &&str| cell.starts_with('"') && (3..=MOST_NAME_BYTES).contains(&cell.len());
    if names.len() < LEAST_COLUMNS || distinct.len() < names.len() || !names.iter().all(is_name) {
        return None;
    }
    let most = growth::most(rows.iter().map(|row| row.len()).sum());
    // Columns without a text so far, and those with a value.
    let (mut textless, mut filled) = (vec![true; names.len()], vec![false; names.len()]);
    let (mut records, mut bytes) = (Vec::with_capacity(rows.len() - 1), 0);
    for row in &rows[1..] {
        let cells = cells(row);
        if cells.len() != names.len() {
            return None;
        }
        for (column, cell) in cells.iter().enumerate() {
            textless[column] &= !cell.starts_with('"');
            filled[column] |= *cell != "null";
        }
        let members: Vec<String> = names.iter().zip(cells).map(|(name, cell)| format!("{name}:{cell}")).collect();
        let record = format!("{{{}}}", members.join(","));
        bytes += record.len();
        if bytes > most {
            return None;
        }
        records.push(record);
    }
    textless.iter().zip(filled).any(|(textless, filled)| *textless && filled).then_some(records)
}

fn cells(row: &str) -> Vec<&str> {
    let mut cells = Vec::new();
    Scan::of(row).elements(|scan| cells.push(scan.value()));
    cells
}

#[cfg(test)]
mod tests {
    use super::*;

    fn records_of(rows: &[&str]) -> Option<Vec<String>> {
        records(&rows.iter().map(|row| Cow::Borrowed(*row)).collect::<Vec<_>>())
    }

    #[test]
    fn rows_have_the_names_of_the_first() {
        let rows = [r#"["date", "rain"]"#, r#"["2012-01-01", 10.90]"#, r#"["2012-01-02",null]"#];
        let expected = [r#"{"date":"2012-01-01","rain":10.90}"#, r#"{"date":"2012-01-02","rain":null}"#];
        assert_eq!(records_of(&rows).unwrap(), expected);
    }

    #[test]
    fn a_row_that_may_be_data_is_not_names() {
        let (long, most) = (format!("[\"a\",\"{}\"]", "b".repeat(63)), format!("[\"a\",\"{}\"]", "b".repeat(62)));
        assert!(records_of(&[&most, "[1,2]", "[3,4]"]).is_some());
        let rows: [&[&str]; 10] = [
            &[&long, "[1,2]", "[3,4]"],
            &[r#"["a",""]"#, "[1,2]", "[3,4]"],
            &[r#"["a",[12]]"#, "[1,2]", "[3,4]"],
            &[r#"["a","b"]"#, r#"["x",null]"#, r#"["y",null]"#],
            &[r#"["a","b"]"#, r#"["c","d"]"#, r#"["e","f"]"#],
            &[r#"["a","a"]"#, "[1,2]", "[3,4]"],
            &[r#"["a",1]"#, "[1,2]", "[3,4]"],
            &[r#"["a","b"]"#, "[1,2]", "[3]"],
            &[r#"["a","b"]"#, "[1,2]"],
            &[r#"["a"]"#, "[1]", "[2]"],
        ];
        for rows in rows {
            assert_eq!(records_of(rows), None, "{rows:?}");
        }
    }

    #[test]
    fn names_may_not_make_records_many_times_as_large() {
        let names: Vec<String> = (0..100).map(|n| format!("\"{n:060}\"")).collect();
        let (names, row) = (format!("[{}]", names.join(",")), format!("[{}]", vec!["1"; 100].join(",")));
        let rows = |count: usize| -> Vec<&str> {
            std::iter::once(names.as_str()).chain(std::iter::repeat_n(row.as_str(), count)).collect()
        };
        // A record of 6,500 bytes for each row of 200: a mebibyte more than four times as much is too much.
        assert!(records_of(&rows(100)).is_some());
        assert_eq!(records_of(&rows(300)), None);
    }
}
