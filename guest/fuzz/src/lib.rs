//! What each fuzz target does with its bytes. A target panics where a promise is broken.
//!
//! `guest/fuzz/run` builds and runs them; `docs/RELIABILITY.md` has the table of promises.

// Their features are those of the command.
#![allow(unexpected_cfgs, reason = "sources of the command ask for its features")]

// The sources of the proxy name the library of the host.
extern crate self as lro;

pub mod criteria;
pub mod documents;
pub mod filter;
pub mod headers;
pub mod jq;
pub mod mcp;
pub mod names;
pub mod parameters;
pub mod plans;
pub mod records;
pub mod settings;
pub mod tokens;

mod grammar;
mod host;
mod output;
#[allow(dead_code, reason = "the command uses more of its sources than the targets do")]
mod proxy;

// What the sources of the proxy find in the root of the command.
#[path = "../../../cli/src/input_tokens.rs"]
mod input_tokens;
#[path = "../../../cli/src/shortest.rs"]
mod shortest;
#[path = "../../../cli/src/table/mod.rs"]
#[allow(dead_code, reason = "the command uses more of its sources than the targets do")]
mod table;

pub use proxy::{envelopes, streams};

pub use host::{CallSettings, Options};
