//! The proxy over standard streams, under load and under everything that clients, servers and the system do to it.

mod endings;
mod floods;
mod ids;
mod lines;
mod load;
mod scarce;

use super::row::Row;
use super::talk::place::compile_once;
use super::{Bench, Part};

/// Parts that do not disturb each other.
const PARTS: [Part; 4] = [
    |bench| Ok(vec![load::run(bench)?]),
    |bench| Ok([lines::run(bench)?, vec![floods::run(bench)?]].concat()),
    |bench| Ok([ids::run(bench)?, scarce::run(bench)?].concat()),
    endings::run,
];

/// Runs all of it.
///
/// # Errors
/// One line that says what cannot be run.
pub(super) fn run(bench: &Bench) -> Result<Vec<Row>, String> {
    compile_once(bench)?;
    bench.run_parts(&PARTS)
}
