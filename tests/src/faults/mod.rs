//! Faults, injected by the tools of others: what is promised under each, counted.
//!
//! A suite is a function that injects one kind of fault many times and looks after each whether the promises hold. Its rows
//! are the table of docs/RELIABILITY.md. `cargo run -p lro-tests --bin faults` runs all suites in a short form, which the
//! test command does too; `-- --long` tries as often as that table says.

mod bench;
pub mod report;
pub mod row;
mod soak;

pub use bench::{Bench, Scale};

use row::Row;

/// What injects one kind of fault.
#[derive(Debug, Clone, Copy)]
pub struct Suite {
    /// Its name on the command line, and that of its file in `tests/faults`.
    pub name: &'static str,
    /// Injects the faults. An error means that the suite could not be run, for example because a tool is missing.
    pub run: fn(&Bench) -> Result<Vec<Row>, String>,
}

/// All suites, in the order of docs/RELIABILITY.md.
#[must_use]
pub fn suites() -> Vec<Suite> {
    vec![soak::SOAK]
}
