//! The table of calls in `docs/HOSTS.md` names what each language has.

use std::fs;
use std::path::Path;

/// Where the calls of a column are, and how one is written there. Rust's are in several files.
const COLUMNS: [(usize, &[&str], &str, &str); 4] = [
    (2, &RUST, "pub fn ", "("),
    (3, &["embed/js/types/index.d.ts"], "  ", "("),
    (4, &["embed/python/src/lro/calls.py"], "    def ", "("),
    (5, &["embed/extism/src/export.rs"], "pub fn ", "()"),
];

const RUST: [&str; 7] = [
    "host/src/offloader.rs",
    "host/src/mcp.rs",
    "host/src/paging.rs",
    "host/src/listing.rs",
    "host/src/keeping.rs",
    "host/src/reader.rs",
    "host/src/cleanup.rs",
];

fn read(path: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(path);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The names in backticks of a cell.
fn names(cell: &str) -> impl Iterator<Item = &str> {
    cell.split('`').skip(1).step_by(2)
}

/// The rows of the table, header and rule left out.
fn rows(page: &str) -> Vec<Vec<&str>> {
    let table = page.split("## Calls by language").nth(1).expect("the page has the table");
    let lines = table.lines().skip_while(|line| !line.starts_with('|')).take_while(|line| line.starts_with('|'));
    lines.skip(2).map(|line| line.split('|').collect()).collect()
}

#[test]
fn each_language_has_the_calls_of_the_table() {
    let page = read("docs/HOSTS.md");
    let rows = rows(&page);
    assert!(rows.len() >= 12, "only {} calls are listed", rows.len());
    for (column, files, before, after) in COLUMNS {
        let source: String = files.iter().map(|file| read(file)).collect();
        for name in rows.iter().flat_map(|row| names(row[column])) {
            let is_there = [after, "<"].iter().any(|after| source.contains(&format!("{before}{name}{after}")));
            assert!(is_there, "{files:?} have no call `{name}`");
        }
    }
}

#[test]
fn each_call_of_python_has_an_asynchronous_form() {
    let page = read("docs/HOSTS.md");
    let source = read("embed/python/src/lro/offloader.py");
    for name in rows(&page).iter().flat_map(|row| names(row[4])) {
        assert!(source.contains(&format!("async def a{name}(")), "there is no `a{name}`");
    }
}
