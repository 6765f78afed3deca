//! What calls cost in instructions of the component, against `tests/fuel/*.json`: the same figures on every machine.
//!
//! A call that costs 2 % more than it did fails; one that costs 2 % less wants its figure renewed, so that the next rise is
//! seen. `BLESS=1` renews them.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::{env, fs};

use lro_tests::fuel::{figures, inputs};
use lro_tests::metered::Metered;
use lro_tests::uncounted;

/// A figure may be so many hundredths away from the one that is kept.
const MOST_PERCENT: u64 = 2;

fn file_of(input: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("fuel").join(input).with_extension("json")
}

/// The figures that are kept for an input, none for a new one.
fn kept(input: &str) -> BTreeMap<String, u64> {
    let file = file_of(input);
    let text = fs::read_to_string(&file).unwrap_or_else(|_| "{}".to_owned());
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", file.display()))
}

/// What is wrong with a figure.
fn fault(what: &str, kept: Option<u64>, found: Option<u64>) -> Option<String> {
    match (kept, found) {
        (None, _) => Some(format!("{what}: no figure is kept")),
        (_, None) => Some(format!("{what}: it is not measured any more")),
        (Some(kept), Some(found)) if found > kept + kept * MOST_PERCENT / 100 => {
            Some(format!("{what}: it costs {found} instructions, and {kept} before"))
        }
        (Some(kept), Some(found)) if found < kept - kept * MOST_PERCENT / 100 => {
            Some(format!("{what}: it costs {found} instructions, less than the {kept} before"))
        }
        _ => None,
    }
}

#[test]
fn calls_cost_what_they_did() {
    let metered = Metered::new(lro::COMPONENT);
    let mut faults = Vec::new();
    for input in inputs() {
        let found = figures(&metered, &input).unwrap();
        if env::var_os("BLESS").is_some() {
            let lines: Vec<String> = found
                .iter()
                .map(|figure| format!("  {}: {}", serde_json::Value::from(figure.call.as_str()), figure.fuel))
                .collect();
            fs::write(file_of(input.0), format!("{{\n{}\n}}\n", lines.join(",\n"))).unwrap();
        }
        let kept = kept(input.0);
        let found: BTreeMap<String, u64> = found.into_iter().map(|figure| (figure.call, figure.fuel)).collect();
        let gone = kept.keys().filter(|what| !found.contains_key(*what));
        let all = found.keys().chain(gone);
        let wrong = all.filter_map(|what| fault(what, kept.get(what).copied(), found.get(what).copied()));
        faults.extend(wrong.map(|fault| format!("{}: {fault}", input.0)));
    }
    let renew = "is it meant? BLESS=1 cargo test -p lro-tests --test fuel";
    assert!(faults.is_empty(), "{}\n{renew}", faults.join("\n"));
}

#[test]
fn figures_are_the_same_again() {
    let metered = Metered::new(lro::COMPONENT);
    let input = &inputs()[1];
    let first = figures(&metered, input).unwrap();
    // Other files are there by now.
    assert_eq!(first, figures(&metered, input).unwrap());
    let elsewhere = Metered::new(lro::COMPONENT);
    assert_eq!(first, figures(&elsewhere, input).unwrap());
}

#[test]
fn a_figure_that_moves_is_a_fault() {
    let rows = [(100, 102, false), (100, 103, true), (100, 98, false), (100, 97, true)];
    for (kept, found, is_fault) in rows {
        assert_eq!(fault("x", Some(kept), Some(found)).is_some(), is_fault, "{kept} {found}");
    }
    assert!(fault("x", None, Some(1)).is_some() && fault("x", Some(1), None).is_some());
}

#[test]
fn the_edits_that_take_the_budget_out_fit_the_source() {
    assert!(!uncounted::edits().unwrap().is_empty());
}
