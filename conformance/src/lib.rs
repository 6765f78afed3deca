//! Conformance of Large Result Offloading: cases as data, run against anything that answers the contract's calls.
//!
//! A case is a JSON file in `tests/cases`; its format is explained by `tests/cases/case.schema.json` and shown by the
//! case `readme`. This is the only runner. What it asks is an [`Engine`]; one in another language is a process behind
//! [`AdapterEngine`], which `docs/CONFORMANCE.md` explains.

mod adapter;
pub mod case;
mod component;
mod engine;
mod full_disk;
pub mod message;
mod names;
pub mod pattern;
mod report;
mod run;
mod suite;

pub use adapter::{AdapterEngine, Patience};
pub use case::Case;
pub use component::ComponentEngine;
pub use engine::{Answer, Call, Engine};
pub use names::Names;
pub use report::{Failure, Report, Row, State};
pub use run::{Verdict, run};
pub use suite::{Claim, Clause, Gap, Test, cases, clauses, fixture, gaps};
