//! The guest as it is shipped, for the build script of the host, which makes the component of it.

/// The guest's module for wasm32-unknown-unknown, or the component that the variable `LRO_COMPONENT` named.
pub static GUEST: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/guest.wasm"));
