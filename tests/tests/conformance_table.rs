//! `docs/CONFORMANCE.md` and the counts in the README are what the clauses and cases say. `BLESS=1` writes them anew.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

use lro_conformance::case::Directory;
use lro_conformance::{Call, Case, Claim, Clause, Gap, cases, clauses, gaps, message};
use lro_tests::named::exists;
use serde_json::{Map, Value};

const PAGE: &str = "docs/CONFORMANCE.md";

/// What stands above it in the page is written by hand.
const MARK: &str = "<!-- clauses -->\n";

const LEVELS: [(&str, &str); 10] = [
    ("1", "Level 1 (Basic)"),
    ("2", "Level 2 (Standard)"),
    ("3", "Level 3 (Full)"),
    ("early", "Early version (profile `early`)"),
    ("extraction", "Native extraction"),
    ("proxy", "Local proxy"),
    ("sections", "Sections of a result"),
    ("gates", "Gates and truncation"),
    ("read-back", "Read-back"),
    ("users", "What users of such systems ask for"),
];

/// The requirements number their clauses without a hole: so many of each.
const CLAUSES: [(&str, usize); 8] = [
    ("LRO", 44),
    ("EARLY", 7),
    ("EXTRACT", 24),
    ("PROXY", 14),
    ("SECTION", 13),
    ("GATE", 22),
    ("READ", 24),
    ("USER", 19),
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
        let mut text = format!("\n{}.\n\n", self.counts());
        for (level, title) in LEVELS {
            write!(text, "## {title}\n\n| clause | what it says | shown by | state |\n|---|---|---|---|\n").unwrap();
            for clause in self.clauses.iter().filter(|clause| clause.level == level) {
                let says = clause.text.replace('|', "\\|");
                writeln!(text, "| {} | {says} | {} | {} |", clause.clause, self.shown_by(clause), state(clause))
                    .unwrap();
            }
            text.push('\n');
        }
        text.trim_end().to_owned() + "\n"
    }

    fn shown_by(&self, clause: &Clause) -> String {
        let cases = self.cases_of(clause).map(|case| format!("`{}`", case.name));
        let tests = clause.tests.iter().map(|test| format!("[{}](../{})", test.name, test.file));
        cases.chain(tests).collect::<Vec<_>>().join(" ")
    }

    fn cases_of<'a>(&'a self, clause: &'a Clause) -> impl Iterator<Item = &'a Case> {
        self.cases.iter().filter(|case| case.clauses.contains(&clause.clause))
    }

    /// `390 cases and 60 tests of hosts for 167 clauses: 110 are shown whole, 30 in part, 27 are missing`.
    fn counts(&self) -> String {
        let count = |claims: &[Claim]| self.clauses.iter().filter(|clause| claims.contains(&clause.state)).count();
        let tests = self.clauses.iter().flat_map(|clause| &clause.tests).map(|test| (&test.file, &test.name));
        format!(
            "{} cases and {} tests of hosts and packages for {} clauses: {} are shown whole, {} in part, {} are missing",
            self.cases.len(),
            tests.collect::<BTreeSet<_>>().len(),
            self.clauses.len(),
            count(&[Claim::Cases, Claim::Host]),
            count(&[Claim::Partly]),
            count(&[Claim::Missing]),
        )
    }

    /// What is wrong with what the list claims of a clause.
    fn fault(&self, clause: &Clause) -> Option<&'static str> {
        let (cases, tests) = (self.cases_of(clause).count(), clause.tests.len());
        match clause.state {
            Claim::Cases if cases == 0 => Some("no case shows it"),
            Claim::Host if tests == 0 => Some("no test of a host shows it"),
            Claim::Partly if cases + tests == 0 => Some("nothing shows the part that is there: it is missing"),
            Claim::Missing if cases + tests > 0 => Some("it is listed as missing, and something shows it"),
            Claim::Cases | Claim::Host if clause.why.is_some() => Some("it holds, and has a reason why it does not"),
            Claim::Partly | Claim::Missing if !clause.why.as_ref().is_some_and(|why| why.ends_with('.')) => {
                Some("no sentence says what is missing")
            }
            _ => None,
        }
    }
}

fn state(clause: &Clause) -> String {
    let word = match clause.state {
        Claim::Cases => "passed",
        Claim::Host => "host",
        Claim::Partly => "partly",
        Claim::Missing => "missing",
    };
    clause.why.as_ref().map_or_else(|| word.to_owned(), |why| format!("{word}: {}", why.replace('|', "\\|")))
}

#[test]
fn no_clause_is_left_out() {
    let numbered =
        |(prefix, last): (&str, usize)| (1..=last).map(move |i| format!("{prefix}-{i:02}")).collect::<Vec<_>>();
    let expected: Vec<String> = CLAUSES.into_iter().flat_map(numbered).collect();
    let listed: Vec<String> = suite().clauses.into_iter().map(|clause| clause.clause).collect();
    assert_eq!(listed, expected);
}

