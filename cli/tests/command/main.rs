//! Golden output of the command: each `tests/golden/**/*.test` is a test. Drop a file, get a test; `BLESS=1` renews what
//! is expected, and the diff is then read like code.
//!
//! A case is a sentence about what it shows, the files that it needs besides `golden/given`, and command lines with what
//! they print. `case` explains the format, `run` how a command line is run, `volatile` what is not compared.

mod case;
mod run;
mod volatile;

use std::fs;
use std::path::{Path, PathBuf};

use libtest_mimic::{Arguments, Failed, Trial};

use case::Case;
use run::Place;

const GOLDEN: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden");

fn main() {
    let arguments = Arguments::from_args();
    let mut files = Vec::new();
    collect(Path::new(GOLDEN), &mut files);
    let trials = files.into_iter().map(|file| Trial::test(name_of(&file), move || check(&file))).collect();
    libtest_mimic::run(&arguments, trials).exit();
}

/// Files that end in `.test`, in every folder below.
fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("the golden folder can be read") {
        let path = entry.expect("its entries can be read").path();
        if path.is_dir() {
            collect(&path, files);
        } else if path.extension().is_some_and(|extension| extension == "test") {
            files.push(path);
        }
    }
    files.sort();
}

/// `offload/inline` for `golden/offload/inline.test`.
fn name_of(file: &Path) -> String {
    let below = file.strip_prefix(GOLDEN).unwrap_or(file).with_extension("");
    below.display().to_string()
}

/// Runs a case in a fresh folder, and compares; renews the case instead when that is asked for.
fn check(file: &Path) -> Result<(), Failed> {
    let text = fs::read_to_string(file)?;
    let case = Case::parse(&text)?;
    let place = Place::new(Path::new(GOLDEN).join("given").as_path(), &case)?;
    let mut found = case.clone();
    for step in &mut found.steps {
        let printed = volatile::named(&place.run(&step.command)?, &place);
        step.expect(printed);
    }
    let renewed = found.render();
    if renewed == text {
        return Ok(());
    }
    if std::env::var_os("BLESS").is_some_and(|value| value == "1") {
        return Ok(fs::write(file, renewed)?);
    }
    Err(format!("{}\nBLESS=1 renews what is expected, if this is right.", difference(&text, &renewed)).into())
}

/// The lines around which two texts differ: what they share at both ends is left out.
fn difference(expected: &str, found: &str) -> String {
    let (expected, found): (Vec<_>, Vec<_>) = (expected.lines().collect(), found.lines().collect());
    let shared = expected.len().min(found.len());
    let before = (0..shared).take_while(|&i| expected[i] == found[i]).count();
    let same_from_end = |&i: &usize| expected[expected.len() - 1 - i] == found[found.len() - 1 - i];
    let after = (0..shared - before).take_while(same_from_end).count();
    let part = |sign: &str, lines: &[&str]| -> String {
        lines[before..lines.len() - after].iter().map(|line| format!("{sign} {line}\n")).collect()
    };
    format!("from line {}:\n{}{}", before + 1, part("-", &expected), part("+", &found))
}
