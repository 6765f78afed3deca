//! Faults, injected by the tools of others: what is promised under each, counted.
//!
//! A suite is a function that injects one kind of fault many times and looks after each whether the promises hold. Its rows
//! are the table of docs/RELIABILITY.md. `cargo run -p lro-tests --bin faults` runs all suites in a short form, and
//! `-- --long` in a long one.

mod bench;
mod differential;
mod disk;
mod http;
mod listening;
#[cfg(unix)]
pub mod machine;
mod mcp;
mod memory;
mod proxy;
mod random;
mod remote;
pub mod report;
pub mod row;
mod soak;
pub mod talk;

use std::process::ExitCode;

pub use bench::{Bench, Part, Scale};

use row::Row;

/// What injects one kind of fault.
#[derive(Debug, Clone, Copy)]
pub struct Suite {
    /// Its name on the command line, and that of its file in `tests/faults`.
    pub name: &'static str,
    /// Injects the faults. An error means that the suite could not be run, for example because a tool is missing.
    pub run: fn(&Bench) -> Result<Vec<Row>, String>,
}

/// Runs as one of the servers that suites put behind the command, if this is what the first argument asks for.
#[must_use]
pub fn speaks() -> Option<ExitCode> {
    let mut arguments = std::env::args().skip(1);
    match arguments.next()?.as_str() {
        http::speaker::WORD => Some(http::speaker::speak()),
        talk::server::WORD => {
            talk::server::run(arguments);
            Some(ExitCode::SUCCESS)
        }
        _ => None,
    }
}

/// All suites, in the order of docs/RELIABILITY.md.
#[must_use]
pub fn suites() -> Vec<Suite> {
    let mut suites = vec![disk::kills::SUITE, disk::disks::SUITE, disk::calls::SUITE, disk::directory::SUITE];
    #[cfg(unix)]
    suites.extend(machine::suites());
    suites.extend([
        Suite { name: "proxy", run: proxy::run },
        Suite { name: "differential", run: differential::run },
        Suite { name: "mcp", run: mcp::run },
        memory::SUITE,
        remote::SUITE,
        listening::SUITE,
        soak::SOAK,
    ]);
    suites
}
