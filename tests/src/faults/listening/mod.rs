//! `lro proxy --listen` before clients that do everything wrong that clients can, and before servers that die: the next
//! call works, whatever came before.

mod cuts;
mod deaths;
mod door;
mod masses;
mod strangers;

use super::row::Row;
use super::{Bench, Suite};

pub(super) const SUITE: Suite = Suite { name: "listening", run };

fn run(bench: &Bench) -> Result<Vec<Row>, String> {
    let parts = [cuts::run, strangers::run, masses::run, deaths::run];
    let mut rows = Vec::new();
    for part in parts {
        rows.extend(part(bench)?);
    }
    Ok(rows)
}
