//! Large Result Offloading as a WebAssembly component.

#[cfg(target_family = "wasm")]
mod component;
