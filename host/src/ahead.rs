//! The embedded component, compiled ahead of time: a program that has this code compiles nothing, not even at its first call.
//!
//! It takes two builds: the first one's `lro component --compiled` writes the code, and the second embeds it by
//! `LRO_COMPILED=FILE` (decision 302). Code for other processors, or of another version of wasmtime, is ignored.

use wasmtime::Engine;

use crate::component::{COMPONENT, COMPONENT_HASH};
use crate::engine;
use crate::error::{Accident, Error};

/// What `LRO_COMPILED` named when this library was built; empty if it named nothing.
static GIVEN: &[u8] = include_bytes!(env!("LRO_COMPILED_FILE"));

/// The code that this library has of the component with this hash.
pub(crate) fn embedded(hash: &str) -> Option<&'static [u8]> {
    GIVEN.strip_prefix(hash.as_bytes()).filter(|_| hash == COMPONENT_HASH)
}

/// True if this library has its component in compiled form as well.
pub fn is_compiled_ahead() -> bool {
    embedded(COMPONENT_HASH).is_some()
}

/// Compiles the embedded component for all processors of this architecture that are not older than about ten years, for
/// the variable `LRO_COMPILED` of a build: its hash, then the code. The same library returns the same bytes on every machine.
///
/// # Errors
/// What wasmtime says if it cannot compile.
pub fn compile_ahead() -> Result<Vec<u8>, Error> {
    let code = engine::portable_config(env!("LRO_TARGET"))
        .and_then(|config| Engine::new(&config)?.precompile_component(COMPONENT));
    let code = code.map_err(|error| Accident::Unusable(format!("cannot compile the component: {error:#}")))?;
    Ok([COMPONENT_HASH.as_bytes(), &code].concat())
}
