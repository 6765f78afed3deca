//! Proves that the conformance suite catches guests that lie: builds mutants of the guest, runs the cases of the clause
//! that each breaks, and checks that one of them fails. A sample of the other cases shows that the mutant works otherwise.
//!
//! Run it with `cargo run -p lro-tests --bin mutants`; a name as argument picks one. `tests/mutants/mutants.json` lists
//! them. What is stale there is told before anything is built.

use std::collections::BTreeSet;
use std::env;
use std::process::ExitCode;
use std::time::Instant;

use lro_conformance::{AdapterEngine, Case, Patience, Verdict, cases, run};
use lro_tests::mutants::{Edit, Mutant, Workshop, list, stale};

/// One of so many other cases is in the sample.
const SAMPLE: usize = 12;

fn main() -> ExitCode {
    match examine_all() {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("mutants: {error}");
            ExitCode::FAILURE
        }
    }
}

/// True when every mutant is caught.
fn examine_all() -> Result<bool, String> {
    let wanted = env::args().nth(1);
    let is_wanted = |mutant: &Mutant| wanted.as_ref().is_none_or(|name| mutant.name == *name);
    let mutants: Vec<Mutant> = list()?.into_iter().filter(is_wanted).collect();
    if mutants.is_empty() {
        return Err(format!("there is no mutant `{}`", wanted.unwrap_or_default()));
    }
    let stale = stale(&mutants);
    if !stale.is_empty() {
        return Err(stale.join("\n"));
    }
    let (cases, workshop) = (cases()?, Workshop::open()?);
    let sound = sound(&workshop, &cases)?;
    let mut caught = 0;
    for mutant in &mutants {
        let start = Instant::now();
        let outcome = examine(&workshop, mutant, &sound);
        let seconds = start.elapsed().as_secs_f32();
        match outcome {
            Ok(found) => {
                caught += 1;
                println!("{}: {} fails, by {found} ({seconds:.1} s)", mutant.name, mutant.clause);
            }
            Err(error) => println!("{}: NOT CAUGHT: {error} ({seconds:.1} s)", mutant.name),
        }
    }
    println!("mutants: {caught} passed, {} failed", mutants.len() - caught);
    Ok(caught == mutants.len())
}

/// The cases that pass on the guest as it is: only they can convict a mutant.
fn sound<'a>(workshop: &Workshop, cases: &'a [Case]) -> Result<Vec<&'a Case>, String> {
    let start = Instant::now();
    let failing = failing(workshop, &[], &cases.iter().collect::<Vec<_>>())?;
    let sound: Vec<&Case> = cases.iter().filter(|case| !failing.contains(case.name.as_str())).collect();
    println!(
        "the guest as it is passes {} of {} cases ({:.1} s)",
        sound.len(),
        cases.len(),
        start.elapsed().as_secs_f32()
    );
    Ok(sound)
}

/// The cases of its clause that fail on a mutant. A guest that answers nothing right proves nothing.
fn examine(workshop: &Workshop, mutant: &Mutant, sound: &[&Case]) -> Result<String, String> {
    let of_clause = |case: &&&Case| case.clauses.contains(&mutant.clause);
    let (of_clause, others): (Vec<&Case>, Vec<&Case>) = sound.iter().partition(|case| of_clause(case));
    let others: Vec<&Case> = others.into_iter().step_by(SAMPLE).collect();
    if of_clause.is_empty() {
        return Err(format!("no case of {} passes on the guest as it is", mutant.clause));
    }
    let failing = failing(workshop, &mutant.edits, &[&of_clause[..], &others[..]].concat())?;
    let broken: Vec<&str> =
        of_clause.iter().map(|case| case.name.as_str()).filter(|name| failing.contains(name)).collect();
    let unharmed = others.iter().filter(|case| !failing.contains(case.name.as_str())).count();
    match broken.len() {
        0 => Err(format!("all {} cases of {} pass", of_clause.len(), mutant.clause)),
        _ if unharmed * 2 < others.len() => Err(format!("only {unharmed} of {} other cases pass", others.len())),
        1 => Ok(broken[0].to_owned()),
        more => Ok(format!("{} and {} more", broken[0], more - 1)),
    }
}

/// The names of the cases that do not pass on the guest with these edits.
fn failing<'a>(workshop: &Workshop, edits: &[Edit], cases: &[&'a Case]) -> Result<BTreeSet<&'a str>, String> {
    // What a mutant says of its end is of no interest; that it ended is.
    let command = format!(r#"sh -c 'exec "$0" 2>/dev/null' "{}""#, workshop.build(edits)?.display());
    let engine = AdapterEngine::start(&command, Patience { accidents: u32::MAX, ..Patience::default() })?;
    let fails = |case: &&&Case| run(case, &engine) != Verdict::Passed;
    Ok(cases.iter().filter(fails).map(|case| case.name.as_str()).collect())
}
