//! What a report of a fault needs to say.

use std::env::consts::{ARCH, OS};
use std::fmt::Write;

use sha2::{Digest, Sha256};

/// The parts that the command is made of that can be left out.
const FEATURES: [(&str, bool); 5] = [
    ("exact-tokens", cfg!(feature = "exact-tokens")),
    ("mcp", cfg!(feature = "mcp")),
    ("http", cfg!(feature = "http")),
    ("listen", cfg!(feature = "listen")),
    ("store", cfg!(feature = "store")),
];

/// The version of the command and of all that decides what it does, a line each.
pub(crate) fn verbose() -> String {
    let mut digest = String::new();
    for byte in Sha256::digest(lro::COMPONENT) {
        // Writing to a text does not fail.
        _ = write!(digest, "{byte:02x}");
    }
    let features: Vec<&str> = FEATURES.iter().filter(|(_, is_on)| *is_on).map(|(name, _)| *name).collect();
    format!(
        "lro {}\ncomponent: sha256:{digest}, {} bytes{}\ncontract: {}\nwasmtime: {}\nsystem: {OS} {ARCH}\nfeatures: {}\n",
        env!("CARGO_PKG_VERSION"),
        lro::COMPONENT.len(),
        if lro::is_compiled_ahead() { ", compiled ahead" } else { "" },
        lro::contract(),
        lro::WASMTIME_VERSION,
        features.join(", "),
    )
}
