//! The guest as it is shipped, for the build script of the host, which makes the component of it.

/// The guest's module for wasm32-unknown-unknown, or the component that the variable `LRO_COMPONENT` named.
pub static GUEST: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/guest.wasm"));

/// The same with the vocabularies that count tokens exactly. It is the same file where `LRO_COMPONENT` named one.
pub static EXACT_GUEST: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/guest-exact.wasm"));

#[cfg(test)]
#[allow(dead_code, reason = "the build script uses all of it")]
mod cut;
