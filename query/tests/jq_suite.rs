//! jq's own suites, where they are at hand: in `../shared/jq-suite` beside the project, or in the folder that `JQ_SUITE` names.
//! They belong to jq and are not copied here.
//!
//! Every test runs on the native engine. What fails is listed with its reason in `jq-suite-gaps.json`; a listed test that
//! passes fails the run, and so does one that fails and is not listed. `BLESS=1` writes what fails now. Tests of modules
//! and of reading further inputs are left out: a filter has neither.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use lro_query::{Limits, Value, from_json, outputs};

/// The suites.
const FILES: [&str; 2] = ["jq.test", "man.test"];

/// Deeply nested values are dropped and printed by recursion.
const STACK: usize = 1 << 30;

#[derive(Default)]
struct Case {
    line: usize,
    filter: String,
    input: String,
    expected: Vec<String>,
    must_not_compile: bool,
}

#[test]
fn jq_behaves_as_in_its_own_suites() {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/jq-suite");
    let suite = std::env::var_os("JQ_SUITE").map_or(beside, PathBuf::from);
    if !suite.exists() {
        println!("jq's suites are not beside the project: nothing was measured");
        return;
    }
    let run = move || FILES.map(|file| failing(&suite.join(file)));
    let results = std::thread::Builder::new().stack_size(STACK).spawn(run).unwrap().join().unwrap();
    let gaps_file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/jq-suite-gaps.json");
    let gaps: BTreeMap<String, BTreeMap<String, String>> =
        fs::read_to_string(&gaps_file).map_or_else(|_| BTreeMap::new(), |text| serde_json::from_str(&text).unwrap());
    let (mut wrong, mut blessed) = (Vec::new(), BTreeMap::new());
    let changelog = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../CHANGELOG.md")).unwrap();
    for (file, (total, failing)) in FILES.into_iter().zip(results) {
        let listed = gaps.get(file).cloned().unwrap_or_default();
        let passed = total - failing.len();
        println!("{file}: {passed} of {total} pass, {:.1} %", passed as f64 * 100.0 / total as f64);
        if !changelog.contains(&format!("{passed} of {total} tests of {file}"))
            && !changelog.contains(&format!("{passed} of {total} of {file}"))
        {
            wrong.push(format!("{file}: CHANGELOG.md does not say that {passed} of {total} pass"));
        }
        wrong.extend(
            failing
                .iter()
                .filter(|(key, _)| !listed.contains_key(*key))
                .map(|(key, why)| format!("{file}: fails: {key}\n    {why}")),
        );
        wrong.extend(
            listed
                .keys()
                .filter(|key| !failing.contains_key(*key))
                .map(|key| format!("{file}: listed, but passes: {key}")),
        );
        let reason = |key: &String, why: &String| listed.get(key).cloned().unwrap_or_else(|| format!("TODO {why}"));
        let now: BTreeMap<String, String> = failing.iter().map(|(key, why)| (key.clone(), reason(key, why))).collect();
        blessed.insert(file.to_owned(), now);
    }
    if std::env::var_os("BLESS").is_some() {
        fs::write(&gaps_file, serde_json::to_string_pretty(&blessed).unwrap() + "\n").unwrap();
        return;
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// How many tests there are, and what each failing one did.
fn failing(file: &Path) -> (usize, BTreeMap<String, String>) {
    let text = fs::read_to_string(file).unwrap_or_else(|error| panic!("cannot read {}: {error}", file.display()));
    let cases = cases(&text);
    let left_out = |case: &Case| {
        ["import ", "include ", "modulemeta", "input", "$__prog_args", "module "]
            .iter()
            .any(|word| case.filter.starts_with(word) || (*word != "module " && case.filter.contains(word)))
            && case.filter != "try error(\"input\") catch ."
    };
    let cases: Vec<Case> = cases.into_iter().filter(|case| !left_out(case)).collect();
    let mut failing = BTreeMap::new();
    for case in &cases {
        if std::env::var_os("TRACE").is_some() {
            eprintln!("{}: {}", case.line, case.filter);
        }
        if let Err(why) = check(case) {
            failing.insert(format!("{} line {}", case.filter, case.line), why);
        }
    }
    (cases.len(), failing)
}

fn check(case: &Case) -> Result<(), String> {
    let input = from_json(&case.input).map_err(|failure| failure.to_string())?;
    let result = outputs(&case.filter, input, &Limits::default());
    match (result, case.must_not_compile) {
        (Err(_), true) => Ok(()),
        (Ok(_), true) => Err("it compiles".to_owned()),
        (Err(error), false) => Err(error.to_string()),
        (Ok((outputs, error)), false) => {
            let same =
                outputs.len() == case.expected.len() && outputs.iter().zip(&case.expected).all(|(a, b)| same(a, b));
            let error = error.map(|error| format!(", then the error {error}")).unwrap_or_default();
            if same { Ok(()) } else { Err(format!("gives {}{error}", outputs.join(" "))) }
        }
    }
}

/// As jq compares: by value.
fn same(output: &str, expected: &str) -> bool {
    output == expected
        || matches!(outputs(&format!("({output}) == ({expected})"), Value::Null, &Limits::default()), Ok((equal, _)) if equal == ["true"])
}

fn cases(text: &str) -> Vec<Case> {
    let mut cases: Vec<Case> = Vec::new();
    let mut lines = text.lines().enumerate().filter(|(_, line)| !line.starts_with('#')).peekable();
    while let Some((number, line)) = lines.next() {
        if line.trim().is_empty() {
            continue;
        }
        let must_not_compile = line.starts_with("%%FAIL");
        let (number, filter) = if must_not_compile { lines.next().unwrap() } else { (number, line) };
        let mut rest = Vec::new();
        while let Some((_, line)) = lines.next_if(|(_, line)| !line.trim().is_empty()) {
            rest.push(line.trim_start_matches('\u{feff}').to_owned());
        }
        let mut rest = rest.into_iter();
        let input = if must_not_compile { "null".to_owned() } else { rest.next().unwrap() };
        cases.push(Case {
            line: number + 1,
            filter: filter.to_owned(),
            input,
            expected: rest.collect(),
            must_not_compile,
        });
    }
    cases
}
