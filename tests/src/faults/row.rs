//! One line of the table: a promise, a fault, how often it was injected, and where the promise did not hold.

use serde::{Deserialize, Serialize};

/// What was tried, and what came of it.
#[derive(Debug, Clone, Serialize, Deserialize, PartialEq, Eq)]
pub struct Row {
    /// What holds whatever happens: `a final name is a whole file`.
    pub promise: String,
    /// What happened: `kill -9 at a random moment of offload`.
    pub fault: String,
    /// How often.
    pub tries: u64,
    /// Where the promise did not hold, a line each. None is expected.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub failures: Vec<String>,
    /// What was seen beside it, in a few words: how many tries left a `.part`, the largest memory.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub seen: String,
}

impl Row {
    /// A row without a try.
    #[must_use]
    pub fn new(promise: &str, fault: &str) -> Self {
        Self { promise: promise.into(), fault: fault.into(), tries: 0, failures: Vec::new(), seen: String::new() }
    }

    /// Counts a try, and what went wrong with it.
    pub fn count(&mut self, outcome: Result<(), String>) {
        self.tries += 1;
        self.failures.extend(outcome.err());
    }

    /// Adds what was seen beside the promise.
    #[must_use]
    pub fn seen(self, seen: impl Into<String>) -> Self {
        Self { seen: seen.into(), ..self }
    }
}
