//! `docs/CONFORMANCE.md` and the counts in the README are what the cases say. `BLESS=1` writes them anew.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

use lro::conformance::{Case, Clause, Gap, cases, clauses, gaps};

const INTRODUCTION: &str = "\
# Conformance

Clause by clause: the level that needs it, the cases that prove it, and its state.
A case is a file in `tests/cases`, run on the component, natively and on the command; `passed` means that all of its cases pass on every engine that can run them, which the test command checks.
`host` marks a clause on the server that embeds a component: no component can show it by itself.
`gap` marks what is listed in `tests/known-gaps.json`, with its reason; a listed gap that passes fails the run.

`lro conformance` prints the same for any component of the contract.
This page is written by `BLESS=1 cargo test -p lro-tests --test conformance_table`.

";

const LEVELS: [(&str, &str); 8] = [
    ("1", "Level 1 (Basic)"),
    ("2", "Level 2 (Standard)"),
    ("3", "Level 3 (Full)"),
    ("early", "Early version (profile `early`)"),
    ("extraction", "Native extraction"),
    ("any-result", "Any tool's result"),
    ("users", "What users of such systems ask for"),
    ("proxy", "Local proxy"),
];

/// At least so many cases (the promise of the suite).
const FEWEST_CASES: usize = 150;

struct Suite {
    cases: Vec<Case>,
    clauses: Vec<Clause>,
    gaps: Vec<Gap>,
}

fn suite() -> Suite {
    Suite { cases: cases().unwrap(), clauses: clauses().unwrap(), gaps: gaps().unwrap() }
}

fn page(file: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(file)
}

/// Compares a page with what it should be, or writes it.
fn blessed(file: &str, expected: &str) {
    let path = page(file);
    if std::env::var_os("BLESS").is_some() {
        fs::write(&path, expected).unwrap();
    }
    let found = fs::read_to_string(&path).unwrap_or_default();
    assert!(found == expected, "{file} is not what the cases say; renew it with BLESS=1 and read the diff");
}

impl Suite {
    fn table(&self) -> String {
        let mut text = INTRODUCTION.to_owned();
        for (level, title) in LEVELS {
            write!(text, "## {title}\n\n| clause | what it says | cases | state |\n|---|---|---|---|\n").unwrap();
            for clause in self.clauses.iter().filter(|clause| clause.level == level) {
                let named: Vec<String> = self.cases_of(clause).map(|case| format!("`{}`", case.name)).collect();
                let says = clause.text.replace('|', "\\|");
                writeln!(text, "| {} | {says} | {} | {} |", clause.clause, named.join(" "), self.state(clause))
                    .unwrap();
            }
            text.push('\n');
        }
        text.trim_end().to_owned() + "\n"
    }

    fn cases_of<'a>(&'a self, clause: &'a Clause) -> impl Iterator<Item = &'a Case> {
        self.cases.iter().filter(|case| case.clauses.contains(&clause.clause))
    }

    fn state(&self, clause: &Clause) -> String {
        let gap = self.gaps.iter().find(|gap| gap.clause == clause.clause && gap.case.is_none());
        match gap {
            _ if clause.host => "host".into(),
            Some(gap) => format!("gap: {}", gap.reason),
            None => "passed".into(),
        }
    }
}

#[test]
fn every_clause_has_a_case_or_a_reason() {
    let suite = suite();
    for clause in suite.clauses.iter().filter(|clause| !clause.host) {
        let listed = suite.gaps.iter().any(|gap| gap.clause == clause.clause);
        assert!(listed || suite.cases_of(clause).count() > 0, "{} has neither a case nor a listed gap", clause.clause);
    }
}

#[test]
fn every_case_and_every_gap_names_a_clause_that_exists() {
    let suite = suite();
    let known: BTreeSet<&str> = suite.clauses.iter().map(|clause| clause.clause.as_str()).collect();
    for case in &suite.cases {
        for clause in &case.clauses {
            assert!(known.contains(clause.as_str()), "{} names {clause}", case.name);
        }
    }
    for gap in &suite.gaps {
        assert!(known.contains(gap.clause.as_str()), "a gap names {}", gap.clause);
        let exists = gap.case.as_ref().is_none_or(|name| suite.cases.iter().any(|case| case.name == *name));
        assert!(exists, "a gap names the case {:?}", gap.case);
        let stale = gap.case.is_none() && suite.cases.iter().any(|case| case.clauses.contains(&gap.clause));
        assert!(!stale, "{} is listed as a gap without a case, and has one", gap.clause);
    }
}

#[test]
fn every_case_is_valid_by_its_schema() {
    let folder = page("tests/cases");
    let text = fs::read_to_string(folder.join("case.schema.json")).unwrap();
    let schema = jsonschema::validator_for(&serde_json::from_str(&text).unwrap()).unwrap();
    for case in suite().cases {
        let text = fs::read_to_string(folder.join(format!("{}.json", case.name))).unwrap();
        let error = schema.iter_errors(&serde_json::from_str(&text).unwrap()).next().map(|error| error.to_string());
        assert_eq!(error, None, "{}", case.name);
    }
}

#[test]
fn the_table_is_what_the_cases_say() {
    blessed("docs/CONFORMANCE.md", &suite().table());
}

#[test]
fn the_readme_has_the_counts() {
    let suite = suite();
    assert!(suite.cases.len() >= FEWEST_CASES, "{} cases", suite.cases.len());
    let readme = fs::read_to_string(page("README.md")).unwrap();
    let (before, rest) = readme.split_once("<!-- cases -->").expect("the README has the mark");
    let (_, after) = rest.split_once("<!-- /cases -->").expect("the README has the mark's end");
    let counts = format!("{} cases for {} clauses", suite.cases.len(), suite.clauses.len());
    blessed("README.md", &format!("{before}<!-- cases -->{counts}<!-- /cases -->{after}"));
}