#[test]
fn every_clause_is_in_the_table() {
    for clause in suite().clauses {
        assert!(
            LEVELS.iter().any(|(level, _)| *level == clause.level),
            "{} has the level {}",
            clause.clause,
            clause.level
        );
    }
}

#[test]
fn every_claim_stands() {
    let suite = suite();
    let faults: Vec<String> = suite
        .clauses
        .iter()
        .filter_map(|clause| suite.fault(clause).map(|fault| format!("{}: {fault}", clause.clause)))
        .collect();
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn a_wrong_claim_is_found() {
    let mut suite = suite();
    let shown = suite.clauses.iter().position(|clause| suite.cases_of(clause).count() > 0).unwrap();
    let unshown = suite.clauses.len();
    suite.clauses.push(Clause { clause: "of nobody".into(), tests: Vec::new(), ..suite.clauses[shown].clone() });
    let rows = [
        (shown, Claim::Missing, Some("It is not there."), true),
        (shown, Claim::Partly, None, true),
        (shown, Claim::Partly, Some("Half."), false),
        (shown, Claim::Cases, Some("Half."), true),
        (shown, Claim::Cases, None, false),
        (unshown, Claim::Cases, None, true),
        (unshown, Claim::Host, None, true),
        (unshown, Claim::Partly, Some("Half."), true),
        (unshown, Claim::Missing, None, true),
        (unshown, Claim::Missing, Some("It is not there."), false),
    ];
    for (index, claim, why, is_wrong) in rows {
        suite.clauses[index].state = claim;
        suite.clauses[index].why = why.map(str::to_owned);
        let fault = suite.fault(&suite.clauses[index]);
        assert_eq!(
            fault.is_some(),
            is_wrong,
            "{} as {claim:?} because {why:?}: {fault:?}",
            suite.clauses[index].clause
        );
    }
}

#[test]
fn every_test_that_is_named_exists() {
    for clause in suite().clauses {
        for test in &clause.tests {
            assert!(
                exists(&test.file, &test.name),
                "{} is shown by `{}` in {}, which is not there",
                clause.clause,
                test.name,
                test.file
            );
        }
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
        let case = suite.cases.iter().find(|case| case.name == gap.case);
        assert!(
            case.is_some_and(|case| case.clauses.contains(&gap.clause)),
            "a gap of {} names {}",
            gap.clause,
            gap.case
        );
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
    let text = fs::read_to_string(page(PAGE)).unwrap();
    let (before, _) = text.split_once(MARK).expect("the page has the mark");
    blessed(PAGE, &format!("{before}{MARK}{}", suite().table()));
}

/// The example of each request has the members that the runner sends, and the line below it is an answer.
#[test]
fn the_page_shows_every_message() {
    let text = fs::read_to_string(page(PAGE)).unwrap();
    let messages: Vec<Value> = text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
    let schema: Value =
        serde_json::from_str(&fs::read_to_string(page("tests/cases/case.schema.json")).unwrap()).unwrap();
    let calls = &schema["properties"]["steps"]["items"]["properties"]["call"]["enum"];
    for name in calls.as_array().expect("the schema lists the calls") {
        let call = Call {
            function: serde_json::from_value(name.clone()).unwrap(),
            payload: "",
            source: None,
            request: &Map::new(),
            settings: &Map::new(),
            file_text: "",
            environment: &BTreeMap::new(),
            directory: Path::new(""),
            access: Directory::Writable,
        };
        let at = messages.iter().position(|message| message["call"] == *name);
        let [request, reply] = &messages[at.unwrap_or_else(|| panic!("no example of {name}"))..][..2] else {
            panic!("the example of {name} has no reply")
        };
        let mut expected = message::request(&call);
        expected["id"] = request["id"].clone();
        let members = |message: &Value| message.as_object().unwrap().keys().cloned().collect::<BTreeSet<_>>();
        assert_eq!(members(request), members(&expected), "{name}");
        assert_eq!(reply["id"], request["id"], "{name}");
        message::answer(&call, reply["answer"].clone()).unwrap_or_else(|reason| panic!("{name}: {reason}"));
    }
}

#[test]
fn the_readme_has_the_counts() {
    let suite = suite();
    assert!(suite.cases.len() >= FEWEST_CASES, "{} cases", suite.cases.len());
    let readme = fs::read_to_string(page("README.md")).unwrap();
    let (before, rest) = readme.split_once("<!-- cases -->").expect("the README has the mark");
    let (_, after) = rest.split_once("<!-- /cases -->").expect("the README has the mark's end");
    blessed("README.md", &format!("{before}<!-- cases -->{}<!-- /cases -->{after}", suite.counts()));
}
