//! Conformance of Large Result Offloading: cases as data, run against anything that answers the contract's calls.
//!
//! A case is a JSON file in `tests/cases`; its format is explained by `tests/cases/case.schema.json` and shown by the
//! case `readme`. A runner in another language needs three things: the [`case`], the four rules of matching in
//! [`pattern`], and an [`Engine`].

pub mod case;
mod component;
mod engine;
mod full_disk;
mod names;
pub mod pattern;
mod report;
mod run;
mod suite;

pub use case::Case;
pub use component::ComponentEngine;
pub use engine::{Answer, Call, Engine};
pub use names::Names;
pub use report::{Report, Row, State};
pub use run::{Verdict, run};
pub use suite::{Claim, Clause, Gap, Test, cases, clauses, fixture, gaps};
