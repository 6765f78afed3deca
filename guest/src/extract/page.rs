//! A page of results, as the contract returns it.

use lro_query::Outcome;

use crate::extract::advice;

/// A page of results.
#[derive(Debug, Default)]
pub struct Page {
    /// The results, one a line. Unquoted strings may contain bytes that are not UTF-8, see
    /// [`results_text`](crate::calls::results_text).
    pub text: Vec<u8>,
    /// How many there are.
    pub count: u32,
    /// How many of them are stubs.
    pub stubs: u32,
    /// The only result is a piece of a larger one.
    pub is_piece: bool,
    /// The lines of the file that the results are of, where a reader may want what is around them.
    pub lines: Vec<u32>,
    /// The opaque token that leads to the next page, when there is one.
    pub next: Option<String>,
    /// How many results there are in all, where that is known.
    pub total: Option<u32>,
    /// How many records failed.
    pub failed: u32,
    /// The first of them.
    pub failures: Vec<Failure>,
    /// What looks wrong though nothing failed.
    pub remarks: Vec<String>,
}

/// A record that a filter failed on, or that is not JSON.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Failure {
    /// Its line in the file.
    pub line: u32,
    /// Why.
    pub message: String,
    /// What to do about it; empty when nothing comes to mind.
    pub hint: String,
}

impl From<Outcome> for Page {
    /// The page without hints and remarks.
    fn from(outcome: Outcome) -> Self {
        let failure = |record: &lro_query::FailedRecord| Failure {
            line: record.line,
            message: advice::words(&record.failure),
            hint: String::new(),
        };
        Self {
            next: outcome.token(),
            failures: outcome.failures.iter().map(failure).collect(),
            is_piece: outcome.page.piece.is_some(),
            text: outcome.page.text,
            count: outcome.page.count,
            stubs: outcome.page.stubs,
            lines: outcome.page.lines,
            total: outcome.total,
            failed: outcome.failed,
            remarks: Vec::new(),
        }
    }
}
