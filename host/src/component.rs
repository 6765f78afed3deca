//! The component, compiled once and ready to be instantiated.

use std::sync::Arc;

use wasmtime::Engine;
use wasmtime::component::Linker;

use crate::bindings::LroPre;
use crate::cache::{CompiledCache, hash_of};
use crate::engine;
use crate::error::Error;
use crate::options::Options;
use crate::sandbox::State;

/// The embedded component, `lro.wasm`.
pub const COMPONENT: &[u8] = include_bytes!(env!("LRO_COMPONENT_FILE"));

/// Hash of the embedded component, taken when it was built.
const COMPONENT_HASH: &str = env!("LRO_COMPONENT_HASH");

/// A compiled component with its imports resolved. Instantiating it takes microseconds.
pub(crate) struct Compiled {
    pub(crate) engine: Engine,
    pub(crate) prepared: LroPre<State>,
}

impl Compiled {
    /// Compiles the component of the options, or loads its compiled form from the cache.
    pub(crate) fn open(options: &Options) -> Result<Arc<Self>, Error> {
        Self::prepare(options.component.as_deref(), &options.compiled_cache)
            .map(Arc::new)
            .map_err(|error| Error::Unusable(format!("cannot load the component: {error:#}")))
    }

    fn prepare(given: Option<&[u8]>, cache: &CompiledCache) -> wasmtime::Result<Self> {
        let engine = engine::start()?;
        let component = match given {
            Some(bytes) => cache.load(&engine, bytes, &hash_of(bytes))?,
            None => cache.load(&engine, COMPONENT, COMPONENT_HASH)?,
        };
        let mut linker = Linker::new(&engine);
        wasmtime_wasi::p2::add_to_linker_sync(&mut linker)?;
        let prepared = LroPre::new(linker.instantiate_pre(&component)?)?;
        Ok(Self { engine, prepared })
    }
}
