//! The proxy over standard streams, under load and under everything that clients, servers and the system do to it.

mod endings;
mod floods;
mod ids;
mod lines;
mod load;
mod scarce;

use std::thread;

use super::row::Row;
use super::talk::place::compile_once;
use super::{Bench, Scale};

/// A part of the suite.
type Part = fn(&Bench) -> Result<Vec<Row>, String>;

/// Parts that do not disturb each other.
const PARTS: [Part; 3] = [
    |bench| Ok(vec![load::run(bench)?]),
    |bench| Ok([lines::run(bench)?, vec![floods::run(bench)?]].concat()),
    |bench| Ok([ids::run(bench)?, scarce::run(bench)?, endings::run(bench)?].concat()),
];

/// Runs all of it, in the long form side by side.
///
/// # Errors
/// One line that says what cannot be run.
pub(super) fn run(bench: &Bench) -> Result<Vec<Row>, String> {
    compile_once(bench)?;
    let rows: Vec<Result<Vec<Row>, String>> = match bench.scale {
        Scale::Short => PARTS.iter().map(|part| part(bench)).collect(),
        Scale::Long => thread::scope(|scope| {
            let parts = PARTS.map(|part| scope.spawn(move || part(bench)));
            parts.into_iter().map(|part| part.join().unwrap_or_else(|_| Err("a part panicked".to_owned()))).collect()
        }),
    };
    rows.into_iter().collect::<Result<Vec<_>, _>>().map(|rows| rows.concat())
}
