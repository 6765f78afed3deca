//! The cases, the clauses and the fixtures, as they were when this was built: the suite runs in an empty folder.

use serde::Deserialize;

use crate::case::Case;

include!(concat!(env!("OUT_DIR"), "/cases.rs"));

/// A clause of the requirements.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Clause {
    /// `LRO-05`.
    pub clause: String,
    /// What it says.
    pub text: String,
    /// The group that it belongs to: `1`, `2`, `3`, `early`, `extraction`, `proxy`, `sections`, `gates`, `read-back` or
    /// `users`.
    pub level: String,
    /// What the project claims of it.
    #[serde(default)]
    pub state: Claim,
    /// Why it is missing, or what is missing where it is there in part.
    pub why: Option<String>,
    /// Tests of hosts and packages that show it, because no case can, or beside the cases.
    #[serde(default)]
    pub tests: Vec<Test>,
}

/// What the project claims of a clause.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Claim {
    /// Cases show all of it.
    #[default]
    Cases,
    /// No case can show it, as where it concerns the program that embeds a component: tests in the repository do.
    Host,
    /// It holds in part.
    Partly,
    /// It is not built yet.
    Missing,
}

/// A test in the repository.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Test {
    /// Its file, from the root of the repository.
    pub file: String,
    /// Its name in that file.
    pub name: String,
}

/// What is known not to hold.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Gap {
    /// The clause, in the list of this repository.
    #[serde(default)]
    pub clause: String,
    /// The case that fails.
    pub case: String,
    /// The engine; without one, every engine.
    pub engine: Option<String>,
    /// Why.
    pub reason: String,
}

/// All cases, in the order of their names.
///
/// # Errors
/// Why a file is not a valid case.
pub fn cases() -> Result<Vec<Case>, String> {
    CASES.iter().map(|(name, text)| Case::parse(name, text)).collect()
}

/// All clauses, in order.
///
/// # Errors
/// Why the list cannot be read.
pub fn clauses() -> Result<Vec<Clause>, String> {
    serde_json::from_str(CLAUSES).map_err(|error| format!("clauses.json: {error}"))
}

/// The known gaps.
///
/// # Errors
/// Why the list cannot be read.
pub fn gaps() -> Result<Vec<Gap>, String> {
    serde_json::from_str(GAPS).map_err(|error| format!("known-gaps.json: {error}"))
}

/// A fixture by its name.
pub fn fixture(name: &str) -> Option<&'static str> {
    FIXTURES.iter().find(|(known, _)| *known == name).map(|(_, text)| *text)
}
