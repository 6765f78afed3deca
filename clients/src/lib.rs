//! What coding agents are told and tell: events of their hooks, and their configurations.
//!
//! Nothing here reaches outside. The command reads and writes natively, and the npm package in JavaScript, which has this
//! library as a module of WebAssembly.

#[cfg(target_family = "wasm")]
mod calls;
pub mod hook;
pub mod setup;

use std::path::Path;

/// True for an absolute path of the machine that asks. As WebAssembly, the standard library knows no absolute paths.
fn is_absolute(path: &Path) -> bool {
    let has_drive =
        |text: &str| matches!(text.as_bytes(), [drive, b':', b'/' | b'\\', ..] if drive.is_ascii_alphabetic());
    path.is_absolute() || cfg!(target_family = "wasm") && (path.has_root() || path.to_str().is_some_and(has_drive))
}
