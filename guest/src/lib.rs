//! Large Result Offloading as a WebAssembly component.
//!
//! Every module but [`disk`] and `component` is a function of its arguments. A result goes through them like this:
//!
//! - [`payload`] finds its text and [`document`] takes it apart, or [`notation`] reads it; [`keyed`], [`tree`] and [`rows`]
//!   make records of maps, trees and rows; [`memories`] and [`detail`] bring the records to the form that a file has,
//!   [`survey`] looks at each once, and [`tokens`] estimates what they cost;
//! - [`offload`] decides; [`header`], [`file_name`], [`recipes`], [`schema`], [`guidance`] and [`response`] render what
//!   is written and answered, [`truncate`] what is answered when writing fails, and [`shown`] bounds and quotes what
//!   others named;
//! - [`extract`] turns a request into a program, [`criteria`] those without jq, [`query`] runs it, and [`advice`] says how
//!   to mend one that is wrong;
//! - [`cleanup`] says which files go;
//! - [`mcp`] does the same to MCP messages: it offers the extraction tools and rewrites the results of other tools.
//!
//! [`calls`] is the contract's functions, natively; `component` exports them, except to wasm32-wasip1: a core module there
//! belongs to a plug-in system, which has exports of its own (`embed/extism`).

pub mod calls;
#[cfg(all(target_family = "wasm", not(target_env = "p1")))]
mod component;
pub mod disk;
pub mod documents;
pub mod error;
pub mod extract;
pub mod fields;
pub mod file;
pub mod mcp;
pub mod offload;
pub mod payload;
pub mod recipes;
pub mod settings;
