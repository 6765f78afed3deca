//! The cases, the clauses and the fixtures, as they were when this was built: the suite runs in an empty folder.

use serde::Deserialize;

use super::case::Case;

include!(concat!(env!("OUT_DIR"), "/cases.rs"));

/// A clause of the requirements.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Clause {
    /// `LRO-05`.
    pub clause: String,
    /// What it says.
    pub text: String,
    /// The level that needs it: `1`, `2`, `3`, `early`, `extraction`, `any-result`, `proxy` or `users`.
    pub level: String,
    /// True for a clause on the server that embeds a component; no component can show it.
    #[serde(default)]
    pub host: bool,
}

/// What is known not to hold.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Gap {
    /// The clause.
    pub clause: String,
    /// The case; without one, the clause has no case.
    pub case: Option<String>,
    /// The engine; without one, every engine.
    pub engine: Option<String>,
    /// Why.
    pub reason: String,
}

/// All cases, in the order of their names.
///
/// # Errors
/// Why a file is no case.
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
