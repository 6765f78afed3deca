//! Each promise of docs/SECURITY.md names a test that exists.

use std::fs;

use lro_conformance::cases;
use lro_tests::named::exists;
use lro_tests::sources::root;

/// Where the promises begin, and where they end.
const BOUNDS: [&str; 2] = ["## What is promised\n", "## Where each promise is kept\n"];

/// What shows a promise: a test of a file, or a case of the conformance suite.
#[derive(Debug, PartialEq)]
enum Shown<'a> {
    Test { file: &'a str, name: &'a str },
    Case(&'a str),
}

/// The second cell of a row: links `[name](../file)`, and cases between backticks.
fn shown(cell: &str) -> Vec<Shown<'_>> {
    let links = cell.split("](../").zip(cell.split("](../").skip(1)).filter_map(|(before, behind)| {
        let name = &before[before.rfind('[')? + 1..];
        Some(Shown::Test { file: &behind[..behind.find(')')?], name })
    });
    links.chain(cell.split('`').skip(1).step_by(2).map(Shown::Case)).collect()
}

/// Promises with the cell that shows them.
fn promises(page: &str) -> Vec<(&str, &str)> {
    let (_, rest) = page.split_once(BOUNDS[0]).expect("the page has promises");
    let (rows, _) = rest.split_once(BOUNDS[1]).expect("the promises end");
    let rows = rows.lines().filter_map(|line| line.strip_prefix("| ")?.strip_suffix(" |")?.split_once(" | "));
    rows.filter(|(promise, _)| *promise != "promise").collect()
}

#[test]
fn every_promise_names_tests_that_exist() {
    let page = fs::read_to_string(root().join("docs/SECURITY.md")).expect("the page is there");
    let cases = cases().expect("the cases can be read");
    let promises = promises(&page);
    assert!(promises.len() >= 30, "{} promises", promises.len());
    for (promise, cell) in promises {
        let shown = shown(cell);
        assert!(!shown.is_empty(), "nothing shows: {promise}");
        for one in shown {
            let is_there = match one {
                Shown::Test { file, name } => exists(file, name),
                Shown::Case(name) => cases.iter().any(|case| case.name == name),
            };
            assert!(is_there, "{promise} {one:?} is not there");
        }
    }
}

#[test]
fn cells_name_tests_and_cases() {
    let cell = "[a_b](../host/tests/x.rs) `mcp/case` [c d](../y.js)";
    let expected = [
        Shown::Test { file: "host/tests/x.rs", name: "a_b" },
        Shown::Test { file: "y.js", name: "c d" },
        Shown::Case("mcp/case"),
    ];
    assert_eq!(shown(cell), expected);
    assert!(!exists("tests/tests/security.rs", "a_test_that_is_gone"));
}
