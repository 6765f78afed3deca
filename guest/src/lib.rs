//! Large Result Offloading as a WebAssembly component.
//!
//! Every module but [`disk`] and `component` is a function of its arguments. A result goes through them like this:
//!
//! - [`payload`] finds its text and takes it apart: a document or a notation becomes lists of records and a frame;
//! - [`fields`] looks at each record once, and says what the records have in common;
//! - [`gate`] says whether it is too large for a context window, where one is known;
//! - [`offload`] decides, and drafts the files and the response with its [`recipes`]; [`mod@file`] is what is written;
//! - [`extract`] turns a request into a program, which [`lro_query`] runs, and suggests how to fix one that is wrong;
//! - [`documents`] describes a file, and puts together again what its records came in;
//! - [`mcp`] does the same to MCP messages: it offers the extraction tools and rewrites the results of other tools.
//!
//! [`settings`] are how all of them behave, and what one call requests.
//!
//! [`calls`] is the contract's functions, natively; `component` exports them, except to wasm32-wasip1: a core module
//! there belongs to a plug-in system, which has exports of its own (`embed/extism`).

pub mod calls;
#[cfg(all(target_family = "wasm", not(target_env = "p1")))]
mod component;
pub mod disk;
pub mod documents;
pub mod error;
pub mod extract;
pub mod fields;
pub mod file;
pub mod gate;
pub mod mcp;
pub mod offload;
pub mod payload;
pub mod recipes;
pub mod settings;
