//! What coding agents are told and tell: events of their hooks, and their configurations.
//!
//! Nothing here reaches outside. The command reads and writes natively, and the npm package in JavaScript, which has this
//! library as a module of WebAssembly.

#[cfg(target_family = "wasm")]
mod calls;
pub mod hook;
pub mod setup;
