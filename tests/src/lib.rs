//! Shared by the suites: what they run on, and the tools of a real machine that they compare with.

pub mod adapter;
pub mod command;
pub mod corpus;
pub mod faults;
pub mod fuel;
pub mod imports;
pub mod jq;
pub mod markers;
pub mod metered;
pub mod mutants;
pub mod named;
pub mod native;
pub mod peers;
pub mod records;
pub mod shell;
pub mod sources;
pub mod suite;
pub mod tasks;
pub mod uncounted;
pub mod wasm;
