//! The proxy over standard streams, under load and under everything that clients, servers and the system do to it.

mod endings;
mod floods;
mod ids;
mod lines;
mod load;
mod scarce;

use super::talk::place::compile_once;
use super::{Bench, row::Row};

/// Runs all of it.
///
/// # Errors
/// One line that says what cannot be run.
pub(super) fn run(bench: &Bench) -> Result<Vec<Row>, String> {
    compile_once(bench)?;
    let mut rows = vec![load::run(bench)?];
    rows.extend(ids::run(bench)?);
    rows.extend(scarce::run(bench)?);
    rows.push(floods::run(bench)?);
    rows.extend(lines::run(bench)?);
    rows.extend(endings::run(bench)?);
    Ok(rows)
}
