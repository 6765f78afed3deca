//! Little of everything: no home, closed streams, few descriptors, threads, memory.

mod calls;
mod limits;
mod streams;
mod surroundings;

use super::place::Place;
use crate::faults::Bench;
use crate::faults::row::Row;
use calls::Calls;

/// The suite.
///
/// # Errors
/// One line that says why it could not be run.
pub fn run(bench: &Bench) -> Result<Vec<Row>, String> {
    let calls = Calls::new(bench, Place::new(bench)?)?;
    let mut rows = vec![surroundings::folders(&calls), surroundings::programs(&calls)];
    rows.extend(streams::all(&calls)?);
    rows.extend(limits::all(bench, &calls)?);
    Ok(rows)
}
