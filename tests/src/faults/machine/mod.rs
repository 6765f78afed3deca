//! The machine that the command runs on: many processes, many files, odd clocks, little of everything, a damaged cache.

pub mod cache;
pub mod cleaning;
pub mod clocks;
pub mod crowd;
mod payload;
mod place;
mod process;
pub mod scarcity;

use super::Suite;

/// The suites, in the order of docs/RELIABILITY.md.
#[must_use]
pub fn suites() -> [Suite; 5] {
    [
        Suite { name: "crowd", run: crowd::run },
        Suite { name: "cleaning", run: cleaning::run },
        Suite { name: "clocks", run: clocks::run },
        Suite { name: "scarcity", run: scarcity::run },
        Suite { name: "cache", run: cache::run },
    ]
}
